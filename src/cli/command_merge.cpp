// hotpack merge: joins the partitions of a pack, made by several runs.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/folder.hpp"
#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "cli/command.hpp"
#include "cli/commands.hpp"
#include "cli/option_values.hpp"
#include "cli/pack_arguments.hpp"
#include "cli/pack_report.hpp"
#include "cli/report.hpp"
#include "cli/text.hpp"
#include "format/manifest.hpp"
#include "format/pack_folder.hpp"
#include "label_setup/pack_folders.hpp"
#include "pack/merge.hpp"
#include "pack/partition.hpp"
#include "pack/partition_set.hpp"
#include "pack/receipt_merge.hpp"

namespace hotpack::cli {

namespace {

namespace fs = std::filesystem;
using pipeline::MergeReport;
using pipeline::MergeStatus;

// Returns a text such as "5 shards: 3 linked, 2 copied".
std::string shards_text(const MergeReport& report, bool in_place) {
  std::vector<std::string> how;
  const auto add = [&](std::uint64_t count, const std::string& what) {
    if (count > 0) how.push_back(number_text(count) + " " + what);
  };
  add(report.kept, "there already");
  add(report.linked, "linked");
  add(report.copied, "copied");
  std::string text = counted_text(report.shards, "shard");
  if (!in_place && report.status == MergeStatus::merged && !how.empty())
    text += ": " + joined_text(how, ", ");
  if (report.replaced > 0)
    text += " (" + number_text(report.replaced) + " in place of older files)";
  if (report.repeated > 0)
    text += "; " + counted_text(report.repeated, "file") + " repeated and equal";
  return text;
}

Report merge_report(const MergeReport& merged, bool in_place, double seconds) {
  const bool done_before = merged.status == MergeStatus::complete;
  const std::string output = printable_name(merged.output);
  Report report;
  report.member("status", done_before ? "complete" : "merged");
  report.member("output", output);
  report.line(done_before ? "complete" : "merged",
              output + (done_before ? " (nothing to do: it is complete already)" : ""));
  report.member("records", merged.records);
  report.member("skipped", merged.skipped);
  if (merged.accepted) report.member("accepted", *merged.accepted);
  report.line("samples", samples_text(merged.records, merged.skipped, merged.accepted));
  report.member("shards", merged.shards);
  report.member("kept_shards", merged.kept);
  report.member("linked_shards", merged.linked);
  report.member("copied_shards", merged.copied);
  report.member("replaced_shards", merged.replaced);
  report.member("repeated_shards", merged.repeated);
  report.line("shards", shards_text(merged, in_place));
  report.member("bytes", merged.bytes);
  report.member("seconds", seconds);
  report.line("bytes", human_bytes(merged.bytes) + " of shards, " + human_duration(seconds));
  add_class_members(report, merged.schema, merged.statistics);
  add_class_lines(report, merged.schema, merged.statistics);
  if (merged.manifest_only) {
    report.line("next", "put the shards next to " +
                            shell_word(merged.output + "/" + std::string(format::kManifestName)) +
                            ", then: hotpack verify " + shell_word(merged.output));
  } else {
    add_next_line(report, merged.output);
  }
  return report;
}

constexpr std::size_t kMostSplits = 6;  // named in an error
constexpr double kMostSeconds = 1e7;
constexpr std::uint64_t kMostPartitions = 1'000'000'000;

struct MergeCommand {
  pipeline::MergeOptions merge;
  double wait_seconds = 0;
  std::vector<std::string> receipts;
};

// A data set to join, or one of its splits.
struct Part {
  pipeline::MergeOptions options;
  MergeReport report;
  double seconds = 0;
};

// Returns true if the folders `names` in the folder `source` are splits. If `source` is the only
// source, they may also be partitions of one data set; then are_splits() decides.
bool holds_splits(const std::string& source, const std::vector<std::string>& names, bool only) {
  return !names.empty() && (!only || pipeline::are_splits(source, names));
}

// Returns an error if `source` contains, next to the splits, a folder that is empty or holds only a
// manifest or temporary files: such a folder is probably a split that lost all its shards.
Status check_lost_splits(const std::string& source, const std::vector<std::string>& splits) {
  // A single folder may also be the first partition, and the others have just begun.
  if (splits.size() == 1 && !pipeline::has_all_shards((fs::path(source) / splits.front()).string()))
    return {};
  const auto content = names_by_kind(source);
  if (!content.ok()) return {};
  for (const std::string& name : content->folders) {
    if (std::find(splits.begin(), splits.end(), name) != splits.end()) continue;
    if (name.starts_with('.') || name == "lost+found") continue;  // of the file system
    const std::string folder = (fs::path(source) / name).string();
    const auto inside = names_in_folder(folder);
    if (!inside.ok()) continue;
    const format::PackFolder listing = format::describe_pack_folder(*inside);
    if (!listing.shards.empty() || !listing.others.empty()) continue;
    return Error{ErrorCode::damaged,
                 "has no shards, but " + quoted_list_text(splits, kMostSplits) + " next to it " +
                     (splits.size() == 1 ? "is a split" : "are splits") +
                     ". If this folder is a split that lost its shards, pack it again; otherwise "
                     "remove the folder, or name the splits to merge",
                 folder,
                 {}};
  }
  return {};
}

// Returns what is to be merged: one part per split in the sources, or a single part if the sources
// have no splits. An empty source counts as a partition without shards.
Result<std::vector<Part>> parts_of(const pipeline::MergeOptions& options) {
  std::map<std::string, pipeline::MergeOptions> splits;
  for (const std::string& source : options.sources) {
    const std::vector<std::string> names = pipeline::folders_with_shards(source);
    const auto inside = names_in_folder(source);
    if (inside.ok() && inside->empty()) continue;
    if (!holds_splits(source, names, options.sources.size() == 1))
      return std::vector<Part>{{options, {}, 0}};
    HOTPACK_TRY(check_lost_splits(source, names));
    for (const std::string& name : names) {
      splits[name].accepted_skips = options.accepted_skips;
      splits[name].sources.push_back((fs::path(source) / name).string());
      if (!options.output.empty()) splits[name].output = (fs::path(options.output) / name).string();
      splits[name].threads = options.threads;
      splits[name].partitions = options.partitions;
    }
  }
  if (splits.empty()) return std::vector<Part>{{options, {}, 0}};
  std::vector<Part> parts;
  parts.reserve(splits.size());
  for (auto& [name, split] : splits) parts.push_back({std::move(split), {}, 0});
  return parts;
}

int stopped(CommandContext& context, const MergeReport& report) {
  context.terminal().warning("stopped before the manifest of " + quoted_text(report.output) +
                             " was written. Run the same command again to continue");
  return kExitGood;  // run_main() raises the signal again
}

void warn_of_skipped(CommandContext& context, const MergeReport& report, bool named) {
  const bool one = report.skipped == 1;
  context.terminal().warning((named ? quoted_text(report.output) + ": " : "") +
                             counted_text(report.skipped, "sample was", "samples were") +
                             " left out of the data set when the partitions were packed" +
                             acceptance_text(report.skipped, report.accepted) + ". To pack " +
                             (one ? "it" : "them") + " too, repair the " +
                             (one ? "file" : "files") + ", pack " +
                             (one ? "its partition" : "their partitions") +
                             " again with --force or from a new plan, and merge again");
}

int report_end(CommandContext& context, const std::vector<Part>& parts) {
  std::vector<Report> reports;
  reports.reserve(parts.size());
  for (const Part& part : parts)
    reports.push_back(merge_report(part.report, part.options.output.empty(), part.seconds));
  context.print_packs(reports, parts.size() > 1);
  int exit = kExitGood;
  for (const Part& part : parts) {
    const MergeReport& report = part.report;
    if (report.skipped > 0) warn_of_skipped(context, report, parts.size() > 1);
    if (skips_too_many(report.skipped, report.accepted)) exit = kExitData;
  }
  return exit;
}

int merge_receipts(CommandContext& context, const MergeCommand& command) {
  if (!command.merge.sources.empty())
    return context.fail(usage_error(
        "give folders of partitions or --receipts, not both: receipts say what the shards hold"));
  const auto start = std::chrono::steady_clock::now();
  Result<std::vector<MergeReport>> reports = pipeline::merge_receipts(
      {command.receipts, command.merge.output, command.merge.accepted_skips}, context.terminal());
  if (!reports.ok()) return context.fail(reports.error());
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::vector<Part> parts;
  for (MergeReport& report : *reports) {
    if (report.status == MergeStatus::stopped) return stopped(context, report);
    parts.push_back({command.merge, std::move(report), seconds});
  }
  return report_end(context, parts);
}

// ---- waiting for shards

// What the folders lack, by the names of their files.
struct Lack {
  std::uint64_t shards = 0, missing = 0;
  std::string text;  // empty: nothing
};

Lack lack_of(const pipeline::MergeOptions& options) {
  const Result<std::vector<Part>> parts = parts_of(options);
  if (!parts.ok()) return {0, 0, parts.error().describe()};
  Lack lack;
  std::vector<std::string> texts;
  for (const Part& part : *parts) {
    const std::string where =
        parts->size() == 1 ? std::string()
                           : fs::path(part.options.sources.front()).filename().string() + ": ";
    const auto missing = pipeline::find_missing(part.options.sources);
    if (!missing) {
      texts.push_back(where + "no shard is there yet");
      continue;
    }
    lack.shards += missing->shards;
    lack.missing += missing->count();
    if (missing->count() > 0) texts.push_back(where + missing->text());
  }
  lack.text = joined_text(texts, "; ");
  return lack;
}

// Lists the folders again and again until no shard is missing, the time is over, or a stop was
// requested. Says what is missing at the start, and when it has changed. Another process may make
// the folders meanwhile.
void wait_for_shards(Terminal& terminal, const MergeCommand& command) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kBetweenListings{1000}, kStep{50};
  constexpr std::chrono::seconds kBetweenMessages{10};
  const Clock::time_point end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(command.wait_seconds));
  std::string told;
  Clock::time_point told_at;
  while (!terminal.stop_requested()) {
    const Lack lack = lack_of(command.merge);
    const Clock::time_point now = Clock::now();
    if (lack.text.empty() || now >= end) return;
    if (lack.text != told && (told.empty() || now - told_at >= kBetweenMessages)) {
      terminal.info("waiting: " + lack.text);
      told = lack.text;
      told_at = now;
    }
    const Clock::time_point next = std::min(end, now + kBetweenListings);
    while (Clock::now() < next && !terminal.stop_requested()) std::this_thread::sleep_for(kStep);
  }
}

// ---- the command

// The shards that a split lacks, and those of all splits after it, by the names of their files.
std::vector<pipeline::MissingShards> missing_from_here(pipeline::MissingShards missing,
                                                       std::span<const Part> rest) {
  std::vector<pipeline::MissingShards> all{std::move(missing)};
  for (const Part& part : rest) {
    auto more = pipeline::find_missing(part.options.sources);
    if (more && !more->empty()) all.push_back(*std::move(more));
  }
  return all;
}

// Prints the error; in JSON with the shards and partitions to pack (again), if there are any.
// `splits` lack shards; the error is about the first.
int fail(CommandContext& context, Error error, std::span<const pipeline::MissingShards> splits,
         const std::optional<std::uint64_t>& partitions) {
  if (splits.size() > 1 && !splits.front().empty())
    error.message += ". " + counted_text(splits.size() - 1, "more split") + " " +
                     (splits.size() == 2 ? "lacks" : "lack") + " shards" +
                     (partitions ? "; for all, " + pipeline::run_again_text(splits, *partitions)
                                 : std::string());
  const int code = context.fail(error);
  if (!context.json() || splits.front().empty()) return code;
  Report refused;
  const format::Json json = error_json(error, code);
  for (const auto& [name, value] : json.items()) refused.member(name, value);
  refused.member("missing_shards", splits.front().list());
  refused.member("missing_partitions",
                 partitions ? format::Json(pipeline::partitions_to_run(splits, *partitions).list)
                            : format::Json());
  context.print(refused);
  return code;
}

int stopped_early(CommandContext& context) {
  context.terminal().warning("stopped while shards were missing. Run the same command again");
  return kExitGood;  // run_main() raises the signal again
}

int merge(CommandContext& context, MergeCommand command) {
  context.stop_on_signals();
  if (!command.receipts.empty()) return merge_receipts(context, command);
  pipeline::MergeOptions& options = command.merge;
  if (options.sources.empty())
    return context.fail(
        usage_error("name the folders of the partitions to merge, or --receipts DIR"));
  options.threads = context.jobs();
  if (!options.partitions) {
    const auto expected = pipeline::expected_partitions(pipeline::process_environment());
    if (!expected.ok()) return context.fail(expected.error());
    options.partitions = *expected;
  }
  // Without -o, several folders are refused at once.
  if (command.wait_seconds > 0 && (!options.output.empty() || options.sources.size() == 1))
    wait_for_shards(context.terminal(), command);
  if (context.terminal().stop_requested()) return stopped_early(context);
  Result<std::vector<Part>> parts = parts_of(options);
  if (!parts.ok()) return context.fail(parts.error());
  for (std::size_t i = 0; i < parts->size(); ++i) {
    Part& part = (*parts)[i];
    const auto start = std::chrono::steady_clock::now();
    pipeline::MissingShards missing;
    Result<MergeReport> report = pipeline::merge(part.options, context.terminal(), &missing);
    context.terminal().finish_progress();
    if (!report.ok())
      return fail(context, report.error(),
                  missing_from_here(std::move(missing), std::span(*parts).subspan(i + 1)),
                  options.partitions);
    part.report = std::move(report).value();
    part.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (part.report.status == MergeStatus::stopped) return stopped(context, part.report);
  }
  return report_end(context, *parts);
}

void define_merge(CLI::App& command, CommandContext& context) {
  auto options = std::make_shared<MergeCommand>();
  set_examples(
      command,
      "hotpack merge packed/train   # the partitions shared one folder: writes its manifest\n"
      "hotpack merge parts/0 parts/1 parts/2 -o packed/train   # links the shards, or copies them "
      "to another file system\n"
      "hotpack merge parts/* -o packed   # with splits: parts/*/train to packed/train, parts/*/val "
      "to packed/val\n"
      "hotpack merge packed/train --wait 600 --partitions 40   # waits for shards up to ten "
      "minutes; "
      "then says which of the 40 partitions to run again\n"
      "hotpack merge --receipts receipts -o packed/train   # the shards may be anywhere");
  command.add_option("DIR", options->merge.sources,
                     "folders of partitions, or of their splits; they stay unchanged");
  command
      .add_option("--receipts", options->receipts,
                  "receipts of `hotpack pack --receipt`, or folders of receipts, in place of DIR: "
                  "writes the manifest alone, and needs no shard")
      ->type_name("DIR")
      ->group("Output");
  add_value(command, "-o,--output", options->merge.output,
            "folder of the merged pack; new, or of an earlier merge. Without it, the single DIR "
            "gets its manifest",
            "DIR", "Output");
  add_accepted_skips(command, options->merge.accepted_skips,
                     "exit status 0 if the partitions skipped at most N samples, or at most P% of "
                     "all samples of the pack",
                     "Output");
  add_value(command, "--wait", options->wait_seconds,
            "waits up to so many seconds for shards that are missing; a network file system may "
            "show new files a minute late",
            "SECONDS", "Running")
      ->check(CLI::Range(0.0, kMostSeconds));
  add_value(command, "--partitions", options->merge.partitions,
            "how many partitions the pack has; errors then say which of them to run again "
            "[default: HOTPACK_PARTITIONS]",
            "N", "Running")
      ->check(CLI::Range(std::uint64_t{1}, kMostPartitions));
  context.add_jobs_option(command);
  context.add_json_option(command);
  context.set_action(command, [&context, options] { return merge(context, *options); });
}

}  // namespace

void add_merge_command(CLI::App& app, CommandContext& context) {
  context.add_command(app, "merge",
                      "Joins the partitions of a pack (pack --partition); the "
                      "result has the bytes of a single run",
                      define_merge);
}

}  // namespace hotpack::cli
