// Meaning for raw labels: every pixel becomes a class id, "ignored", or an unknown value that is reported.
//
// A LabelDecoder is built once from the class table and options and is immutable: decode() may be called from several threads with
// different outputs. Unknown values never silently become a class.
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

[[nodiscard]] constexpr bool reads_colors(LabelKind reading) { return reading == LabelKind::color || reading == LabelKind::palette_color; }

// How an id stands in the color of an RGB label: --rgb-id.
enum class RgbId {
  none,
  low_first,    // R + 256 G + 65536 B, as COCO's panoptic labels have it
  tens_of_red,  // ⌊R / 10⌋ 256 + G, as the classes of ADE20K's full annotations
};
[[nodiscard]] std::string_view rgb_id_name(RgbId formula);  // "r+256g+65536b", "r/10*256+g"; empty for none
[[nodiscard]] std::optional<RgbId> rgb_id_from_name(std::string_view name);
// Absent where the color stands for no id by this formula: red is no multiple of 10, which tells that another one is meant.
[[nodiscard]] std::optional<std::uint32_t> rgb_id(RgbId formula, RgbColor color);

inline constexpr std::uint16_t kIgnored = 65535;  // in id planes everywhere inside hotpack; at most kMaxClasses classes

// More different unknown values than this in one label are not told apart: memory stays bounded when a photo is given as a label.
inline constexpr std::uint64_t kMaxUnknownKinds = 65536;

// Two colors are at most this far apart: no two need a larger distance.
inline constexpr int kMaxColorDistance = 442;

struct UnknownPolicy {
  enum class Kind { error, ignore, to_class, nearest } kind = Kind::error;
  int class_id = 0;                      // with to_class
  int max_distance = kMaxColorDistance;  // with nearest, of colors only: Euclidean in RGB, itself included; what is farther is an error
};

// What one value in label files becomes: an id, or a color as 0xRRGGBB.
struct MappedValue {
  std::uint32_t value = 0;
  std::uint16_t class_id = kIgnored;  // or kIgnored
  bool operator==(const MappedValue&) const = default;
};

// Those of a table without a map: class c is id c, or its color, which it must have then.
[[nodiscard]] std::vector<MappedValue> plain_values(const ClassTable& table, LabelKind reading);

struct LabelRules {
  LabelKind reading = LabelKind::index;
  RgbId rgb_id = RgbId::none;  // with `index`: labels are RGB, and their ids stand in the colors
  int threshold = 128;         // binary: luma >= threshold is foreground, luma = (299R + 587G + 114B + 500) / 1000
  // --map: all values there are, each once, in place of those that the table has (class c is id c, or its color). Not with `binary`.
  std::optional<std::vector<MappedValue>> values;
  std::vector<std::int64_t> ignore_ids;  // --ignore with numbers: raw ids 0…65535, next to the default ones; with `index` only
  std::vector<RgbColor> ignore_colors;   // --ignore with colors; with `color` and `palette_color` only
  std::vector<int> ignore_classes;       // --ignore with names: pixels of these classes become ignored; the classes stay in the table
  UnknownPolicy unknown;
  bool dim_is_error = false;  // binary: refuse a lossless label of which something is not black, and nothing reaches the threshold
  bool reading_was_automatic =
      false;  // then a gray or palette file whose colors are unknown but whose samples are all < C is refused as ambiguous
};

// A value that no class has: an id, a color, or (read as colors) a palette index without one.
struct UnknownValue {
  std::string text;               // "id 37", "color (0,0,128)" or "palette index 9"
  std::optional<RgbColor> color;  // of a color
  std::uint64_t count = 0;        // pixels in this label
  int x = 0, y = 0;               // the first one, row by row
};

struct DecodeReport {
  std::vector<UnknownValue> unknown;  // most pixels first (of equal ones the first met), at most 16 kinds listed
  std::uint64_t unknown_pixels = 0;   // in all
  std::uint64_t unknown_kinds = 0;    // different values in all, up to kMaxUnknownKinds; many of them show an interpolated label
  std::uint64_t nearest_pixels = 0;   // not among those: pixels that took the class of the nearest color
  bool beyond_palette = false;        // an index >= the palette's length was met (kept as id; read as a color it is unknown)
  bool channels_differ = false;       // binary: channels differ by more than 16
  bool alpha_varies = false;
  bool ambiguous = false;  // see reading_was_automatic
};

class LabelDecoder {
 public:
  // Fails with code `usage` where table and rules do not go together: colors wanted of classes that have none or share one (without
  // `values`), `binary` with other than two classes or with `values`, ids to ignore outside 0…65535 or without `index`, colors to ignore
  // or the nearest color without a reading by color, a threshold outside 1…255, a class that does not exist.
  [[nodiscard]] static Result<LabelDecoder> create(const ClassTable& table, const LabelRules& rules);
  ~LabelDecoder();
  LabelDecoder(LabelDecoder&&) noexcept;
  LabelDecoder& operator=(LabelDecoder&&) noexcept;

  // Writes the class id of every pixel (kIgnored for ignored) to `ids` (same width and height as the label) and overwrites `report`.
  // Unknown pixels: written as the policy says (with `error`, and with `nearest` those too far from every class: as ignored, and
  // report.unknown_pixels tells the caller to refuse the sample). Of colors equally near, the class of the lowest id wins, an ignored one
  // last.
  //   color          RGB pixels, palette entries, and gray up to 8 bits as (v,v,v), 1/2/4-bit samples scaled to 0…255
  //   palette_color  the same for palette files alone
  //   index          raw samples and palette indices; RGB pixels where all of the label have three equal channels; with `rgb_id` the ids
  //                  of RGB pixels, where an id above 65535 is unknown, as a color without id is, and 65535 alone is ignored by default
  //   binary         class 0 below the threshold, else class 1; gray of other depths scaled to 0…255 (16 bits: v >> 8)
  // Fails with code `data` where the file's form does not fit the reading: a JPEG (lossy) unless reading is binary, or by color with the
  // policy `nearest`; colored pixels for `index` (advice: --classes with colors), a non-palette file for `palette-color`, 16-bit gray for
  // `color`, other palettes, ambiguous and dim files (see above) — each with what was found and what to do; the caller adds the path.
  [[nodiscard]] Status decode(const RawLabel& label, MutableIds ids, DecodeReport& report) const;

  // The table with `classes[].sources` and `ignore` for the schema, as the rules resolve them, each list ascending. An ignored class has no
  // source of its own. index: ids; ignored besides those given: 255 (in 8-bit labels) and 65535 (in 16-bit), unless the table or `values`
  // say otherwise. color, palette_color: "#rrggbb". binary: "luma<128" and "luma>=128" with the threshold.
  [[nodiscard]] const ClassTable& table() const;

 private:
  struct Impl;
  explicit LabelDecoder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hotpack::labels
