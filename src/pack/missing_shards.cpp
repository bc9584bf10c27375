#include "pack/missing_shards.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "base/folder.hpp"
#include "base/text.hpp"
#include "format/pack_folder.hpp"

namespace hotpack::pipeline {

namespace {

std::string range_text(const ShardRange& range) {
  return std::to_string(range.first) +
         (range.end - range.first > 1 ? "-" + std::to_string(range.end - 1) : std::string());
}

// Every partition between the first and the last of a range writes shards of it.
ShardRange writers_of(const ShardRange& range, std::uint64_t shards, std::uint64_t partitions) {
  return {partition_of(range.first, shards, partitions),
          partition_of(range.end - 1, shards, partitions) + 1};
}

// Joins ranges that overlap or touch.
std::vector<ShardRange> joined(std::vector<ShardRange> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const ShardRange& a, const ShardRange& b) { return a.first < b.first; });
  std::vector<ShardRange> result;
  for (const ShardRange& range : ranges) {
    if (!result.empty() && range.first <= result.back().end)
      result.back().end = std::max(result.back().end, range.end);
    else
      result.push_back(range);
  }
  return result;
}

}  // namespace

std::uint64_t MissingShards::count() const {
  std::uint64_t count = 0;
  for (const ShardRange& range : ranges) count += range.end - range.first;
  return count;
}

std::string MissingShards::list() const {
  std::string text;
  for (const ShardRange& range : ranges) text += (text.empty() ? "" : ",") + range_text(range);
  return text;
}

std::string MissingShards::short_list() const {
  constexpr std::size_t kMostRanges = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(ranges.size(), kMostRanges); ++i)
    text += (i == 0 ? "" : ", ") + range_text(ranges[i]);
  return ranges.size() <= kMostRanges ? text : text + ", …";
}

std::string MissingShards::partition_list(std::uint64_t partitions) const {
  return partitions_to_run({this, 1}, partitions).list;
}

std::string MissingShards::text() const {
  const std::uint64_t lacking = count();
  if (lacking == 0) return "no shard is missing";
  const std::string name = format::shard_file_name(ranges.front().first, shards);
  return std::to_string(lacking) + " of " + counted_text(shards, "shard") +
         (lacking == 1 ? " is missing: " + name
                       : " are missing: " + short_list() + ", the first is " + name);
}

PartitionsToRun partitions_to_run(std::span<const MissingShards> splits, std::uint64_t partitions) {
  std::vector<ShardRange> writers;
  for (const MissingShards& split : splits)
    for (const ShardRange& range : split.ranges)
      writers.push_back(writers_of(range, split.shards, partitions));
  const MissingShards all{partitions, joined(std::move(writers))};
  return {all.count(), all.list()};
}

std::string run_again_text(std::span<const MissingShards> splits, std::uint64_t partitions) {
  const PartitionsToRun runs = partitions_to_run(splits, partitions);
  const std::string all = std::to_string(partitions);
  const std::string which = runs.count == 1
                                ? "partition " + runs.list + " of " + all
                                : std::to_string(runs.count) + " of " + all + " partitions";
  return "run " + which + " again: HOTPACK_PARTITIONS=" + all + " and --array=" + runs.list;
}

MissingShards missing_from(std::uint64_t shards, const std::vector<std::uint64_t>& present) {
  MissingShards missing{shards, {}};
  std::uint64_t next = 0;
  const auto add = [&](std::uint64_t end) {
    if (next < end) missing.ranges.push_back({next, end});
  };
  for (const std::uint64_t index : present) {
    add(index);
    next = index + 1;
  }
  add(shards);
  return missing;
}

std::optional<MissingShards> find_missing(const std::vector<std::string>& folders) {
  std::set<std::uint64_t> counts, present;
  for (const std::string& folder : folders) {
    const auto names = names_in_folder(folder);
    if (!names.ok()) continue;
    for (const format::ShardName& name : format::describe_pack_folder(*names).shards) {
      counts.insert(name.count);
      present.insert(name.index);
    }
  }
  if (counts.empty()) return std::nullopt;
  if (counts.size() > 1) return MissingShards{*counts.rbegin(), {}};
  return missing_from(*counts.begin(), {present.begin(), present.end()});
}

}  // namespace hotpack::pipeline
