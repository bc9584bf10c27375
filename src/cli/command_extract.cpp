// hotpack extract: samples back to PNG and .npy files.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/try.hpp"
#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "cli/pack_report.hpp"
#include "cli/sample_writer.hpp"
#include "cli/text.hpp"
#include "hotpack/dataset.hpp"

namespace hotpack::cli {

namespace {

constexpr const char* kOutput = "Output";

struct ExtractArguments {
  std::string pack;
  std::vector<std::string> keys;
  SampleWriterOptions writer;
};

// Numbers of the samples with these keys, in the order asked for.
Result<std::vector<std::uint64_t>> find_keys(const Dataset& dataset, const std::vector<std::string>& keys) {
  std::vector<std::uint64_t> numbers;
  for (const std::string& key : keys) {
    HOTPACK_ASSIGN(const auto number, dataset.find(key));
    if (!number) return usage_error("there is no sample with the key '" + key + "' in " + dataset.packs().front().folder);
    numbers.push_back(*number);
  }
  return numbers;
}

// Ends of the files that a sample becomes.
constexpr std::array<std::string_view, 2> kEndings{".png", ".npy"};

// The keys whose files would stand where `folder` must be a folder: `folder` without its ending, with several classes a pixel also
// without ".class-<id>".
std::vector<std::string> keys_of_file(std::string_view folder, bool multi) {
  std::vector<std::string> keys;
  for (const std::string_view ending : kEndings) {
    if (!folder.ends_with(ending)) continue;
    const std::string_view key = folder.substr(0, folder.size() - ending.size());
    keys.emplace_back(key);
    if (const auto dot = key.rfind(".class-"); multi && dot != std::string_view::npos) keys.emplace_back(key.substr(0, dot));
  }
  return keys;
}

using Numbers = std::optional<std::vector<std::uint64_t>>;  // of samples; absent: all

// The key of another sample whose file stands where this key needs a folder.
Result<std::optional<std::string>> key_in_the_way(const Dataset& dataset, const Numbers& chosen, std::string_view key) {
  const bool multi = dataset.schema().label && dataset.schema().label->multi;
  for (std::size_t slash = key.find('/'); slash != std::string_view::npos; slash = key.find('/', slash + 1)) {
    for (std::string& other : keys_of_file(key.substr(0, slash), multi)) {
      HOTPACK_ASSIGN(const auto number, dataset.find(other));
      if (number && (!chosen || std::find(chosen->begin(), chosen->end(), *number) != chosen->end()))
        return std::optional(std::move(other));
    }
  }
  return std::optional<std::string>();
}

// Before anything is written: no file of a sample is a folder of another.
Status check_names(const Dataset& dataset, const Numbers& chosen) {
  const std::uint64_t total = chosen ? chosen->size() : dataset.records();
  for (std::uint64_t i = 0; i < total; ++i) {
    HOTPACK_ASSIGN(const Sample sample, dataset.sample(chosen ? (*chosen)[i] : i));
    HOTPACK_ASSIGN(const auto other, key_in_the_way(dataset, chosen, sample.key()));
    if (!other) continue;
    return data_error("a file of the sample '" + *other + "' would have the name of a folder of the sample '" + std::string(sample.key()) +
                      "'; extract them one by one with --key, each to a folder of its own");
  }
  return {};
}

// The command that packs what was written again; empty where no single one gives the labels back.
std::string pack_line(const ExtractArguments& arguments, const Schema& schema) {
  const bool pixels = schema.label && schema.label->kind == LabelKind::pixel && !schema.label->multi;
  if ((schema.label && !pixels) || !schema.geometry.size) return {};
  const std::string& folder = arguments.writer.folder;
  std::string line = "hotpack pack --images " + shell_word(folder + "/images");
  if (pixels) line += " --labels " + shell_word(folder + "/labels") + " --label-kind index --classes " + shell_word(arguments.pack);
  return line + " --size " + std::to_string((*schema.geometry.size)[0]) + "x" + std::to_string((*schema.geometry.size)[1]) + " -o DIR";
}

// Tells how far it came through `progress`; a stop signal ends it between samples, without the list of labels.
Status write_samples(Terminal& terminal, const Dataset& dataset, const Numbers& chosen, SampleWriter& writer,
                     pipeline::Progress& progress) {
  const std::uint64_t total = chosen ? chosen->size() : dataset.records();
  progress = {"extracting", 0, total, 0, 0, 0};
  for (std::uint64_t i = 0; i < total && !terminal.stop_requested(); ++i) {
    HOTPACK_ASSIGN(const Sample sample, dataset.sample(chosen ? (*chosen)[i] : i));
    HOTPACK_TRY(writer.write(sample));
    ++progress.samples_done;
    progress.bytes_in += sample.image_shape().size_bytes() + (sample.has_label() ? sample.label_shape().size_bytes() : 0);
    terminal.progress(progress);
  }
  return progress.samples_done == total ? writer.finish() : Status();
}

void tell_end(Terminal& terminal, const ExtractArguments& arguments, const Dataset& dataset, const SampleWriter& writer, bool complete) {
  const std::string written = counted(writer.files(), "file") + " written to " + arguments.writer.folder;
  if (!complete) return terminal.info("stopped before the end: " + written + ", and no labels.csv");
  terminal.info(written);
  if (const std::string line = pack_line(arguments, dataset.schema()); !line.empty()) terminal.info("to pack them again: " + line);
}

Status extract_samples(CommandContext& context, const ExtractArguments& arguments) {
  HOTPACK_ASSIGN(const Dataset dataset, Dataset::open(arguments.pack));
  Numbers chosen;
  if (!arguments.keys.empty()) {
    HOTPACK_ASSIGN(chosen, find_keys(dataset, arguments.keys));
  }
  HOTPACK_TRY(check_names(dataset, chosen));
  SampleWriter writer(arguments.writer, dataset.classes());
  context.stop_on_signals();
  pipeline::Progress progress{};
  Status status = write_samples(context.terminal(), dataset, chosen, writer, progress);
  context.terminal().finish_progress();
  if (status.ok()) tell_end(context.terminal(), arguments, dataset, writer, progress.samples_done == progress.samples_total);
  return status;
}

int extract(CommandContext& context, const ExtractArguments& arguments) {
  const Status status = extract_samples(context, arguments);
  return status.ok() ? kExitGood : context.fail(status.error());
}

}  // namespace

void add_extract_command(CLI::App& app, CommandContext& context) {
  auto arguments = std::make_shared<ExtractArguments>();
  CLI::App& command =
      *app.add_subcommand("extract", "Writes samples of a pack to PNG files again: images/KEY.png and labels/KEY.png, or labels.csv");
  set_examples(command,
               "hotpack extract packed/train -o back\n"
               "hotpack extract packed/train -o back --key town/0001 --key town/0002\n"
               "hotpack pack --images back/images --labels back/labels --label-kind index --classes packed/train --size 512x512 -o again\n"
               "hotpack extract packed/train -o back --ids --npy                       # class ids in place of colours; arrays too");
  command.add_option("PACK", arguments->pack, "a packed folder")->required();
  command.add_option("-o,--output", arguments->writer.folder, "the folder to write to; made where it is missing")
      ->option_text("DIR")
      ->group(kOutput)
      ->required();
  command.add_option("--key", arguments->keys, "only the sample with this key; may be repeated [default: all]")
      ->option_text("KEY")
      ->group(kOutput);
  command
      .add_flag("--ids", arguments->writer.ids,
                "label pictures hold class ids as gray, even where classes have colours; both are read again with --label-kind index")
      ->group(kOutput);
  command.add_flag("--npy", arguments->writer.npy, "write .npy files too: the image as HWC bytes, the label as it is stored")
      ->group(kOutput);
  command.add_flag("--force", arguments->writer.force, "replace files that exist")->group(kOutput);
  command.callback([&context, arguments] { context.set_action([&context, arguments] { return extract(context, *arguments); }); });
}

}  // namespace hotpack::cli
