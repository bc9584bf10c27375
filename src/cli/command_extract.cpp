// hotpack extract: samples back to PNG and .npy files.

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/try.hpp"
#include "cli/command.hpp"
#include "cli/commands.hpp"
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

Status write_samples(Terminal& terminal, const Dataset& dataset, const std::optional<std::vector<std::uint64_t>>& chosen,
                     SampleWriter& writer) {
  const std::uint64_t total = chosen ? chosen->size() : dataset.records();
  pipeline::Progress progress{"extracting", 0, total, 0, 0, 0};
  for (std::uint64_t i = 0; i < total && !terminal.stop_requested(); ++i) {
    HOTPACK_ASSIGN(const Sample sample, dataset.sample(chosen ? (*chosen)[i] : i));
    HOTPACK_TRY(writer.write(sample));
    ++progress.samples_done;
    progress.bytes_in += sample.image_shape().size_bytes() + (sample.has_label() ? sample.label_shape().size_bytes() : 0);
    terminal.progress(progress);
  }
  return writer.finish();
}

Status extract_samples(CommandContext& context, const ExtractArguments& arguments) {
  HOTPACK_ASSIGN(const Dataset dataset, Dataset::open(arguments.pack));
  std::optional<std::vector<std::uint64_t>> chosen;
  if (!arguments.keys.empty()) {
    HOTPACK_ASSIGN(chosen, find_keys(dataset, arguments.keys));
  }
  SampleWriter writer(arguments.writer, dataset.classes());
  context.stop_on_signals();
  const Status status = write_samples(context.terminal(), dataset, chosen, writer);
  context.terminal().finish_progress();
  if (status.ok()) context.terminal().info(counted(writer.files(), "file") + " written to " + arguments.writer.folder);
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
               "hotpack extract packed/train -o back --ids --npy                       # class ids in place of colours; arrays too");
  command.add_option("PACK", arguments->pack, "a packed folder")->required();
  command.add_option("-o,--output", arguments->writer.folder, "the folder to write to; made where it is missing")
      ->option_text("DIR")
      ->group(kOutput)
      ->required();
  command.add_option("--key", arguments->keys, "only the sample with this key; may be repeated [default: all]")
      ->option_text("KEY")
      ->group(kOutput);
  command.add_flag("--ids", arguments->writer.ids, "label pictures hold class ids as gray, even where classes have colours")
      ->group(kOutput);
  command.add_flag("--npy", arguments->writer.npy, "write .npy files too: the image as HWC bytes, the label as it is stored")
      ->group(kOutput);
  command.add_flag("--force", arguments->writer.force, "replace files that exist")->group(kOutput);
  command.callback([&context, arguments] { context.set_action([&context, arguments] { return extract(context, *arguments); }); });
}

}  // namespace hotpack::cli
