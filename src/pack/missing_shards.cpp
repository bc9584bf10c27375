#include "pack/missing_shards.hpp"

#include <algorithm>
#include <cstddef>
#include <set>

#include "base/folder.hpp"
#include "base/text.hpp"
#include "format/pack_folder.hpp"

namespace hotpack::pipeline {

namespace {

std::string range_text(const ShardRange& range) {
  return std::to_string(range.first) +
         (range.end - range.first > 1 ? "-" + std::to_string(range.end - 1) : std::string());
}

// The partitions that write the shards, in place of shards.
MissingShards writers_of(const MissingShards& missing, std::uint64_t partitions) {
  // Every partition between the first and the last of a range writes shards of it.
  MissingShards writers{partitions, {}};
  for (const ShardRange& range : missing.ranges) {
    const std::uint64_t first = partition_of(range.first, missing.shards, partitions);
    const std::uint64_t end = partition_of(range.end - 1, missing.shards, partitions) + 1;
    if (!writers.empty() && first <= writers.ranges.back().end) {
      writers.ranges.back().end = end;
    } else {
      writers.ranges.push_back({first, end});
    }
  }
  return writers;
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
  return writers_of(*this, partitions).list();
}

std::uint64_t MissingShards::partition_count(std::uint64_t partitions) const {
  return writers_of(*this, partitions).count();
}

std::string MissingShards::text() const {
  const std::uint64_t lacking = count();
  if (lacking == 0) return "no shard is missing";
  const std::string name = format::shard_file_name(ranges.front().first, shards);
  return std::to_string(lacking) + " of " + counted_text(shards, "shard") +
         (lacking == 1 ? " is missing: " + name
                       : " are missing: " + short_list() + ", the first is " + name);
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
