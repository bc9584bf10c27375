#include "cli/sample_writer.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/pixels.hpp"
#include "base/try.hpp"
#include "cli/npy.hpp"
#include "codecs/png_writer.hpp"
#include "expand/class_ids.hpp"
#include "hotpack/expand.hpp"

namespace hotpack::cli {

namespace {

LabelOutput one_hot(AxisOrder order) {
  LabelOutput output;
  output.form = LabelForm::one_hot;
  output.layout = order;
  return output;
}

constexpr std::size_t kMostByteIds = 255;  // so many class ids and the ignored id fit into a byte

// Returns the color for ignored pixels: that of PASCAL VOC or, if a class has that color, the next
// shade that no class has. There are more shades than classes, so one is always found.
RgbColor ignored_color(const std::vector<ClassInfo>& classes) {
  RgbColor color{224, 224, 192};
  const auto taken = [&](const ClassInfo& info) { return info.color == color; };
  while (std::any_of(classes.begin(), classes.end(), taken)) ++color[2];
  return color;
}

// True if every class has a color of its own.
bool have_colors(const std::vector<ClassInfo>& classes) {
  std::set<RgbColor> colors;
  for (const ClassInfo& info : classes)
    if (info.color) colors.insert(*info.color);
  return colors.size() == classes.size();
}

// Returns a palette for class ids: the colors of the classes by id, then black, and the color of
// ignored pixels at 255. Returns an empty palette if a class has no color, or if ids need 16 bits.
std::vector<RgbColor> palette_of(const std::vector<ClassInfo>& classes) {
  if (classes.size() > kMostByteIds) return {};
  std::vector<RgbColor> palette(256, RgbColor{0, 0, 0});
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (!classes[c].color) return {};
    palette[c] = *classes[c].color;
  }
  palette[255] = ignored_color(classes);
  return palette;
}

template <class T>
PixelView<const T> image_of(std::span<const T> samples, std::int64_t width, std::int64_t height,
                            int channels) {
  return {samples.data(), static_cast<int>(width), static_cast<int>(height), channels,
          static_cast<std::size_t>(width) * static_cast<std::size_t>(channels) * sizeof(T)};
}

// Returns the pixels as HWC; if the image has another layout, they are copied to `out`.
std::span<const std::uint8_t> interleaved(const ImageView& image, std::vector<std::uint8_t>& out) {
  if (image.shape.layout == AxisOrder::channels_last || image.shape.channels == 1)
    return image.bytes;
  out.resize(image.bytes.size());
  const auto channels = static_cast<std::size_t>(image.shape.channels);
  const std::size_t pixels = image.bytes.size() / channels;
  for (std::size_t p = 0; p < pixels; ++p) {
    for (std::size_t c = 0; c < channels; ++c) out[p * channels + c] = image.bytes[c * pixels + p];
  }
  return out;
}

// Quotes a field of a CSV file if necessary (RFC 4180).
std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string field = "\"";
  for (const char c : text) {
    if (c == '"') field += '"';
    field += c;
  }
  return field + '"';
}

std::vector<std::uint64_t> array_shape(const LabelShape& shape) {
  std::vector<std::uint64_t> sizes;
  if (shape.scope == LabelScope::pixel)
    sizes = {static_cast<std::uint64_t>(shape.height), static_cast<std::uint64_t>(shape.width)};
  if (shape.storage != LabelStorage::index) sizes.push_back(shape.vector_bytes());
  return sizes;
}

}  // namespace

SampleWriter::SampleWriter(OutputTree& tree, SampleWriterOptions options,
                           const std::vector<ClassInfo>& classes)
    : tree_(tree),
      options_(std::move(options)),
      classes_(classes),
      palette_(options_.ids ? std::vector<RgbColor>() : palette_of(classes)) {}

Status SampleWriter::write(const Sample& sample) {
  made_.clear();
  HOTPACK_TRY(make_image(sample));
  if (sample.has_label()) HOTPACK_TRY(make_label(sample));
  for (std::size_t i = 0; i < made_.size(); ++i) {
    Status status = write_file(made_[i].first, made_[i].second);
    if (status.ok()) continue;
    // Files that replaced others stay: without them, the sample would have less than before.
    while (i-- > 0) tree_.remove(options_.prefix + made_[i].first);
    return status;
  }
  return {};
}

Status SampleWriter::make_image(const Sample& sample) {
  const ImageShape shape = sample.image_shape();
  HOTPACK_ASSIGN(const ImageView image, sample.copy_image(stored_));
  const std::span<const std::uint8_t> pixels = interleaved(image, interleaved_);
  HOTPACK_ASSIGN(const std::string key, sample.copied_key());
  const std::string name = "images/" + key;
  HOTPACK_ASSIGN(const auto png, codecs::encode_png(image_of(pixels, shape.width, shape.height,
                                                             static_cast<int>(shape.channels))));
  add_png(name, png);
  if (!options_.npy) return {};
  const std::uint64_t sizes[] = {static_cast<std::uint64_t>(shape.height),
                                 static_cast<std::uint64_t>(shape.width),
                                 static_cast<std::uint64_t>(shape.channels)};
  made_.emplace_back(name + ".npy", npy_file(ElementType::u8, sizes, pixels));
  return {};
}

Status SampleWriter::make_label(const Sample& sample) {
  HOTPACK_ASSIGN(const LabelView label, sample.copy_label(stored_));
  HOTPACK_ASSIGN(const std::string key, sample.copied_key());
  const std::string name = "labels/" + key;
  if (label.shape.scope == LabelScope::image) {
    HOTPACK_TRY(add_rows(key, label));
  } else {
    HOTPACK_TRY(make_label_image(name, label));
  }
  if (options_.npy) add_label_array(name, label);
  return {};
}

Status SampleWriter::make_label_image(const std::string& name, const LabelView& label) {
  if (label.shape.multi) return make_class_images(name, label);
  ids_.resize(label.shape.vectors());
  HOTPACK_TRY(expand_ids(label, ids_));
  return make_id_image(name, label.shape);
}

Status SampleWriter::make_id_image(const std::string& name, const LabelShape& shape) {
  if (shape.class_count > kMostByteIds) {
    HOTPACK_ASSIGN(const auto png,
                   codecs::encode_png16(image_of(std::span<const std::uint16_t>(ids_), shape.width,
                                                 shape.height, 1)));
    add_png(name, png);
    return {};
  }
  interleaved_.resize(ids_.size());
  std::transform(ids_.begin(), ids_.end(), interleaved_.begin(),
                 [](std::uint16_t id) { return static_cast<std::uint8_t>(id); });
  const ConstPixels ids =
      image_of(std::span<const std::uint8_t>(interleaved_), shape.width, shape.height, 1);
  HOTPACK_ASSIGN(const auto png, palette_.empty() ? codecs::encode_png_ids(ids)
                                                  : codecs::encode_png_palette(ids, palette_));
  add_png(name, png);
  return {};
}

Status SampleWriter::make_class_images(const std::string& name, const LabelView& label) {
  one_hot_.resize(label.shape.vectors() * label.shape.class_count);
  HOTPACK_TRY(expand_label(label, one_hot(AxisOrder::channels_first),
                           std::as_writable_bytes(std::span(one_hot_))));
  const std::uint64_t pixels = label.shape.vectors();
  for (std::size_t c = 0; c < label.shape.class_count; ++c) {
    interleaved_.resize(pixels);
    std::transform(one_hot_.begin() + static_cast<std::ptrdiff_t>(c * pixels),
                   one_hot_.begin() + static_cast<std::ptrdiff_t>((c + 1) * pixels),
                   interleaved_.begin(),
                   [](std::uint8_t set) { return static_cast<std::uint8_t>(set != 0 ? 255 : 0); });
    HOTPACK_ASSIGN(const auto png,
                   codecs::encode_png_ids(image_of(std::span<const std::uint8_t>(interleaved_),
                                                   label.shape.width, label.shape.height, 1)));
    add_png(name + ".class-" + std::to_string(c), png);
  }
  return {};
}

void SampleWriter::add_label_array(const std::string& name, const LabelView& label) {
  const bool wide = label.shape.storage == LabelStorage::index && label.shape.vector_bytes() == 2;
  made_.emplace_back(name + ".npy", npy_file(wide ? ElementType::u16 : ElementType::u8,
                                             array_shape(label.shape), label.bytes));
}

Status SampleWriter::add_rows(std::string_view key, const LabelView& label) {
  std::vector<std::uint8_t> set(label.shape.class_count);
  const std::string start = csv_field(std::string(key) + ".png") + ",";
  bool any = false;
  HOTPACK_TRY(expand_label(label, one_hot(AxisOrder::channels_last),
                           std::as_writable_bytes(std::span(set))));
  for (std::size_t c = 0; c < set.size(); ++c) {
    if (set[c] == 0) continue;
    rows_ += start + csv_field(classes_[c].name) + "," + std::to_string(c) + "\n";
    any = true;
  }
  if (!any) rows_ += start + ",\n";
  return {};
}

Status SampleWriter::write_list(const std::string& rows) {
  return rows.empty() ? Status() : write_file("labels.csv", "image,class,id\n" + rows);
}

Status SampleWriter::write_classes() {
  if (!options_.class_file) return {};
  const bool colors = have_colors(classes_);
  std::string text = colors ? "name,r,g,b\n" : "id,name\n";
  for (std::size_t id = 0; id < classes_.size(); ++id) {
    const std::string name = csv_field(classes_[id].name);
    if (!colors) text += std::to_string(id) + "," + name;
    if (colors) text += name;
    for (std::size_t c = 0; colors && c < 3; ++c)
      text += "," + std::to_string((*classes_[id].color)[c]);
    text += "\n";
  }
  return write_file(std::string(kClassFile), text);
}

void SampleWriter::add_png(const std::string& name, const std::vector<std::byte>& png) {
  made_.emplace_back(name + ".png",
                     std::string(reinterpret_cast<const char*>(png.data()), png.size()));
}

Status SampleWriter::write_file(const std::string& name, std::string_view content) {
  HOTPACK_TRY(tree_.write(options_.prefix + name, content, options_.force));
  ++files_;
  bytes_ += content.size();
  return {};
}

}  // namespace hotpack::cli
