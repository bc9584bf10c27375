// Labels that pack would take, or refuse for another reason, and that are probably not what was meant: each suspicion with evidence and
// advice.
//
// Labels are given one after the other; what only all of them together tell is said at the end. Memory does not depend on their number
// (but see IdShift). Not thread-safe.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>

#include "check/findings.hpp"
#include "check/id_shift.hpp"
#include "check/label_context.hpp"
#include "check/label_signs.hpp"
#include "pack/inspection.hpp"

namespace hotpack::pipeline {

class Suspicions {
 public:
  explicit Suspicions(const LabelContext& context);

  void add(const std::string& path, const LabelInspection& label);
  // A label whose file holds the same bytes as its image's.
  void add_copy_of_image(const std::string& path);
  void finish(Findings& findings) const;

 private:
  void look_at_ids(const std::string& path, const LabelInspection& label, const std::vector<ValueCount>& ids);
  void look_at_palette(const std::string& path, const LabelInspection& label);
  void look_at_brightness(const LabelInspection& label);
  void look_at_content(const std::string& path, const LabelInspection& label);

  [[nodiscard]] bool runs_from_one() const;
  [[nodiscard]] bool lacks_zero_alone() const;

  void tell_making(Findings& findings) const;
  void tell_ids(Findings& findings) const;
  void tell_rescaled(const Sightings& labels, int factor, int bits, Findings& findings) const;
  void tell_content(Findings& findings) const;
  void tell_notes(Findings& findings) const;

  const LabelContext& context_;
  std::uint64_t labels_ = 0;

  // How they were made.
  Sightings photos_, blended_, anti_aliased_, jpeg_, copies_of_images_;
  // Ids.
  std::bitset<65536> ids_;  // of all labels, without 255 (in 8 bits) and 65535
  std::uint64_t id_labels_ = 0;
  std::uint64_t extreme_labels_ = 0;  // that hold 0 and 255 alone
  bool has_255_ = false;
  Sightings rescaled_17_, rescaled_85_;
  IdShift shift_;
  // Palettes: the color of each index in the first label that used it.
  struct PaletteEntry {
    RgbColor color{};
    std::string path;
  };
  std::array<std::optional<PaletteEntry>, 256> palette_;
  Sightings other_palettes_;
  // Brightness, for `binary`.
  std::uint32_t brightest_ = 0;
  // What they hold.
  Sightings one_value_, all_ignored_;
  Sightings low_depth_, palettes_;
};

}  // namespace hotpack::pipeline
