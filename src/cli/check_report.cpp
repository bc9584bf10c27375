#include "cli/check_report.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "base/words.hpp"
#include "cli/pack_report.hpp"
#include "cli/text.hpp"
#include "format/schema_json.hpp"

namespace hotpack::cli {

namespace {

using pipeline::CheckReport;
using pipeline::CheckResult;
using pipeline::Diagnostic;
using pipeline::Evidence;
using pipeline::ImageStatistics;
using pipeline::Severity;

constexpr std::size_t kNameColumn = 13;
constexpr std::size_t kNoteExamples = 2;  // what is taken care of needs no long list

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return percent_text(static_cast<double>(part) / static_cast<double>(std::max<std::uint64_t>(1, whole)));
}

std::string decimal(double value) { return fixed_text(value, 2); }

// A name as wide as its column.
std::string column(std::string_view name) {
  std::string padded(name);
  padded.resize(kNameColumn, ' ');
  return padded;
}

// A name, and its text in a column of its own.
std::string entry(std::string_view name, const std::string& text) {
  std::string lines = column(name);
  for (const char c : text) lines += c == '\n' ? "\n" + std::string(kNameColumn, ' ') : std::string(1, c);
  return lines + "\n";
}

std::string indented(std::size_t indent, const std::string& text) {
  std::string lines(indent, ' ');
  for (const char c : text) lines += c == '\n' ? "\n" + std::string(indent + 2, ' ') : std::string(1, c);
  return lines + "\n";
}

// ---- diagnostics

std::string evidence_text(const Evidence& evidence) {
  std::string text = unbroken(printable_name(evidence.path));
  if (evidence.place)
    text += (text.empty() ? "" : " ") + ("x=" + std::to_string(evidence.place->x)) + " y=" + std::to_string(evidence.place->y);
  return text.empty() ? evidence.found : text + ": " + evidence.found;
}

// Options that the advice does not name yet.
std::vector<std::string> unsaid_options(const Diagnostic& diagnostic) {
  std::vector<std::string> options;
  std::copy_if(diagnostic.options.begin(), diagnostic.options.end(), std::back_inserter(options),
               [&](const std::string& option) { return diagnostic.advice.find(option) == std::string::npos; });
  return options;
}

// Lines break between options, not inside one.
std::string options_text(const std::vector<std::string>& options) {
  std::vector<std::string> whole;
  whole.reserve(options.size());
  for (const std::string& option : options) whole.push_back(unbroken(option));
  return indented(4, "options: " + joined_text(whole, " or "));
}

std::string diagnostic_text(const Diagnostic& diagnostic) {
  std::string text = indented(2, diagnostic.title);
  const std::size_t shown =
      std::min(diagnostic.examples.size(), diagnostic.severity == Severity::note ? kNoteExamples : Diagnostic::kExamples);
  for (std::size_t i = 0; i < shown; ++i) text += indented(6, evidence_text(diagnostic.examples[i]));
  if (shown > 0 && diagnostic.count > shown) text += indented(6, "… and " + number_text(diagnostic.count - shown) + " more");
  if (!diagnostic.advice.empty()) text += indented(4, "what to do: " + diagnostic.advice);
  const std::vector<std::string> options = unsaid_options(diagnostic);
  if (!options.empty()) text += options_text(options);
  return text;
}

std::string diagnostics_text(const CheckReport& report, Severity severity, std::string_view title) {
  std::string text;
  for (const Diagnostic& diagnostic : report.diagnostics.all())
    if (diagnostic.severity == severity) text += diagnostic_text(diagnostic);
  return text.empty() ? text : "\n" + std::string(title) + "\n" + text;
}

// ---- images

std::string forms_text(const ImageStatistics& images) {
  std::vector<std::string> forms;
  for (const auto& [form, count] : images.forms()) forms.push_back(number_text(count) + " " + form);
  return list_text(forms, 12);
}

std::string sizes_text(const ImageStatistics& images) {
  constexpr std::size_t kListed = 4;
  const auto sizes = images.sizes();
  const auto text_of = [](Extent size) { return std::to_string(size.width) + "x" + std::to_string(size.height); };
  if (sizes.size() == 1) return "all " + text_of(sizes.front().size);
  std::vector<std::string> listed;
  listed.reserve(sizes.size());
  for (const auto& [size, count] : sizes) listed.push_back(text_of(size) + " (" + number_text(count) + ")");
  const auto widths = images.widths(), heights = images.heights();
  const auto aspects = images.aspects();
  const auto range = [](const auto& least, const auto& median, const auto& most) { return least + "…" + most + ", median " + median; };
  return number_text(sizes.size()) + " different: " + list_text(listed, kListed) + "\nwidth " +
         range(std::to_string(widths.least), std::to_string(widths.median), std::to_string(widths.most)) + "; height " +
         range(std::to_string(heights.least), std::to_string(heights.median), std::to_string(heights.most)) + "; aspect " +
         range(decimal(aspects.least), decimal(aspects.median), decimal(aspects.most));
}

std::string extras_text(const ImageStatistics& images) {
  std::vector<std::string> extras;
  const auto add = [&](std::uint64_t count, const std::string& what) {
    if (count > 0) extras.push_back(number_text(count) + " " + what);
  };
  for (std::size_t orientation = 2; orientation < images.orientations().size(); ++orientation)
    add(images.orientations()[orientation], "with EXIF orientation " + std::to_string(orientation));
  add(images.with_alpha(), "with an alpha channel");
  add(images.with_profile(), "with a color profile (not applied)");
  add(images.with_more_images(), "with more than one image");
  return joined_text(extras, ", ");
}

std::string images_text(std::string_view name, const ImageStatistics& images) {
  if (images.images() == 0) return "";
  std::string text = entry(name, forms_text(images)) + entry("", sizes_text(images));
  const std::string extras = extras_text(images);
  return extras.empty() ? text : text + entry("", extras);
}

// ---- classes

std::uint64_t total_of(const std::vector<std::uint64_t>& counts) { return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}); }

// Columns: all splits together, and each where there are a few.
class ClassTable {
 public:
  ClassTable(const CheckReport& report, std::size_t columns)
      : report_(report), columns_(columns), each_split_(report.splits.size() > 1 && report.splits.size() <= 4) {}

  [[nodiscard]] std::string text() const {
    std::vector<std::vector<std::string>> rows{header()};
    const std::vector<bool> shown = shown_classes();
    for (std::size_t c = 0; c < shown.size(); ++c)
      if (shown[c]) rows.push_back(class_row(c));
    const std::size_t left_out = shown.size() + 1 - rows.size();
    if (ignored() > 0) rows.push_back(ignored_row());
    return aligned(rows) + (left_out > 0 ? "  … and " + counted_text(left_out, "class", "classes") + " more\n" : "");
  }

 private:
  static constexpr std::size_t kMostListed = 32;
  static constexpr std::size_t kNameWidth = 28;

  [[nodiscard]] std::vector<std::string> header() const {
    std::vector<std::string> row{"class", "share", report_.label_files ? "labels" : "images"};
    if (each_split_)
      for (const auto& split : report_.splits) row.push_back(truncated(printable_name(split.name), kNameWidth));
    return row;
  }

  [[nodiscard]] std::uint64_t pixels_of(std::size_t c) const {
    std::uint64_t sum = 0;
    for (const auto& split : report_.splits) sum += split.classes.pixels[c];
    return sum;
  }

  // All, or of many the commonest.
  [[nodiscard]] std::vector<bool> shown_classes() const {
    std::vector<std::pair<std::uint64_t, std::size_t>> by_pixels;
    for (std::size_t c = 0; c < report_.classes.size(); ++c) by_pixels.emplace_back(pixels_of(c), c);
    const std::size_t count = std::min(kMostListed, by_pixels.size());
    std::partial_sort(by_pixels.begin(), by_pixels.begin() + static_cast<std::ptrdiff_t>(count), by_pixels.end(),
                      [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
    std::vector<bool> shown(by_pixels.size());
    for (std::size_t i = 0; i < count; ++i) shown[by_pixels[i].second] = true;
    return shown;
  }

  [[nodiscard]] bool is_ignored(std::size_t c) const { return c < report_.ignored_classes.size() && report_.ignored_classes[c]; }

  [[nodiscard]] std::vector<std::string> class_row(std::size_t c) const {
    std::uint64_t pixels = 0, all = 0, labels = 0;
    for (const auto& split : report_.splits) {
      pixels += split.classes.pixels[c];
      labels += split.classes.labels[c];
      all += total_of(split.classes.pixels);
    }
    std::vector<std::string> row{truncated(printable_name(report_.classes[c].name), kNameWidth),
                                 labels == 0 ? (is_ignored(c) ? "ignored" : "never") : percent(pixels, all),
                                 labels == 0 ? "" : number_text(labels)};
    if (each_split_)
      for (const auto& split : report_.splits)
        row.push_back(split.classes.labels[c] > 0 ? percent(split.classes.pixels[c], total_of(split.classes.pixels)) : "–");
    return row;
  }

  [[nodiscard]] std::vector<std::string> ignored_row() const {
    std::uint64_t all = ignored();
    for (const auto& split : report_.splits) all += total_of(split.classes.pixels);
    std::vector<std::string> row{"(ignored, of all)", percent(ignored(), all), ""};
    if (each_split_)
      for (const auto& split : report_.splits)
        row.push_back(split.classes.ignored > 0 ? percent(split.classes.ignored, total_of(split.classes.pixels) + split.classes.ignored)
                                                : "–");
    return row;
  }

  [[nodiscard]] std::uint64_t ignored() const {
    std::uint64_t sum = 0;
    for (const auto& split : report_.splits) sum += split.classes.ignored;
    return sum;
  }

  // The first column to the left, the others to the right.
  [[nodiscard]] std::string aligned(std::vector<std::vector<std::string>> rows) const {
    std::vector<std::size_t> widths(rows.front().size());
    for (const auto& row : rows)
      for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], text_width(row[c]));
    // Where the table is too wide, names give way.
    const std::size_t others = std::accumulate(widths.begin() + 1, widths.end(), 2 * widths.size());
    widths[0] = std::min(widths[0], std::max<std::size_t>(columns_ - std::min(columns_, others), 8));
    for (auto& row : rows) row[0] = truncated(row[0], widths[0]);
    std::string text;
    for (const auto& row : rows) {
      std::string line = "  ";
      for (std::size_t c = 0; c < row.size(); ++c) {
        const std::string gap(widths[c] - text_width(row[c]), ' ');
        line += c == 0 ? row[c] + gap : "  " + gap + row[c];
      }
      text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
  }

  const CheckReport& report_;
  std::size_t columns_;
  bool each_split_;
};

// ---- colors without classes

std::string colors_text(const pipeline::ColorList& list) {
  constexpr std::size_t kMostListed = 20;
  std::string text = (list.ids ? "\nids of " : "\ncolors of ") + counted_text(list.labels, "label") + ", which no class has yet\n";
  const std::size_t shown = std::min(kMostListed, list.colors.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const pipeline::ListedColor& color = list.colors[i];
    text += indented(2, (list.ids ? std::to_string(color.id) : color_text(color.color)) + "  " + counted_text(color.pixels, "pixel") +
                            " in " + counted_text(color.labels, "label") + ", first " + color.path + " x=" + std::to_string(color.place.x) +
                            " y=" + std::to_string(color.place.y));
  }
  if (shown < list.colors.size()) text += "  … and " + number_text(list.colors.size() - shown) + " more\n";
  if (list.crowded > 0)
    text += indented(2, counted_text(list.crowded, "label") + " with more than 256 " + (list.ids ? "ids" : "colors") +
                            " left out: photos, or interpolated");
  if (!list.preset.empty()) text += indented(2, list.preset_text());
  return text;
}

// ---- the whole

std::string samples_text(const CheckReport& report) {
  std::uint64_t samples = 0;
  std::vector<std::string> splits;
  for (const auto& split : report.splits) {
    samples += split.samples;
    splits.push_back(printable_name(split.name) + " " + number_text(split.samples));
  }
  std::string text = number_text(samples);
  if (report.splits.size() > 1) text += ": " + joined_text(splits, ", ");
  return text + (report.headers_only ? "; headers alone were read (--fast): nothing is said about pixels" : "");
}

std::string estimate_text(const pipeline::SizeEstimate& estimate) {
  std::string text = counted_text(estimate.records, "record") + " in " + counted_text(estimate.shards, "shard") + ": images " +
                     human_bytes(estimate.image_bytes);
  std::vector<std::string> storages;
  for (const auto& [storage, bytes] : estimate.storages)
    storages.push_back(human_bytes(bytes) + " as " + std::string(word_of(storage)) + (storage == estimate.chosen ? " (chosen)" : ""));
  if (!storages.empty()) text += ", labels " + joined_text(storages, ", ");
  return text + (estimate.compressed ? "; --zstd makes it less" : "");
}

// "layout  layout of X" says it twice.
std::string without_beginning(const std::string& text, std::string_view beginning) {
  return text.starts_with(beginning) ? text.substr(beginning.size()) : text;
}

std::string input_text(const CheckReport& report) {
  std::string text;
  if (!report.layout.empty())
    text += entry("layout", without_beginning(report.layout.substr(0, report.layout.find_last_not_of('\n') + 1), "layout of "));
  if (!report.labels.empty()) text += entry("labels", without_beginning(report.labels, "labels are "));
  if (!report.classes_known)
    text += entry("labels", report.headers_only ? "classes are counted when pixels are read"
                                                : "how they are read is open (see problems), so nothing is said about classes");
  text += entry("samples", samples_text(report));
  if (report.orphans_left_out > 0)
    text += entry("left out", counted_text(report.orphans_left_out, "file") + " without a partner (--orphans skip)");
  if (report.other_files > 0)
    text += entry("ignored", counted_text(report.other_files, "file") + " of no image extension, or without the suffix asked for");
  return text;
}

std::string summary_text(const CheckReport& report, std::size_t columns) {
  std::string text = images_text("images", report.images) + images_text("label files", report.label_images);
  if (report.estimate) text += entry("output", estimate_text(*report.estimate));
  if (report.colors) text += colors_text(*report.colors);
  if (report.classes_counted) text += "\nclasses\n" + ClassTable(report, columns).text();
  return text;
}

std::string result_text(const CheckReport& report) {
  const std::uint64_t warnings = report.diagnostics.count(Severity::warning);
  const std::string more = warnings > 0 ? "; " + counted_text(warnings, "warning") : "";
  switch (report.result) {
    case CheckResult::succeeds:
      return "pack would succeed" + (report.headers_only ? std::string(", as far as headers tell") : "") + more;
    case CheckResult::leaves_out:
      return "pack would leave out what is listed under problems: " + counted_text(report.problems, "problem") + more;
    case CheckResult::refuses:
      return "pack would refuse: " + counted_text(report.problems, "problem") + more;
    case CheckResult::stopped:
      break;
  }
  return "stopped before all samples were examined";
}

// Headings and the result in colors; the text is laid out already.
std::string colored(const std::string& text, CheckResult result) {
  static constexpr const char *kRed = "\x1b[1;31m", *kYellow = "\x1b[1;33m", *kGreen = "\x1b[1;32m", *kEnd = "\x1b[0m";
  std::string out;
  for (const std::string_view each : lines_of(text)) {
    const std::string line(each);
    const bool is_result = line.starts_with("result ");
    const char* paint = line == "problems" ? kRed : line == "warnings" ? kYellow : nullptr;
    if (is_result) paint = result == CheckResult::succeeds ? kGreen : result == CheckResult::leaves_out ? kYellow : kRed;
    out += paint == nullptr ? line + "\n" : paint + line + kEnd + "\n";
  }
  return out;
}

// With what makes records of one size, where images have several.
std::string advised_command(const CheckReport& report, const std::string& command) {
  return report.size_advice.empty() ? command : command + " " + report.size_advice;
}

// Whether a problem ends with commands to choose from.
bool proposes_commands(const CheckReport& report) {
  const std::vector<Diagnostic>& all = report.diagnostics.all();
  return std::any_of(all.begin(), all.end(), [](const Diagnostic& diagnostic) {
    return diagnostic.severity == Severity::problem && diagnostic.title.find("\n  hotpack pack ") != std::string::npos;
  });
}

// A command is never broken: it is there to be copied.
std::string next_text(const CheckReport& report, const CheckEnd& end) {
  if (proposes_commands(report)) return entry("next", "one of the commands above");
  const std::string when = report.result == CheckResult::refuses ? "once that is fixed, or with options named above" : "";
  const std::string input = end.reads_input ? std::string(when.empty() ? "" : ", ") + "with the same standard input" : "";
  const std::string command = unbroken(advised_command(report, end.command)) + "\n";
  return when.empty() && input.empty() ? column("next") + command : entry("next", when + input + ":") + column("") + command;
}

// ---- JSON

using format::Json;

Json text_json(const std::string& text) { return format::with_valid_utf8(printable(text)); }

std::string_view result_name(CheckResult result) {
  constexpr std::array<std::string_view, 4> kNames = {"succeeds", "leaves-out", "refuses", "stopped"};
  return kNames[static_cast<std::size_t>(result)];
}

Json evidence_json(const Evidence& evidence) {
  Json json{{"file", text_json(evidence.path)}, {"found", text_json(evidence.found)}};
  if (evidence.place) json["x"] = evidence.place->x, json["y"] = evidence.place->y;
  return json;
}

Json diagnostic_json(const Diagnostic& diagnostic) {
  Json json{{"kind", diagnostic.kind}, {"severity", pipeline::severity_name(diagnostic.severity)}, {"title", text_json(diagnostic.title)}};
  json["count"] = diagnostic.count;
  json["of"] = diagnostic.of > 0 ? Json(diagnostic.of) : Json(nullptr);
  if (!diagnostic.value.empty()) json["value"] = text_json(diagnostic.value);
  if (diagnostic.pixels > 0) json["pixels"] = diagnostic.pixels;
  json["examples"] = Json::array();
  for (const Evidence& evidence : diagnostic.examples) json["examples"].push_back(evidence_json(evidence));
  json["advice"] = text_json(diagnostic.advice);
  json["options"] = diagnostic.options;
  return json;
}

template <class T>
Json span_json(const ImageStatistics::Span<T>& span) {
  return Json{{"least", span.least}, {"median", span.median}, {"most", span.most}};
}

Json images_json(const ImageStatistics& images) {
  constexpr std::size_t kListed = 100;
  Json json{{"files", images.images()}, {"forms", Json::array()}};
  for (const auto& [form, count] : images.forms()) json["forms"].push_back(Json{{"form", form}, {"files", count}});
  const auto sizes = images.sizes();
  json["different_sizes"] = sizes.size();
  json["sizes"] = Json::array();
  for (std::size_t i = 0; i < std::min(kListed, sizes.size()); ++i)
    json["sizes"].push_back(Json{{"width", sizes[i].size.width}, {"height", sizes[i].size.height}, {"files", sizes[i].count}});
  json["width"] = span_json(images.widths());
  json["height"] = span_json(images.heights());
  json["aspect"] = span_json(images.aspects());
  json["orientations"] = Json::array();
  for (std::size_t i = 1; i < images.orientations().size(); ++i) json["orientations"].push_back(images.orientations()[i]);
  json["alpha"] = images.with_alpha();
  json["color_profile"] = images.with_profile();
  json["more_images"] = images.with_more_images();
  return json;
}

Json class_json(const CheckReport& report, std::size_t c) {
  const ClassInfo& info = report.classes[c];
  Json json{{"id", c}, {"name", text_json(info.name)}};
  if (info.color) json["color"] = *info.color;
  json["pixels"] = Json::array();
  json["labels"] = Json::array();
  for (const auto& split : report.splits) {
    json["pixels"].push_back(split.classes.pixels[c]);
    json["labels"].push_back(split.classes.labels[c]);
  }
  return json;
}

Json estimate_json(const pipeline::SizeEstimate& estimate) {
  Json json{
      {"records", estimate.records}, {"shards", estimate.shards}, {"image_bytes", estimate.image_bytes}, {"label_bytes", Json::object()}};
  for (const auto& [storage, bytes] : estimate.storages) json["label_bytes"][std::string(word_of(storage))] = bytes;
  json["chosen"] = word_of(estimate.chosen);
  json["zstd"] = estimate.compressed;
  return json;
}

// Colors or ids; null where the list is of the others.
Json values_json(const std::optional<pipeline::ColorList>& listed, bool ids) {
  if (!listed || listed->ids != ids) return nullptr;
  const pipeline::ColorList& list = *listed;
  const char* const values = ids ? "ids" : "colors";
  Json json{{"labels", list.labels}, {"crowded_labels", list.crowded}, {values, Json::array()}};
  if (!ids) json["preset"] = list.preset.empty() ? Json(nullptr) : Json{{"name", list.preset}, {"colors", list.known}};
  for (const pipeline::ListedColor& color : list.colors)
    json[values].push_back(Json{{ids ? "id" : "color", ids ? Json(color.id) : Json(color.color)},
                                {"pixels", color.pixels},
                                {"labels", color.labels},
                                {"file", text_json(color.path)},
                                {"x", color.place.x},
                                {"y", color.place.y}});
  return json;
}

Json split_json(const pipeline::SplitReport& split) {
  return Json{
      {"name", text_json(split.name)}, {"samples", split.samples}, {"refused", split.bad}, {"ignored_pixels", split.classes.ignored}};
}

}  // namespace

std::string check_text(const CheckReport& report, const CheckEnd& end) {
  std::string text = input_text(report) + summary_text(report, end.columns);
  text += diagnostics_text(report, Severity::note, "notes");
  text += diagnostics_text(report, Severity::warning, "warnings");
  text += diagnostics_text(report, Severity::problem, "problems");
  text = laid_out(text + "\n" + entry("result", result_text(report)) + next_text(report, end), end.columns);
  return end.color ? colored(text, report.result) : text;
}

std::string check_json(const CheckReport& report, const CheckEnd& end) {
  Json json{{"report", "hotpack-check/1"}, {"result", result_name(report.result)}, {"problems", report.problems}};
  json["pixels_read"] = !report.headers_only;
  json["layout"] = text_json(report.layout);
  json["label_reading"] = text_json(report.labels);
  json["classes_known"] = report.classes_known;
  json["diagnostics"] = Json::array();
  for (const Diagnostic& diagnostic : report.diagnostics.all()) json["diagnostics"].push_back(diagnostic_json(diagnostic));
  json["splits"] = Json::array();
  for (const auto& split : report.splits) json["splits"].push_back(split_json(split));
  json["classes"] = Json::array();
  for (std::size_t c = 0; report.classes_counted && c < report.classes.size(); ++c) json["classes"].push_back(class_json(report, c));
  json["colors"] = values_json(report.colors, false);
  json["ids"] = values_json(report.colors, true);
  json["images"] = images_json(report.images);
  json["label_files"] = images_json(report.label_images);
  json["estimate"] = report.estimate ? estimate_json(*report.estimate) : Json(nullptr);
  json["orphans_left_out"] = report.orphans_left_out;
  json["other_files"] = report.other_files;
  json["bytes_in"] = report.bytes_in;
  json["seconds"] = end.seconds;
  json["command"] = proposes_commands(report) ? Json(nullptr) : text_json(advised_command(report, end.command));
  return format::canonical_json(json) + "\n";
}

}  // namespace hotpack::cli
