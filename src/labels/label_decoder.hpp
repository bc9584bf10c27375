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

#include "base/picture.hpp"
#include "base/raw_label.hpp"
#include "hotpack/result.hpp"
#include "labels/class_table.hpp"

namespace hotpack::labels {

// How a label file is read. `automatic` is resolved before a LabelDecoder is built.
enum class LabelReading { automatic, color, index, palette_color, binary };
[[nodiscard]] std::string_view reading_name(LabelReading reading);                           // "auto", "color", "index", "palette-color", "binary"
[[nodiscard]] std::optional<LabelReading> reading_from_name(std::string_view name);

inline constexpr std::uint16_t kIgnored = 65535;   // in id planes everywhere inside hotpack; at most 65535 classes

struct UnknownPolicy {
  enum class Kind { error, ignore, to_class } kind = Kind::error;
  int class_id = 0;   // with to_class
};

struct LabelRules {
  LabelReading reading = LabelReading::index;
  int threshold = 128;                     // binary: luma >= threshold is foreground, luma = (299R + 587G + 114B + 500) / 1000
  std::vector<std::int64_t> ignore_ids;    // --ignore with numbers (raw ids)
  std::vector<int> ignore_classes;         // --ignore with names: pixels of these classes become ignored; the classes stay in the table
  UnknownPolicy unknown;
  bool reading_was_automatic = false;      // then a gray or palette file whose colours are unknown but whose samples are all < C is refused as ambiguous
};

// A value that no class has: an id or a colour.
struct UnknownValue {
  std::string text;                        // "id 37" or "colour (0,0,128)"
  std::uint64_t count = 0;                 // pixels in this label
  int x = 0, y = 0;                        // the first one, row by row
};

struct DecodeReport {
  std::vector<UnknownValue> unknown;       // most pixels first, at most 16 kinds listed
  std::uint64_t unknown_pixels = 0;        // in all
  std::uint64_t unknown_kinds = 0;         // different values in all; many of them show an interpolated label
  bool beyond_palette = false;             // an index >= the palette's length was met (kept as id)
  bool channels_differ = false;            // binary: channels differ by more than 16
  bool alpha_varies = false;
  bool ambiguous = false;                  // see reading_was_automatic
};

class LabelDecoder {
 public:
  [[nodiscard]] static Result<LabelDecoder> create(const ClassTable& table, const LabelRules& rules);
  ~LabelDecoder();
  LabelDecoder(LabelDecoder&&) noexcept;
  LabelDecoder& operator=(LabelDecoder&&) noexcept;

  // Writes the class id of every pixel (kIgnored for ignored) to `ids` (same width and height as the label).
  // Unknown pixels: written as the policy says (with `error`: as ignored, and report.unknown_pixels tells the caller to refuse the sample).
  // Fails with code `data` where the file's form does not fit the reading: a JPEG (lossy) unless reading is binary, RGB pixels for `index`
  // (advice: --classes with colours), a non-palette file for `palette-color`, ambiguous files (see above) — each with what was found and
  // what to do.
  [[nodiscard]] Status decode(const RawLabel& label, MutableIds ids, DecodeReport& report) const;

  // classes[].sources and ignore.sources for the schema, as the rules resolve them: ids for index ("ignore" 255 in 8-bit labels, 65535 in
  // 16-bit, unless a class has that id: both listed), "#rrggbb" for colours, threshold for binary.
  [[nodiscard]] const ClassTable& table() const;

 private:
  struct Impl;
  explicit LabelDecoder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hotpack::labels
