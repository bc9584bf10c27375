#include "cli/plan_description.hpp"

#include <algorithm>

#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "cli/pack_description.hpp"
#include "cli/text.hpp"
#include "pack/partition.hpp"
#include "pack/plan_file.hpp"

namespace hotpack::cli {

namespace {

using format::Json;
using pipeline::PlanFile;
using pipeline::ShardRange;

// Bytes of all shards, and of those of the largest partition; upper bounds with --zstd.
struct Volume {
  std::uint64_t all = 0, largest_part = 0;
};
Result<Volume> volume_of(const pipeline::Plan& plan, std::uint64_t partitions) {
  Volume volume;
  for (std::uint64_t index = 0; index < partitions; ++index) {
    const ShardRange range = pipeline::shards_of({index, partitions}, plan.shards.size());
    if (range.first == range.end) break;  // so are all later ones
    std::uint64_t bytes = 0;
    for (std::uint64_t shard = range.first; shard < range.end; ++shard) {
      HOTPACK_ASSIGN(const std::uint64_t more,
                     plan.shard_file_bytes(static_cast<std::size_t>(shard)));
      bytes += more;
    }
    volume.all += bytes;
    volume.largest_part = std::max(volume.largest_part, bytes);
  }
  return volume;
}

void add_partitions(Report& report, std::uint64_t shards, std::uint64_t partitions,
                    std::uint64_t largest_bytes) {
  const ShardRange first = pipeline::shards_of({0, partitions}, shards);
  const ShardRange last = pipeline::shards_of({partitions - 1, partitions}, shards);
  const std::uint64_t most = first.end - first.first, least = last.end - last.first;
  const std::string each = most == least
                               ? counted_text(most, "shard")
                               : std::to_string(least) + " or " + counted_text(most, "shard");
  report.line("parts", number_text(partitions) + " of " + each + ", at most " +
                           human_bytes(largest_bytes) + " each");
  report.member("partitions", Json{{"count", partitions},
                                   {"least_shards", least},
                                   {"most_shards", most},
                                   {"most_bytes", largest_bytes}});
}

// The folders of images and labels, each once. A table may name files by absolute paths, too: they
// are in no folder.
std::vector<std::string> input_folders(const pipeline::SampleList& list) {
  std::vector<std::string> folders;
  for (const auto* files : {&list.images, &list.labels})
    for (const pipeline::Root& root : files->roots)
      if (!root.folder.empty() &&
          std::find(folders.begin(), folders.end(), root.folder) == folders.end())
        folders.push_back(root.folder);
  return folders;
}

Result<Report> describe_set(const std::string& path, const PlanFile& file, std::size_t set,
                            const std::optional<std::uint64_t>& partitions) {
  HOTPACK_ASSIGN(const pipeline::PlannedSet planned, file.read(set, {0, 0}));
  const pipeline::Plan& plan = planned.plan;
  HOTPACK_ASSIGN(const Volume volume, volume_of(plan, partitions.value_or(1)));
  const std::string at_most = plan.exact() ? "" : "at most ";
  Report report;
  report.member("plan_file", format::with_valid_utf8(path));
  report.member("split", file.set_name(set));
  report.line("plan",
              printable_name(path) + (file.set_name(set).empty()
                                          ? std::string()
                                          : ", split " + printable_name(file.set_name(set))));
  report.member("samples", plan.identity.samples);
  report.line("samples", number_text(plan.identity.samples));
  report.member("shards", plan.identity.shards);
  report.member("bytes", volume.all);
  report.member("exact", plan.exact());
  report.line("shards",
              number_text(plan.identity.shards) + ", " + at_most + human_bytes(volume.all));
  if (partitions) add_partitions(report, plan.identity.shards, *partitions, volume.largest_part);
  add_schema(report, plan.schema);
  report.member("plan", Json{{"samples", plan.identity.samples},
                             {"shards", plan.identity.shards},
                             {"keys", plan.identity.keys}});
  const std::vector<std::string> folders = input_folders(planned.list);
  report.member("inputs", folders);
  std::string lines;
  for (const std::string& folder : folders)
    lines += (lines.empty() ? "" : "\n") + printable_name(folder);
  report.line("inputs", lines);
  report.line("next", "for each part I of N, from 0: hotpack pack --plan " + shell_word(path) +
                          " --partition I/N -o DIR");
  return report;
}

}  // namespace

Result<std::vector<Report>> plan_description(const std::string& path,
                                             const std::optional<std::uint64_t>& partitions) {
  HOTPACK_ASSIGN(const PlanFile file, PlanFile::open(path));
  std::vector<Report> reports;
  for (std::size_t set = 0; set < file.set_count(); ++set) {
    HOTPACK_ASSIGN(Report report, describe_set(path, file, set, partitions));
    reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace hotpack::cli
