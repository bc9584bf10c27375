#include "cli/check_report.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "base/words.hpp"
#include "cli/class_table.hpp"
#include "cli/pack_report.hpp"
#include "cli/text.hpp"

namespace hotpack::cli {

namespace {

using format::Json;
using pipeline::CheckReport;
using pipeline::CheckResult;
using pipeline::Diagnostic;
using pipeline::Evidence;
using pipeline::ImageStatistics;
using pipeline::Severity;

constexpr std::size_t kNameColumn = 13;
constexpr std::size_t kNoteExamples = 2;  // few: notes need no action

std::string decimal(double value) { return fixed_text(value, 2); }

std::string indented(std::size_t indent, const std::string& text) {
  std::string lines(indent, ' ');
  for (const char c : text)
    lines += c == '\n' ? "\n" + std::string(indent + 2, ' ') : std::string(1, c);
  return lines + "\n";
}

// ---- diagnostics

std::string evidence_text(const Evidence& evidence) {
  std::string text = unbroken(printable_name(evidence.path));
  if (evidence.place)
    text += (text.empty() ? "" : " ") + ("x=" + std::to_string(evidence.place->x)) +
            " y=" + std::to_string(evidence.place->y);
  return text.empty() ? evidence.found : text + ": " + evidence.found;
}

// Returns the options of the diagnostic that its advice does not name.
std::vector<std::string> unsaid_options(const Diagnostic& diagnostic) {
  std::vector<std::string> options;
  std::copy_if(diagnostic.options.begin(), diagnostic.options.end(), std::back_inserter(options),
               [&](const std::string& option) {
                 return diagnostic.advice.find(option) == std::string::npos;
               });
  return options;
}

// Returns the line "options: A or B". If it is too long, it breaks between options, not inside one.
std::string options_text(const std::vector<std::string>& options) {
  std::vector<std::string> whole;
  whole.reserve(options.size());
  for (const std::string& option : options) whole.push_back(unbroken(option));
  return indented(4, "options: " + joined_text(whole, " or "));
}

std::string diagnostic_text(const Diagnostic& diagnostic) {
  std::string text = indented(2, diagnostic.title);
  const std::size_t shown =
      std::min(diagnostic.examples.size(),
               diagnostic.severity == Severity::note ? kNoteExamples : Diagnostic::kExamples);
  for (std::size_t i = 0; i < shown; ++i)
    text += indented(6, evidence_text(diagnostic.examples[i]));
  if (shown > 0 && diagnostic.count > shown)
    text += indented(6, "… and " + number_text(diagnostic.count - shown) + " more");
  if (!diagnostic.advice.empty()) text += indented(4, "what to do: " + diagnostic.advice);
  const std::vector<std::string> options = unsaid_options(diagnostic);
  if (!options.empty()) text += options_text(options);
  return text;
}

Json evidence_json(const Evidence& evidence) {
  Json json{{"file", printable(evidence.path)}, {"found", printable(evidence.found)}};
  if (evidence.place) json["x"] = evidence.place->x, json["y"] = evidence.place->y;
  return json;
}

Json diagnostic_json(const Diagnostic& diagnostic) {
  Json json{{"kind", diagnostic.kind},
            {"severity", pipeline::severity_name(diagnostic.severity)},
            {"title", printable(diagnostic.title)}};
  json["count"] = diagnostic.count;
  json["of"] = diagnostic.of > 0 ? Json(diagnostic.of) : Json();
  if (!diagnostic.value.empty()) json["value"] = printable(diagnostic.value);
  if (diagnostic.pixels > 0) json["pixels"] = diagnostic.pixels;
  json["examples"] = Json::array();
  for (const Evidence& evidence : diagnostic.examples)
    json["examples"].push_back(evidence_json(evidence));
  json["advice"] = printable(diagnostic.advice);
  json["options"] = diagnostic.options;
  return json;
}

void add_diagnostics(Report& report, const pipeline::Diagnostics& diagnostics) {
  std::array<std::string, 3>
      lines;  // notes, warnings, problems: the worst are last, next to the result
  Json list = Json::array();
  for (const Diagnostic& diagnostic : diagnostics.all()) {
    lines[diagnostic.severity == Severity::note      ? 0
          : diagnostic.severity == Severity::warning ? 1
                                                     : 2] += diagnostic_text(diagnostic);
    list.push_back(diagnostic_json(diagnostic));
  }
  constexpr std::array<const char*, 3> kTitles = {"\nnotes\n", "\nwarnings\n", "\nproblems\n"};
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (!lines[i].empty()) report.lines(kTitles[i] + lines[i]);
  report.member("diagnostics", std::move(list));
}

// ---- images

using Forms = std::vector<std::pair<std::string, std::uint64_t>>;
using Sizes = std::vector<ImageStatistics::SizeCount>;

std::string forms_text(const Forms& forms) {
  std::vector<std::string> texts;
  for (const auto& [form, count] : forms) texts.push_back(number_text(count) + " " + form);
  return list_text(texts, 12);
}

std::string text_of(Extent size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

std::string text_of(const ImageStatistics::Span<int>& span) {
  return std::to_string(span.least) + "…" + std::to_string(span.most) + ", median " +
         std::to_string(span.median);
}

std::string text_of(const ImageStatistics::Span<double>& span) {
  return decimal(span.least) + "…" + decimal(span.most) + ", median " + decimal(span.median);
}

std::string sizes_text(const ImageStatistics& images, const Sizes& sizes) {
  constexpr std::size_t kListed = 4;
  if (sizes.size() == 1) return "all " + text_of(sizes.front().size);
  std::vector<std::string> listed;
  for (const auto& [size, count] : sizes)
    listed.push_back(text_of(size) + " (" + number_text(count) + ")");
  return number_text(sizes.size()) + " different: " + list_text(listed, kListed) + "\nwidth " +
         text_of(images.widths()) + "; height " + text_of(images.heights()) + "; aspect " +
         text_of(images.aspects());
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

template <class T>
Json span_json(const ImageStatistics::Span<T>& span) {
  return Json{{"least", span.least}, {"median", span.median}, {"most", span.most}};
}

Json images_json(const ImageStatistics& images, const Forms& forms, const Sizes& sizes) {
  constexpr std::size_t kListed = 100;
  Json json{{"files", images.images()}, {"forms", Json::array()}};
  for (const auto& [form, count] : forms)
    json["forms"].push_back(Json{{"form", form}, {"files", count}});
  json["different_sizes"] = sizes.size();
  json["sizes"] = Json::array();
  for (std::size_t i = 0; i < std::min(kListed, sizes.size()); ++i)
    json["sizes"].push_back(Json{{"width", sizes[i].size.width},
                                 {"height", sizes[i].size.height},
                                 {"files", sizes[i].count}});
  json["width"] = span_json(images.widths());
  json["height"] = span_json(images.heights());
  json["aspect"] = span_json(images.aspects());
  json["orientations"] = Json::array();
  for (std::size_t i = 1; i < images.orientations().size(); ++i)
    json["orientations"].push_back(images.orientations()[i]);
  json["alpha"] = images.with_alpha();
  json["color_profile"] = images.with_profile();
  json["more_images"] = images.with_more_images();
  return json;
}

void add_images(Report& report, const std::string& member, std::string_view name,
                const ImageStatistics& images) {
  const Forms forms = images.forms();
  const Sizes sizes = images.sizes();
  report.member(member, images_json(images, forms, sizes));
  if (images.images() == 0) return;
  report.line(name, forms_text(forms));
  report.line("", sizes_text(images, sizes));
  const std::string extras = extras_text(images);
  if (!extras.empty()) report.line("", extras);
}

// ---- classes

ClassShares shares_of(const CheckReport& report) {
  ClassShares shares;
  shares.counted = report.label_files ? "labels" : "images";
  for (const ClassInfo& info : report.classes) shares.classes.push_back(info.name);
  shares.ignored_classes = report.ignored_classes;
  for (const auto& split : report.splits)
    shares.splits.push_back(
        {split.name, split.classes.pixels, split.classes.labels, split.classes.ignored});
  return shares;
}

Json class_json(const CheckReport& report, std::size_t c) {
  const ClassInfo& info = report.classes[c];
  Json json{{"id", c}, {"name", printable(info.name)}};
  if (info.color) json["color"] = *info.color;
  json["pixels"] = Json::array();
  json["labels"] = Json::array();
  for (const auto& split : report.splits) {
    json["pixels"].push_back(split.classes.pixels[c]);
    json["labels"].push_back(split.classes.labels[c]);
  }
  return json;
}

void add_classes(Report& shown, const CheckReport& report, std::size_t columns) {
  Json list = Json::array();
  for (std::size_t c = 0; report.classes_counted && c < report.classes.size(); ++c)
    list.push_back(class_json(report, c));
  shown.member("classes", std::move(list));
  if (report.classes_counted) shown.lines("\nclasses\n" + class_table(shares_of(report), columns));
}

// ---- colors without classes

std::string colors_text(const pipeline::ColorList& list) {
  constexpr std::size_t kMostListed = 20;
  std::string text = (list.ids ? "\nids" : "\ncolors") +
                     std::string(" that no class has yet, in ") +
                     counted_text(list.labels, "label") + "\n";
  const std::size_t shown = std::min(kMostListed, list.colors.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const pipeline::ListedColor& color = list.colors[i];
    text += indented(2, (list.ids ? std::to_string(color.id) : color_text(color.color)) + "  " +
                            counted_text(color.pixels, "pixel") + " in " +
                            counted_text(color.labels, "label") + ", first " + color.path + " x=" +
                            std::to_string(color.place.x) + " y=" + std::to_string(color.place.y));
  }
  if (shown < list.colors.size())
    text += "  … and " + number_text(list.colors.size() - shown) + " more\n";
  if (list.crowded > 0)
    text += indented(2, counted_text(list.crowded, "label") + " with more than 256 " +
                            (list.ids ? "ids" : "colors") + " left out: photos, or interpolated");
  if (!list.preset.empty()) text += indented(2, list.preset_text());
  return text;
}

// Returns the listed colors, or the listed ids if `ids`; null if the list holds the other kind.
Json values_json(const std::optional<pipeline::ColorList>& listed, bool ids) {
  if (!listed || listed->ids != ids) return nullptr;
  const pipeline::ColorList& list = *listed;
  const char* const values = ids ? "ids" : "colors";
  Json json{{"labels", list.labels}, {"crowded_labels", list.crowded}, {values, Json::array()}};
  if (!ids)
    json["preset"] =
        list.preset.empty() ? Json() : Json{{"name", list.preset}, {"colors", list.known}};
  for (const pipeline::ListedColor& color : list.colors)
    json[values].push_back(Json{{ids ? "id" : "color", ids ? Json(color.id) : Json(color.color)},
                                {"pixels", color.pixels},
                                {"labels", color.labels},
                                {"file", printable(color.path)},
                                {"x", color.place.x},
                                {"y", color.place.y}});
  return json;
}

// ---- the whole

void add_samples(Report& shown, const CheckReport& report) {
  std::uint64_t samples = 0;
  std::vector<std::string> splits;
  Json list = Json::array();
  for (const auto& split : report.splits) {
    samples += split.samples;
    splits.push_back(printable_name(split.name) + " " + number_text(split.samples));
    list.push_back(Json{{"name", printable(split.name)},
                        {"samples", split.samples},
                        {"refused", split.bad},
                        {"ignored_pixels", split.classes.ignored}});
  }
  shown.member("splits", std::move(list));
  shown.line("samples",
             number_text(samples) + (splits.size() > 1 ? ": " + joined_text(splits, ", ") : "") +
                 (report.headers_only ? "; only headers were read (--fast), no pixels" : ""));
}

void add_estimate(Report& shown, const std::optional<pipeline::SizeEstimate>& estimate) {
  if (!estimate) return shown.member("estimate", nullptr);
  Json json{{"records", estimate->records},         {"shards", estimate->shards},
            {"image_bytes", estimate->image_bytes}, {"label_bytes", Json::object()},
            {"chosen", word_of(estimate->chosen)},  {"zstd", estimate->compressed}};
  std::vector<std::string> storages;
  for (const auto& [storage, bytes] : estimate->storages) {
    const std::string word(word_of(storage));
    json["label_bytes"][word] = bytes;
    storages.push_back(human_bytes(bytes) + " as " + word +
                       (storage == estimate->chosen ? " (chosen)" : ""));
  }
  shown.member("estimate", std::move(json));
  shown.line("output", counted_text(estimate->records, "record") + " in " +
                           counted_text(estimate->shards, "shard") + ": images " +
                           human_bytes(estimate->image_bytes) +
                           (storages.empty() ? "" : ", labels " + joined_text(storages, ", ")) +
                           (estimate->compressed ? "; less with --zstd" : ""));
}

// Removes `beginning`: "layout  layout of X" would say the same word twice.
std::string without_beginning(const std::string& text, std::string_view beginning) {
  return text.starts_with(beginning) ? text.substr(beginning.size()) : text;
}

void add_input(Report& shown, const CheckReport& report) {
  shown.member("layout", printable(report.layout));
  shown.member("labels_read_as", printable(report.labels));
  shown.member("classes_known", report.classes_known);
  if (!report.layout.empty())
    shown.line("layout",
               without_beginning(report.layout.substr(0, report.layout.find_last_not_of('\n') + 1),
                                 "layout of "));
  if (!report.labels.empty()) shown.line("labels", without_beginning(report.labels, "labels are "));
  if (!report.classes_known)
    shown.line("labels",
               report.headers_only
                   ? "--fast reads no pixels, so classes are not counted"
                   : "the label kind is undecided (see problems), so classes are not reported");
  add_samples(shown, report);
  add_excluded_files(shown, report.orphans_left_out, report.other_files, report.excluded);
}

std::string result_text(const CheckReport& report) {
  const std::uint64_t warnings = report.diagnostics.count(Severity::warning);
  const std::string more = warnings > 0 ? "; " + counted_text(warnings, "warning") : "";
  switch (report.result) {
    case CheckResult::succeeds:
      return "pack would succeed" +
             (report.headers_only ? std::string(", as far as headers tell") : "") + more;
    case CheckResult::leaves_out:
      return "pack would leave out what is listed under problems: " +
             counted_text(report.problems, "problem") + more;
    case CheckResult::refuses:
      return "pack would refuse: " + counted_text(report.problems, "problem") + more;
    case CheckResult::stopped:
      break;
  }
  return "stopped before all samples were examined";
}

// Colors the headings and the result of a text that is already broken into lines.
std::string colored(const std::string& text, CheckResult result) {
  static constexpr const char *kRed = "\x1b[1;31m", *kYellow = "\x1b[1;33m", *kGreen = "\x1b[1;32m",
                              *kEnd = "\x1b[0m";
  std::string out;
  for (const std::string_view each : lines_of(text)) {
    const std::string line(each);
    const bool is_result = line.starts_with("result ");
    const char* paint = line == "problems" ? kRed : line == "warnings" ? kYellow : nullptr;
    if (is_result)
      paint = result == CheckResult::succeeds     ? kGreen
              : result == CheckResult::leaves_out ? kYellow
                                                  : kRed;
    out += paint == nullptr ? line + "\n" : paint + line + kEnd + "\n";
  }
  return out;
}

// Returns the command, with options that give records of one size if the images differ in size.
std::string advised_command(const CheckReport& report, const std::string& command) {
  return report.size_advice.empty() ? command : command + " " + report.size_advice;
}

// True if the text of a problem proposes `hotpack pack` commands to choose from.
bool proposes_commands(const CheckReport& report) {
  const std::vector<Diagnostic>& all = report.diagnostics.all();
  return std::any_of(all.begin(), all.end(), [](const Diagnostic& diagnostic) {
    return diagnostic.severity == Severity::problem &&
           diagnostic.title.find("\n  hotpack pack ") != std::string::npos;
  });
}

// Adds the command to run next, unless pack would refuse it. Commands are never wrapped, so that
// they can be copied.
void add_next(Report& shown, const CheckReport& report, const CheckEnd& end) {
  const bool proposed = proposes_commands(report);
  const bool refuses = report.result == CheckResult::refuses;
  const bool refused = refuses && !end.adds_classes;
  const std::string command = advised_command(report, end.command);
  shown.member("command", proposed || refused ? Json() : Json(printable(command)));
  if (proposed) return shown.line("next", "run one of the commands above");
  if (refused)
    return shown.line("next", "fix the problems, or give options that they name; then check again");
  std::vector<std::string> when;
  if (refuses) when.emplace_back("once the classes in the written file have names");
  if (end.reads_input) when.emplace_back("with the same standard input");
  shown.line("next", (when.empty() ? "" : joined_text(when, ", ") + ":\n") + unbroken(command));
}

std::string_view result_name(CheckResult result) {
  constexpr std::array<std::string_view, 4> kNames = {"succeeds", "leaves-out", "refuses",
                                                      "stopped"};
  return kNames[static_cast<std::size_t>(result)];
}

}  // namespace

Report check_report(const CheckReport& report, const CheckEnd& end, std::size_t columns) {
  Report shown(kNameColumn);
  shown.member("report", "hotpack-check/1");
  shown.member("result", result_name(report.result));
  shown.member("problems", report.problems);
  shown.member("pixels_read", !report.headers_only);
  add_input(shown, report);
  add_images(shown, "images", "images", report.images);
  add_images(shown, "label_files", "label files", report.label_images);
  add_estimate(shown, report.estimate);
  shown.member("colors", values_json(report.colors, false));
  shown.member("ids", values_json(report.colors, true));
  if (report.colors) shown.lines(colors_text(*report.colors));
  add_classes(shown, report, columns);
  add_diagnostics(shown, report.diagnostics);
  shown.member("bytes_in", report.bytes_in);
  shown.member("seconds", end.seconds);
  shown.lines("\n");
  shown.line("result", result_text(report));
  add_next(shown, report, end);
  return shown;
}

std::string check_text(const Report& report, CheckResult result, std::size_t columns, bool color) {
  const std::string text = laid_out(report.text(), columns);
  return color ? colored(text, result) : text;
}

}  // namespace hotpack::cli
