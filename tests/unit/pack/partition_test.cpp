#include "pack/partition.hpp"

#include <map>
#include <string>

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;

namespace {

using Values = std::map<std::string, std::string>;

Environment environment_of(const Values& values) {
  return [values](const char* name) {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
}

// "I/N", or the message of the refusal.
std::string parsed(const std::string& text, const Values& values = {}) {
  const Result<Partition> partition = parse_partition(text, environment_of(values));
  if (partition.ok())
    return std::to_string(partition->index) + "/" + std::to_string(partition->count);
  CHECK(partition.error().code == ErrorCode::usage);
  return partition.error().message;
}

}  // namespace

// ---- I/N

TEST_CASE("a partition is I/N, counted from 0") {
  CHECK(parsed("0/1") == "0/1");
  CHECK(parsed("0/4") == "0/4");
  CHECK(parsed("3/4") == "3/4");
  CHECK(parsed("999999999/1000000000") == "999999999/1000000000");
}

TEST_CASE("an invalid partition is refused with what was found and expected") {
  for (const std::string text :
       {"",      "3",     "/",    "1/",           "/4",
        "4/4",   "5/4",   "0/0",  "-1/4",         "+1/4",
        "1/-4",  " 1/4",  "1/4 ", "1/4/2",        "a/4",
        "1.5/4", "0x1/4", "AUTO", "0/1000000001", "0/99999999999999999999"}) {
    INFO(text);
    CHECK_THAT(parsed(text), ContainsSubstring("'" + text + "'") && ContainsSubstring("I/N"));
  }
}

TEST_CASE("a partition is refused if HOTPACK_PARTITIONS has another number") {
  CHECK(parsed("1/4", {{"HOTPACK_PARTITIONS", "4"}}) == "1/4");
  CHECK(parsed("1/4", {{"HOTPACK_PARTITIONS", ""}}) == "1/4");
  CHECK(parsed("1/4", {{"HOTPACK_PARTITION", "2/4"}}) == "1/4");
  CHECK_THAT(parsed("1/4", {{"HOTPACK_PARTITIONS", "5"}}),
             ContainsSubstring("'1/4'") && ContainsSubstring("HOTPACK_PARTITIONS is 5") &&
                 ContainsSubstring("unset"));
  CHECK_THAT(parsed("1/4", {{"HOTPACK_PARTITIONS", "x"}}),
             ContainsSubstring("HOTPACK_PARTITIONS is 'x'"));
}

TEST_CASE("the partition auto is that of the scheduler") {
  CHECK(parsed("auto", {{"RANK", "1"}, {"WORLD_SIZE", "3"}}) == "1/3");
  CHECK_THAT(parsed("auto"), ContainsSubstring("finds no scheduler"));
}

// ---- shards

TEST_CASE("partitions are contiguous, cover all shards and differ by one at most") {
  for (const std::uint64_t shards : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2},
                                     std::uint64_t{7}, std::uint64_t{100}}) {
    for (std::uint64_t count = 1; count <= 9; ++count) {
      std::uint64_t next = 0, most = 0, fewest = shards;
      for (std::uint64_t index = 0; index < count; ++index) {
        const ShardRange range = shards_of({index, count}, shards);
        CHECK(range.first == next);
        REQUIRE(range.end >= range.first);
        most = std::max(most, range.end - range.first);
        fewest = std::min(fewest, range.end - range.first);
        next = range.end;
      }
      CHECK(next == shards);
      CHECK(most - fewest <= 1);
    }
  }
}

TEST_CASE("more partitions than shards leave the last ones empty") {
  CHECK(shards_of({1, 7}, 2).end == 2);
  for (std::uint64_t index = 2; index < 7; ++index)
    CHECK(shards_of({index, 7}, 2).first == shards_of({index, 7}, 2).end);
}

TEST_CASE("the range of a partition does not overflow") {
  const std::uint64_t shards = ~std::uint64_t{0};
  const ShardRange last = shards_of({999'999'999, 1'000'000'000}, shards);
  CHECK(last.end == shards);
  CHECK(last.end - last.first == shards / 1'000'000'000);
}

TEST_CASE("each shard is written by the partition whose range holds it") {
  for (const std::uint64_t shards : std::vector<std::uint64_t>{1, 2, 7, 40, 41})
    for (std::uint64_t count = 1; count <= 50; ++count)
      for (std::uint64_t index = 0; index < count; ++index) {
        const ShardRange range = shards_of({index, count}, shards);
        for (std::uint64_t shard = range.first; shard < range.end; ++shard)
          CHECK(partition_of(shard, shards, count) == index);
      }
  const std::uint64_t most = ~std::uint64_t{0};
  CHECK(partition_of(most - 1, most, 1'000'000'000) == 999'999'999);
}
