#include "pack/class_uses.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "files/file_kind.hpp"

namespace hotpack::pipeline {

void find_classes(ConstIds label, std::size_t class_count, std::vector<std::uint32_t>& ids) {
  std::vector<char> seen(std::size_t{1} << 16);
  for (int y = 0; y < label.height; ++y) {
    const std::uint16_t* const row = label.row(y);
    for (int x = 0; x < label.width; ++x) seen[row[x]] = 1;
  }
  for (std::uint32_t id = 0; id < std::min(class_count, seen.size()); ++id)
    if (seen[id] != 0) ids.push_back(id);
}

void ClassUses::add(const LabelClasses& label, const format::Sums& record) {
  uses_.resize(std::max(uses_.size(), record.classes.size()));
  for (std::size_t c = 0; c < record.classes.size(); ++c) {
    uses_[c].records += record.classes[c].samples;
    if (label.as_packed) uses_[c].labels += record.classes[c].samples;
  }
  for (const std::uint32_t id : label.ids)
    if (id < uses_.size()) ++uses_[id].labels;
}

void ClassUses::add(const ClassUses& other) {
  uses_.resize(std::max(uses_.size(), other.uses_.size()));
  for (std::size_t c = 0; c < other.uses_.size(); ++c) {
    uses_[c].labels += other.uses_[c].labels;
    uses_[c].records += other.uses_[c].records;
  }
}

std::uint64_t ClassUses::lost() const {
  return static_cast<std::uint64_t>(
      std::count_if(uses_.begin(), uses_.end(), [](const Use& use) { return use.is_lost(); }));
}

bool is_background_name(std::string_view name) {
  constexpr std::array<std::string_view, 8> kNames{"background", "unlabeled", "unlabelled", "void",
                                                   "other",      "others",    "unknown",    "none"};
  while (name.starts_with('_')) name.remove_prefix(1);
  while (name.ends_with('_')) name.remove_suffix(1);
  const std::string lower = lowered(name);
  return std::find(kNames.begin(), kNames.end(), lower) != kNames.end();
}

std::string ClassUses::missing_first_text(const Schema& schema) const {
  const bool alone =
      uses_.size() > 1 && uses_.size() == schema.classes.size() && uses_[0].labels == 0 &&
      uses_[0].records == 0 &&
      std::all_of(uses_.begin() + 1, uses_.end(), [](const Use& use) { return use.records > 0; });
  // Classes whose names are ids were counted, and the count mentions it.
  if (!alone || schema.classes[0].name == "0" || is_background_name(schema.classes[0].name))
    return "";
  return "'" + schema.classes[0].name +
         "' (id 0) occurs in no record, and all other classes do; if the ids of the labels count "
         "from 1, give --shift-ids -1";
}

std::string ClassUses::lost_text(const Schema& schema) const {
  constexpr std::size_t kListed = 12;
  std::vector<std::string> lost;
  for (std::size_t c = 0; c < std::min(uses_.size(), schema.classes.size()); ++c)
    if (uses_[c].is_lost())
      lost.push_back("'" + schema.classes[c].name + "' (in " +
                     counted_text(uses_[c].labels, "label") + ", in " +
                     counted_text(uses_[c].records, "record") + ")");
  if (lost.empty()) return "";
  const auto& size = schema.geometry.size;
  return share_text(lost.size(), schema.classes.size(), "class", "classes") +
         (lost.size() == 1 ? " hardly occurs" : " hardly occur") + " in the records" +
         (size ? " of " + std::to_string((*size)[0]) + "x" + std::to_string((*size)[1]) : "") +
         ": " + list_text(lost, kListed);
}

}  // namespace hotpack::pipeline
