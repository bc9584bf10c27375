// Finds labels that are valid but probably wrong. Each heuristic reports a diagnostic with examples
// and advice.
//
// The caller adds labels one by one; finish() reports. Memory does not depend on the number of
// labels, except in IdShift. Not thread-safe.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>

#include "check/diagnostics.hpp"
#include "check/id_shift.hpp"
#include "check/label_context.hpp"
#include "check/label_signs.hpp"
#include "pack/inspection.hpp"

namespace hotpack::pipeline {

class LabelDiagnostics {
 public:
  explicit LabelDiagnostics(const LabelContext& context);

  void add(const std::string& path, const LabelInspection& label);
  // Adds a label whose image is the label itself; `found` says how.
  void add_copy_of_image(const std::string& path, const std::string& found);
  void finish(Diagnostics& diagnostics) const;

 private:
  void inspect_ids(const std::string& path, const LabelInspection& label,
                   const std::vector<ValueCount>& ids);
  void inspect_palette(const std::string& path, const LabelInspection& label);
  void inspect_brightness(const LabelInspection& label);
  void inspect_salt(const std::string& path, const LabelInspection& label);
  void inspect_content(const std::string& path, const LabelInspection& label);

  [[nodiscard]] bool runs_from_one() const;
  [[nodiscard]] bool lacks_zero_alone() const;

  void report_origin(Diagnostics& diagnostics) const;
  void report_salt(Diagnostics& diagnostics) const;
  void report_ids(Diagnostics& diagnostics) const;
  void report_rescaled(const Occurrences& labels, int factor, int bits,
                       Diagnostics& diagnostics) const;
  void report_content(Diagnostics& diagnostics) const;
  void report_notes(Diagnostics& diagnostics) const;

  const LabelContext& context_;
  std::uint64_t labels_ = 0;

  // Labels, grouped by the way in which they seem to have been made.
  Occurrences photos_, blended_, anti_aliased_, jpeg_, copies_of_images_, salted_;
  // The ids of all labels, except the ignored ids: 255 in 8-bit labels, 65535 in 16-bit labels.
  std::bitset<65536> ids_;
  std::uint64_t id_labels_ = 0;
  std::uint64_t extreme_labels_ = 0;  // labels whose only values are 0 and 255
  bool has_255_ = false;
  Occurrences rescaled_17_, rescaled_85_;
  IdShift shift_;
  // Palettes: the color of each index in the first label that used it.
  struct PaletteEntry {
    RgbColor color{};
    std::string path;
  };
  std::array<std::optional<PaletteEntry>, 256> palette_;
  Occurrences other_palettes_;
  // The brightest value of all labels, for `binary`.
  std::uint32_t brightest_ = 0;
  // Labels, grouped by their content.
  Occurrences one_value_, all_ignored_;
  Occurrences low_depth_, palettes_;
};

}  // namespace hotpack::pipeline
