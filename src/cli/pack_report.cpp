#include "cli/pack_report.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <vector>

#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "cli/class_table.hpp"
#include "cli/exit_code.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"

namespace hotpack::cli {

namespace {

using format::Json;
using pipeline::PackReport;
using pipeline::PackStatus;

std::string_view status_name(PackStatus status) {
  constexpr std::array<std::string_view, 5> kNames = {"packed", "complete", "planned", "refused",
                                                      "stopped"};
  return kNames[static_cast<std::size_t>(status)];
}

std::uint64_t own_shards(const PackReport& set) { return set.kept_shards + set.packed_shards; }

std::string partition_text(const pipeline::Partition& partition) {
  return "partition " + std::to_string(partition.index) + " of " + std::to_string(partition.count) +
         " (from 0)";
}

Json problems_json(const pipeline::ProblemLog& problems) {
  Json list = Json::array();
  for (std::size_t i = 0; i < pipeline::kProblemKinds; ++i) {
    const auto kind = static_cast<pipeline::ProblemKind>(i);
    const auto& group = problems.group(kind);
    if (group.count == 0) continue;
    Json examples = Json::array();
    for (const pipeline::Problem& problem : group.examples)
      examples.push_back(
          Json{{"file", printable_name(problem.path)}, {"found", printable_name(problem.detail)}});
    list.push_back(Json{{"kind", pipeline::problem_name(kind)},
                        {"count", group.count},
                        {"title", pipeline::problem_title(kind, group.count)},
                        {"advice", pipeline::problem_advice(kind)},
                        {"examples", std::move(examples)}});
  }
  return list;
}

Json plan_json(const pipeline::PlanSummary& plan) {
  return Json{{"samples", plan.samples},
              {"shards", plan.shards},
              {"kept_shards", plan.kept_shards},
              {"image_record_bytes", plan.image_record_bytes},
              {"label_record_bytes", plan.label_record_bytes},
              {"shard_bytes_total", plan.shard_bytes_total},
              {"bytes_to_write", plan.bytes_to_write},
              {"exact", plan.exact},
              {"mixed_sizes", plan.mixed_sizes},
              {"labels", plan.explanation},
              {"warnings", plan.warnings},
              {"free_bytes", plan.free_bytes ? Json(*plan.free_bytes) : Json()}};
}

void add_plan_lines(Report& report, const PackReport& set) {
  const pipeline::PlanSummary& plan = set.plan;
  constexpr std::string_view kLabelsAre = "labels are ";
  if (!set.split.empty())
    report.line("set",
                set.split + (set.output.empty() ? "" : ", to " + printable_name(set.output)));
  if (set.partition) report.line("part", partition_text(*set.partition));
  if (!plan.explanation.empty())
    report.line("labels", plan.explanation.substr(
                              plan.explanation.starts_with(kLabelsAre) ? kLabelsAre.size() : 0));
  report.line("samples", number_text(plan.samples));
  report.line("record", (plan.mixed_sizes ? "sizes differ; the largest: " : "") +
                            human_bytes(plan.image_record_bytes) + " image" +
                            (plan.label_record_bytes > 0
                                 ? " + " + human_bytes(plan.label_record_bytes) + " label"
                                 : ""));
  report.line(
      "shards",
      number_text(plan.shards) +
          (plan.shards > 1 ? " of " + counted_text(plan.samples_per_shard, "sample") : "") +
          (plan.kept_shards > 0 ? ", " + number_text(plan.kept_shards) + " of them finished already"
                                : ""));
  report.line("output",
              human_bytes(plan.shard_bytes_total) + " in all, " + (plan.exact ? "" : "at most ") +
                  number_text(plan.bytes_to_write) + " bytes to write" +
                  (plan.free_bytes ? ", " + human_bytes(*plan.free_bytes) + " free" : ""));
  if (plan.samples > 0)
    report.line("memory", human_bytes(plan.plan_bytes) + " for the plan, " +
                              std::to_string(plan.plan_bytes / plan.samples) + " bytes per sample");
}

std::string shards_text(const PackReport& set) {
  std::string text = (set.partition ? number_text(own_shards(set)) + " of " : "") +
                     counted_text(set.plan.shards, "shard");
  if (set.kept_shards > 0)
    text += ", " + number_text(set.kept_shards) + " kept from an earlier run, " +
            number_text(set.packed_shards) + " packed now";
  if (set.changed_shards > 0)
    text += " (" + number_text(set.changed_shards) + " in place of earlier ones)";
  return text;
}

// Adds the lines about what a run wrote. If `seconds` is below 0, the time is not shown.
void add_result_lines(Report& report, const PackReport& set, double seconds) {
  if (set.partition && own_shards(set) == 0)
    return report.line("part", partition_text(*set.partition) + ": no shard (of " +
                                   number_text(set.plan.shards) +
                                   ") is in it, so nothing is written");
  const bool done_before = set.status == PackStatus::complete;
  report.line(done_before ? "complete" : "packed",
              (set.output.empty() ? "for --on-shard" : printable_name(set.output)) +
                  (done_before ? " (nothing to do: it has these inputs and options already)" : ""));
  if (set.partition) report.line("part", partition_text(*set.partition));
  report.line("samples", samples_text(set.records, set.skipped, set.accepted));
  report.line("shards", shards_text(set));
  if (!done_before)
    report.line("bytes", human_bytes(set.bytes_in) + " read, " + human_bytes(set.bytes_out) +
                             " of shards" + (seconds < 0 ? "" : ", " + human_duration(seconds)));
}

// `of_several`: the classes of all sets come in one table.
Report set_report(const PackReport& set, double seconds, bool of_several) {
  Report report;
  report.member("status", status_name(set.status));
  report.member("output", printable_name(set.output));
  if (!set.split.empty()) report.member("split", printable_name(set.split));
  if (set.partition)
    report.member("partition",
                  Json{{"index", set.partition->index}, {"count", set.partition->count}});
  report.member("plan", plan_json(set.plan));
  report.member("problems", problems_json(set.problems));
  report.member("records", set.records);
  report.member("skipped", set.skipped);
  if (set.accepted) report.member("accepted", *set.accepted);
  report.member("packed_shards", set.packed_shards);
  report.member("kept_shards", set.kept_shards);
  report.member("changed_shards", set.changed_shards);
  report.member("bytes_in", set.bytes_in);
  report.member("bytes_out", set.bytes_out);
  if (set.schema && set.statistics) add_class_members(report, *set.schema, *set.statistics);
  if (set.status == PackStatus::planned) {
    add_plan_lines(report, set);
  } else {
    add_result_lines(report, set, seconds);
    const bool nothing = set.partition && own_shards(set) == 0;
    if (!of_several && !nothing && set.schema && set.statistics)
      add_class_lines(report, *set.schema, *set.statistics);
  }
  return report;
}

// True if --ignore NAME ignores the class and no map is used: then no pixel can have the class.
bool is_ignored(const Schema& schema, std::size_t c) {
  const auto& more = schema.options.more;
  const bool mapped = std::any_of(more.begin(), more.end(),
                                  [](const auto& option) { return option.first == "map"; });
  return schema.label && schema.label->scope == LabelScope::pixel && !schema.label->multi &&
         !mapped && schema.classes[c].sources.empty();
}

// Returns the sets with classes, if there are several and their classes are the same.
std::vector<const PackReport*> sets_of_same_classes(const pipeline::PackRun& run) {
  std::vector<const PackReport*> sets;
  for (const PackReport& set : run.sets)
    if (set.schema && !set.schema->classes.empty()) sets.push_back(&set);
  const bool same = std::all_of(sets.begin(), sets.end(), [&](const PackReport* set) {
    return set->statistics && !set->schema->label->multi &&
           set->statistics->pixels.size() == set->schema->classes.size() &&
           set->schema->classes == sets.front()->schema->classes;
  });
  return sets.size() > 1 && same ? sets : std::vector<const PackReport*>();
}

// Adds one table of the classes of all these sets.
void add_joined_classes(Report& report, const std::vector<const PackReport*>& sets) {
  const Schema& schema = *sets.front()->schema;
  ClassShares shares;
  shares.counted = "samples";
  for (std::size_t c = 0; c < schema.classes.size(); ++c) {
    shares.classes.push_back(schema.classes[c].name);
    shares.ignored_classes.push_back(is_ignored(schema, c));
  }
  for (const PackReport* set : sets)
    shares.splits.push_back(
        {set->split, set->statistics->pixels, set->statistics->samples, set->statistics->ignored});
  report.lines("classes\n" + class_table(shares, 0));
}

// Adds the commands that the user may run next. For several splits, the commands name the parent
// folder, which every command accepts.
void add_next(Report& report, const pipeline::PackRun& run) {
  const PackReport& first = run.sets.front();
  const std::string below = "/" + first.split;
  std::string output = first.output;
  if (run.sets.size() > 1 && output.size() > below.size() && output.ends_with(below))
    output.resize(output.size() - below.size());
  if (output.empty())
    return report.line("next", "when all parts are packed: hotpack merge --receipts DIR... -o DIR");
  if (!first.partition) return add_next_line(report, output);
  report.line("next", "when all partitions are packed: hotpack merge " + shell_word(output) +
                          "\nor, from several folders: hotpack merge DIR... -o DIR");
}

// The lines and members about the file that `plan` wrote.
void add_plan_file(Report& report, const pipeline::PackRun& run) {
  report.member("plan_file", format::with_valid_utf8(run.plan_file));
  report.member("plan_file_bytes", run.plan_file_bytes);
  report.line("plan", printable_name(run.plan_file) + ", " + human_bytes(run.plan_file_bytes));
}

Cells class_row(const std::string& name, std::uint64_t pixels, std::uint64_t all,
                const std::string& more) {
  constexpr std::size_t kName = 24, kShare = 8;  // in columns; a share such as "100.00 %"
  std::string share = percent_of(pixels, all);
  share.insert(0, kShare - std::min(kShare, share.size()), ' ');
  return {truncated(printable_name(name), kName), share, more};
}

}  // namespace

void add_excluded_files(Report& report, std::uint64_t orphans, std::uint64_t others,
                        std::uint64_t excluded) {
  report.member("orphans_left_out", orphans);
  report.member("other_files", others);
  if (orphans > 0)
    report.line("left out", counted_text(orphans, "file") + " without a partner (--orphans skip)");
  if (others > 0)
    report.line("ignored", counted_text(others, "file") +
                               " (not images, or without the given suffix or pattern)");
  report.member("excluded", excluded);
  if (excluded > 0)
    report.line("excluded",
                counted_text(excluded, "file or folder", "files and folders") + " (--exclude)");
}

std::string samples_text(std::uint64_t records, std::uint64_t skipped,
                         std::optional<std::uint64_t> accepted) {
  std::string text = number_text(records);
  if (skipped > 0) text += ", " + number_text(skipped) + " skipped";
  if (skipped > 0 && accepted) text += " (at most " + number_text(*accepted) + " accepted)";
  return text;
}

bool skips_too_many(std::uint64_t skipped, std::optional<std::uint64_t> accepted) {
  return skipped > accepted.value_or(0);
}

std::string acceptance_text(std::uint64_t skipped, std::optional<std::uint64_t> accepted) {
  if (!accepted) return " (exit status 1)";
  const std::string most = number_text(*accepted);
  return skips_too_many(skipped, accepted)
             ? ", but --accept-skips accepts only " + most + " (exit status 1)"
             : " (--accept-skips accepts up to " + most + ")";
}

void add_class_lines(Report& report, const Schema& schema, const Statistics& statistics) {
  if (schema.classes.empty() || statistics.pixels.size() != schema.classes.size()) return;
  constexpr std::size_t kMostListed = 40;
  const std::size_t listed = std::min(kMostListed, schema.classes.size());
  const std::uint64_t seen =
      std::accumulate(statistics.pixels.begin(), statistics.pixels.end(), std::uint64_t{0});
  std::vector<Cells> rows;
  for (std::size_t c = 0; c < listed; ++c)
    rows.push_back(class_row(schema.classes[c].name, statistics.pixels[c], seen,
                             is_ignored(schema, c) ? "ignored"
                             : statistics.samples[c] == 0
                                 ? "never seen"
                                 : "in " + counted_text(statistics.samples[c], "sample")));
  if (listed < schema.classes.size())
    rows.push_back({"… and " + number_text(schema.classes.size() - listed) + " more classes"});
  // If a pixel may have several classes, the sum of their counts is not the number of pixels.
  const bool multi = schema.label && schema.label->multi;
  if (statistics.ignored > 0 && multi)
    rows.push_back({"of no class: " + counted_text(statistics.ignored, "pixel")});
  if (statistics.ignored > 0 && !multi)
    rows.push_back(class_row("ignored", statistics.ignored, seen + statistics.ignored, "of all"));
  report.lines("classes\n" + table_text(rows, {.align = "lrl"}));
}

void add_class_members(Report& report, const Schema& schema, const Statistics& statistics) {
  Json list = Json::array();
  for (std::size_t c = 0; c < schema.classes.size(); ++c)
    list.push_back(Json{{"name", schema.classes[c].name},
                        {"pixels", statistics.pixels[c]},
                        {"samples", statistics.samples[c]}});
  report.member("classes", std::move(list));
  report.member("ignored", statistics.ignored);
}

void add_next_line(Report& report, const std::string& output) {
  const std::string folder = shell_word(output);
  report.line("next", "hotpack verify " + folder + " && hotpack info " + folder);
}

std::string remarks_text(const pipeline::DiagnosticCounts& remarks) {
  std::string text;
  const auto remark = [&](std::uint64_t count, std::string_view one, std::string_view many,
                          const std::string& more = "") {
    if (count > 0) text += counted_text(count, one, many) + more + "\n";
  };
  remark(remarks.unknown_samples, "sample has", "samples have",
         " label values without a class (" + counted_text(remarks.unknown_pixels, "pixel") +
             "); these pixels became what --unknown says");
  remark(remarks.nearest_pixels, "label pixel", "label pixels",
         " got the class of the nearest color (--unknown nearest)");
  remark(remarks.label_resized, "label differs in size from its image",
         "labels differ in size from their images", "; fitted as --size-mismatch says");
  remark(remarks.rotated, "image was", "images were", " rotated by EXIF orientation");
  remark(remarks.left_as_stored, "image was", "images were",
         " not rotated by EXIF orientation, because the label fits the stored pixels; viewers "
         "do rotate, so check with hotpack preview that image and label fit");
  remark(remarks.deep_images_are_dark() ? remarks.deep_images : 0, "16-bit image has",
         "16-bit images have",
         " no value from 16,384 on (at most " +
             std::to_string(std::bit_width(remarks.brightest_of_deep) + 8) +
             " bits are in use), so the records are dark: --depth16 keeps the upper 8 of 16 bits. "
             "Multiply the values before packing, such as by 16 for 12 bits");
  remark(remarks.beyond_palette, "palette label has", "palette labels have",
         " an index beyond the palette, read as an id");
  remark(remarks.channels_differ, "binary mask has", "binary masks have",
         " colored pixels (channels that differ by more than 16); their brightness decided what is "
         "foreground. If each color is a class, give --label-kind color");
  remark(remarks.flawed_jpegs, "JPEG has", "JPEGs have",
         " stray bytes before the end marker or an unknown JFIF revision, which cost no row of "
         "pixels; look at the files that hotpack check names, because some damaged scans end in "
         "the same way");
  remark(remarks.lenient_jpegs, "JPEG was", "JPEGs were",
         " packed because of --lenient; hotpack check --lenient names such files");
  remark(remarks.alpha_varies, "label has", "labels have",
         " varying transparency, which was dropped");
  return text;
}

Report pack_report(const pipeline::PackRun& run, double seconds) {
  Report report;
  report.member("status", status_name(run.status));
  report.member("problems", problems_json(run.problems));
  add_excluded_files(report, run.orphans_left_out, run.other_files, run.excluded);
  report.member("seconds", seconds);
  if (!run.layout.empty()) report.member("layout", printable(run.layout));
  if (!run.plan_file.empty()) add_plan_file(report, run);
  const bool single = run.sets.size() == 1 && run.sets.front().split.empty();
  const std::vector<const PackReport*> joined = sets_of_same_classes(run);
  Json sets = Json::array();
  for (const PackReport& set : run.sets) {
    const Report part = set_report(set, run.sets.size() == 1 ? seconds : -1, !joined.empty());
    report.lines(part.text());
    for (const auto& [name, value] : part.json().items())
      if (single) report.member(name, value);
    sets.push_back(part.json());
  }
  if (!single && !sets.empty()) report.member("sets", std::move(sets));
  if (!joined.empty()) add_joined_classes(report, joined);
  if (run.sets.size() > 1 && run.status == PackStatus::packed)
    report.line("time", human_duration(seconds) + " in all");
  if (!run.receipt.empty()) {
    report.member("receipt", format::with_valid_utf8(run.receipt));
    report.line("receipt", printable_name(run.receipt));
  }
  if (run.status != PackStatus::planned && !run.sets.empty()) add_next(report, run);
  if (!run.plan_file.empty())
    report.line("next", "for each part I of N, from 0: hotpack pack --plan " +
                            shell_word(run.plan_file) + " --partition I/N -o DIR");
  return report;
}

Report refused_report(const pipeline::PackRun& run, const Error& error, double seconds) {
  Report refused;
  for (const Json& json :
       {error_json(error, exit_code_of(error)), pack_report(run, seconds).json()})
    for (const auto& [name, value] : json.items()) refused.member(name, value);
  return refused;
}

}  // namespace hotpack::cli
