// hotpack extract: writes samples of a pack as PNG and .npy files.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "cli/extraction.hpp"
#include "cli/option_values.hpp"
#include "cli/pack_report.hpp"
#include "cli/refusal.hpp"
#include "cli/report.hpp"
#include "cli/sample_writer.hpp"
#include "cli/text.hpp"
#include "hotpack/dataset.hpp"
#include "label_setup/pack_folders.hpp"
#include "label_setup/packed_labels.hpp"

namespace hotpack::cli {

namespace {

using format::Json;

constexpr const char* kOutput = "Output";

struct ExtractArguments {
  std::string pack;
  std::string folder;
  std::vector<std::string> keys;
  SampleWriterOptions writer;
};

// One of the packs to extract; each of several gets its own folder.
struct Subject {
  std::string pack;
  Dataset dataset;
  SampleNumbers chosen;
  std::string prefix;
  bool class_file = false;  // classes.csv is written
};

// Returns the numbers of the samples with these keys, each number once, in the order of the keys,
// and sets found[i] for each key i that was found. With several packs, "val/KEY" means the sample
// KEY of the pack in folder val.
Result<std::vector<std::uint64_t>> find_keys(const Subject& subject,
                                             const std::vector<std::string>& keys,
                                             std::vector<bool>& found) {
  std::vector<std::uint64_t> numbers;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    HOTPACK_ASSIGN(auto number, subject.dataset.find(keys[i]));
    if (!number && !subject.prefix.empty() && keys[i].starts_with(subject.prefix)) {
      HOTPACK_ASSIGN(number,
                     subject.dataset.find(std::string_view(keys[i]).substr(subject.prefix.size())));
    }
    if (!number) continue;
    found[i] = true;
    if (std::find(numbers.begin(), numbers.end(), *number) == numbers.end())
      numbers.push_back(*number);
  }
  return numbers;
}

// With several packs, a key may begin with the name of its pack.
std::string prefix_of(const std::vector<std::string>& packs, const std::string& pack,
                      const ExtractArguments& arguments) {
  return packs.size() > 1 ? pipeline::name_within(arguments.pack, pack) + "/" : std::string();
}

Error unknown_key_error(const std::vector<std::string>& packs, const ExtractArguments& arguments,
                        const std::string& asked) {
  constexpr std::uint64_t kMostCompared = 100'000;  // more would only delay the message
  std::vector<std::string> keys;
  for (const std::string& pack : packs) {
    HOTPACK_ASSIGN(const Dataset dataset, Dataset::open(pack));
    const std::uint64_t compared = std::min(dataset.records(), kMostCompared - keys.size());
    HOTPACK_ASSIGN(const auto found, dataset.copied_keys(0, compared));
    for (const std::string& key : found) keys.push_back(prefix_of(packs, pack, arguments) + key);
  }
  return usage_error(unknown_key(asked, arguments.pack, keys));
}

// True if --classes PACK gives the extracted ids other classes: it applies the map of the pack, or
// its ignored colors, to them. Their classes are then those of a file next to them.
bool needs_class_file(const Schema& schema, const std::string& pack) {
  if (!schema.label || schema.label->scope != LabelScope::pixel || schema.label->multi)
    return false;
  const auto packed = pipeline::read_packed_labels(pack);
  return !packed.ok() || packed->values.has_value();
}

Result<std::vector<Subject>> open_subjects(const ExtractArguments& arguments) {
  std::vector<std::string> packs = pipeline::packs_at(arguments.pack);
  if (packs.empty()) packs.push_back(arguments.pack);
  std::vector<Subject> subjects;
  std::vector<bool> found(arguments.keys.size());
  for (const std::string& pack : packs) {
    HOTPACK_ASSIGN(Dataset dataset, Dataset::open(pack));
    Subject subject{pack, std::move(dataset), {}, prefix_of(packs, pack, arguments)};
    if (!arguments.keys.empty()) {
      HOTPACK_ASSIGN(subject.chosen, find_keys(subject, arguments.keys, found));
      if (subject.chosen->empty() && packs.size() > 1) continue;
    }
    subject.class_file = needs_class_file(subject.dataset.schema(), pack);
    subjects.push_back(std::move(subject));
  }
  const auto missing = std::find(found.begin(), found.end(), false);
  if (missing == found.end()) return subjects;
  return unknown_key_error(packs, arguments,
                           arguments.keys[static_cast<std::size_t>(missing - found.begin())]);
}

// Endings of the files that are written for a sample.
constexpr std::array<std::string_view, 2> kEndings{".png", ".npy"};

// A folder may have the name that a sample's file would get, such as "a.png". Returns the keys of
// such samples: the folder's name without the ending and, if `multi` is true because pixels may
// have several classes, also without ".class-<id>".
std::vector<std::string> keys_of_file(std::string_view folder, bool multi) {
  std::vector<std::string> keys;
  for (const std::string_view ending : kEndings) {
    if (!folder.ends_with(ending)) continue;
    const std::string_view key = folder.substr(0, folder.size() - ending.size());
    keys.emplace_back(key);
    if (const auto dot = key.rfind(".class-"); multi && dot != std::string_view::npos)
      keys.emplace_back(key.substr(0, dot));
  }
  return keys;
}

// Extracting the sample `key` creates the folders of its path. Returns the key of another chosen
// sample whose file would have the name of one of these folders, or nothing if there is none.
Result<std::optional<std::string>> key_in_the_way(const Dataset& dataset,
                                                  const SampleNumbers& chosen,
                                                  std::string_view key) {
  const bool multi = dataset.schema().label && dataset.schema().label->multi;
  for (std::size_t slash = key.find('/'); slash != std::string_view::npos;
       slash = key.find('/', slash + 1)) {
    for (std::string& other : keys_of_file(key.substr(0, slash), multi)) {
      HOTPACK_ASSIGN(const auto number, dataset.find(other));
      if (number &&
          (!chosen || std::find(chosen->begin(), chosen->end(), *number) != chosen->end()))
        return std::optional(std::move(other));
    }
  }
  return std::optional<std::string>();
}

// The longest file name, in bytes, that every file system accepts. The longest ending after a key,
// ".class-65534.png", takes kLongestEnding of these bytes.
constexpr std::size_t kLongestName = 255;
constexpr std::size_t kLongestEnding = 16;

Status check_name_length(const Schema& schema, std::string_view key) {
  const bool multi = schema.label && schema.label->multi;
  for (std::size_t begin = 0; begin <= key.size();) {
    const std::size_t slash = key.find('/', begin), end = std::min(slash, key.size());
    const std::size_t ending = slash != std::string_view::npos ? 0
                               : multi                         ? kLongestEnding
                                                               : kEndings[0].size();
    if (end - begin + ending > kLongestName)
      return data_error("the key '" + std::string(key) + "' is too long for a file name (at most " +
                        std::to_string(kLongestName) +
                        " bytes); extract the samples with shorter keys with --key");
    begin = end + 1;
  }
  return {};
}

// Checks, before anything is written, that every key can be a file name, and that no sample's file
// has the name of a folder that another sample needs.
Status check_names(const Dataset& dataset, const SampleNumbers& chosen) {
  const std::uint64_t total = chosen ? chosen->size() : dataset.records();
  for (std::uint64_t i = 0; i < total; ++i) {
    HOTPACK_ASSIGN(const Sample sample, dataset.sample(chosen ? (*chosen)[i] : i));
    HOTPACK_ASSIGN(const std::string key, sample.copied_key());
    HOTPACK_TRY(check_name_length(dataset.schema(), key));
    HOTPACK_ASSIGN(const auto other, key_in_the_way(dataset, chosen, key));
    if (!other) continue;
    return data_error("a file of the sample '" + *other +
                      "' has the name of a folder of the sample '" + key +
                      "'; extract the two samples one by one with --key, each to its own folder");
  }
  return {};
}

// Returns the command that packs the files again; empty if no single command restores the labels.
std::string pack_line(const ExtractArguments& arguments, const Subject& subject,
                      bool any_unlabeled) {
  const Schema& schema = subject.dataset.schema();
  const bool arrays_too =
      arguments.writer.npy && !(schema.label && schema.label->scope == LabelScope::image);
  if ((schema.label && schema.label->multi) || !schema.geometry.size || any_unlabeled || arrays_too)
    return {};
  const std::string folder = arguments.folder + "/" + subject.prefix;
  std::string line = "hotpack pack";
  if (schema.label && schema.label->scope == LabelScope::image) {
    line += " --pairs " + shell_word(folder + "labels.csv") + " --root " +
            shell_word(folder + "images");
  } else {
    line += " --images " + shell_word(folder + "images");
    if (schema.label) line += " --labels " + shell_word(folder + "labels") + " --label-kind index";
  }
  if (schema.label)
    line += " --classes " +
            shell_word(subject.class_file ? folder + std::string(kClassFile) : subject.pack);
  line += " --size " + std::to_string((*schema.geometry.size)[0]) + "x" +
          std::to_string((*schema.geometry.size)[1]);
  return line + " -o " +
         (subject.prefix.empty()
              ? "DIR"
              : shell_word("DIR/" + subject.prefix.substr(0, subject.prefix.size() - 1)));
}

// Extracts one pack. A stop signal ends it between samples; labels.csv is then not written.
Result<Extracted> extract_one(CommandContext& context, const ExtractArguments& arguments,
                              const Subject& subject, OutputTree& tree) {
  Terminal& terminal = context.terminal();
  SampleWriterOptions options = arguments.writer;
  options.prefix = subject.prefix;
  options.class_file = subject.class_file;
  const auto tell = [&](const ExtractionProgress& progress) {
    terminal.progress(
        {"extracting", progress.samples_done, progress.samples_total, progress.bytes, 0, 0});
    return !terminal.stop_requested();
  };
  auto done = extract_samples(subject.dataset, subject.chosen, tree, options,
                              static_cast<unsigned>(context.jobs()), tell);
  terminal.finish_progress();
  return done;
}

// Returns the folder that the files of a pack are written to.
std::string folder_of(const ExtractArguments& arguments, const Subject& subject) {
  const std::string& prefix = subject.prefix;
  return prefix.empty() ? arguments.folder
                        : arguments.folder + "/" + prefix.substr(0, prefix.size() - 1);
}

// Returns the JSON of one pack that was extracted, or of one whose turn did not come.
Json pack_json(const ExtractArguments& arguments, const Subject& subject, const Extracted& done) {
  const std::uint64_t chosen = subject.chosen ? subject.chosen->size() : subject.dataset.records();
  const std::string line =
      done.complete ? pack_line(arguments, subject, done.any_unlabeled) : std::string();
  return Json{{"pack", printable_name(subject.pack)},
              {"output", printable_name(folder_of(arguments, subject))},
              {"status", done.complete ? "extracted" : "stopped"},
              {"samples", done.samples},
              {"skipped", subject.dataset.records() - chosen},
              {"files", done.files},
              {"bytes", done.bytes},
              {"command", line.empty() ? Json() : Json(printable(line))}};
}

void print_report(CommandContext& context, const ExtractArguments& arguments,
                  const std::vector<Subject>& subjects, const std::vector<Extracted>& done) {
  Report report;
  Json packs = Json::array();
  std::uint64_t samples = 0, skipped = 0, files = 0, bytes = 0;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    Extracted each{.complete = false};
    if (i < done.size()) each = done[i];
    packs.push_back(pack_json(arguments, subjects[i], each));
    samples += each.samples;
    skipped += packs.back()["skipped"].get<std::uint64_t>();
    files += each.files;
    bytes += each.bytes;
  }
  const bool complete = done.size() == subjects.size() && done.back().complete;
  report.member("status", complete ? "extracted" : "stopped");
  report.member("output", printable_name(arguments.folder));
  report.member("samples", samples);
  report.member("skipped", skipped);
  report.member("files", files);
  report.member("bytes", bytes);
  report.member("packs", std::move(packs));
  context.print(report);
}

void report_end(Terminal& terminal, const ExtractArguments& arguments,
                const std::vector<Subject>& subjects, const std::vector<Extracted>& done) {
  std::uint64_t files = 0;
  for (const Extracted& each : done) files += each.files;
  const std::string written =
      counted_text(files, "file") + " written to " + quoted_text(arguments.folder);
  if (done.size() < subjects.size() || !done.back().complete)
    return terminal.info("stopped before the end: " + written + ", no labels.csv");
  terminal.info(written);
  for (std::size_t i = 0; i < subjects.size(); ++i)
    if (const std::string line = pack_line(arguments, subjects[i], done[i].any_unlabeled);
        !line.empty())
      terminal.info("to pack these files again:\n" + line);
}

// Refuses a folder inside a pack: the next run of `pack` would refuse the extracted files there.
Status check_folder(const std::string& folder) {
  std::error_code ignored;
  for (std::filesystem::path above = std::filesystem::weakly_canonical(folder, ignored);
       above.has_relative_path(); above = above.parent_path())
    if (std::filesystem::exists(above / "dataset.json", ignored))
      return usage_error(
          "-o " + folder + ": " +
          (above == std::filesystem::weakly_canonical(folder, ignored) ? "is" : "lies in") +
          " the pack " + quoted_text(above.string()) +
          ", where only packed files are allowed; choose a folder outside of the pack");
  return {};
}

Status extract_all(CommandContext& context, const ExtractArguments& arguments) {
  HOTPACK_TRY(check_folder(arguments.folder));
  HOTPACK_ASSIGN(const std::vector<Subject> subjects, open_subjects(arguments));
  for (const Subject& subject : subjects) HOTPACK_TRY(check_names(subject.dataset, subject.chosen));
  context.stop_on_signals();
  HOTPACK_ASSIGN(const auto tree, OutputTree::open(arguments.folder));
  std::vector<Extracted> done;
  for (const Subject& subject : subjects) {
    HOTPACK_ASSIGN(const Extracted extracted, extract_one(context, arguments, subject, *tree));
    done.push_back(extracted);
    if (!extracted.complete) break;
  }
  report_end(context.terminal(), arguments, subjects, done);
  if (context.json()) print_report(context, arguments, subjects, done);
  return {};
}

int extract(CommandContext& context, const ExtractArguments& arguments) {
  const Status status = extract_all(context, arguments);
  return status.ok() ? kExitGood : context.fail(status.error());
}

void define_extract(CLI::App& command, CommandContext& context) {
  auto arguments = std::make_shared<ExtractArguments>();
  set_examples(command,
               "hotpack extract packed/train -o back\n"
               "hotpack extract packed -o back                                         # every "
               "split: back/train, back/val\n"
               "hotpack extract packed/train -o back --key town/0001 --key town/0002\n"
               "hotpack pack --images back/images --labels back/labels --label-kind index "
               "--classes packed/train --size 512x512 -o again\n"
               "hotpack extract packed/train -o back --ids --npy                       # class ids "
               "instead of colors; arrays too");
  command
      .add_option("PACK", arguments->pack,
                  "a pack, or the parent folder of splits, each of which gets its own folder")
      ->required();
  add_value(command, "-o,--output", arguments->folder, "folder to write to; created if missing",
            "DIR", kOutput)
      ->required();
  add_value(command, "--key", arguments->keys,
            "only the sample with this key; repeatable [default: all]", "KEY", kOutput);
  command
      .add_flag("--ids", arguments->writer.ids,
                "write labels as gray class ids even if classes have colors; --label-kind index "
                "reads both")
      ->group(kOutput);
  command
      .add_flag("--npy", arguments->writer.npy,
                "also write .npy files: the image as HWC bytes, the label as stored")
      ->group(kOutput);
  command.add_flag("--force", arguments->writer.force, "replace existing files")->group(kOutput);
  context.add_jobs_option(command);
  context.add_json_option(command);
  context.set_action(command, [&context, arguments] { return extract(context, *arguments); });
}

}  // namespace

void add_extract_command(CLI::App& app, CommandContext& context) {
  context.add_command(
      app, "extract",
      "Writes samples of a pack as PNG files: images/KEY.png and labels/KEY.png, or labels.csv",
      define_extract);
}

}  // namespace hotpack::cli
