#include "pipeline/label_setup.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/try.hpp"
#include "format/manifest.hpp"
#include "pipeline/id_scan.hpp"

namespace hotpack::pipeline {

namespace {

using labels::ClassTable;
using labels::LabelReading;

// Beyond this an automatic count of classes is more likely a misread instance map; saying --num-classes makes it meant.
constexpr int kMaxScannedClasses = 1024;

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

bool is_folder(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

ClassTable table_of(const std::vector<ClassInfo>& classes) {
  ClassTable table;
  table.classes = classes;
  for (ClassInfo& info : table.classes) info.sources.clear();
  table.has_colors =
      !classes.empty() && std::all_of(classes.begin(), classes.end(), [](const ClassInfo& info) { return info.color.has_value(); });
  return table;
}

Result<ClassTable> table_of_pack(const std::string& folder) {
  const std::string path = folder + "/" + std::string(format::kManifestName);
  HOTPACK_ASSIGN(const std::string text, read_text_file(path));
  Result<format::Manifest> manifest = format::decode_manifest(text);
  if (!manifest.ok()) {
    Error error = std::move(manifest).error();
    error.path = path;
    return error;
  }
  if (manifest->schema.classes.empty()) return usage_error("--classes " + folder + ": that data set has no classes");
  return table_of(manifest->schema.classes);
}

// The table of --classes or --num-classes; absent when neither was given.
Result<std::optional<ClassTable>> given_table(const LabelOptions& options) {
  if (!options.classes.empty() && options.class_count)
    return usage_error("--classes and --num-classes exclude each other; give one of them");
  if (options.class_count) return std::optional(labels::numbered_classes(*options.class_count));
  if (options.classes.empty()) return std::optional<ClassTable>();
  if (is_folder(options.classes)) {
    HOTPACK_ASSIGN(ClassTable table, table_of_pack(options.classes));
    return std::optional(std::move(table));
  }
  HOTPACK_ASSIGN(const std::string text, read_text_file(options.classes));
  HOTPACK_ASSIGN(ClassTable table, labels::parse_class_file(text, options.classes));
  return std::optional(std::move(table));
}

std::string forms_text(const LabelForms& forms) {
  std::string text;
  const auto add = [&](const LabelForms::Form& form, std::string_view name) {
    if (form.count > 0) text += (text.empty() ? "" : ", ") + std::to_string(form.count) + " " + std::string(name);
  };
  add(forms.gray8, "gray");
  add(forms.gray16, "16-bit gray");
  add(forms.palette, "palette");
  add(forms.rgb, "RGB");
  add(forms.jpeg, "JPEG");
  return text;
}

struct Verdict {
  LabelReading reading;
  std::string why;
};

// --label-kind auto: a colour table makes labels colours; without one gray and palette files hold ids. What neither settles is asked for.
Result<Verdict> decide_reading(const std::optional<ClassTable>& table, const LabelForms& forms) {
  if (forms.jpeg.count > 0)
    return data_error(
        "is a JPEG: lossy compression has changed its values, so they name no classes. Use the PNG originals, or, for masks of two "
        "classes, say --label-kind binary (with --threshold N). If these are the photos, --images and --labels are swapped",
        forms.jpeg.first);
  const std::string found = "the labels are " + forms_text(forms) + " PNG";
  if (table && table->has_colors) return Verdict{LabelReading::color, "the classes have colours; " + found};
  if (forms.rgb.count > 0)
    return data_error(
        "holds RGB colours, and no class colours were given. Say which colour is which class with --classes FILE.csv (name,r,g,b)",
        forms.rgb.first);
  return Verdict{LabelReading::index, "no class colours were given; " + found};
}

// Splits --ignore into raw ids (of id labels) and classes (by name; of other labels by id too).
Status resolve_ignored(const std::vector<std::string>& ignore, const ClassTable& table, labels::LabelRules& rules) {
  const bool ids = rules.reading == LabelReading::index;
  const std::int64_t end = ids ? 65536 : static_cast<std::int64_t>(table.classes.size());
  for (const std::string& word : ignore) {
    const std::optional<int> named = table.find(word);
    const std::optional<std::int64_t> number = whole_number(word);
    const bool is_id = number && *number >= 0 && *number < end;
    if (named && is_id && *named != *number)
      return usage_error("--ignore " + word + ": is an id, and the name of class " + std::to_string(*named) +
                         "; give the class file other names");
    if (!named && !is_id) return usage_error("--ignore " + word + ": no class has that name, and it is no id");
    if (ids && is_id)
      rules.ignore_ids.push_back(*number);
    else
      rules.ignore_classes.push_back(named ? *named : static_cast<int>(*number));
  }
  return {};
}

Result<labels::UnknownPolicy> resolve_unknown(const std::string& word, const ClassTable& table) {
  using Kind = labels::UnknownPolicy::Kind;
  if (word == "error") return labels::UnknownPolicy{Kind::error, 0};
  if (word == "ignore") return labels::UnknownPolicy{Kind::ignore, 0};
  if (const auto id = table.find(word)) return labels::UnknownPolicy{Kind::to_class, *id};
  return usage_error("--unknown " + word + ": must be error, ignore or the name of a class");
}

Result<std::uint16_t> resolve_pad(const std::string& word, const ClassTable& table) {
  if (word == "ignore") return labels::kIgnored;
  if (const auto id = table.find(word)) return static_cast<std::uint16_t>(*id);
  return usage_error("--pad-label " + word + ": must be ignore or the name of a class");
}

Result<LabelSetup> make_setup(const LabelOptions& options, const ClassTable& table, LabelReading reading, std::string verdict) {
  LabelSetup setup;
  setup.kind = LabelKind::pixel;
  labels::LabelRules rules;
  rules.reading = reading;
  rules.threshold = options.threshold;
  rules.reading_was_automatic = options.reading == LabelReading::automatic;
  HOTPACK_TRY(resolve_ignored(options.ignore, table, rules));
  HOTPACK_ASSIGN(rules.unknown, resolve_unknown(options.unknown, table));
  HOTPACK_ASSIGN(setup.pad_id, resolve_pad(options.pad_label, table));
  HOTPACK_ASSIGN(labels::LabelDecoder decoder, labels::LabelDecoder::create(table, rules));
  setup.table = decoder.table();
  setup.decoder = std::move(decoder);
  setup.label_kind = labels::reading_name(reading);
  setup.unknown = options.unknown;
  setup.pad_label = options.pad_label;
  if (reading == LabelReading::binary) setup.threshold = options.threshold;
  setup.verdict = std::move(verdict);
  return setup;
}

// Class count from the ids found. `verdict` gains what was found.
Result<ClassTable> count_classes(const PackOptions& options, const SampleList& list, Observer& observer, std::string& verdict) {
  HOTPACK_ASSIGN(IdScan scan, scan_ids(list, options.record.max_pixels, observer));
  const bool only_extremes = scan.wide.none() && scan.narrow.count() == 2 && scan.narrow[0] && scan.narrow[255];
  if (only_extremes && options.label.reading == LabelReading::automatic)
    return data_error(
        "the labels hold only 0 and 255, which is a mask of two classes rather than class ids. Say --label-kind binary, or --label-kind "
        "index with --num-classes 1 if 255 means ignored");
  const std::string found = ids_text(scan.narrow | scan.wide);
  scan.narrow.reset(255);
  scan.wide.reset(65535);
  std::bitset<65536> ids = scan.narrow | scan.wide;
  for (const std::string& word : options.label.ignore)
    if (const auto id = whole_number(word); id && *id >= 0 && *id <= 65535) ids.reset(static_cast<std::size_t>(*id));
  int count = 0;
  for (std::size_t id = 0; id < ids.size(); ++id)
    if (ids[id]) count = static_cast<int>(id) + 1;
  if (count == 0)
    return data_error("the labels hold no class id (found: " + found + "); say what they mean with --num-classes N or --label-kind");
  if (count > kMaxScannedClasses)
    return data_error("the labels hold ids up to " + std::to_string(count - 1) + " (found: " + found.substr(0, 120) +
                      "); if so many classes are meant, say --num-classes " + std::to_string(count));
  verdict += "; ids found: " + found + ", so " + std::to_string(count) +
             " classes; where another split may hold more, say --num-classes N or --classes";
  return labels::numbered_classes(count);
}

Status check_folder_options(const LabelOptions& options) {
  if (options.reading != LabelReading::automatic || !options.ignore.empty() || options.unknown != "error" || options.pad_label != "ignore")
    return usage_error("--label-kind, --ignore, --unknown and --pad-label are about label files; with --image-folders there are none");
  if (options.class_count)
    return usage_error("--num-classes is about label files; with --image-folders the folders (or --classes) name the classes");
  return {};
}

// Gives every sample the id of its folder's class.
void assign_classes(SampleList& list, const ClassTable& table, ProblemLog& problems) {
  for (Sample& sample : list.samples) {
    const std::string folder(class_folder_of(list, sample));
    if (const auto id = table.find(folder)) {
      sample.class_id = static_cast<std::uint32_t>(*id);
    } else {
      problems.add({ProblemKind::unknown_folder, list.image_path(sample), "its folder '" + folder + "' is no class of --classes"});
    }
  }
}

std::vector<std::string> empty_classes(const SampleList& list, const ClassTable& table) {
  std::vector<bool> seen(table.classes.size());
  for (const Sample& sample : list.samples)
    if (sample.class_id != kNoClass) seen[sample.class_id] = true;
  std::vector<std::string> names;
  for (std::size_t id = 0; id < seen.size(); ++id)
    if (!seen[id]) names.push_back(table.classes[id].name);
  return names;
}

Result<LabelSetup> folder_setup(const PackOptions& options, SampleList& list, ProblemLog& problems) {
  HOTPACK_TRY(check_folder_options(options.label));
  HOTPACK_ASSIGN(std::optional<ClassTable> table, given_table(options.label));
  LabelSetup setup;
  setup.kind = LabelKind::sample;
  setup.label_kind = "folder";
  setup.table = table ? std::move(*table) : labels::named_classes(list.images.class_folders);
  for (ClassInfo& info : setup.table.classes) info.sources = {LabelSource(info.name)};
  assign_classes(list, setup.table, problems);
  setup.verdict =
      std::to_string(setup.table.classes.size()) + " classes, one a folder, " + (table ? "in the order of --classes" : "in byte order");
  for (const std::string& name : empty_classes(list, setup.table)) setup.table.warnings.push_back("class '" + name + "' has no image");
  return setup;
}

std::vector<ClassInfo> numbered_with_sources(std::size_t count) {
  std::vector<ClassInfo> classes = labels::numbered_classes(static_cast<int>(count)).classes;
  for (std::size_t id = 0; id < count; ++id) classes[id].sources = {LabelSource(static_cast<std::int64_t>(id))};
  return classes;
}

// Whether reading all labels of a finished pack again would count as many classes: its last class occurs, and no id beyond it can
// (unknown ids stop a run). One class alone may be a mask of two values misread, which a fresh run asks about.
bool counted_by_scan(const format::Manifest& finished) {
  const std::size_t count = finished.schema.class_count();
  return count > 1 && finished.skipped == 0 && finished.schema.classes == numbered_with_sources(count) &&
         finished.statistics.pixels.back() > 0;
}

Status check_unlabelled_options(const LabelOptions& options) {
  const bool has_rules =
      options.reading != LabelReading::automatic || !options.ignore.empty() || options.unknown != "error" || options.pad_label != "ignore";
  if (!options.classes.empty() || options.class_count || has_rules)
    return usage_error(
        "--classes, --num-classes, --label-kind, --ignore, --unknown and --pad-label need labels: give --labels DIR, or --image-folders "
        "DIR "
        "in place of --images");
  return {};
}

bool is_color_reading(LabelReading reading) { return reading == LabelReading::color || reading == LabelReading::palette_color; }

Status check_table_fits(LabelReading reading, const std::optional<ClassTable>& table) {
  if (is_color_reading(reading) && (!table || !table->has_colors))
    return usage_error("--label-kind " + std::string(labels::reading_name(reading)) +
                       " needs class colours: give --classes FILE.csv (name,r,g,b)");
  if (reading == LabelReading::binary && table && table->classes.size() != 2)
    return usage_error("--label-kind binary has two classes, background and foreground; --classes or --num-classes names " +
                       std::to_string(table->classes.size()));
  return {};
}

}  // namespace

Result<LabelSetup> resolve_labels(const PackOptions& options, SampleList& list, const HeaderSurvey& survey, Observer& observer,
                                  ProblemLog& problems) {
  if (!options.input.image_folders.empty()) return folder_setup(options, list, problems);
  if (!list.has_label_files) {
    HOTPACK_TRY(check_unlabelled_options(options.label));
    return LabelSetup{};
  }
  HOTPACK_ASSIGN(std::optional<ClassTable> table, given_table(options.label));
  LabelReading reading = options.label.reading;
  std::string why = "as --label-kind says; the labels are " + forms_text(survey.forms);
  if (reading == LabelReading::automatic) {
    HOTPACK_ASSIGN(Verdict verdict, decide_reading(table, survey.forms));
    reading = verdict.reading;
    why = "auto: " + verdict.why;
  }
  HOTPACK_TRY(check_table_fits(reading, table));
  std::string verdict = "labels are read as " + std::string(labels::reading_name(reading)) + " (" + why + ")";
  if (!table && reading == LabelReading::binary) table = labels::binary_classes();
  if (!table) {
    HOTPACK_ASSIGN(table, count_classes(options, list, observer, verdict));
  }
  return make_setup(options.label, *table, reading, std::move(verdict));
}

Result<LabelSetup> adopt_labels(const PackOptions& options, SampleList& list, const format::Manifest& finished, ProblemLog& problems) {
  if (!options.input.image_folders.empty()) return folder_setup(options, list, problems);
  if (!list.has_label_files) {
    HOTPACK_TRY(check_unlabelled_options(options.label));
    return LabelSetup{};
  }
  HOTPACK_ASSIGN(std::optional<ClassTable> table, given_table(options.label));
  LabelReading reading = options.label.reading;
  if (reading == LabelReading::automatic) reading = table && table->has_colors ? LabelReading::color : LabelReading::index;
  HOTPACK_TRY(check_table_fits(reading, table));
  if (!table && reading == LabelReading::binary) table = labels::binary_classes();
  if (!table) {
    if (options.label.unknown != "error" || !counted_by_scan(finished)) return data_error("the labels must be read to count their classes");
    table = labels::numbered_classes(static_cast<int>(finished.schema.class_count()));
  }
  return make_setup(options.label, *table, reading,
                    "labels are read as " + std::string(labels::reading_name(reading)) + " (as in the finished run)");
}

}  // namespace hotpack::pipeline
