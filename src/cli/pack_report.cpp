#include "cli/pack_report.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "cli/text.hpp"
#include "format/json.hpp"
#include "format/schema_json.hpp"

namespace hotpack::cli {

namespace {

using format::Json;
using pipeline::PackReport;
using pipeline::PackStatus;

std::string passed_by_text(std::uint64_t files) {
  return counted_text(files, "file") + " of no image extension, or without the suffix asked for";
}

std::string_view status_name(PackStatus status) {
  switch (status) {
    case PackStatus::packed:
      return "packed";
    case PackStatus::complete:
      return "complete";
    case PackStatus::planned:
      return "planned";
    case PackStatus::refused:
      return "refused";
    case PackStatus::stopped:
      return "stopped";
  }
  return "";
}

std::uint64_t own_shards(const PackReport& report) { return report.kept_shards + report.packed_shards; }

std::string shards_text(const PackReport& report) {
  std::string text = (report.partition ? number_text(own_shards(report)) + " of " : "") + counted_text(report.plan.shards, "shard");
  if (report.kept_shards > 0)
    text += ", " + number_text(report.kept_shards) + " kept from an earlier run, " + number_text(report.packed_shards) + " packed now";
  if (report.changed_shards > 0) text += " (" + number_text(report.changed_shards) + " in place of earlier ones)";
  return text;
}

Json problems_json(const pipeline::ProblemLog& problems) {
  Json list = Json::array();
  for (std::size_t kind = 0; kind < pipeline::kProblemKinds; ++kind) {
    const auto problem_kind = static_cast<pipeline::ProblemKind>(kind);
    const auto& group = problems.group(problem_kind);
    if (group.count == 0) continue;
    Json examples = Json::array();
    for (const pipeline::Problem& problem : group.examples)
      examples.push_back(Json{{"file", printable_name(problem.path)}, {"found", printable_name(problem.detail)}});
    list.push_back(Json{{"kind", pipeline::problem_name(problem_kind)},
                        {"count", group.count},
                        {"title", pipeline::problem_title(problem_kind, group.count)},
                        {"advice", pipeline::problem_advice(problem_kind)},
                        {"examples", std::move(examples)}});
  }
  return list;
}

Json plan_json(const pipeline::PlanSummary& plan) {
  Json json{{"samples", plan.samples},
            {"shards", plan.shards},
            {"kept_shards", plan.kept_shards},
            {"image_record_bytes", plan.image_record_bytes},
            {"label_record_bytes", plan.label_record_bytes},
            {"shard_bytes_total", plan.shard_bytes_total},
            {"bytes_to_write", plan.bytes_to_write},
            {"exact", plan.exact},
            {"mixed_sizes", plan.mixed_sizes},
            {"labels", plan.explanation},
            {"warnings", plan.warnings}};
  json["free_bytes"] = plan.free_bytes ? Json(*plan.free_bytes) : Json(nullptr);
  return json;
}

std::string partition_text(const pipeline::Partition& partition) {
  return "partition " + std::to_string(partition.index) + " of " + std::to_string(partition.count) + " (from 0)";
}

// What is said once for all sets.
std::string input_text(const pipeline::PackRun& run) {
  std::string text;
  if (run.orphans_left_out > 0)
    text += line("left out", counted_text(run.orphans_left_out, "file") + " without a partner (--orphans skip)");
  if (run.other_files > 0) text += line("ignored", passed_by_text(run.other_files));
  return text;
}

// `seconds` below 0: not told.
std::string set_text(const PackReport& report, double seconds) {
  if (report.partition && own_shards(report) == 0)
    return line("part", partition_text(*report.partition) + ": no shard of " + number_text(report.plan.shards) +
                            " falls to it, nothing is written");
  std::string text;
  const bool done_before = report.status == PackStatus::complete;
  text += line(done_before ? "complete" : "packed",
               printable_name(report.output) + (done_before ? " (nothing to do: it holds these inputs and options already)" : ""));
  if (report.partition) text += line("part", partition_text(*report.partition));
  text +=
      line("samples", number_text(report.records) + (report.skipped > 0 ? ", " + number_text(report.skipped) + " skipped" : std::string()));
  text += line("shards", shards_text(report));
  if (!done_before)
    text += line("bytes", human_bytes(report.bytes_in) + " read, " + human_bytes(report.bytes_out) + " of shards" +
                              (seconds < 0 ? std::string() : ", " + human_duration(seconds)));
  if (!report.schema || !report.statistics) return text;
  const std::string classes = classes_text(*report.schema, *report.statistics);
  return classes.empty() ? text : text + "classes\n" + classes;
}

std::string next_text(const pipeline::PackRun& run) {
  if (run.sets.empty()) return "";
  // Of several splits the folder above them, which every command understands.
  const PackReport& first = run.sets.front();
  const bool below = run.sets.size() > 1 && first.output.size() > first.split.size() + 1 && first.output.ends_with("/" + first.split);
  const std::string output = shell_word(below ? first.output.substr(0, first.output.size() - first.split.size() - 1) : first.output);
  if (run.sets.front().partition)
    return line("next",
                "when all partitions are packed: hotpack merge " + output + "   or, from several folders: hotpack merge DIR... -o DIR");
  return line("next", "hotpack verify " + output + " && hotpack info " + output);
}

Json set_json(const PackReport& report) {
  Json json{{"status", status_name(report.status)}, {"output", format::with_valid_utf8(printable_name(report.output))}};
  if (!report.split.empty()) json["split"] = format::with_valid_utf8(printable_name(report.split));
  if (report.partition) json["partition"] = Json{{"index", report.partition->index}, {"count", report.partition->count}};
  json["plan"] = plan_json(report.plan);
  json["problems"] = problems_json(report.problems);
  json["records"] = report.records;
  json["skipped"] = report.skipped;
  json["packed_shards"] = report.packed_shards;
  json["kept_shards"] = report.kept_shards;
  json["changed_shards"] = report.changed_shards;
  json["bytes_in"] = report.bytes_in;
  json["bytes_out"] = report.bytes_out;
  if (report.schema && report.statistics) {
    json["classes"] = classes_json(*report.schema, *report.statistics);
    json["ignored"] = report.statistics->ignored;
  }
  return json;
}

}  // namespace

std::string line(std::string_view name, const std::string& text) {
  constexpr std::size_t kColumn = 10;
  std::string padded(name);
  padded.resize(std::max(kColumn, padded.size() + 1), ' ');
  return padded + text + "\n";
}

std::string plan_text(const pipeline::PlanSummary& plan) {
  std::string text;
  constexpr std::string_view kLabelsAre = "labels are ";
  if (!plan.explanation.empty())
    text += line("labels", plan.explanation.substr(plan.explanation.starts_with(kLabelsAre) ? kLabelsAre.size() : 0));
  text += line("samples", number_text(plan.samples));
  text += line("record", (plan.mixed_sizes ? "sizes differ; the largest: " : "") + human_bytes(plan.image_record_bytes) + " image" +
                             (plan.label_record_bytes > 0 ? " + " + human_bytes(plan.label_record_bytes) + " label" : std::string()));
  text += line("shards", number_text(plan.shards) +
                             (plan.shards > 1 ? " of " + counted_text(plan.samples_per_shard, "sample") : std::string()) +
                             (plan.kept_shards > 0 ? ", " + number_text(plan.kept_shards) + " of them there and good" : std::string()));
  text +=
      line("output", human_bytes(plan.shard_bytes_total) + " in all, " + (plan.exact ? "" : "at most ") + number_text(plan.bytes_to_write) +
                         " bytes to write" + (plan.free_bytes ? ", " + human_bytes(*plan.free_bytes) + " free" : std::string()));
  if (plan.samples > 0)
    text += line("memory",
                 human_bytes(plan.plan_bytes) + " for the plan, " + std::to_string(plan.plan_bytes / plan.samples) + " bytes per sample");
  return text;
}

// By --ignore NAME: nothing becomes the class, though no map says so.
bool is_ignored(const Schema& schema, std::size_t c) {
  const auto& more = schema.options.more;
  const bool mapped = std::any_of(more.begin(), more.end(), [](const auto& option) { return option.first == "map"; });
  return schema.label && schema.label->scope == LabelScope::pixel && !schema.label->multi && !mapped && schema.classes[c].sources.empty();
}

std::string classes_text(const Schema& schema, const Statistics& statistics) {
  if (schema.classes.empty() || statistics.pixels.size() != schema.classes.size()) return "";
  constexpr std::size_t kMostListed = 40;
  const std::uint64_t seen = std::accumulate(statistics.pixels.begin(), statistics.pixels.end(), std::uint64_t{0});
  const double labelled = static_cast<double>(std::max<std::uint64_t>(1, seen));
  std::size_t width = 7;
  for (std::size_t c = 0; c < std::min(kMostListed, schema.classes.size()); ++c)
    width = std::max(width, std::min<std::size_t>(24, text_width(schema.classes[c].name)));
  std::string text;
  const auto row = [&](const std::string& name, std::uint64_t pixels, double of, const std::string& more) {
    std::string shown = truncated(printable_name(name), width);
    shown.append(width - text_width(shown), ' ');
    const std::string share = percent_text(static_cast<double>(pixels) / of);
    text += "  " + shown + std::string(10 - std::min<std::size_t>(9, share.size()), ' ') + share + more + "\n";
  };
  for (std::size_t c = 0; c < std::min(kMostListed, schema.classes.size()); ++c)
    row(schema.classes[c].name, statistics.pixels[c], labelled,
        is_ignored(schema, c)        ? "  ignored"
        : statistics.samples[c] == 0 ? "  never seen"
                                     : "  in " + counted_text(statistics.samples[c], "sample"));
  if (schema.classes.size() > kMostListed) text += "  … and " + number_text(schema.classes.size() - kMostListed) + " more classes\n";
  // Where a pixel may be of several classes, their sum is not the number of pixels.
  if (statistics.ignored > 0 && schema.label && schema.label->multi)
    text += "  of no class: " + counted_text(statistics.ignored, "pixel") + "\n";
  else if (statistics.ignored > 0)
    row("ignored", statistics.ignored, static_cast<double>(seen + statistics.ignored), "  of all");
  return text;
}

Json classes_json(const Schema& schema, const Statistics& statistics) {
  Json list = Json::array();
  for (std::size_t c = 0; c < schema.classes.size(); ++c)
    list.push_back(Json{{"name", schema.classes[c].name}, {"pixels", statistics.pixels[c]}, {"samples", statistics.samples[c]}});
  return list;
}

std::string remarks_text(const pipeline::DiagnosticCounts& remarks) {
  std::string text;
  const auto remark = [&](std::uint64_t count, const std::string& thing, const std::string& what) {
    if (count > 0) text += counted_text(count, thing) + ": " + what + "\n";
  };
  remark(remarks.unknown_pixels, "label pixel",
         "unknown values in " + counted_text(remarks.unknown_samples, "sample") + ", settled by --unknown");
  remark(remarks.nearest_pixels, "label pixel", "took the class of the nearest color (--unknown nearest)");
  remark(remarks.label_resized, "label", "another size than the image, settled by --size-mismatch");
  remark(remarks.rotated, "image", "turned by EXIF orientation");
  remark(remarks.left_as_stored, "image",
         "not turned by EXIF orientation, because that is how the label fits; viewers turn it, so compare both");
  remark(remarks.beyond_palette, "palette label", "an index beyond the palette, taken as an id");
  remark(remarks.channels_differ, "binary mask", "channels that differ by more than 16; luma decided");
  remark(remarks.alpha_varies, "label", "transparency that is not constant, dropped");
  return text;
}

std::string plan_text(const pipeline::PackRun& run) {
  std::string text = input_text(run);
  for (const PackReport& set : run.sets) {
    if (!set.split.empty()) text += line("set", set.split + ", to " + printable_name(set.output));
    if (set.partition) text += line("part", partition_text(*set.partition));
    text += plan_text(set.plan);
  }
  return text;
}

std::string summary_text(const pipeline::PackRun& run, double seconds) {
  std::string text = input_text(run);
  for (const PackReport& set : run.sets) text += set_text(set, run.sets.size() == 1 ? seconds : -1);
  if (run.sets.size() > 1 && run.status == PackStatus::packed) text += line("time", human_duration(seconds) + " in all");
  return text + next_text(run);
}

std::string report_json(const pipeline::PackRun& run, double seconds) {
  Json json{{"status", status_name(run.status)}, {"problems", problems_json(run.problems)}, {"orphans_left_out", run.orphans_left_out}};
  json["other_files"] = run.other_files;
  json["seconds"] = seconds;
  if (!run.layout.empty()) json["layout"] = format::with_valid_utf8(printable(run.layout));
  const bool single = run.sets.size() == 1 && run.sets.front().split.empty();
  if (single) json.update(set_json(run.sets.front()));
  if (!single && !run.sets.empty()) {
    json["sets"] = Json::array();
    for (const PackReport& set : run.sets) json["sets"].push_back(set_json(set));
  }
  return format::canonical_json(json) + "\n";
}

}  // namespace hotpack::cli
