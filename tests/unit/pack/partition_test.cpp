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

std::string automatic(const Values& values) { return parsed("auto", values); }

Values array_of(const char* id, const char* min, const char* max, const char* step,
                const char* count) {
  return {{"SLURM_ARRAY_TASK_ID", id},
          {"SLURM_ARRAY_TASK_MIN", min},
          {"SLURM_ARRAY_TASK_MAX", max},
          {"SLURM_ARRAY_TASK_STEP", step},
          {"SLURM_ARRAY_TASK_COUNT", count}};
}

Values with(Values values, const Values& more) {
  values.insert(more.begin(), more.end());
  return values;
}

const Values kStep{{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "2"}, {"SLURM_NTASKS", "4"}};
const Values kBatchScript{{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}};

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

// ---- auto

TEST_CASE("option --partition auto: a Slurm array counts from its lowest id") {
  CHECK(automatic(array_of("0", "0", "9", "1", "10")) == "0/10");
  CHECK(automatic(array_of("9", "0", "9", "1", "10")) == "9/10");
  CHECK(automatic(array_of("1", "1", "16", "1", "16")) == "0/16");
  CHECK(automatic(array_of("30", "10", "90", "10", "9")) == "2/9");
  CHECK(automatic(array_of("7", "7", "7", "1", "1")) == "0/1");
}

TEST_CASE("option --partition auto: a Slurm array with gaps is refused") {
  for (const Values& values :
       {array_of("3", "1", "7", "1", "3"), array_of("2", "1", "7", "2", "4"),
        array_of("0", "1", "7", "1", "7"), array_of("8", "1", "7", "1", "7"),
        array_of("1", "1", "7", "0", "7"), array_of("1", "7", "1", "1", "7"),
        array_of("1", "1", "8", "2", "4"), array_of("1", "1", "7", "1", "0")})
    CHECK_THAT(automatic(values), ContainsSubstring("SLURM_ARRAY_TASK_ID") &&
                                      ContainsSubstring("evenly spaced ids") &&
                                      ContainsSubstring("--partition I/N"));
}

TEST_CASE("option --partition auto: srun's tasks, where there are several") {
  CHECK(automatic(kStep) == "2/4");
  CHECK(automatic({{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}) == "0/4");
  CHECK(automatic({{"SLURM_PROCID", "3"}, {"SLURM_NTASKS", "4"}}) == "3/4");
  CHECK_THAT(automatic({{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}}),
             ContainsSubstring("finds no scheduler"));
}

TEST_CASE("option --partition auto: a Slurm batch script is not its first task") {
  CHECK_THAT(automatic(kBatchScript),
             ContainsSubstring("batch script") && ContainsSubstring("srun"));
  CHECK(automatic(with(array_of("2", "0", "9", "1", "10"), kBatchScript)) == "2/10");
  CHECK(automatic(with(array_of("2", "0", "9", "1", "10"), {{"SLURM_PROCID", "0"}})) == "2/10");
}

TEST_CASE("option --partition auto: tasks in a Slurm array divide its part") {
  CHECK(automatic(with(array_of("2", "0", "9", "1", "10"), kStep)) == "10/40");
  CHECK_THAT(automatic(with(array_of("0", "0", "999999999", "1", "1000000000"), kStep)),
             ContainsSubstring("too many"));
}

TEST_CASE("option --partition auto: a Kubernetes indexed Job needs its size") {
  CHECK(automatic({{"JOB_COMPLETION_INDEX", "3"}, {"JOB_COMPLETIONS", "8"}}) == "3/8");
  CHECK(automatic({{"JOB_COMPLETION_INDEX", "3"}, {"HOTPACK_PARTITIONS", "8"}}) == "3/8");
  CHECK(automatic({{"JOB_COMPLETION_INDEX", "3"},
                   {"JOB_COMPLETIONS", "8"},
                   {"HOTPACK_PARTITIONS", "8"}}) == "3/8");
  CHECK_THAT(automatic({{"JOB_COMPLETION_INDEX", "3"}}),
             ContainsSubstring("HOTPACK_PARTITIONS") && ContainsSubstring("completions"));
}

TEST_CASE("option --partition auto: Open MPI and torchrun by their global ranks") {
  CHECK(automatic({{"OMPI_COMM_WORLD_RANK", "1"},
                   {"OMPI_COMM_WORLD_SIZE", "3"},
                   {"OMPI_COMM_WORLD_LOCAL_RANK", "0"}}) == "1/3");
  CHECK(automatic(
            {{"RANK", "5"}, {"WORLD_SIZE", "6"}, {"LOCAL_RANK", "1"}, {"LOCAL_WORLD_SIZE", "2"}}) ==
        "5/6");
  CHECK_THAT(automatic({{"LOCAL_RANK", "1"}, {"LOCAL_WORLD_SIZE", "2"}}),
             ContainsSubstring("finds no scheduler"));
}

TEST_CASE("option --partition auto: schedulers that disagree are refused by name") {
  const Values mpi{{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "4"}};
  CHECK(automatic(with(kStep, mpi)) == "2/4");
  CHECK(automatic(with(kBatchScript, mpi)) == "2/4");
  const std::string message = automatic(with(array_of("0", "0", "9", "1", "10"), mpi));
  CHECK_THAT(message, ContainsSubstring("SLURM_ARRAY_TASK_ID") && ContainsSubstring("0/10"));
  CHECK_THAT(message, ContainsSubstring("OMPI_COMM_WORLD_RANK") && ContainsSubstring("2/4") &&
                          ContainsSubstring("--partition I/N"));
}

TEST_CASE("option --partition auto: a world of one process gives way") {
  const Values alone{{"RANK", "0"}, {"WORLD_SIZE", "1"}};
  CHECK(automatic(alone) == "0/1");
  CHECK(automatic(with(array_of("4", "0", "9", "1", "10"), alone)) == "4/10");
}

TEST_CASE("option --partition auto: HOTPACK_PARTITIONS must match what was found") {
  CHECK(automatic(with(kStep, {{"HOTPACK_PARTITIONS", "4"}})) == "2/4");
  // A part of an array that was submitted again numbers other partitions.
  CHECK_THAT(automatic(with(array_of("3", "3", "4", "1", "2"), {{"HOTPACK_PARTITIONS", "10"}})),
             ContainsSubstring("HOTPACK_PARTITIONS is 10") && ContainsSubstring("0/2"));
  CHECK_THAT(
      automatic(
          {{"JOB_COMPLETION_INDEX", "3"}, {"JOB_COMPLETIONS", "8"}, {"HOTPACK_PARTITIONS", "9"}}),
      ContainsSubstring("HOTPACK_PARTITIONS is 9"));
}

TEST_CASE("option --partition auto: without a scheduler the error lists them") {
  for (const Values& values :
       {Values{}, Values{{"HOTPACK_PARTITIONS", "4"}}, Values{{"SLURM_NTASKS", "4"}},
        Values{{"WORLD_SIZE", "4"}}, Values{{"RANK", ""}, {"WORLD_SIZE", ""}}}) {
    const std::string message = automatic(values);
    for (const char* name : {"SLURM_ARRAY_TASK_ID", "SLURM_PROCID", "JOB_COMPLETION_INDEX",
                             "OMPI_COMM_WORLD_RANK", "RANK", "--partition I/N"})
      CHECK_THAT(message, ContainsSubstring(name));
  }
}

TEST_CASE("option --partition auto: bad and missing variables are refused by name") {
  CHECK_THAT(automatic({{"RANK", "two"}, {"WORLD_SIZE", "4"}}), ContainsSubstring("RANK is 'two'"));
  CHECK_THAT(automatic({{"RANK", "-1"}, {"WORLD_SIZE", "4"}}), ContainsSubstring("RANK is '-1'"));
  CHECK_THAT(automatic({{"RANK", "1"}, {"WORLD_SIZE", "4 "}}),
             ContainsSubstring("WORLD_SIZE is '4 '"));
  CHECK_THAT(automatic({{"RANK", "4"}, {"WORLD_SIZE", "4"}}),
             ContainsSubstring("RANK is 4") && ContainsSubstring("WORLD_SIZE is 4"));
  CHECK_THAT(automatic({{"RANK", "0"}, {"WORLD_SIZE", "0"}}), ContainsSubstring("WORLD_SIZE is 0"));
  CHECK_THAT(automatic({{"RANK", "1"}}), ContainsSubstring("RANK is set, but WORLD_SIZE is not"));
  CHECK_THAT(automatic({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "x"}}),
             ContainsSubstring("OMPI_COMM_WORLD_SIZE is 'x'"));
  CHECK_THAT(automatic({{"JOB_COMPLETION_INDEX", "1"}, {"HOTPACK_PARTITIONS", "many"}}),
             ContainsSubstring("HOTPACK_PARTITIONS is 'many'"));
  CHECK_THAT(automatic({{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "4(x2)"}}),
             ContainsSubstring("SLURM_NTASKS is '4(x2)'"));
  Values incomplete = array_of("1", "0", "9", "1", "10");
  incomplete.erase("SLURM_ARRAY_TASK_COUNT");
  CHECK_THAT(automatic(incomplete), ContainsSubstring("SLURM_ARRAY_TASK_COUNT is not"));
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

// ---- parts of shards

TEST_CASE("the parts of missing shards are those whose ranges hold them") {
  for (const std::uint64_t shards : std::vector<std::uint64_t>{1, 2, 7, 40, 41}) {
    for (std::uint64_t count = 1; count <= 50; ++count) {
      std::vector<std::uint64_t> all, expected;
      for (std::uint64_t index = 0; index < count; ++index) {
        const ShardRange range = shards_of({index, count}, shards);
        for (std::uint64_t shard = range.first; shard < range.end; ++shard) {
          all.push_back(shard);
          CHECK(parts_of({shard}, shards, count) == std::vector<std::uint64_t>{index});
        }
        if (range.first < range.end) expected.push_back(index);
      }
      CHECK(parts_of(all, shards, count) == expected);
    }
  }
  CHECK(parts_of({}, 7, 3).empty());
  const std::uint64_t most = ~std::uint64_t{0};
  CHECK(parts_of({0, most - 1}, most, 1'000'000'000) == std::vector<std::uint64_t>{0, 999'999'999});
}

TEST_CASE("a list of parts is written as --array takes it") {
  CHECK(array_list({}).empty());
  CHECK(array_list({4}) == "4");
  CHECK(array_list({4, 9, 10}) == "4,9-10");
  CHECK(array_list({0, 1, 2, 4, 6, 7}) == "0-2,4,6-7");
}
