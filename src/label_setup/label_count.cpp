#include "label_setup/label_count.hpp"

#include <bitset>
#include <numeric>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "base/words.hpp"
#include "label_setup/label_words.hpp"
#include "labels/presets.hpp"

namespace hotpack::pipeline {

namespace {

using Ids = std::bitset<65536>;

// The largest number of classes that is taken from the ids in labels. Labels with more ids are more
// likely instance maps; the user can confirm the number with --num-classes.
constexpr int kMaxScannedClasses = 1024;
// With at most this number of classes, a missing id is more likely that of a class that does not
// occur than a gap in the numbering.
constexpr int kFewClasses = 16;

// True if the labels hold black and white, and nothing else.
bool is_mask(const IdScan& found) {
  Ids narrow = found.narrow, wide = found.wide;
  const bool black = narrow[0] || wide[0], white = narrow[255] || wide[65535];
  narrow.reset(0).reset(255);
  wide.reset(0).reset(65535);
  return narrow.none() && wide.none() && black && white;
}

// True if the values found in some labels could be those of masks, or of masks from two programs.
bool may_be_masks(const IdScan& found) {
  Ids narrow = found.narrow, wide = found.wide;
  narrow.reset(0).reset(1).reset(255);
  wide.reset(0).reset(1).reset(65535);
  return narrow.none() && wide.none();
}

// Returns true if the labels are masks from two programs: the foreground is 1 in some labels, 255
// in others, and no label has both. If such labels were read as ids, 255 would count as ignored.
bool is_mixed_masks(const IdScan& found) {
  if (found.one_label.empty() || found.white_label.empty()) return false;
  Ids narrow = found.narrow, wide = found.wide;
  narrow.reset(0).reset(1).reset(255);
  wide.reset(0).reset(1).reset(65535);
  return narrow.none() && wide.none();
}

std::string white_text(const IdScan& found) {
  return found.wide[65535] ? (found.narrow[255] ? "255 (16 bits: 65535)" : "65535") : "255";
}

// Returns the option with which the labels can be read as masks. In 16-bit masks, 1 is as dark as
// black, so no threshold separates them; they need a map.
std::string as_masks(const IdScan& found) {
  if (!found.wide[1]) return "--label-kind binary --threshold 1, if they are masks";
  return std::string("--map FILE with the lines old,new and 0,background and 1,foreground") +
         (found.narrow[255] ? " and 255,foreground" : "") +
         (found.wide[65535] ? " and 65535,foreground" : "") + ", if they are masks";
}

Error mixed_masks_question(const IdScan& found, const std::string& as_ids) {
  const std::string white = white_text(found);
  return data_error(
      "some labels hold 0 and 1, others 0 and " + white + ", and none holds both 1 and " + white +
      ": masks of two classes whose foreground is 1 in some files (such as '" + found.one_label +
      "') and " + white + " in others (such as '" + found.white_label +
      "'), or class ids in which " + white + " means ignored. Choose one:\n  " + as_masks(found) +
      "\n  --label-kind index" + as_ids + ", if they are ids");
}

Error mask_question(const IdScan& found, const std::string& as_ids) {
  const std::string white = white_text(found);
  return data_error("the labels hold only 0 and " + white +
                    ", so they are probably masks of two classes, not class ids. Give --label-kind "
                    "binary, or --label-kind index" +
                    as_ids + " if " + white + " means ignored");
}

Ids ids_of_classes(const IdScan& found, const std::vector<std::string>& ignore) {
  Ids narrow = found.narrow, wide = found.wide;
  Ids ids = narrow.reset(255) | wide.reset(65535);
  for (const std::string& word : ignore)
    if (const auto id = whole_number(word); id && *id >= 0 && *id <= 65535)
      ids.reset(static_cast<std::size_t>(*id));
  return ids;
}

// One more than the largest id; 0 without ids.
int count_of(const Ids& ids) {
  int count = 0;
  for (std::size_t id = 0; id < ids.size(); ++id)
    if (ids[id]) count = static_cast<int>(id) + 1;
  return count;
}

// Describes ids that are all multiples of one number: a program has rescaled them.
std::string rescaling(const Ids& ids) {
  std::size_t divisor = 0;
  for (std::size_t id = 1; id < ids.size(); ++id)
    if (ids[id]) divisor = std::gcd(divisor, id);
  if (divisor < 2) return "";
  const std::string factor = std::to_string(divisor);
  return "; all are multiples of " + factor + ", as ids are that a program rescaled: the line \"" +
         factor + ",1\" gives the first one back";
}

Status check_count(const Ids& ids, int count, const IdScan& scan, const std::string& found) {
  const std::string number = std::to_string(count);
  if (found == "none" && !scan.undecoded.empty())
    return data_error(
        "no label can be decoded, so their classes cannot be counted; the first error: " +
        scan.undecoded);
  if (count == 0)
    return data_error("the labels hold no class id (found: " + found +
                      "); give the number of classes with --num-classes N, or --label-kind");
  const bool many = count > kMaxScannedClasses,
             gaps = count > kFewClasses && 2 * ids.count() < static_cast<std::size_t>(count);
  if (gaps) {
    const std::string preset =
        found == "0, 128, 255" ? "\n  --preset refuge, whose values are these" : "";
    return data_error(
        "the labels hold few of the ids up to " + std::to_string(count - 1) + " (found: " + found +
        rescaling(ids) +
        "), so they are probably not class ids. Say what each value means:\n  --map FILE "
        "with a line old,new for each "
        "value; hotpack check --write-classes FILE writes one to fill in" +
        preset + "\n  --num-classes " + number + ", if there really are " + number + " classes");
  }
  if (many)
    return data_error("the labels hold ids up to " + std::to_string(count - 1) +
                      " (found: " + found + "); if there really are " + number +
                      " classes, give --num-classes " + number);
  if (!scan.crowded_label.empty())
    return data_error("holds more than " + std::to_string(kMostIdsOfLabel) +
                          " different values, so it looks like a photograph or a gray image "
                          "(found in all labels: " +
                          found + "); if they are ids of classes, give --num-classes " + number,
                      scan.crowded_label);
  return {};
}

// Returns the names of presets of id labels with as many classes as the labels have, if all ids
// occur. Returns "" for small numbers of classes, which fit too many presets.
std::string fitting_presets(const Ids& ids, int count) {
  constexpr int kTelling = 10;
  std::string names;
  if (count < kTelling || ids.count() != static_cast<std::size_t>(count)) return names;
  for (const std::string_view name : labels::preset_names()) {
    const labels::Preset& preset = *labels::find_preset(name);
    if (preset.kind != LabelKind::index || !preset.map.empty() ||
        preset.table.classes.size() != ids.count())
      continue;
    names += (names.empty() ? "; as many as --preset " : " or ") + std::string(name);
  }
  return names.empty() ? names : names + " has";
}

}  // namespace

Result<labels::ClassTable> count_classes(const LabelOptions& options, LabelScan& scan,
                                         std::string& explanation) {
  HOTPACK_ASSIGN(const IdScan* const found, scan.get());
  if (options.kind == LabelKind::automatic && is_mask(*found))
    return mask_question(*found, " with --num-classes 1");
  if (options.kind == LabelKind::automatic && is_mixed_masks(*found))
    return mixed_masks_question(*found, " with --num-classes 2");
  constexpr std::size_t kListed = 16;
  const std::string text = ids_text(found->narrow | found->wide, kListed);
  const Ids ids = ids_of_classes(*found, options.ignore);
  const int count = count_of(ids);
  HOTPACK_TRY(check_count(ids, count, *found, text));
  explanation +=
      "; ids found: " + text + ", so " + std::to_string(count) +
      (count == 1 ? " class" : " classes") + fitting_presets(ids, count) +
      (count > 1 && !ids[0] ? "; 0 never occurs: if ids count from 1, give --shift-ids -1" : "") +
      "; if another split may hold more, give --num-classes N or --classes";
  return labels::numbered_classes(count);
}

Status check_not_masks(LabelScan& scan) {
  HOTPACK_ASSIGN(const IdScan some, scan.some());
  if (!may_be_masks(some)) return {};
  HOTPACK_ASSIGN(const IdScan* const found, scan.get());
  if (is_mixed_masks(*found)) return mixed_masks_question(*found, "");
  return is_mask(*found) ? Status(mask_question(*found, "")) : Status();
}

Status check_palettes(LabelScan& scan) {
  HOTPACK_ASSIGN(const IdScan* const found, scan.get());
  if (!found->clash) return {};
  const IdScan::PaletteClash& clash = *found->clash;
  return data_error(
      "labels have palettes of their own: index " + std::to_string(clash.index) + " is " +
      color_text(clash.color) + " in '" + clash.label + "' and " + color_text(clash.other_color) +
      " in '" + clash.other +
      "', so one index is hardly one class. Choose one:\n  --label-kind palette-color with "
      "--classes FILE "
      "of names and colors, if the colors are the classes\n  --label-kind index, if the indices "
      "are the classes");
}

}  // namespace hotpack::pipeline
