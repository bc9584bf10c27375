#include "settings/option_words.hpp"

#include <array>
#include <string_view>
#include <utility>

#include "base/words.hpp"
#include "format/json.hpp"

namespace hotpack::pipeline {

namespace {

using Value = std::optional<std::string>;

// Returns the value of the option `wanted` of a schema as plain text (strings without quotes).
// Returns nothing if the schema does not have the option, or if its value is null.
Value option_of(const Schema& schema, std::string_view wanted) {
  for (const auto& [name, text] : schema.options.more) {
    if (name != wanted || text == "null") continue;
    const auto json = format::parse_json(text);
    return json.ok() && json->is_string() ? json->get<std::string>() : text;
  }
  return std::nullopt;
}

std::string size_text(const std::array<std::int64_t, 2>& size) {
  return std::to_string(size[0]) + "x" + std::to_string(size[1]);
}

// Converts "[64,48]" to "64x48".
Value listed_size(const Value& text) {
  if (!text) return std::nullopt;
  const std::size_t comma = text->find(',');
  if (comma == std::string::npos) return text;
  return text->substr(1, comma - 1) + "x" + text->substr(comma + 1, text->size() - comma - 2);
}

std::string joined(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const std::int64_t number : numbers)
    text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

class Options {
 public:
  explicit Options(const Schema& schema) : schema_(schema) {}

  std::vector<TypedOption> list() {
    add_geometry();
    add_record();
    add_labels();
    add("--map", option_of(schema_, "map") ? Value("FILE") : std::nullopt);
    add("--max-pixels", option_of(schema_, "max_pixels"));
    add("--lenient", option_of(schema_, "lenient") ? Value("") : std::nullopt);
    add("--zstd", zstd());
    add("--shuffle",
        schema_.options.shuffle ? Value(std::to_string(*schema_.options.shuffle)) : std::nullopt);
    return std::move(options_);
  }

 private:
  void add(std::string name, Value value, std::string_view usual = {}) {
    const bool is_usual = !value || (!usual.empty() && *value == usual);
    options_.push_back({std::move(name), std::move(value), is_usual});
  }

  void add_geometry() {
    const Geometry& geometry = schema_.geometry;
    const bool tiled = geometry.fit == "tile";
    const Value own = geometry.size ? Value(size_text(*geometry.size)) : std::nullopt;
    const Value size = tiled ? listed_size(option_of(schema_, "tiled_size")) : own;
    const std::string fit = tiled ? option_of(schema_, "tiled_fit").value_or("none") : geometry.fit;
    add("--size", size);
    add("--fit", fit, word_of(size ? Fit::stretch : Fit::none));
    const std::string overlap = option_of(schema_, "tile_overlap").value_or("0");
    add("--tile",
        tiled && own ? Value(*own + (overlap == "0" ? "" : "+" + overlap)) : std::nullopt);
    add("--pad-multiple", option_of(schema_, "pad_multiple"));
    add("--anchor",
        Value(word_of(value_of_packed<Anchor>(schema_.options.anchor).value_or(Anchor::center))),
        word_of(Anchor::center));
    add("--image-filter", geometry.image_filter, word_of(ImageFilter::automatic));
    add("--label-filter", geometry.label_filter, word_of(LabelFilter::nearest));
    add("--size-mismatch", schema_.options.size_mismatch, word_of(SizeMismatch::error));
  }

  void add_record() {
    add("--exif", option_of(schema_, "exif"), word_of(ExifPolicy::automatic));
    add("--channels", Value(word_of(schema_.image.color)), word_of(ImageColor::rgb));
    const std::string color = joined(schema_.geometry.pad_color);
    add("--pad-color", color, color.find_first_not_of("0,") == std::string::npos ? color : "0,0,0");
    add("--alpha", option_of(schema_, "alpha"), "drop");
    add("--depth16", option_of(schema_, "depth16"), word_of(Depth16::shift));
    add("--jpeg-scale", option_of(schema_, "jpeg_scale"), word_of(JpegScale::automatic));
    add("--image-layout", Value(word_of(schema_.image.layout)), word_of(AxisOrder::channels_last));
  }

  void add_labels() {
    const Value kind = option_of(schema_, "label_kind");
    const Value formula = option_of(schema_, "rgb_id");
    const bool objects = kind == "index" && option_of(schema_, "threshold");
    add("--label-kind", kind == "folder" ? std::nullopt
                        : formula        ? Value("rgb-id")
                        : objects        ? Value(word_of(LabelKind::instances))
                                         : kind);
    add("--rgb-id", formula);
    add("--threshold", option_of(schema_, "threshold"), "128");
    add("--unknown", option_of(schema_, "unknown"), "error");
    add("--pad-label", option_of(schema_, "pad_label"), "ignore");
    add("--label-storage", schema_.label ? Value(word_of(schema_.label->storage)) : std::nullopt,
        word_of(objects ? LabelStorage::index : LabelStorage::bits));
  }

  // Returns the value of --zstd: fields and level, if they differ from those of --zstd alone.
  [[nodiscard]] Value zstd() const {
    const Value fields = option_of(schema_, "zstd_fields");
    if (!fields) return std::nullopt;
    const bool image = fields->find("\"image\"") != std::string::npos,
               label = fields->find("\"label\"") != std::string::npos;
    std::string text = image && (label || !schema_.label) ? "" : image ? "image" : "label";
    if (const std::string level = option_of(schema_, "zstd_level").value_or("1"); level != "1")
      text += ":" + level;
    return text;
  }

  const Schema& schema_;
  std::vector<TypedOption> options_;
};

}  // namespace

std::string TypedOption::text() const {
  if (!value) return "without " + name;
  if (value->empty()) return name;
  return name + (name == "--zstd" ? "=" : " ") + *value;
}

std::vector<TypedOption> typed_options(const Schema& schema) { return Options(schema).list(); }

std::string option_difference(const Schema& here, const Schema& there, format::Sides sides) {
  const std::vector<TypedOption> left = typed_options(here), right = typed_options(there);
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (left[i].value == right[i].value) continue;
    const bool both =
        left[i].value && right[i].value && !left[i].value->empty() && !right[i].value->empty();
    return left[i].text() + " " + std::string(sides.first) + ", " +
           (both ? *right[i].value : right[i].text()) + " " + std::string(sides.second);
  }
  return format::first_difference(here, there, sides);
}

}  // namespace hotpack::pipeline
