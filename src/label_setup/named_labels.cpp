#include "label_setup/named_labels.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/nearest_word.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "base/words.hpp"
#include "format/json.hpp"
#include "label_setup/given_labels.hpp"
#include "label_setup/label_words.hpp"
#include "samples/class_doubts.hpp"
#include "samples/fold.hpp"

namespace hotpack::pipeline {

namespace {

using labels::ClassTable;

constexpr std::size_t kNamedInWarning = 5;
constexpr std::string_view kHasNoImage = " has no image",
                           kWithoutImage = "classes without an image";

// The class of each name in the input.
using ClassOfName = std::map<std::string, std::uint16_t, std::less<>>;

std::string in_quotes(const std::string& text) { return "'" + text + "'"; }

// "'a', 'b', 'c', 'd', 'e' and 7 more"
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamedInWarning); ++i)
    text += (i > 0 ? ", " : "") + in_quotes(names[i]);
  return names.size() > kNamedInWarning
             ? text + " and " + std::to_string(names.size() - kNamedInWarning) + " more"
             : text;
}

ClassOfName names_of(const ClassTable& table) {
  ClassOfName class_of;
  for (std::size_t id = 0; id < table.classes.size(); ++id)
    class_of.emplace(table.classes[id].name, static_cast<std::uint16_t>(id));
  return class_of;
}

void fill_sources(const ClassOfName& class_of, ClassTable& table) {
  for (ClassInfo& info : table.classes) info.sources.clear();
  for (const auto& [name, id] : class_of) table.classes[id].sources.emplace_back(name);
}

std::uint32_t id_of(const ClassOfName& class_of, const std::string& name) {
  const auto found = class_of.find(name);
  return found == class_of.end() ? kNoClass : found->second;
}

// The ids of the names of a list; kNoClass for names without one.
std::vector<std::uint32_t> ids_of(const std::vector<std::string>& names,
                                  const ClassOfName& class_of) {
  std::vector<std::uint32_t> ids;
  ids.reserve(names.size());
  for (const std::string& name : names) ids.push_back(id_of(class_of, name));
  return ids;
}

std::vector<std::string> names_in(std::span<SampleList* const> splits,
                                  std::vector<std::string> SampleList::*names) {
  std::vector<std::string> all;
  for (const SampleList* list : splits)
    all.insert(all.end(), (list->*names).begin(), (list->*names).end());
  return all;
}

// Returns the first two names that are different spellings of one number, such as '1' and '01';
// nothing if there are none.
std::optional<SimilarNames> equal_numbers(const std::vector<std::string>& names) {
  std::map<std::string, std::string> seen;
  for (const std::string& name : names) {
    if (name.empty() || name.find_first_not_of("0123456789.") != std::string::npos ||
        std::count(name.begin(), name.end(), '.') > 1)
      continue;
    std::string number = name.substr(std::min(name.find_first_not_of('0'), name.size()));
    if (number.find('.') != std::string::npos) number.resize(number.find_last_not_of('0') + 1);
    if (number.ends_with('.')) number.pop_back();
    const std::string& first = seen.emplace(std::move(number), name).first->second;
    if (first != name) return SimilarNames{first, name, "the spelling of one number"};
  }
  return std::nullopt;
}

// Refuses names of classes that look like one, such as 'Cat' in one split and 'cat' in another.
// `path_of` returns the path of the first file of a class in a list, or "".
Status check_spelling(const std::vector<std::string>& names, std::span<SampleList* const> splits,
                      const auto& path_of, const std::string& advice) {
  std::optional<SimilarNames> similar = similar_names(names);
  if (!similar) similar = equal_numbers(names);
  if (!similar) return {};
  const auto place = [&](const std::string& name) {
    for (const SampleList* list : splits)
      if (const std::string path = path_of(*list, name); !path.empty())
        return in_quotes(name) + " (of " + in_quotes(path) + ")";
    return in_quotes(name);
  };
  return data_error("the classes " + place(similar->first) + " and " + place(similar->second) +
                    " differ in " + similar->difference + "; use one spelling" + advice);
}

// The first image of a class; empty if there is none.
std::string image_of_class(const SampleList& list, const std::string& name) {
  const auto found =
      std::find_if(list.samples.begin(), list.samples.end(), [&](const Sample& sample) {
        return sample.class_name != kNoClass && list.class_names[sample.class_name] == name;
      });
  return found == list.samples.end() ? std::string() : list.image_path(*found);
}

// The first mask of a class; empty if there is none.
std::string mask_of_class(const SampleList& list, const std::string& name) {
  const auto found = std::find_if(list.masks.begin(), list.masks.end(), [&](const Mask& mask) {
    return list.mask_names[mask.name] == name;
  });
  return found == list.masks.end() ? std::string() : list.mask_path(*found);
}

// ---- classes of whole images

Status check_image_class_options(const PackOptions& options) {
  const LabelOptions& label = options.label;
  const std::string where =
      options.input.image_folders.empty() ? "with classes of whole images" : "with --image-folders";
  if (label.kind != LabelKind::automatic || !label.ignore.empty() || label.unknown != "error" ||
      label.pad_label != "ignore" || label.threshold || !label.preset.empty() || label.shift_ids ||
      label.rgb_id != labels::RgbId::none)
    return usage_error(
        "--label-kind, --rgb-id, --shift-ids, --ignore, --unknown, --pad-label, --threshold and "
        "--preset are about label files, and " +
        where + " there are no label files; leave these options out");
  if (label.class_count)
    return usage_error("--num-classes is about label files; " + where +
                       ", the names in the input (or --classes) are the classes");
  return {};
}

struct ImageClasses {
  ClassTable table;
  ClassOfName class_of;
  std::string explanation;
};

Result<ImageClasses> mapped_classes(const labels::LabelMap& map, std::optional<ClassTable> table,
                                    LabelSetup& setup) {
  ImageClasses classes;
  if (table) {
    classes.table = std::move(*table);
  } else {
    HOTPACK_ASSIGN(classes.table, labels::classes_of_map(map));
  }
  HOTPACK_ASSIGN(const auto names, labels::resolve_class_names(map, classes.table));
  classes.class_of = ClassOfName(names.begin(), names.end());
  classes.explanation = "as --map says";
  for (const auto& [name, id] : names) {
    setup.map += (setup.map.empty() ? "[[" : ",[") + format::canonical_string(name) + "," +
                 std::to_string(id) + "]";
    setup.map_lines.push_back(name + " → " + std::to_string(id) + " " +
                              classes.table.classes[id].name);
  }
  setup.map += "]";
  classes.table.warnings.insert(classes.table.warnings.end(), map.warnings.begin(),
                                map.warnings.end());
  return classes;
}

// Gives names the classes that they have in the pack, which may have merged some.
ImageClasses packed_classes(const PackedLabels& packed, LabelSetup& setup) {
  setup.map = packed.map;
  return {packed.table, ClassOfName(packed.names.begin(), packed.names.end()),
          "as in '" + packed.folder + "'"};
}

bool has_number(const ClassInfo& info) {
  const std::string& name = info.name;
  return !name.empty() && name.size() < 10 &&
         name.find_first_not_of("0123456789") == std::string::npos &&
         (name == "0" || name[0] != '0');
}

// The first class whose name is a number other than its id; none if a name is no number.
std::optional<std::size_t> first_misnumbered(const ClassTable& table) {
  if (!std::all_of(table.classes.begin(), table.classes.end(), has_number)) return std::nullopt;
  for (std::size_t id = 0; id < table.classes.size(); ++id)
    if (table.classes[id].name != std::to_string(id)) return id;
  return std::nullopt;
}

// Adds a warning if the names of classes are numbers, and one is not the id of its class.
void warn_of_misnumbered(ClassTable& table) {
  if (const auto id = first_misnumbered(table))
    table.warnings.push_back(
        "the names of classes are numbers, but not the ids of the classes: class '" +
        table.classes[*id].name + "' gets id " + std::to_string(*id) +
        "; to set the ids, list the classes in order in --classes FILE");
}

// Handles classes whose names are whole numbers. Names from a table are usually ids, so these
// classes are sorted by number. Names of folders stay in byte order, as in torchvision's
// ImageFolder, and give a warning.
void settle_numbers(bool of_folders, ImageClasses& classes) {
  ClassTable& table = classes.table;
  if (!first_misnumbered(table)) return;
  if (!of_folders) {
    const auto number = [](const ClassInfo& info) { return std::stoul(info.name); };
    std::sort(table.classes.begin(), table.classes.end(),
              [&](const auto& a, const auto& b) { return number(a) < number(b); });
    classes.explanation = "in the order of their numbers";
  }
  warn_of_misnumbered(table);
}

Result<ImageClasses> image_classes(const PackOptions& options, std::span<SampleList* const> splits,
                                   LabelSetup& setup) {
  HOTPACK_ASSIGN(const std::optional<PackedLabels> packed, given_pack(options.label));
  HOTPACK_ASSIGN(std::optional<ClassTable> table, given_table(options.label, packed));
  HOTPACK_ASSIGN(const std::optional<labels::LabelMap> map, given_map(options.label));
  if (map) return mapped_classes(*map, std::move(table), setup);
  if (packed && packed->scope == LabelScope::image) return packed_classes(*packed, setup);
  ImageClasses classes;
  classes.explanation = table ? "in the order of --classes" : "in byte order";
  const bool named_by_samples = !table;
  classes.table =
      table ? std::move(*table) : labels::named_classes(names_in(splits, &SampleList::class_names));
  if (named_by_samples)
    HOTPACK_TRY(check_spelling(names_in(splits, &SampleList::class_names), splits, image_of_class,
                               ", or join them with --map FILE (rows old,new)"));
  if (named_by_samples) settle_numbers(options.input.pairs.empty(), classes);
  classes.class_of = names_of(classes.table);
  return classes;
}

// Sets the class of each sample, and adds a problem for each sample whose class is not in the
// table. Returns the number of images per class.
std::vector<std::uint64_t> assign_image_classes(const PackOptions& options,
                                                const ClassOfName& class_of,
                                                std::size_t class_count, SampleList& list,
                                                ProblemLog& problems) {
  const std::string place = options.input.image_folders.empty() ? "its class " : "its folder ";
  const std::string table = options.label.map.empty()
                                ? " is no class of --classes"
                                : " is not in --map, which needs a row for each class, also for "
                                  "one that keeps its name";
  const std::vector<std::uint32_t> ids = ids_of(list.class_names, class_of);
  std::vector<std::uint64_t> images(class_count);
  for (Sample& sample : list.samples) {
    if (sample.class_name == kNoClass) continue;
    sample.class_id = ids[sample.class_name];
    if (sample.class_id != kNoClass) {
      ++images[sample.class_id];
    } else {
      problems.add({ProblemKind::unknown_folder, list.image_path(sample),
                    place + in_quotes(list.class_names[sample.class_name]) + table});
    }
  }
  return images;
}

// The number of images of each class in a split.
struct SplitImages {
  std::string split;
  std::vector<std::uint64_t> of_class;
};

// Warns of classes without an image in any split, or in some splits.
void warn_of_missing_images(const std::vector<SplitImages>& images, ClassTable& table) {
  std::vector<std::string> empty, partly;
  for (std::size_t id = 0; id < table.classes.size(); ++id) {
    std::vector<std::string> missing;
    for (const SplitImages& each : images)
      if (each.of_class[id] == 0) missing.push_back(each.split);
    if (missing.size() == images.size())
      empty.push_back(table.classes[id].name);
    else if (!missing.empty())
      partly.push_back(in_quotes(table.classes[id].name) + " (not in " +
                       list_text(missing, kNamedInWarning) + ")");
  }
  if (empty.size() == 1)
    table.warnings.push_back("class " + listed(empty) + std::string(kHasNoImage));
  if (empty.size() > 1)
    table.warnings.push_back(std::string(kWithoutImage) + ": " + listed(empty) +
                             "; the pack keeps their ids");
  if (!partly.empty())
    table.warnings.push_back(std::string(kWithoutImage) +
                             " in some of the splits: " + list_text(partly, kNamedInWarning));
}

// ---- masks

Status check_mask_options(const PackOptions& options) {
  const LabelOptions& label = options.label;
  if (label.kind != LabelKind::automatic && label.kind != LabelKind::binary)
    return usage_error(
        "--mask-per-class reads masks as --label-kind binary; leave --label-kind out");
  if (label.class_count || label.shift_ids || label.rgb_id != labels::RgbId::none ||
      !label.map.empty() || !label.preset.empty() || !label.ignore.empty() ||
      label.pad_label != "ignore")
    return usage_error(
        "--num-classes, --map, --shift-ids, --rgb-id, --preset, --ignore and --pad-label cannot be "
        "combined with --mask-per-class, for which the names of the masks (or --classes) are the "
        "classes and padding has none");
  if (label.unknown != "error" && label.unknown != "ignore")
    return usage_error("--unknown " + label.unknown +
                       ": a mask has one class only; with --mask-per-class give error or ignore");
  if (options.record.label_storage == LabelStorage::index)
    return usage_error(
        "--label-storage index holds one class per pixel, and with --mask-per-class a pixel may "
        "have several; use bits or one_hot");
  return {};
}

void assign_mask_classes(const ClassOfName& class_of, SampleList& list, ProblemLog& problems) {
  const std::vector<std::uint32_t> ids = ids_of(list.mask_names, class_of);
  for (Mask& mask : list.masks) {
    mask.class_id = ids[mask.name];
    if (mask.class_id == kNoClass)
      problems.add(
          {ProblemKind::unknown_folder, list.mask_path(mask),
           "its class " + in_quotes(list.mask_names[mask.name]) + " is no class of --classes"});
  }
  for (const Sample& sample : list.samples) {
    const std::span<Mask> masks =
        std::span(list.masks).subspan(sample.first_mask, sample.mask_count);
    std::stable_sort(masks.begin(), masks.end(),
                     [](const Mask& a, const Mask& b) { return a.class_id < b.class_id; });
  }
}

// The images with a mask of one class, and an image without one.
struct MaskCount {
  std::uint64_t images = 0;
  std::string first_without;
};

std::vector<MaskCount> count_masks(std::span<SampleList* const> splits, std::size_t classes) {
  std::vector<MaskCount> counts(classes);
  std::vector<bool> has;
  for (const SampleList* list : splits)
    for (const Sample& sample : list->samples) {
      has.assign(classes, false);
      for (const Mask& mask : list->masks_of(sample))
        if (mask.class_id != kNoClass) has[mask.class_id] = true;
      for (std::size_t id = 0; id < classes; ++id) {
        counts[id].images += has[id];
        if (!has[id] && counts[id].first_without.empty())
          counts[id].first_without = list->key(sample);
      }
    }
  return counts;
}

// True if two names differ in a number, such as 'lane1' and 'lane2'.
bool differ_in_number(std::string first, std::string second) {
  for (std::string* const name : {&first, &second})
    std::erase_if(*name, [](char c) { return c >= '0' && c <= '9'; });
  return first == second;
}

// The class with at least four times as many masks and a name one typing error away, or none.
std::string likely_meant(const ClassTable& table, const std::vector<MaskCount>& masks,
                         std::size_t id) {
  constexpr std::size_t kLeastLetters = 4;
  const std::string& name = table.classes[id].name;
  for (std::size_t other = 0; other < masks.size(); ++other)
    if (masks[other].images >= 4 * masks[id].images && name.size() >= kLeastLetters &&
        edit_distance(name, table.classes[other].name) == 1 &&
        !differ_in_number(name, table.classes[other].name))
      return table.classes[other].name;
  return "";
}

// Warns of classes without a mask, of names that are likely misspelt, and of classes whose masks
// only few images lack.
void warn_of_missing_masks(std::span<SampleList* const> splits, ClassTable& table) {
  constexpr std::uint64_t kOneIn = 5;
  const std::vector<MaskCount> masks = count_masks(splits, table.classes.size());
  std::uint64_t images = 0;
  for (const SampleList* list : splits) images += list->samples.size();
  std::vector<std::string> missing, few;
  for (std::size_t id = 0; id < masks.size(); ++id) {
    const std::string& name = table.classes[id].name;
    const std::uint64_t without = images - masks[id].images;
    if (masks[id].images == 0) {
      missing.push_back(name);
    } else if (const std::string meant = likely_meant(table, masks, id); !meant.empty()) {
      table.warnings.push_back(
          "class " + in_quotes(name) + " has a mask for " + std::to_string(masks[id].images) +
          " of " + counted_text(images, "image") + "; did you mean " + in_quotes(meant) + "?");
    } else if (without > 0 && without * kOneIn <= images) {
      few.push_back(in_quotes(name) + " (" + std::to_string(without) + " of " +
                    counted_text(images, "image") + ", the first is " +
                    in_quotes(masks[id].first_without) + ")");
    }
  }
  if (!missing.empty()) table.warnings.push_back("classes without a mask: " + listed(missing));
  if (!few.empty())
    table.warnings.push_back(
        "masks are missing for some images: " + list_text(few, kNamedInWarning) +
        "; if these images show nothing of the class, all is well");
}

// The word of a name that ends with a number: "tumor" of "tumor_1"; empty if the name has none.
std::string word_before_number(const std::string& name) {
  const std::size_t joint = name.find_last_not_of("0123456789");
  const bool has_both = joint != std::string::npos && joint > 0 && joint + 1 < name.size() &&
                        std::string_view("_-. ").find(name[joint]) != std::string_view::npos;
  return has_both ? name.substr(0, joint) : "";
}

// Warns of classes that may be the numbered masks of one class. `pattern` gave them their names.
void warn_of_numbered(const std::string& pattern, ClassTable& table) {
  std::map<std::string, std::vector<std::string>> numbered;
  bool all = true;
  for (const ClassInfo& info : table.classes) {
    const std::string word = word_before_number(info.name);
    all = all && !word.empty();
    if (!word.empty()) numbered[word].push_back(info.name);
  }
  const auto several = std::find_if(numbered.begin(), numbered.end(),
                                    [](const auto& each) { return each.second.size() > 1; });
  constexpr std::string_view kClass = "{class}";
  if (several == numbered.end() || pattern.find(kClass) == pattern.npos) return;
  const char joint = several->second.front()[several->first.size()];
  std::string united = pattern;
  united.replace(pattern.find(kClass), kClass.size(), std::string(kClass) + joint + "*");
  table.warnings.push_back("the classes " + listed(several->second) +
                           " differ only in a number: if they are several masks of one class, " +
                           (all ? "" : "give the names of all masks a number, and ") +
                           "give --mask-per-class '" + united + "'");
}

}  // namespace

bool tells_of_missing_images(std::string_view warning) {
  return warning.starts_with(kWithoutImage) ||
         (warning.starts_with("class ") && warning.ends_with(kHasNoImage));
}

Result<LabelSetup> set_up_image_classes(const PackOptions& options,
                                        std::span<SampleList* const> splits, ProblemLog& problems) {
  HOTPACK_TRY(check_image_class_options(options));
  LabelSetup setup;
  setup.scope = LabelScope::image;
  setup.label_kind = "folder";
  HOTPACK_ASSIGN(ImageClasses classes, image_classes(options, splits, setup));
  if (classes.table.classes.empty())
    return data_error(
        "no image has a class, so there are no classes; give the classes with --classes");
  fill_sources(classes.class_of, classes.table);
  std::vector<SplitImages> images;
  for (SampleList* list : splits) {
    if (list->class_names.empty()) continue;  // images alone
    images.push_back(
        {list->split, assign_image_classes(options, classes.class_of, classes.table.classes.size(),
                                           *list, problems)});
  }
  if (!options.input.image_folders.empty())
    for (std::string& doubt : class_doubts(splits))
      classes.table.warnings.push_back(std::move(doubt));
  if (!options.input.allow_empty) warn_of_missing_images(images, classes.table);
  const bool one = classes.table.classes.size() == 1;
  const std::string whole = one ? " class of whole images, " : " classes of whole images, ";
  const std::string folders = one ? " class, one per folder, " : " classes, one per folder, ";
  const bool by_folder = !options.input.image_folders.empty() && options.label.map.empty();
  setup.explanation = std::to_string(classes.table.classes.size()) + (by_folder ? folders : whole) +
                      classes.explanation;
  setup.table = std::move(classes.table);
  return setup;
}

Result<LabelSetup> set_up_masks(const PackOptions& options, std::span<SampleList* const> splits,
                                ProblemLog& problems) {
  HOTPACK_TRY(check_mask_options(options));
  HOTPACK_ASSIGN(const std::optional<PackedLabels> packed, given_pack(options.label));
  HOTPACK_ASSIGN(const std::optional<ClassTable> table, given_table(options.label, packed));
  LabelSetup setup;
  setup.scope = LabelScope::pixel;
  setup.multi = true;
  labels::LabelRules rules;
  rules.kind = LabelKind::binary;
  rules.dim = labels::DimLabels::refused;
  HOTPACK_ASSIGN(rules.threshold, given_threshold(options.label, packed));
  HOTPACK_ASSIGN(rules.unknown, resolve_unknown(options.label.unknown, labels::binary_classes()));
  HOTPACK_ASSIGN(setup.decoder, labels::LabelDecoder::create(labels::binary_classes(), rules));
  setup.rules = rules;
  setup.label_kind = word_of(rules.kind);
  setup.unknown = options.label.unknown;
  setup.pad_label = options.label.pad_label;
  setup.threshold = rules.threshold.value_or(labels::kUsualThreshold);
  const std::vector<std::string> names = names_in(splits, &SampleList::mask_names);
  if (!table)
    HOTPACK_TRY(check_spelling(names, splits, mask_of_class, " in the names of the masks"));
  setup.table = table.value_or(labels::named_classes(names));
  const ClassOfName class_of = names_of(setup.table);
  fill_sources(class_of, setup.table);
  for (SampleList* list : splits) assign_mask_classes(class_of, *list, problems);
  warn_of_missing_masks(splits, setup.table);
  if (!table) warn_of_numbered(options.input.mask_per_class, setup.table);
  if (!table) warn_of_misnumbered(setup.table);
  setup.explanation = "a mask per class (" + std::to_string(setup.table.classes.size()) +
                      (setup.table.classes.size() == 1 ? " class, " : " classes, ") +
                      (table ? "in the order of --classes" : "in byte order") +
                      "): a pixel may have several; luma from " + std::to_string(*setup.threshold) +
                      " on is foreground";
  return setup;
}

}  // namespace hotpack::pipeline
