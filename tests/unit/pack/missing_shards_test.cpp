#include "pack/missing_shards.hpp"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "format/pack_folder.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;

namespace {

// Files with names of shards; their contents do not matter.
std::string folder_of(const TempFolder& parent, const std::string& name,
                      const std::vector<std::uint64_t>& shards, std::uint64_t count) {
  for (const std::uint64_t shard : shards)
    parent.write(name + "/" + format::shard_file_name(shard, count), "x");
  return parent / name;
}

// "4,9-10" as numbers.
std::set<std::uint64_t> numbers_in(const std::string& list) {
  std::set<std::uint64_t> numbers;
  for (std::size_t at = 0; at < list.size();) {
    std::size_t used = 0;
    const std::uint64_t first = std::stoull(list.substr(at), &used);
    at += used;
    std::uint64_t last = first;
    if (at < list.size() && list[at] == '-') {
      last = std::stoull(list.substr(at + 1), &used);
      at += 1 + used;
    }
    for (std::uint64_t number = first; number <= last; ++number) numbers.insert(number);
    ++at;  // the comma
  }
  return numbers;
}

}  // namespace

TEST_CASE("missing shards are found by names alone") {
  const TempFolder parent;
  CHECK_FALSE(find_missing({parent / "not there"}));
  std::filesystem::create_directory(parent / "empty");
  CHECK_FALSE(find_missing({parent / "empty"}));
  const std::string a = folder_of(parent, "a", {0, 1}, 5), b = folder_of(parent, "b", {1, 3}, 5);
  CHECK(find_missing({a})->text() ==
        "3 of 5 shards are missing: 2-4, the first is " + format::shard_file_name(2, 5));
  CHECK(find_missing({a, b, parent / "not there"})->list() == "2,4");
  const std::string whole = folder_of(parent, "whole", {0, 1, 2, 3, 4}, 5);
  CHECK(find_missing({whole})->empty());
  CHECK(find_missing({whole})->text() == "no shard is missing");
  CHECK(find_missing({a, folder_of(parent, "other", {0}, 9)})->empty());
}

TEST_CASE("a forged number of shards costs neither time nor memory") {
  const TempFolder parent;
  const std::uint64_t most = 999'999'999'999;
  const auto missing = find_missing({folder_of(parent, "forged", {7}, most)});
  REQUIRE(missing);
  CHECK(missing->list() == "0-6,8-999999999998");
  CHECK(missing->count() == most - 1);
  CHECK(missing->partition_list(1'000'000'000) == "0-999999999");
}

TEST_CASE("the partitions of missing shards are those whose ranges hold them") {
  for (const std::uint64_t shards : std::vector<std::uint64_t>{1, 2, 7, 41})
    for (std::uint64_t partitions = 1; partitions <= 50; ++partitions)
      for (std::uint64_t step = 1; step <= 4; ++step) {
        std::vector<std::uint64_t> present;
        std::set<std::uint64_t> expected;
        for (std::uint64_t shard = 0; shard < shards; ++shard) {
          if (shard % step == step - 1) {
            present.push_back(shard);
          } else {
            expected.insert(partition_of(shard, shards, partitions));
          }
        }
        CHECK(numbers_in(missing_from(shards, present).partition_list(partitions)) == expected);
      }
}

TEST_CASE("lists of missing shards are written as --array takes them") {
  CHECK(missing_from(0, {}).list().empty());
  CHECK(missing_from(5, {0, 1, 2, 3}).list() == "4");
  CHECK(missing_from(11, {0, 1, 2, 3, 5, 6, 7, 8}).list() == "4,9-10");
  CHECK(missing_from(8, {3, 5}).list() == "0-2,4,6-7");
}

TEST_CASE("people read the first twenty ranges of missing shards") {
  std::vector<std::uint64_t> present;
  for (std::uint64_t shard = 1; shard < 100; shard += 2) present.push_back(shard);
  const std::string text = missing_from(100, present).short_list();
  CHECK(text.substr(0, 7) == "0, 2, 4");
  CHECK(text.substr(text.rfind("38")) == "38, …");
  CHECK(missing_from(4, {1}).short_list() == "0, 2-3");
}

TEST_CASE("partitions that write what several splits lack are named once") {
  const std::vector<MissingShards> splits = {missing_from(6, {0, 1, 2, 3, 4}),
                                             missing_from(6, {1, 2, 4, 5}), missing_from(2, {0})};
  const PartitionsToRun runs = partitions_to_run(splits, 4);
  CHECK(runs.list == "0-1,3");
  CHECK(runs.count == 3);
  CHECK(run_again_text(splits, 4) ==
        "run 3 of 4 partitions again: HOTPACK_PARTITIONS=4 and --array=0-1,3");
  CHECK(run_again_text({splits.data(), 1}, 4) ==
        "run partition 3 of 4 again: HOTPACK_PARTITIONS=4 and --array=3");
  CHECK(partitions_to_run({}, 4).list.empty());
}
