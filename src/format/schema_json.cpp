#include "format/schema_json.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/fit.hpp"
#include "base/try.hpp"
#include "base/utf8.hpp"
#include "base/words.hpp"
#include "format/json.hpp"
#include "format/json_document.hpp"
#include "format/json_node.hpp"

namespace hotpack::format {
namespace {

constexpr std::uint64_t kMaxSide = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kMaxClasses = 65535;
constexpr std::uint64_t kMaxChannels = 64;

// ---- writing, as text: a JSON value needs memory even to be destroyed, and ends the process if

template <class Values, class Text>
std::string list_text(const Values& values, Text text_of) {
  std::string text = "[";
  for (const auto& value : values) text += (text.size() == 1 ? "" : ",") + text_of(value);
  return text + "]";
}

template <class Values>
std::string numbers_text(const Values& values) {
  return list_text(values, [](auto value) { return std::to_string(value); });
}

template <class Values>
std::string numbers_or_null(const std::optional<Values>& values) {
  return values ? numbers_text(*values) : "null";
}

std::string source_text(const LabelSource& source) {
  if (const auto* id = std::get_if<std::int64_t>(&source)) return std::to_string(*id);
  return canonical_string(std::get<std::string>(source));
}

std::string class_text(const ClassInfo& info) {
  return "{\"name\":" + canonical_string(info.name) + ",\"color\":" + numbers_or_null(info.color) +
         ",\"sources\":" + list_text(info.sources, source_text) + "}";
}

std::string fields_text(const Schema& schema) {
  const ImageField& image = schema.image;
  std::string text = "{\"image\":{\"layout\":" + canonical_string(packed_word_of(image.layout)) +
                     ",\"shape\":" + numbers_or_null(image.shape) +
                     ",\"dtype\":\"u8\",\"channels\":" + std::to_string(image.channels()) +
                     ",\"color\":" + canonical_string(packed_word_of(image.color)) + "}";
  if (!schema.label) return text + "}";
  const LabelField& label = *schema.label;
  return text + ",\"label\":{\"kind\":" + canonical_string(packed_word_of(label.scope)) +
         ",\"storage\":" + canonical_string(packed_word_of(label.storage)) +
         ",\"shape\":" + numbers_or_null(label.shape) +
         ",\"multi\":" + (label.multi ? "true" : "false") + "}}";
}

std::string geometry_text(const Geometry& geometry) {
  return "{\"size\":" + numbers_or_null(geometry.size) +
         ",\"fit\":" + canonical_string(geometry.fit) +
         ",\"image_filter\":" + canonical_string(geometry.image_filter) +
         ",\"label_filter\":" + canonical_string(geometry.label_filter) +
         ",\"pad_color\":" + numbers_text(geometry.pad_color) + "}";
}

Result<std::string> options_text(const SchemaOptions& options) {
  std::string text =
      "{\"shuffle\":" + (options.shuffle ? std::to_string(*options.shuffle) : std::string("null")) +
      ",\"anchor\":" + canonical_string(options.anchor) +
      ",\"size_mismatch\":" + canonical_string(options.size_mismatch) +
      ",\"engines\":" + list_text(options.engines, [](const std::string& engine) {
        return canonical_string(engine);
      });
  for (const auto& [name, value] : options.more) {
    HOTPACK_ASSIGN(const JsonDocument document, parse_document(value));
    text += "," + canonical_string(name) + ":" + canonical_json(document.root());
  }
  return text + "}";
}

// ---- reading

template <class Enum>
Result<Enum> decode_word(const JsonNode& node) {
  static constexpr auto kPacked = packed_words<Enum>();
  HOTPACK_ASSIGN(const std::size_t number, node.choice(kPacked));
  return kWords<Enum>[number].value;
}

template <std::size_t N>
Result<std::array<std::int64_t, N>> decode_sizes(const JsonNode& node) {
  HOTPACK_ASSIGN(const std::size_t length, node.length());
  if (length != N) return node.error("must be a list of " + std::to_string(N) + " sizes");
  std::array<std::int64_t, N> sizes{};
  for (std::size_t i = 0; i < N; ++i) {
    HOTPACK_ASSIGN(const std::uint64_t size, node.element(i).count(1, kMaxSide));
    sizes[i] = static_cast<std::int64_t>(size);
  }
  return sizes;
}

template <std::size_t N>
Result<std::optional<std::array<std::int64_t, N>>> decode_optional_sizes(const JsonNode& node) {
  if (node.is_null()) return std::optional<std::array<std::int64_t, N>>();
  HOTPACK_ASSIGN(const auto sizes, decode_sizes<N>(node));
  return std::optional(sizes);
}

// Refuses images that FORMAT.md describes and this version does not read.
Status check_readable(const JsonNode& node) {
  constexpr std::string_view kAdvice = "; this version of hotpack reads u8 RGB and gray pixels";
  const auto is = [&](const char* key, std::string_view text) {
    return node.has(key) && node.at(key).json().is_string() &&
           node.at(key).json().get_ref<const std::string&>() == text;
  };
  for (const std::string_view dtype : {"u16", "f32"})
    if (is("dtype", dtype))
      return damaged_error("the images have the element type " + std::string(dtype) +
                           std::string(kAdvice));
  if (is("color", "bands")) return damaged_error("the images have bands" + std::string(kAdvice));
  if (node.has("codec"))
    return damaged_error("the images are coded by " + excerpt(node.at("codec").json()) +
                         std::string(kAdvice));
  static constexpr std::array<std::string_view, 1> kDtypes{"u8"};
  if (!node.has("dtype")) return {};
  const auto dtype = node.at("dtype").choice(kDtypes);
  return dtype.ok() ? Status() : Status(dtype.error());
}

Result<ImageField> decode_image(const JsonNode& node, int minor) {
  HOTPACK_TRY(check_readable(node));
  HOTPACK_TRY(node.require_keys({"layout", "shape", "dtype", "channels", "color"}, minor));
  HOTPACK_ASSIGN(const auto layout, decode_word<AxisOrder>(node.at("layout")));
  HOTPACK_ASSIGN(const auto color, decode_word<ImageColor>(node.at("color")));
  HOTPACK_ASSIGN(const std::uint64_t channels, node.at("channels").count(1, kMaxChannels));
  ImageField image;
  image.layout = layout;
  image.color = color;
  if (std::cmp_not_equal(channels, image.channels()))
    return node.at("channels")
        .error("must be " + std::to_string(image.channels()) + " for " +
               excerpt(node.at("color").json()));
  HOTPACK_ASSIGN(image.shape, decode_optional_sizes<3>(node.at("shape")));
  return image;
}

Result<std::optional<std::vector<std::int64_t>>> decode_label_shape(const JsonNode& node) {
  if (node.is_null()) return std::optional<std::vector<std::int64_t>>();
  HOTPACK_ASSIGN(const std::size_t length, node.length());
  if (length > 3) return node.error("must not have more than three dimensions");
  std::vector<std::int64_t> shape;
  for (std::size_t i = 0; i < length; ++i) {
    const JsonNode element = node.element(i);
    HOTPACK_ASSIGN(const std::uint64_t size, element.count(1, kMaxSide));
    shape.push_back(static_cast<std::int64_t>(size));
  }
  return std::optional(std::move(shape));
}

Result<LabelField> decode_label(const JsonNode& node, int minor) {
  HOTPACK_TRY(node.require_keys({"kind", "storage", "shape", "multi"}, minor));
  HOTPACK_ASSIGN(const auto kind, decode_word<LabelScope>(node.at("kind")));
  HOTPACK_ASSIGN(const auto storage, decode_word<LabelStorage>(node.at("storage")));
  LabelField label;
  label.scope = kind;
  label.storage = storage;
  HOTPACK_ASSIGN(label.shape, decode_label_shape(node.at("shape")));
  HOTPACK_ASSIGN(label.multi, node.at("multi").boolean());
  return label;
}

Status decode_fields(const JsonNode& node, int minor, Schema& schema) {
  if (node.has("label")) {
    HOTPACK_TRY(node.require_keys({"image", "label"}, minor));
    HOTPACK_ASSIGN(schema.label, decode_label(node.at("label"), minor));
  } else {
    HOTPACK_TRY(node.require_keys({"image"}, minor));
  }
  HOTPACK_ASSIGN(schema.image, decode_image(node.at("image"), minor));
  return {};
}

Result<std::vector<LabelSource>> decode_sources(const JsonNode& node) {
  HOTPACK_ASSIGN(const std::size_t length, node.length());
  std::vector<LabelSource> sources;
  sources.reserve(length);
  for (std::size_t i = 0; i < length; ++i) {
    const JsonNode element = node.element(i);
    if (element.json().is_string()) {
      HOTPACK_ASSIGN(std::string name, element.text());
      if (name.empty()) return element.error("must not be empty");
      sources.emplace_back(std::move(name));
    } else {
      HOTPACK_ASSIGN(const std::uint64_t id, element.count());
      sources.emplace_back(static_cast<std::int64_t>(id));
    }
  }
  return sources;
}

// Decodes a color: one to three numbers from 0 to 255.
Result<std::vector<std::int64_t>> decode_color(const JsonNode& node) {
  HOTPACK_ASSIGN(const std::size_t length, node.length());
  if (length < 1 || length > 3) return node.error("must be one to three numbers");
  std::vector<std::int64_t> color;
  for (std::size_t i = 0; i < length; ++i) {
    const JsonNode element = node.element(i);
    HOTPACK_ASSIGN(const std::uint64_t value, element.count(0, 255));
    color.push_back(static_cast<std::int64_t>(value));
  }
  return color;
}

Result<ClassInfo> decode_class(const JsonNode& node, int minor) {
  HOTPACK_TRY(node.require_keys({"name", "color", "sources"}, minor));
  ClassInfo one;
  HOTPACK_ASSIGN(one.name, node.at("name").text());
  HOTPACK_ASSIGN(one.sources, decode_sources(node.at("sources")));
  if (node.at("color").is_null()) return one;
  HOTPACK_ASSIGN(const auto color, decode_color(node.at("color")));
  if (color.size() != 3) return node.at("color").error("must be three numbers");
  one.color.emplace();
  std::transform(color.begin(), color.end(), one.color->begin(),
                 [](std::int64_t value) { return static_cast<std::uint8_t>(value); });
  return one;
}

Result<std::vector<ClassInfo>> decode_classes(const JsonNode& node, int minor) {
  HOTPACK_ASSIGN(const std::size_t length, node.length());
  std::vector<ClassInfo> classes;
  classes.reserve(length);
  for (std::size_t i = 0; i < length; ++i) {
    const JsonNode element = node.element(i);
    HOTPACK_ASSIGN(ClassInfo one, decode_class(element, minor));
    classes.push_back(std::move(one));
  }
  return classes;
}

Result<Geometry> decode_geometry(const JsonNode& node, int minor) {
  HOTPACK_TRY(
      node.require_keys({"size", "fit", "image_filter", "label_filter", "pad_color"}, minor));
  Geometry geometry;
  HOTPACK_ASSIGN(geometry.size, decode_optional_sizes<2>(node.at("size")));
  HOTPACK_ASSIGN(geometry.fit, node.at("fit").text());
  HOTPACK_ASSIGN(geometry.image_filter, node.at("image_filter").text());
  HOTPACK_ASSIGN(geometry.label_filter, node.at("label_filter").text());
  HOTPACK_ASSIGN(geometry.pad_color, decode_color(node.at("pad_color")));
  if (geometry.pad_color.size() != 1 && geometry.pad_color.size() != 3)
    return node.at("pad_color").error("must be one or three numbers");
  if (geometry.size.has_value() == (geometry.fit == "none"))
    return node.at("size").error("must be null if fit is \"none\", and only then");
  return geometry;
}

// Returns the stage of an engine's text "<stage>:<version>"; empty if the text is malformed.
std::string_view stage_of(std::string_view token) {
  const std::string_view stage = token.substr(0, token.find(':'));
  const bool named =
      !stage.empty() &&
      stage.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string_view::npos;
  const bool versioned = token.size() > stage.size() + 1 &&
                         token.find_first_of(" \t\r\n\f\v") == std::string_view::npos;
  return named && versioned ? stage : std::string_view();
}

Result<std::vector<std::string>> decode_engines(const JsonNode& node) {
  HOTPACK_ASSIGN(const std::size_t length, node.length());
  std::vector<std::string> engines;
  std::vector<std::string> stages;
  for (std::size_t i = 0; i < length; ++i) {
    const JsonNode element = node.element(i);
    HOTPACK_ASSIGN(std::string token, element.text());
    stages.emplace_back(stage_of(token));
    if (stages.back().empty()) return element.error("is not of the form <stage>:<version>");
    engines.push_back(std::move(token));
  }
  if (!std::is_sorted(engines.begin(), engines.end())) return node.error("is not sorted by bytes");
  std::sort(stages.begin(), stages.end());
  if (std::adjacent_find(stages.begin(), stages.end()) != stages.end())
    return node.error("names one stage twice");
  return engines;
}

Result<SchemaOptions> decode_options(const JsonNode& node) {
  constexpr int kAnyKeys = 1;  // every version may add keys to `options`
  HOTPACK_TRY(node.require_keys({"shuffle", "anchor", "size_mismatch", "engines"}, kAnyKeys));
  SchemaOptions options;
  if (!node.at("shuffle").is_null()) {
    HOTPACK_ASSIGN(options.shuffle,
                   node.at("shuffle").count(0, std::numeric_limits<std::uint64_t>::max()));
  }
  HOTPACK_ASSIGN(const Anchor anchor, decode_word<Anchor>(node.at("anchor")));
  options.anchor = packed_word_of(anchor);
  HOTPACK_ASSIGN(options.size_mismatch, node.at("size_mismatch").text());
  if (options.size_mismatch.empty()) return node.at("size_mismatch").error("must not be empty");
  HOTPACK_ASSIGN(options.engines, decode_engines(node.at("engines")));
  for (const auto& [name, value] : node.json().get_ref<const Json::object_t&>()) {
    const bool known =
        name == "shuffle" || name == "anchor" || name == "size_mismatch" || name == "engines";
    if (!known) options.more.emplace_back(name, canonical_json(value));
  }
  return options;
}

// ---- rules between keys

Status check_label_rules(const Schema& schema) {
  const LabelField& label = *schema.label;
  if (schema.classes.empty())
    return damaged_error("classes: must not be empty, because the data set has labels");
  if (schema.classes.size() > kMaxClasses)
    return damaged_error("classes: the number of entries exceeds " + std::to_string(kMaxClasses));
  if (label.multi && label.storage == LabelStorage::index) {
    return damaged_error("fields.label.multi: several classes per pixel cannot be stored as ids");
  }
  return {};
}

// True if the product of a shape and an item size is at most kMaxCount.
template <class Shape>
bool record_fits(const Shape& shape, std::uint64_t item_size) {
  std::uint64_t bytes = item_size;
  for (const std::int64_t side : shape) {
    const auto product = checked_mul(bytes, static_cast<std::uint64_t>(side));
    if (!product || *product > kMaxCount) return false;
    bytes = *product;
  }
  return true;
}

std::uint64_t label_item_bytes(const Schema& schema) {
  return schema.label->storage == LabelStorage::index
             ? static_cast<std::uint64_t>(schema.index_bytes())
             : 1;
}

Status check_shapes(const Schema& schema) {
  Schema expected = schema;
  fill_shapes(expected);
  const std::string advice = " does not agree with size, fields and classes";
  if (schema.image.shape != expected.image.shape)
    return damaged_error("fields.image.shape" + advice);
  if (schema.label && schema.label->shape != expected.label->shape)
    return damaged_error("fields.label.shape" + advice);
  if (schema.image.shape && !record_fits(*schema.image.shape, 1))
    return damaged_error("fields.image.shape: a record of this shape is too large");
  if (schema.label && schema.label->shape &&
      !record_fits(*schema.label->shape, label_item_bytes(schema))) {
    return damaged_error("fields.label.shape: a record of this shape is too large");
  }
  return {};
}

template <class Shape>
std::uint64_t product_of(const Shape& shape, std::uint64_t item_size) {
  for (const std::int64_t side : shape) item_size *= static_cast<std::uint64_t>(side);
  return item_size;
}

// ---- differences

std::string compared(const std::string& here, const std::string& there, Sides sides) {
  return here + " " + std::string(sides.first) + ", " + there + " " + std::string(sides.second);
}

std::string joined(const std::string& path, const std::string& name) {
  return path.empty() ? name : path + "." + name;
}

std::string difference(const Json& here, const Json& there, const std::string& path, Sides sides);

std::string object_difference(const Json& here, const Json& there, const std::string& path,
                              Sides sides) {
  for (const auto& [name, value] : here.get_ref<const Json::object_t&>()) {
    const auto other = there.find(name);
    if (other == there.end())
      return joined(path, name) + ": " + compared(excerpt(value), "absent", sides);
    if (auto text = difference(value, *other, joined(path, name), sides); !text.empty())
      return text;
  }
  for (const auto& [name, value] : there.get_ref<const Json::object_t&>()) {
    if (!here.contains(name))
      return joined(path, name) + ": " + compared("absent", excerpt(value), sides);
  }
  return {};
}

std::string list_difference(const Json& here, const Json& there, const std::string& path,
                            Sides sides) {
  const bool of_objects = !here.empty() && here.front().is_object();
  if (!of_objects) return path + ": " + compared(excerpt(here), excerpt(there), sides);
  for (std::size_t i = 0; i < std::min(here.size(), there.size()); ++i) {
    if (auto text = difference(here[i], there[i], path + "[" + std::to_string(i) + "]", sides);
        !text.empty())
      return text;
  }
  return path + ": " +
         compared(std::to_string(here.size()) + " entries", std::to_string(there.size()), sides);
}

std::string difference(const Json& here, const Json& there, const std::string& path, Sides sides) {
  if (here == there) return {};
  if (here.is_object() && there.is_object()) return object_difference(here, there, path, sides);
  if (here.is_array() && there.is_array()) return list_difference(here, there, path, sides);
  return path + ": " + compared(excerpt(here), excerpt(there), sides);
}

}  // namespace

Result<std::string> encode_schema(const Schema& schema) {
  HOTPACK_ASSIGN(const std::string options, options_text(schema.options));
  std::string text = "{\"fields\":" + fields_text(schema) +
                     ",\"classes\":" + list_text(schema.classes, class_text) +
                     ",\"ignore\":{\"sources\":" + list_text(schema.ignore, source_text) +
                     "},\"geometry\":" + geometry_text(schema.geometry) +
                     ",\"options\":" + options + "}";
  if (!is_utf8(text))
    return usage_error("the schema contains a class name, source or option that is not UTF-8");
  if (text.size() > kMaxSchemaBytes) {
    return usage_error("the schema has " + std::to_string(text.size()) + " bytes; the most is " +
                       std::to_string(kMaxSchemaBytes) + "; use fewer classes or shorter names");
  }
  return text;
}

Result<Schema> decode_schema(std::string_view text, int minor) {
  HOTPACK_ASSIGN(const JsonDocument document, parse_document(text));
  const Json& json = document.root();
  const JsonNode node(json, "");
  if (!json.is_object()) return damaged_error("the schema is not an object");
  HOTPACK_TRY(node.require_keys({"fields", "classes", "ignore", "geometry", "options"}, minor));
  HOTPACK_TRY(node.at("ignore").require_keys({"sources"}, minor));
  Schema schema;
  HOTPACK_TRY(decode_fields(node.at("fields"), minor, schema));
  HOTPACK_ASSIGN(schema.classes, decode_classes(node.at("classes"), minor));
  HOTPACK_ASSIGN(schema.ignore, decode_sources(node.at("ignore").at("sources")));
  HOTPACK_ASSIGN(schema.geometry, decode_geometry(node.at("geometry"), minor));
  HOTPACK_ASSIGN(schema.options, decode_options(node.at("options")));
  if (schema.label) HOTPACK_TRY(check_label_rules(schema));
  HOTPACK_TRY(check_shapes(schema));
  return schema;
}

namespace {

Result<JsonDocument> as_document(const Schema& schema) {
  HOTPACK_ASSIGN(const std::string text, encode_schema(schema));
  return parse_document(text);
}

}  // namespace

std::string first_difference(const Schema& here, const Schema& there, Sides sides) {
  if (here == there) return {};
  const auto left = as_document(here), right = as_document(there);
  if (!left.ok() || !right.ok()) return "options: not JSON";
  // Compares first what people chose; channels and shapes follow from it.
  const auto image = [](const JsonDocument& document) -> const Json& {
    return document.root().at("fields").at("image");
  };
  if (here.image.color != there.image.color)
    return difference(image(*left).at("color"), image(*right).at("color"), "fields.image.color",
                      sides);
  for (const char* const part : {"geometry", "options"})
    if (left->root().at(part) != right->root().at(part))
      return difference(left->root().at(part), right->root().at(part), part, sides);
  return difference(left->root(), right->root(), "", sides);
}

void fill_shapes(Schema& schema) {
  const auto& size = schema.geometry.size;
  schema.image.shape.reset();
  if (size) {
    const std::int64_t width = (*size)[0], height = (*size)[1], channels = schema.image.channels();
    using Shape = std::array<std::int64_t, 3>;
    schema.image.shape = schema.image.layout == AxisOrder::channels_first
                             ? Shape{channels, height, width}
                             : Shape{height, width, channels};
  }
  if (!schema.label) return;
  LabelField& label = *schema.label;
  label.shape.reset();
  if (label.scope == LabelScope::pixel && !size) return;
  label.shape.emplace();
  if (label.scope == LabelScope::pixel) label.shape->assign({(*size)[1], (*size)[0]});
  if (label.storage != LabelStorage::index) label.shape->push_back(label_depth(schema));
}

std::size_t counted_classes(const Schema& schema) {
  return schema.label ? schema.classes.size() : 0;
}

bool has_class_rows(const Schema& schema) {
  return schema.label && schema.label->scope == LabelScope::pixel;
}

std::uint64_t image_record_bytes(const Schema& schema) {
  return product_of(*schema.image.shape, 1);
}

std::uint64_t label_record_bytes(const Schema& schema) {
  return schema.label ? product_of(*schema.label->shape, label_item_bytes(schema)) : 0;
}

std::int64_t label_depth(const Schema& schema) {
  const auto count = static_cast<std::int64_t>(schema.classes.size());
  switch (schema.label->storage) {
    case LabelStorage::bits:
      return (count + 7) / 8;
    case LabelStorage::one_hot:
      return count;
    case LabelStorage::index:
      return 1;
  }
  return 1;
}

}  // namespace hotpack::format
