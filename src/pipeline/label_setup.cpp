#include "pipeline/label_setup.hpp"

#include <algorithm>
#include <bitset>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "format/json.hpp"
#include "pipeline/given_labels.hpp"
#include "pipeline/id_scan.hpp"
#include "pipeline/label_reading.hpp"
#include "pipeline/label_words.hpp"
#include "pipeline/named_labels.hpp"

namespace hotpack::pipeline {

namespace {

using labels::ClassTable;
using labels::LabelReading;

// Beyond this an automatic count of classes is more likely a misread instance map; saying --num-classes makes it meant.
constexpr int kMaxScannedClasses = 1024;

// ---- what kind of labels there are

enum class Labelling { none, files, image_classes, masks };

Labelling labelling_of(const PackOptions& options, std::span<SampleList* const> splits) {
  const auto any = [&](auto has) { return std::any_of(splits.begin(), splits.end(), [&](const SampleList* list) { return has(*list); }); };
  if (any([](const SampleList& list) { return !list.mask_names.empty(); })) return Labelling::masks;
  if (any([](const SampleList& list) { return list.has_label_files; })) return Labelling::files;
  const bool folders = !options.input.image_folders.empty();
  if (folders || any([](const SampleList& list) { return !list.class_names.empty(); })) return Labelling::image_classes;
  return Labelling::none;
}

Status check_unlabelled_options(const LabelOptions& options) {
  const LabelOptions none;
  const bool has_rules = options.reading != none.reading || options.threshold != none.threshold || !options.ignore.empty() ||
                         options.unknown != none.unknown || options.pad_label != none.pad_label;
  if (options.classes.empty() && options.map.empty() && !options.class_count && !has_rules) return {};
  return usage_error(
      "--classes, --num-classes, --map, --label-kind, --threshold, --ignore, --unknown and --pad-label need labels: give --labels DIR, or "
      "--image-folders DIR in place of --images");
}

// ---- which classes there are

Status check_table_fits(LabelReading reading, const std::optional<LabelMeaning>& meaning) {
  if (labels::reads_colors(reading) && (!meaning || (!meaning->values && !meaning->table.has_colors)))
    return usage_error("--label-kind " + std::string(labels::reading_name(reading)) +
                       " needs class colours: give --classes FILE.csv (name,r,g,b)");
  if (reading == LabelReading::binary && meaning && meaning->table.classes.size() != 2)
    return usage_error("--label-kind binary has two classes, background and foreground; --classes, --num-classes or --preset names " +
                       std::to_string(meaning->table.classes.size()));
  return {};
}

Status check_extremes(const IdScan& found, const LabelOptions& options) {
  const bool only_extremes = found.wide.none() && found.narrow.count() == 2 && found.narrow[0] && found.narrow[255];
  if (!only_extremes || options.reading != LabelReading::automatic) return {};
  return data_error(
      "the labels hold only 0 and 255, which is a mask of two classes rather than class ids. Say --label-kind binary, or --label-kind "
      "index with --num-classes 1 if 255 means ignored");
}

// One more than the largest id that is not ignored; 0 where there is none.
int count_of(const IdScan& found, const std::vector<std::string>& ignore) {
  std::bitset<65536> narrow = found.narrow, wide = found.wide;
  narrow.reset(255);
  wide.reset(65535);
  std::bitset<65536> ids = narrow | wide;
  for (const std::string& word : ignore)
    if (const auto id = whole_number(word); id && *id >= 0 && *id <= 65535) ids.reset(static_cast<std::size_t>(*id));
  int count = 0;
  for (std::size_t id = 0; id < ids.size(); ++id)
    if (ids[id]) count = static_cast<int>(id) + 1;
  return count;
}

// Class count from the ids found. `verdict` gains what was found.
Result<ClassTable> count_classes(const LabelOptions& options, LabelScan& scan, std::string& verdict) {
  HOTPACK_ASSIGN(const IdScan* const found, scan.get());
  HOTPACK_TRY(check_extremes(*found, options));
  const std::string ids = ids_text(found->narrow | found->wide);
  const int count = count_of(*found, options.ignore);
  if (count == 0)
    return data_error("the labels hold no class id (found: " + ids + "); say what they mean with --num-classes N or --label-kind");
  if (count > kMaxScannedClasses)
    return data_error("the labels hold ids up to " + std::to_string(count - 1) + " (found: " + ids.substr(0, 120) +
                      "); if so many classes are meant, say --num-classes " + std::to_string(count));
  verdict += "; ids found: " + ids + ", so " + std::to_string(count) +
             " classes; where another split may hold more, say --num-classes N or --classes";
  return labels::numbered_classes(count);
}

std::vector<ClassInfo> numbered_with_sources(std::size_t count) {
  std::vector<ClassInfo> classes = labels::numbered_classes(static_cast<int>(count)).classes;
  for (std::size_t id = 0; id < count; ++id) classes[id].sources = {LabelSource(static_cast<std::int64_t>(id))};
  return classes;
}

// The manifests of sets with labels.
std::vector<const format::Manifest*> labelled(std::span<const format::Manifest* const> finished) {
  std::vector<const format::Manifest*> sets;
  std::copy_if(finished.begin(), finished.end(), std::back_inserter(sets), [](const auto* manifest) { return manifest->schema.label; });
  return sets;
}

// Whether reading all labels of finished packs again would count as many classes: their last class occurs, and no id beyond it can
// (unknown ids stop a run). One class alone may be a mask of two values misread, which a fresh run asks about.
bool counted_by_scan(const std::vector<const format::Manifest*>& finished) {
  if (finished.empty()) return false;
  const std::size_t count = finished.front()->schema.class_count();
  const auto same = [&](const format::Manifest* manifest) {
    return manifest->skipped == 0 && manifest->schema.classes == numbered_with_sources(count);
  };
  const auto has_last = [](const format::Manifest* manifest) { return manifest->statistics.pixels.back() > 0; };
  return count > 1 && std::all_of(finished.begin(), finished.end(), same) && std::any_of(finished.begin(), finished.end(), has_last);
}

// How the labels of finished packs were read; automatic where they do not say.
LabelReading reading_of(const std::vector<const format::Manifest*>& finished) {
  for (const format::Manifest* manifest : finished) {
    for (const auto& [name, value] : manifest->schema.options.more) {
      for (const LabelReading reading : {LabelReading::color, LabelReading::index})
        if (name == "label_kind" && value == format::canonical_string(labels::reading_name(reading))) return reading;
    }
  }
  return LabelReading::automatic;
}

// ---- the setup

// Options that change nothing for labels that are read so.
void warn_of_idle_options(const PackOptions& options, LabelReading reading, std::vector<std::string>& warnings) {
  if (reading != LabelReading::binary && options.label.threshold != LabelOptions().threshold)
    warnings.push_back("--threshold has no effect: labels are read as " + std::string(labels::reading_name(reading)) +
                       ", and only --label-kind binary compares brightness");
  const Fit fit = options.record.resolved_fit();
  const bool fills = fit == Fit::stretch || fit == Fit::cover;
  if (fills && !options.record.tile && options.label.pad_label != "ignore")
    warnings.push_back("--pad-label has no effect: --fit " + std::string(fit_name(fit)) + " never pads");
}

Result<labels::LabelRules> rules_of(const LabelOptions& options, const LabelMeaning& meaning, LabelReading reading, int threshold) {
  labels::LabelRules rules;
  rules.reading = reading;
  rules.threshold = threshold;
  rules.values = meaning.values;
  rules.reading_was_automatic = options.reading == LabelReading::automatic;
  HOTPACK_TRY(resolve_ignored(meaning.ignore, meaning.table, rules));
  HOTPACK_ASSIGN(rules.unknown, resolve_unknown(options.unknown, meaning.table));
  return rules;
}

void tell_map(const LabelMeaning& meaning, LabelReading reading, LabelSetup& setup, std::string& verdict) {
  setup.map = meaning.map.value_or(map_json(*meaning.values, reading));
  setup.map_lines = map_lines(*meaning.values, reading, setup.table);
  verdict += "; " + std::to_string(meaning.values->size()) + " values become " + std::to_string(setup.table.classes.size()) +
             " classes by " + meaning.giver;
}

Result<LabelSetup> make_setup(const PackOptions& options, const GivenLabels& given, const LabelMeaning& meaning, LabelReading reading,
                              std::string verdict) {
  LabelSetup setup;
  setup.kind = LabelKind::pixel;
  const bool binary = reading == LabelReading::binary;
  HOTPACK_ASSIGN(const int threshold, given_threshold(options.label, binary ? given.packed : std::nullopt));
  HOTPACK_ASSIGN(const labels::LabelRules rules, rules_of(options.label, meaning, reading, threshold));
  HOTPACK_ASSIGN(setup.pad_id, resolve_pad(options.label.pad_label, meaning.table));
  HOTPACK_ASSIGN(setup.decoder, labels::LabelDecoder::create(meaning.table, rules));
  setup.table = setup.decoder->table();
  setup.label_kind = labels::reading_name(reading);
  setup.unknown = unknown_text(rules.unknown, setup.table);
  setup.pad_label = options.label.pad_label;
  if (binary) setup.threshold = threshold;
  if (meaning.values) tell_map(meaning, reading, setup, verdict);
  setup.verdict = std::move(verdict);
  for (std::string& warning : warnings_of_reserved_names(setup.table)) setup.table.warnings.push_back(std::move(warning));
  warn_of_idle_options(options, reading, setup.table.warnings);
  return setup;
}

// What labels mean; `count` finds the classes where nothing names them.
template <class Count>
Result<LabelMeaning> complete_meaning(const PackOptions& options, const GivenLabels& given, LabelReading reading, Count count) {
  HOTPACK_ASSIGN(std::optional<LabelMeaning> meaning, meaning_of(given, reading));
  HOTPACK_TRY(check_table_fits(reading, meaning));
  if (meaning) return std::move(*meaning);
  LabelMeaning found;
  found.table = labels::binary_classes();
  found.ignore = given.ignore;
  if (reading != LabelReading::index) return found;
  if (options.run.partition)
    return usage_error(
        "with --partition the classes must be said, as every machine must know the same: --num-classes N, --classes or --preset");
  HOTPACK_ASSIGN(found.table, count());
  return found;
}

std::string read_as(LabelReading reading) { return "labels are read as " + std::string(labels::reading_name(reading)); }

Result<LabelSetup> set_up_files(const PackOptions& options, std::span<SampleList* const> splits, const LabelForms& forms,
                                Observer& observer) {
  HOTPACK_ASSIGN(const GivenLabels given, read_given(options.label));
  LabelScan scan(splits, options.record.max_pixels, observer);
  HOTPACK_ASSIGN(const ReadingVerdict decided, decide_reading(options.label, given, forms, scan));
  std::string verdict = read_as(decided.reading) + " (" + decided.why + ")";
  const auto count = [&] { return count_classes(options.label, scan, verdict); };
  HOTPACK_ASSIGN(const LabelMeaning meaning, complete_meaning(options, given, decided.reading, count));
  return make_setup(options, given, meaning, decided.reading, std::move(verdict));
}

// The reading that set_up_files() would decide on; automatic where only files tell.
LabelReading adopted_reading(const LabelOptions& options, const GivenLabels& given, const std::vector<const format::Manifest*>& finished) {
  if (const auto decided = verdict_of_options(options, given)) return decided->reading;
  if (given.preset != nullptr) return reading_of(finished);
  return given.table && given.table->has_colors ? LabelReading::color : LabelReading::index;
}

Result<LabelSetup> adopt_files(const PackOptions& options, const std::vector<const format::Manifest*>& finished) {
  HOTPACK_ASSIGN(const GivenLabels given, read_given(options.label));
  const LabelReading reading = adopted_reading(options.label, given, finished);
  if (reading == LabelReading::automatic) return data_error("the labels' headers must be read to tell ids from colours");
  const auto count = [&]() -> Result<ClassTable> {
    if (options.label.unknown != "error" || !counted_by_scan(finished)) return data_error("the labels must be read to count their classes");
    return labels::numbered_classes(static_cast<int>(finished.front()->schema.class_count()));
  };
  HOTPACK_ASSIGN(const LabelMeaning meaning, complete_meaning(options, given, reading, count));
  return make_setup(options, given, meaning, reading, read_as(reading) + " (as in the finished run)");
}

// What holds whether files may be looked at or not.
Result<std::optional<LabelSetup>> set_up_without_files(const PackOptions& options, std::span<SampleList* const> splits,
                                                       ProblemLog& problems) {
  std::optional<LabelSetup> setup;
  switch (labelling_of(options, splits)) {
    case Labelling::files:
      break;
    case Labelling::none:
      HOTPACK_TRY(check_unlabelled_options(options.label));
      setup.emplace();
      break;
    case Labelling::image_classes: {
      HOTPACK_ASSIGN(setup, set_up_image_classes(options, splits, problems));
      break;
    }
    case Labelling::masks: {
      HOTPACK_ASSIGN(setup, set_up_masks(options, splits, problems));
      break;
    }
  }
  return setup;
}

}  // namespace

const LabelSetup& setup_of(const SampleList& list, const LabelSetup& setup) {
  static const LabelSetup images_alone;
  const bool labelled = list.has_label_files || !list.masks.empty() || !list.class_names.empty();
  return labelled ? setup : images_alone;
}

Result<LabelSetup> resolve_labels(const PackOptions& options, std::span<SampleList* const> splits, const LabelForms& forms,
                                  Observer& observer, ProblemLog& problems) {
  HOTPACK_ASSIGN(std::optional<LabelSetup> setup, set_up_without_files(options, splits, problems));
  if (setup) return std::move(*setup);
  return set_up_files(options, splits, forms, observer);
}

Result<LabelSetup> adopt_labels(const PackOptions& options, std::span<SampleList* const> splits,
                                std::span<const format::Manifest* const> finished, ProblemLog& problems) {
  HOTPACK_ASSIGN(std::optional<LabelSetup> setup, set_up_without_files(options, splits, problems));
  if (setup) return std::move(*setup);
  return adopt_files(options, labelled(finished));
}

}  // namespace hotpack::pipeline
