// Interprets label files: every pixel becomes a class id, "ignored", or an unknown value that is
// reported.
//
// A LabelDecoder is built once from the class table and options and is immutable: several threads
// may call decode() with different outputs. An unknown value never silently becomes a class.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/pixels.hpp"
#include "base/raw_label.hpp"
#include "base/words.hpp"
#include "hotpack/result.hpp"
#include "labels/class_table.hpp"

namespace hotpack::labels {

[[nodiscard]] constexpr bool reads_colors(LabelKind kind) {
  return kind == LabelKind::color || kind == LabelKind::palette_color;
}

// The formula that turns the color of an RGB label into an id: --rgb-id.
enum class RgbId {
  none,
  low_first,    // R + 256 G + 65536 B, as in COCO's panoptic labels
  tens_of_red,  // ⌊R / 10⌋ 256 + G, as in ADE20K's full annotations
  red,          // R, as in CARLA (8 bits) and SYNTHIA (16 bits)
};
[[nodiscard]] std::string_view rgb_id_name(
    RgbId formula);  // "r", "r+256g+65536b", "r/10*256+g"; empty for none
[[nodiscard]] std::optional<RgbId> rgb_id_from_name(std::string_view name);
// Absent if the formula does not apply: red is not a multiple of 10, so another formula is meant.
[[nodiscard]] std::optional<std::uint32_t> rgb_id(RgbId formula, RgbColor color);

// The id of ignored pixels in all id planes of hotpack; there are at most kMaxClasses classes.
inline constexpr std::uint16_t kIgnored = 65535;

// The largest number of different unknown values of a label that are counted separately. The limit
// bounds memory if a photo is given as a label.
inline constexpr std::uint64_t kMaxUnknownKinds = 65536;

// The largest distance of two colors.
inline constexpr int kMaxColorDistance = 442;

// The threshold of binary labels of up to 8 bits, if none is given.
inline constexpr int kUsualThreshold = 128;

struct UnknownPolicy {
  enum class Kind { error, ignore, to_class, nearest } kind = Kind::error;
  int class_id = 0;  // for to_class
  // for policy `nearest`, which is for colors only: the largest Euclidean distance in RGB; a color
  // that is farther from every class is an error
  int max_distance = kMaxColorDistance;
};

// The result for one value in label files: an id, or a color as 0xRRGGBB.
struct MappedValue {
  std::uint32_t value = 0;
  std::uint16_t class_id = kIgnored;  // or kIgnored
  bool operator==(const MappedValue&) const = default;
};

// The values of a table without a map: class c is id c, or its color, which it must have.
[[nodiscard]] std::vector<MappedValue> plain_values(const ClassTable& table, LabelKind kind);

// For kind `binary`: what happens to a dim label. A label is dim if it is not all black, but no
// pixel reaches the threshold. The faint noise of a JPEG counts as black.
enum class DimLabels {
  packed,      // becomes background; labels of all forms are decoded, for a look at their values
  refused,     // is an error
  may_be_ids,  // is an error that also offers --label-kind index
};

struct LabelRules {
  LabelKind kind = LabelKind::index;
  RgbId rgb_id = RgbId::none;  // for `index`: labels are RGB, and their colors are ids
  // binary: luma >= threshold is foreground, luma = (299R + 587G + 114B + 500) / 1000; in 16-bit
  // labels, the stored value >= threshold. Absent: kUsualThreshold, and 16-bit labels may hold only
  // 0 and 65535.
  std::optional<int> threshold;
  // Of --map: all values with their classes, each value once. They replace the values of the table
  // (class c is id c, or its color). Not for `binary`.
  std::optional<std::vector<MappedValue>> values;
  // --ignore with numbers: raw ids 0…65535, in addition to the default ones; only for `index`
  std::vector<std::int64_t> ignore_ids;
  // --ignore with colors; only for `color` and `palette_color`
  std::vector<RgbColor> ignore_colors;
  // --ignore with names: pixels of these classes are ignored; the classes stay in the table
  std::vector<int> ignore_classes;
  UnknownPolicy unknown;
  DimLabels dim = DimLabels::packed;
  bool kind_was_automatic = false;  // if so, refuses a gray or palette file as ambiguous if it has
                                    // unknown colors and all samples are below the number of values
};

// A value in a label that belongs to no class: an id, a color, or (in labels read as colors) a
// palette index without a color.
struct UnknownValue {
  std::string text;               // "id 37", "color (0,0,128)" or "palette index 9"
  std::optional<RgbColor> color;  // if it is a color
  std::uint64_t count = 0;        // pixels in this label
  int x = 0, y = 0;               // the first such pixel, row by row
};

struct DecodeReport {
  // by number of pixels, then by first occurrence; at most 16 kinds
  std::vector<UnknownValue> unknown;
  std::uint64_t unknown_pixels = 0;  // total
  // The number of different unknown values, up to kMaxUnknownKinds. A large number suggests that
  // the label was interpolated.
  std::uint64_t unknown_kinds = 0;
  // not included above: pixels that got the class of the nearest color
  std::uint64_t nearest_pixels = 0;
  // an index >= the palette's length occurred (kept as an id; unknown as a color)
  bool beyond_palette = false;
  bool channels_differ = false;  // binary: channels differ by more than 16
  bool alpha_varies = false;
  bool ambiguous = false;  // see kind_was_automatic
};

class LabelDecoder {
 public:
  // Makes a decoder. Fails with code `usage` if table and rules do not fit together:
  // - classes without colors, or two with the same color, although colors are needed and `values`
  //   is absent
  // - `binary` with other than two classes, or with `values`
  // - ids to ignore outside 0…65535, or for a kind other than `index`
  // - colors to ignore, or policy `nearest`, for labels that are not read as colors
  // - a threshold outside 1…65535
  // - a class that does not exist
  [[nodiscard]] static Result<LabelDecoder> create(const ClassTable& table,
                                                   const LabelRules& rules);
  ~LabelDecoder();
  LabelDecoder(LabelDecoder&&) noexcept;
  LabelDecoder& operator=(LabelDecoder&&) noexcept;

  // Writes the class id of every pixel to `ids`, which has the label's size; kIgnored for ignored
  // pixels. Overwrites `report`. What becomes of unknown pixels depends on the policy. With
  // `error`, and with `nearest` if they are too far from every class, they become ignored and are
  // counted in report.unknown_pixels; the caller must then refuse the sample. Of several nearest
  // colors, that of the class with the lowest id is chosen; ignored colors come last. The kind of
  // the label says what is a value:
  //   color          RGB pixels, palette entries, and gray up to 8 bits as (v,v,v), 1/2/4-bit
  //                  values scaled to 0…255
  //   palette_color  the colors of palette entries; other files are refused
  //   index          raw gray values and palette indices; RGB pixels if all pixels of the label
  //                  have three equal channels; with `rgb_id` the ids of RGB pixels: an id above
  //                  65535 and a color without an id are unknown, and only 65535 is ignored by
  //                  default
  //   binary         class 0 below the threshold, else class 1; gray of less than 8 bits scaled to
  //                  0…255, gray of 16 bits as stored
  // Fails with code `data` for files that do not fit the kind. Each error says what was found and
  // what to do; the caller adds the path. Such files are:
  // - a JPEG (lossy), unless the kind is binary, or reads colors with policy `nearest`
  // - colored pixels for `index` without `rgb_id`, or a file that is not RGB with it
  // - RGB of 16 bits, unless `rgb_id` is `red`
  // - a file of one color whose alpha varies: its mask is in the alpha channel
  // - 16-bit gray with values other than 0 and 65535 for `binary` without a threshold
  // - a file without a palette for `palette_color`, or 16-bit gray for `color`
  // - ambiguous and dim files (see kind_was_automatic and DimLabels)
  [[nodiscard]] Status decode(const RawLabel& label, MutableIds ids, DecodeReport& report) const;

  // Returns the class table, completed for the schema: `sources` of each class and `ignore` contain
  // the label values that the rules assign to them, in ascending order. An ignored class has no
  // source. The sources are:
  //   index                  ids; `ignore` also has 255 (in 8-bit labels) and 65535 (in 16-bit
  //                          labels), unless the table or `values` say otherwise
  //   color, palette_color   "#rrggbb"
  //   binary                 "luma<128" and "luma>=128", with the threshold
  [[nodiscard]] const ClassTable& table() const;

 private:
  struct Impl;
  explicit LabelDecoder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hotpack::labels
