// What all records of a pack have in common: the parsed `hotpack.schema` of a shard.
//
// Plain values, copied freely. FORMAT.md gives the JSON key, the type and the order of each member.
// The key is usually the member's name; the key of LabelField::scope is "kind".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace hotpack {

using RgbColor = std::array<std::uint8_t, 3>;

/// [H,W,C] or [C,H,W]: one sample of an NHWC or NCHW batch.
enum class AxisOrder { channels_last, channels_first };
enum class ImageColor { rgb, gray };
enum class LabelScope { pixel, image };  ///< one class (or several) per pixel, or per image
enum class LabelStorage { bits, one_hot, index };

/// A value in label files that became a class or is ignored: an id, a color "#rrggbb", or the name
/// of a folder.
using LabelSource = std::variant<std::int64_t, std::string>;

struct ClassInfo {
  std::string name;
  std::optional<RgbColor> color;
  std::vector<LabelSource> sources;
  bool operator==(const ClassInfo&) const = default;
};

struct ImageField {
  AxisOrder layout = AxisOrder::channels_last;
  /// One record as stored, [H,W,c] or [c,H,W]; absent: sizes differ.
  std::optional<std::array<std::int64_t, 3>> shape;
  ImageColor color = ImageColor::rgb;  ///< the elements are u8, the only dtype of this version
  [[nodiscard]] int channels() const { return color == ImageColor::rgb ? 3 : 1; }
  bool operator==(const ImageField&) const = default;
};

struct LabelField {
  LabelScope scope = LabelScope::pixel;
  LabelStorage storage = LabelStorage::bits;
  std::optional<std::vector<std::int64_t>> shape;  ///< one record as stored; absent: sizes differ
  bool multi = false;                              ///< a pixel may hold several classes
  bool operator==(const LabelField&) const = default;
};

struct Geometry {
  /// Width, height of a record; absent with fit "none".
  std::optional<std::array<std::int64_t, 2>> size;
  std::string fit;  ///< stretch, crop-or-pad, contain, cover, none
  std::string image_filter;
  std::string label_filter;
  std::vector<std::int64_t> pad_color;  ///< one number per channel
  bool operator==(const Geometry&) const = default;
};

struct SchemaOptions {
  std::optional<std::uint64_t> shuffle;  ///< seed of --shuffle
  std::string anchor = "center";
  std::string size_mismatch = "error";
  /// The versions of those stages of packing whose output FORMAT.md does not define, such as
  /// compression: "<stage>:<version>", sorted by bytes.
  std::vector<std::string> engines;
  /// Further options in file order: name, canonical JSON text.
  std::vector<std::pair<std::string, std::string>> more;
  bool operator==(const SchemaOptions&) const = default;
};

struct Schema {
  ImageField image;
  std::optional<LabelField> label;  ///< absent: an unlabeled data set
  std::vector<ClassInfo> classes;
  std::vector<LabelSource> ignore;  ///< label values that are ignored
  Geometry geometry;
  SchemaOptions options;

  [[nodiscard]] std::size_t class_count() const { return classes.size(); }
  /// Bytes per class id in storage `index`: 1 up to 255 classes, else 2.
  [[nodiscard]] int index_bytes() const { return classes.size() <= 255 ? 1 : 2; }
  /// The id that means "ignored" in storage `index`: 255 or 65535.
  [[nodiscard]] std::uint16_t ignore_id() const { return classes.size() <= 255 ? 255 : 65535; }
  bool operator==(const Schema&) const = default;
};

}  // namespace hotpack
