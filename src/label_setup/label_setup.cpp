#include "label_setup/label_setup.hpp"

#include <algorithm>
#include <bitset>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "base/words.hpp"
#include "format/json.hpp"
#include "label_setup/given_labels.hpp"
#include "label_setup/label_count.hpp"
#include "label_setup/label_decision.hpp"
#include "label_setup/label_words.hpp"
#include "label_setup/mask_check.hpp"
#include "label_setup/merged_labels.hpp"
#include "label_setup/named_labels.hpp"
#include "labels/packed_color.hpp"

namespace hotpack::pipeline {

namespace {

using labels::ClassTable;

// ---- what kind of labels there are

enum class Labeling { none, files, image_classes, masks, merged };

Labeling labeling_of(const PackOptions& options, std::span<SampleList* const> splits) {
  const auto any = [&](auto has) {
    return std::any_of(splits.begin(), splits.end(),
                       [&](const SampleList* list) { return has(*list); });
  };
  if (any([](const SampleList& list) { return !list.mask_names.empty(); })) return Labeling::masks;
  if (any([](const SampleList& list) { return list.merges_masks; })) return Labeling::merged;
  if (any([](const SampleList& list) { return list.has_label_files; })) return Labeling::files;
  const bool folders = !options.input.image_folders.empty();
  if (folders || any([](const SampleList& list) { return !list.class_names.empty(); }))
    return Labeling::image_classes;
  return Labeling::none;
}

Status check_unlabeled_options(const LabelOptions& options) {
  const LabelOptions none;
  std::vector<std::string> given;
  const auto name = [&](const char* option, bool is_given) {
    if (is_given) given.emplace_back(option);
  };
  name("--classes", !options.classes.empty());
  name("--num-classes", options.class_count.has_value());
  name("--map", !options.map.empty());
  name("--shift-ids", options.shift_ids.has_value());
  name("--rgb-id", options.rgb_id != none.rgb_id);
  name("--label-kind", options.kind != none.kind);
  name("--threshold", options.threshold.has_value());
  name("--ignore", !options.ignore.empty());
  name("--unknown", options.unknown != none.unknown);
  name("--pad-label", options.pad_label != none.pad_label);
  if (given.empty()) return {};
  return usage_error(joined_text(given, ", ") + (given.size() == 1 ? " needs" : " need") +
                     " labels: give --labels DIR, or --image-folders DIR in place of --images");
}

// ---- which classes there are

Status check_table_fits(LabelKind kind, const std::optional<LabelMapping>& mapping) {
  if (labels::reads_colors(kind) && (!mapping || (!mapping->values && !mapping->table.has_colors)))
    return usage_error("--label-kind " + std::string(word_of(kind)) +
                       " needs class colors: give --classes FILE.csv (name,r,g,b)");
  if (kind == LabelKind::binary && mapping && mapping->table.classes.size() != 2)
    return usage_error(
        "--label-kind binary has two classes, background and foreground; --classes, --num-classes "
        "or --preset names " +
        std::to_string(mapping->table.classes.size()));
  return {};
}

std::vector<ClassInfo> numbered_with_sources(std::size_t count) {
  std::vector<ClassInfo> classes = labels::numbered_classes(static_cast<int>(count)).classes;
  for (std::size_t id = 0; id < count; ++id)
    classes[id].sources = {LabelSource(static_cast<std::int64_t>(id))};
  return classes;
}

// The manifests of sets with labels.
std::vector<const format::Manifest*> labeled(std::span<const format::Manifest* const> finished) {
  std::vector<const format::Manifest*> sets;
  std::copy_if(finished.begin(), finished.end(), std::back_inserter(sets),
               [](const auto* manifest) { return manifest->schema.label; });
  return sets;
}

// Returns true if reading all labels again would count the same number of classes as the finished
// packs have: their last class occurs, and no larger id can occur, because unknown ids stop a run.
// Returns false for a single class: that may be a misread mask of two values, and a fresh run asks
// the user about it.
bool counted_by_scan(const std::vector<const format::Manifest*>& finished) {
  if (finished.empty()) return false;
  const std::size_t count = finished.front()->schema.class_count();
  const auto same = [&](const format::Manifest* manifest) {
    return manifest->skipped == 0 && manifest->schema.classes == numbered_with_sources(count);
  };
  const auto has_last = [](const format::Manifest* manifest) {
    return manifest->statistics.pixels.back() > 0;
  };
  return count > 1 && std::all_of(finished.begin(), finished.end(), same) &&
         std::any_of(finished.begin(), finished.end(), has_last);
}

// How the labels of finished packs were read; automatic if unknown.
LabelKind kind_of(const std::vector<const format::Manifest*>& finished) {
  for (const format::Manifest* manifest : finished) {
    for (const auto& [name, value] : manifest->schema.options.more) {
      for (const LabelKind kind : {LabelKind::color, LabelKind::index})
        if (name == "label_kind" && value == format::canonical_string(word_of(kind))) return kind;
    }
  }
  return LabelKind::automatic;
}

// ---- the setup

// Warns of options that have no effect on labels of this kind.
void warn_of_idle_options(const PackOptions& options, LabelKind kind,
                          std::vector<std::string>& warnings) {
  if (kind != LabelKind::binary && options.label.threshold)
    warnings.push_back("--threshold has no effect: labels are read as " +
                       std::string(word_of(kind)) +
                       ", and only --label-kind binary compares brightness");
  const Fit fit = options.record.resolved_fit();
  const bool fills = fit == Fit::stretch || fit == Fit::cover;
  if (fills && !options.record.tile && options.label.pad_label != "ignore")
    warnings.push_back("--pad-label has no effect: --fit " + std::string(word_of(fit)) +
                       " never pads");
}

// Refuses a value that would both become a class and be ignored: the stored map would be wrong.
Status check_ignored_by_map(const LabelMapping& mapping, const labels::LabelRules& rules) {
  if (!mapping.values) return {};
  const auto check = [&](std::uint32_t value, const std::string& word) -> Status {
    const auto given = std::find_if(mapping.values->begin(), mapping.values->end(),
                                    [&](const auto& each) { return each.value == value; });
    if (given == mapping.values->end() || given->class_id == labels::kIgnored) return {};
    const std::string advice =
        mapping.source == "--map"
            ? "write \"" + word + ",ignore\" into the map, and leave --ignore out"
            : "give a --map that ignores it, or leave --ignore out";
    return usage_error("--ignore " + word + ": by " + mapping.source + " it becomes the class '" +
                       mapping.table.classes[given->class_id].name + "'; " + advice);
  };
  for (const std::int64_t id : rules.ignore_ids)
    HOTPACK_TRY(check(static_cast<std::uint32_t>(id), std::to_string(id)));
  for (const RgbColor& color : rules.ignore_colors)
    HOTPACK_TRY(check(labels::packed_color(color), color_text(color)));
  return {};
}

Result<labels::LabelRules> rules_of(const LabelOptions& options, labels::RgbId rgb_id,
                                    const LabelMapping& mapping, LabelKind kind,
                                    std::optional<int> threshold) {
  labels::LabelRules rules;
  rules.kind = kind;
  rules.rgb_id = kind == LabelKind::index ? rgb_id : labels::RgbId::none;
  rules.threshold = threshold;
  if (kind == LabelKind::binary && !options.decodes_anything)
    rules.dim = labels::DimLabels::may_be_ids;
  rules.values = mapping.values;
  rules.kind_was_automatic = options.kind == LabelKind::automatic;
  HOTPACK_TRY(resolve_ignored(mapping.ignore, mapping.table, rules));
  HOTPACK_TRY(check_ignored_by_map(mapping, rules));
  HOTPACK_ASSIGN(rules.unknown, resolve_unknown(options.unknown, mapping.table));
  return rules;
}

void describe_map(const LabelMapping& mapping, LabelKind kind, LabelSetup& setup,
                  std::string& explanation) {
  setup.map = mapping.map.value_or(map_json(*mapping.values, kind));
  setup.map_lines = map_lines(*mapping.values, kind, setup.table);
  explanation += "; " + std::to_string(mapping.values->size()) + " values become " +
                 std::to_string(setup.table.classes.size()) + " classes by " + mapping.source;
}

Result<LabelSetup> make_setup(const PackOptions& options, const GivenLabels& given,
                              const LabelMapping& mapping, LabelKind kind,
                              std::string explanation) {
  LabelSetup setup;
  setup.scope = LabelScope::pixel;
  const bool binary = kind == LabelKind::binary;
  HOTPACK_ASSIGN(const std::optional<int> threshold,
                 given_threshold(options.label, binary ? given.packed : std::nullopt));
  HOTPACK_ASSIGN(labels::LabelRules rules,
                 rules_of(options.label, given.rgb_id, mapping, kind, threshold));
  HOTPACK_ASSIGN(setup.pad_id, resolve_pad(options.label.pad_label, mapping.table));
  HOTPACK_ASSIGN(setup.decoder, labels::LabelDecoder::create(mapping.table, rules));
  setup.table = setup.decoder->table();
  setup.label_kind = word_of(kind);
  setup.rgb_id = rules.rgb_id;
  setup.unknown = unknown_text(rules.unknown, setup.table);
  setup.rules = rules;
  setup.pad_label = options.label.pad_label;
  if (binary) setup.threshold = threshold.value_or(labels::kUsualThreshold);
  if (mapping.values) describe_map(mapping, kind, setup, explanation);
  setup.explanation = std::move(explanation);
  for (std::string& warning : warnings_of_reserved_names(setup.table))
    setup.table.warnings.push_back(std::move(warning));
  warn_of_idle_options(options, kind, setup.table.warnings);
  return setup;
}

// Removes from classes that were counted by the largest id those that --shift-ids leaves out.
Status remove_shifted(int shift, ClassTable& table) {
  const auto most = static_cast<int>(table.classes.size()) + shift;
  if (most < 1)
    return data_error("--shift-ids " + std::to_string(shift) +
                      " leaves no class: the largest id in the labels is " +
                      std::to_string(table.classes.size() - 1));
  table = labels::numbered_classes(most);
  return {};
}

// Refuses a table of names with a column that may hold ids, one higher than the ids of the lines.
Status check_counted_from_one(const PackOptions& options, const GivenLabels& given,
                              LabelKind kind) {
  const bool plain =
      given.table && !given.map && !given.shift && !given.packed && given.preset == nullptr;
  if (!plain || kind != LabelKind::index || given.table->counted_from_one.empty()) return {};
  const std::string count = std::to_string(given.table->classes.size());
  const std::string last = std::to_string(given.table->classes.size() - 1);
  return data_error("the column '" + given.table->counted_from_one +
                        "' numbers the classes from 1 to " + count +
                        ", but the first class has id 0. If labels hold 1 to " + count +
                        ", give --shift-ids -1; if they hold 0 to " + last + ", remove the column",
                    options.label.classes);
}

// The mapping of label values; `count` finds the classes if no option names them.
template <class Count>
Result<LabelMapping> complete_mapping(const PackOptions& options, const GivenLabels& given,
                                      LabelKind kind, Count count) {
  HOTPACK_ASSIGN(std::optional<LabelMapping> mapping, mapping_of(given, kind));
  HOTPACK_TRY(check_table_fits(kind, mapping));
  HOTPACK_TRY(check_counted_from_one(options, given, kind));
  const bool shifts = given.shift && kind == LabelKind::index;
  if (mapping) return shifts ? shifted(std::move(*mapping), *given.shift) : std::move(*mapping);
  LabelMapping found;
  found.table = labels::binary_classes();
  found.ignore = given.ignore;
  if (kind != LabelKind::index) return found;
  if (options.run.partition)
    return usage_error(
        "with --partition the classes must be given, because all machines must use the same ones: "
        "--num-classes N, --classes or --preset");
  HOTPACK_ASSIGN(found.table, count());
  if (!shifts) return found;
  HOTPACK_TRY(remove_shifted(*given.shift, found.table));
  return shifted(std::move(found), *given.shift);
}

// True if ids are only assumed: no option describes the values of labels.
bool ids_are_supposed(const PackOptions& options, const GivenLabels& given, LabelKind kind) {
  return options.label.kind == LabelKind::automatic && kind == LabelKind::index &&
         given.preset == nullptr && !given.map && !given.shift &&
         given.rgb_id == labels::RgbId::none && !given.packed && given.ignore.empty();
}

// True if the number of classes is one for which masks of 0 and 255 would be accepted as ids.
bool may_name_mask(const GivenLabels& given) {
  const std::size_t classes = given.table ? given.table->classes.size() : 0;
  return classes > 1 && classes < 256;
}

// "cityscapes" of "cityscapes19-trainids".
std::string_view set_of(std::string_view preset) {
  return preset.substr(0, preset.find_first_of("0123456789"));
}

bool is_of_train_ids(std::string_view suffix) {
  return suffix.find("rainIds") != std::string_view::npos;
}
bool is_of_label_ids(std::string_view suffix) {
  return suffix.find("abelIds") != std::string_view::npos;
}

// Fails if the preset does not fit --label-suffix. Cityscapes, for example, has two label files per
// image, one of label ids and one of train ids. Only the suffix of the file name says which ids a
// file contains, and each preset of Cityscapes is for one kind of ids.
Status check_suffix_of_preset(const PackOptions& options, const labels::Preset* preset) {
  const std::string& suffix = options.input.label_suffix;
  const bool train_ids = is_of_train_ids(suffix);
  if (preset == nullptr || (!train_ids && !is_of_label_ids(suffix)) ||
      is_of_train_ids(preset->label_suffix) == train_ids)
    return {};
  for (const std::string_view name : labels::preset_names()) {
    const labels::Preset& other = *labels::find_preset(name);
    if (set_of(name) != set_of(preset->name) || is_of_train_ids(other.label_suffix) != train_ids)
      continue;
    return usage_error("--preset " + preset->name +
                       " is about other ids than files with --label-suffix " + suffix +
                       " hold; give --preset " + other.name + ", or leave --label-suffix out");
  }
  return {};
}

// The preset for the same classes whose labels hold the ids of the classes themselves; null if
// there is none.
const labels::Preset* train_ids_of(const labels::Preset& preset) {
  for (const std::string_view name : labels::preset_names()) {
    const labels::Preset& other = *labels::find_preset(name);
    if (set_of(name) == set_of(preset.name) && other.kind == LabelKind::index &&
        other.values.empty() && other.table.classes.size() == preset.table.classes.size())
      return &other;
  }
  return nullptr;
}

// True if labels hold ids of classes, and many of them stand for no class in `mapping`.
bool hold_train_ids(const IdScan& found, const LabelMapping& mapping) {
  constexpr std::size_t kMany = 8, kVoid = 3;
  std::bitset<65536> ids = found.narrow | found.wide;
  ids.reset(255).reset(65535);
  const std::size_t count = ids.count();
  if (count < kMany || (ids >> mapping.table.classes.size()).any()) return false;
  for (const labels::MappedValue& value : *mapping.values)
    if (value.class_id != labels::kIgnored && value.value < ids.size()) ids.reset(value.value);
  return ids.count() >= kVoid;
}

// Fails if the preset is about label ids, and the labels hold train ids.
Status check_train_ids(const GivenLabels& given, const LabelMapping& mapping, LabelScan& scan) {
  const bool by_preset = given.preset != nullptr && !given.preset->values.empty() && !given.map;
  if (!by_preset || !mapping.values) return {};
  const labels::Preset* const other = train_ids_of(*given.preset);
  if (other == nullptr) return {};
  HOTPACK_ASSIGN(const IdScan some, scan.some());
  if (!hold_train_ids(some, mapping)) return {};
  HOTPACK_ASSIGN(const IdScan* const found, scan.get());
  if (!hold_train_ids(*found, mapping)) return {};
  return data_error("--preset " + given.preset->name + " is about label ids, but the labels hold " +
                    ids_text(found->narrow | found->wide, 8) +
                    ", as train ids do. Choose one:\n  --preset " + other->name +
                    ", if they are train ids\n  --preset " + given.preset->name +
                    " --label-kind index, if they are label ids");
}

std::string read_as(LabelKind kind) { return "labels are read as " + std::string(word_of(kind)); }

Result<LabelSetup> set_up_files(const PackOptions& options, std::span<SampleList* const> splits,
                                const LabelForms& forms, Observer& observer, bool pixels_too) {
  HOTPACK_ASSIGN(const GivenLabels given, read_given(options.label));
  HOTPACK_TRY(check_suffix_of_preset(options, given.preset.get()));
  LabelScan scan(splits, options, observer);
  HOTPACK_ASSIGN(const LabelDecision decided, decide_label_kind(options.label, given, forms, scan));
  std::string explanation = read_as(decided.kind) + " (" + decided.why + ")";
  const auto count = [&] { return count_classes(options.label, scan, explanation); };
  HOTPACK_ASSIGN(const LabelMapping mapping, complete_mapping(options, given, decided.kind, count));
  if (pixels_too && options.label.kind == LabelKind::automatic && decided.kind == LabelKind::index)
    HOTPACK_TRY(check_train_ids(given, mapping, scan));
  if (pixels_too && ids_are_supposed(options, given, decided.kind)) {
    if (may_name_mask(given)) HOTPACK_TRY(check_not_masks(scan));
    if (forms.palettes_differ && !options.label.class_count) HOTPACK_TRY(check_palettes(scan));
  }
  return make_setup(options, given, mapping, decided.kind, std::move(explanation));
}

// The kind that set_up_files() would decide on; automatic if only files can tell.
LabelKind adopted_kind(const LabelOptions& options, const GivenLabels& given,
                       const std::vector<const format::Manifest*>& finished) {
  if (const auto decided = decide_by_options(options, given)) return decided->kind;
  if (given.preset != nullptr) return kind_of(finished);
  return given.table && given.table->has_colors ? LabelKind::color : LabelKind::index;
}

Result<LabelSetup> adopt_files(const PackOptions& options,
                               const std::vector<const format::Manifest*>& finished) {
  HOTPACK_ASSIGN(const GivenLabels given, read_given(options.label));
  const LabelKind kind = adopted_kind(options.label, given, finished);
  if (kind == LabelKind::automatic)
    return data_error("the labels' headers must be read to tell ids from colors");
  const auto count = [&]() -> Result<ClassTable> {
    if (options.label.unknown != "error" || !counted_by_scan(finished))
      return data_error("the labels must be read to count their classes");
    return labels::numbered_classes(static_cast<int>(finished.front()->schema.class_count()));
  };
  HOTPACK_ASSIGN(const LabelMapping mapping, complete_mapping(options, given, kind, count));
  return make_setup(options, given, mapping, kind, read_as(kind) + " (as in the finished run)");
}

// The setup if no label file must be examined; absent if the labels are label files.
Result<std::optional<LabelSetup>> set_up_without_files(const PackOptions& options,
                                                       std::span<SampleList* const> splits,
                                                       ProblemLog& problems) {
  std::optional<LabelSetup> setup;
  switch (labeling_of(options, splits)) {
    case Labeling::files:
      break;
    case Labeling::none:
      HOTPACK_TRY(check_unlabeled_options(options.label));
      setup.emplace();
      break;
    case Labeling::image_classes: {
      HOTPACK_ASSIGN(setup, set_up_image_classes(options, splits, problems));
      break;
    }
    case Labeling::merged: {
      HOTPACK_ASSIGN(setup, set_up_merged(options, splits));
      break;
    }
    case Labeling::masks: {
      HOTPACK_ASSIGN(setup, set_up_masks(options, splits, problems));
      break;
    }
  }
  return setup;
}

}  // namespace

const LabelSetup& setup_of(const SampleList& list, const LabelSetup& setup) {
  static const LabelSetup images_alone;
  const bool labeled = list.has_label_files || list.merges_masks || !list.masks.empty() ||
                       !list.mask_names.empty() || !list.class_names.empty();
  return labeled ? setup : images_alone;
}

Result<LabelSetup> resolve_labels(const PackOptions& options, std::span<SampleList* const> splits,
                                  const LabelForms& forms, Observer& observer, ProblemLog& problems,
                                  bool pixels_too) {
  HOTPACK_ASSIGN(std::optional<LabelSetup> setup, set_up_without_files(options, splits, problems));
  const auto has_masks = [](const SampleList* list) { return !list->masks.empty(); };
  if (setup && std::ranges::any_of(splits, has_masks))
    HOTPACK_TRY(check_mask_files(options, splits, forms, observer, pixels_too));
  if (setup) return std::move(*setup);
  return set_up_files(options, splits, forms, observer, pixels_too);
}

Result<LabelSetup> adopt_labels(const PackOptions& options, std::span<SampleList* const> splits,
                                std::span<const format::Manifest* const> finished,
                                ProblemLog& problems) {
  HOTPACK_ASSIGN(std::optional<LabelSetup> setup, set_up_without_files(options, splits, problems));
  if (setup) return std::move(*setup);
  return adopt_files(options, labeled(finished));
}

}  // namespace hotpack::pipeline
