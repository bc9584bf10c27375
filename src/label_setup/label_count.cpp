#include "label_setup/label_count.hpp"

#include <bitset>
#include <numeric>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "base/words.hpp"
#include "label_setup/label_words.hpp"

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

Error mixed_masks_question(const IdScan& found) {
  const std::string white = white_text(found);
  return data_error(
      "some labels hold 0 and 1, others 0 and " + white + ", and none holds both 1 and " + white +
      ": masks of two classes whose foreground is 1 in some files (such as '" + found.one_label +
      "') and " + white + " in others (such as '" + found.white_label +
      "'), or class ids in which " + white +
      " means ignored. Choose one:\n  --label-kind binary --threshold 1, if they are masks\n  "
      "--label-kind index, if they are ids");
}

Error mask_question(const IdScan& found) {
  const std::string white = white_text(found);
  return data_error("the labels hold only 0 and " + white +
                    ", so they are probably masks of two classes, not class ids. Choose one:\n  "
                    "--label-kind binary, if they are masks\n  --label-kind index, if " +
                    white + " means ignored");
}

Error shown_masks_question(const IdScan& found) {
  return data_error(
      "all labels show only black and white, stored as different values (black " +
      ids_text(found.shown.black) + ", white " + ids_text(found.shown.white) +
      "), so they are probably masks of two classes from several programs. Choose one:\n  "
      "--label-kind binary, if they are masks\n  --label-kind index, if the stored values are ids");
}

// 16-bit masks need a threshold, and 8-bit masks have a usual one.
Error soft_masks_question(const IdScan& found) {
  const IdScan::Shades& shades = found.shades;
  const auto pixels = static_cast<double>(shades.dark + shades.light + shades.between);
  const std::string threshold = found.wide.none() ? "" : " --threshold 32768";
  return data_error(
      "black and white hold " +
      percent_text(static_cast<double>(shades.dark + shades.light) / pixels, 2) +
      " of all pixels, and the other values lie between, so the labels are probably masks of two "
      "classes with soft edges, not class ids. Choose one:\n  --label-kind binary" +
      threshold + ", if they are masks" +
      (threshold.empty() ? " (--threshold N makes pixels of N and more foreground; 128 without)"
                         : " (pixels of that value and more are foreground)") +
      "\n  --label-kind index, if each value is the id of a class");
}

// The question that masks raise if nothing says that they are not ids; none for other labels.
Status check_masks(const IdScan& found) {
  if (is_mask(found)) return mask_question(found);
  if (is_mixed_masks(found)) return mixed_masks_question(found);
  if (found.shown.stored_in_several_ways()) return shown_masks_question(found);
  if (found.shades.soft()) return soft_masks_question(found);
  return {};
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

// Explains large ids that are those of objects in Cityscapes' files: class · 1000 + number.
std::string object_text(const Ids& ids) {
  constexpr std::size_t kFactor = 1000, kMostClasses = 64;
  std::bitset<65536 / kFactor + 1> classes;
  for (std::size_t id = kFactor; id < ids.size(); ++id)
    if (ids[id]) classes.set(id / kFactor);
  bool known = classes.any() && classes.count() <= kMostClasses;
  for (std::size_t id = kMostClasses; id < kFactor; ++id) known = known && !ids[id];
  return known ? ". Ids of 1000 and more seem to be the class · 1000 + the number of an object, as "
                 "in the instanceIds of Cityscapes: use the files that hold class ids"
               : "";
}

constexpr const char* kClassTable =
    "\n  --classes FILE, a line id,name for each class; hotpack check --write-classes FILE writes "
    "one to fill in";

Status check_count(const Ids& ids, int count, const IdScan& scan, const std::string& found) {
  if (found == "none" && !scan.undecoded.empty())
    return data_error(
        "no label can be decoded, so their classes cannot be counted; the first error: " +
        scan.undecoded);
  if (count == 0)
    return data_error("the labels hold no class id (found: " + found +
                      "); give the classes with --classes FILE, or choose a --label-kind");
  const bool many = count > kMaxScannedClasses,
             gaps = count > kFewClasses && 2 * ids.count() < static_cast<std::size_t>(count);
  const std::string objects = object_text(ids);
  if (many && (!gaps || !objects.empty()))
    return data_error("the labels hold ids up to " + std::to_string(count - 1) +
                      " (found: " + found + "), more than labels of classes do" + objects +
                      ". If they are ids of classes, name these:" + kClassTable);
  if (gaps) {
    const std::string preset =
        found == "0, 128, 255" ? "\n  --preset refuge, whose values are these" : "";
    const Ids all = scan.narrow | scan.wide;
    const std::string masks =
        count > 256 && all[0] ? "\n  --label-kind binary --threshold 1, if 0 is the background and "
                                "other values number objects"
        : all[0] && all[255]  ? "\n  --label-kind binary, if they are masks with soft edges"
                              : "";
    return data_error(
        "the labels hold few of the ids up to " + std::to_string(count - 1) + " (found: " + found +
        rescaling(ids) +
        "), so they are probably not class ids. Say what each value means:" + masks +
        "\n  --map FILE with a line old,new for each value; hotpack check --write-classes FILE "
        "writes one to fill in\n  --num-classes N, if they are ids of N classes" +
        preset);
  }
  if (!scan.crowded_label.empty())
    return data_error("holds more than " + std::to_string(kMostIdsOfLabel) +
                          " different values, so it looks like a photograph or a gray image "
                          "(found in all labels: " +
                          found +
                          "). Say what the values are:\n  --label-kind binary, if the labels are "
                          "masks of two classes with soft edges" +
                          kClassTable,
                      scan.crowded_label);
  return {};
}

std::string object_warning(const IdScan& scan) {
  return "the ids look like numbers of objects, not of classes: nearly every label numbers them "
         "from 1 without a gap, and the largest is " +
         std::to_string(scan.numbering.fewest) + " in one label and " +
         std::to_string(scan.numbering.most) +
         " in another. For two classes give --label-kind binary --threshold 1";
}

}  // namespace

Result<labels::ClassTable> count_classes(const LabelOptions& options, LabelScan& scan,
                                         std::string& explanation) {
  HOTPACK_ASSIGN(const IdScan* const found, scan.get());
  if (options.kind == LabelKind::automatic && options.rgb_id == labels::RgbId::none)
    HOTPACK_TRY(check_masks(*found));
  constexpr std::size_t kListed = 16;
  const std::string text = ids_text(found->narrow | found->wide, kListed);
  const Ids ids = ids_of_classes(*found, options.ignore);
  const int count = count_of(ids);
  HOTPACK_TRY(check_count(ids, count, *found, text));
  explanation +=
      "; ids found: " + text + ", so " + std::to_string(count) +
      (count == 1 ? " class" : " classes") +
      (count > 1 && !ids[0] ? "; 0 never occurs: if ids count from 1, give --shift-ids -1" : "") +
      "; if another split may hold more, give --num-classes N or --classes";
  labels::ClassTable table = labels::numbered_classes(count);
  if (found->numbering.of_objects()) table.warnings.push_back(object_warning(*found));
  return table;
}

Status check_not_masks(LabelScan& scan) {
  HOTPACK_ASSIGN(const IdScan some, scan.some());
  if (!may_be_masks(some) && some.shown.other && !some.shades.soft()) return {};
  HOTPACK_ASSIGN(const IdScan* const found, scan.get());
  return check_masks(*found);
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
