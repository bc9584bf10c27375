#include "pack/schedulers.hpp"

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
std::string automatic(const Values& values) {
  const Result<Partition> partition = scheduled_partition(environment_of(values));
  if (partition.ok())
    return std::to_string(partition->index) + "/" + std::to_string(partition->count);
  CHECK(partition.error().code == ErrorCode::usage);
  return partition.error().message;
}

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

TEST_CASE("option --partition auto: a Slurm array counts from its lowest id") {
  CHECK(automatic(array_of("0", "0", "9", "1", "10")) == "0/10");
  CHECK(automatic(array_of("9", "0", "9", "1", "10")) == "9/10");
  CHECK(automatic(array_of("1", "1", "16", "1", "16")) == "0/16");
  CHECK(automatic(array_of("30", "0", "90", "10", "10")) == "3/10");
  CHECK(automatic(array_of("0", "0", "0", "1", "1")) == "0/1");
}

TEST_CASE("option --partition auto: a Slurm array with gaps is refused") {
  for (const Values& values :
       {array_of("3", "1", "7", "1", "3"), array_of("2", "1", "7", "2", "4"),
        array_of("0", "1", "7", "1", "7"), array_of("8", "1", "7", "1", "7"),
        array_of("1", "1", "7", "0", "7"), array_of("1", "7", "1", "1", "7"),
        array_of("1", "1", "8", "2", "4"), array_of("1", "1", "7", "1", "0")})
    CHECK_THAT(automatic(values), ContainsSubstring("SLURM_ARRAY_TASK_ID") &&
                                      ContainsSubstring("evenly spaced ids") &&
                                      ContainsSubstring("set HOTPACK_PARTITIONS") &&
                                      ContainsSubstring("--partition I/N"));
}

// Whoever runs elements 4 and 5 of an array again would get the halves of the data set.
TEST_CASE("option --partition auto: an array from 2 or more may be a part") {
  for (const Values& values :
       {array_of("4", "4", "5", "1", "2"), array_of("7", "7", "7", "1", "1"),
        array_of("30", "10", "90", "10", "9"), array_of("2", "2", "11", "1", "10")})
    CHECK_THAT(automatic(values), ContainsSubstring("does not start at 0 or 1") &&
                                      ContainsSubstring("set HOTPACK_PARTITIONS") &&
                                      ContainsSubstring("--partition I/N"));
}

TEST_CASE("option --partition auto: with HOTPACK_PARTITIONS an id is a partition") {
  const Values forty{{"HOTPACK_PARTITIONS", "40"}}, ten{{"HOTPACK_PARTITIONS", "10"}};
  // --array=4,9,10, whatever Slurm says of the step; 4-5; 7; 0; the whole
  CHECK(automatic(with(array_of("4", "4", "10", "1", "3"), forty)) == "4/40");
  CHECK(automatic(with(array_of("9", "4", "10", "1", "3"), forty)) == "9/40");
  CHECK(automatic(with(array_of("10", "4", "10", "5", "3"), forty)) == "10/40");
  CHECK(automatic(with(array_of("5", "4", "5", "1", "2"), ten)) == "5/10");
  CHECK(automatic(with(array_of("7", "7", "7", "1", "1"), ten)) == "7/10");
  CHECK(automatic(with(array_of("0", "0", "0", "1", "1"), ten)) == "0/10");
  CHECK(automatic(with(array_of("39", "0", "39", "1", "40"), forty)) == "39/40");
}

TEST_CASE("option --partition auto: a whole array may start anywhere, in steps") {
  const Values ten{{"HOTPACK_PARTITIONS", "10"}};
  CHECK(automatic(with(array_of("1", "1", "10", "1", "10"), ten)) == "0/10");
  CHECK(automatic(with(array_of("10", "1", "10", "1", "10"), ten)) == "9/10");
  CHECK(automatic(with(array_of("30", "0", "90", "10", "10"), ten)) == "3/10");
  CHECK(automatic(with(array_of("12", "3", "12", "1", "10"), ten)) == "9/10");
}

TEST_CASE("option --partition auto: ids that may not be partitions are refused") {
  const Values ten{{"HOTPACK_PARTITIONS", "10"}};
  // Elements of 0-90:10, of 1-10, and of a larger array, each for every element.
  for (const Values& values :
       {array_of("0", "0", "20", "10", "3"), array_of("20", "0", "20", "10", "3"),
        array_of("3", "3", "10", "1", "2"), array_of("10", "3", "10", "1", "2"),
        array_of("5", "0", "39", "1", "40")})
    CHECK_THAT(automatic(with(values, ten)), ContainsSubstring("HOTPACK_PARTITIONS") &&
                                                 ContainsSubstring("0 to 9") &&
                                                 ContainsSubstring("--partition I/N"));
}

TEST_CASE("option --partition auto: HOTPACK_PARTITION wins and is checked") {
  const Values third{{"HOTPACK_PARTITION", "2/4"}};
  CHECK(automatic(third) == "2/4");
  CHECK(automatic(with(array_of("3", "0", "9", "1", "10"), third)) == "2/4");
  CHECK(automatic(with(third, {{"HOTPACK_PARTITIONS", "4"}})) == "2/4");
  CHECK(automatic({{"HOTPACK_PARTITION", ""}, {"RANK", "0"}, {"WORLD_SIZE", "2"}}) == "0/2");
  CHECK_THAT(automatic(with(third, {{"HOTPACK_PARTITIONS", "5"}})),
             ContainsSubstring("HOTPACK_PARTITIONS is 5") && ContainsSubstring("2/4"));
  for (const char* wrong : {"4", "4/4", "auto", "1/0", "1/2/3"})
    CHECK_THAT(automatic({{"HOTPACK_PARTITION", wrong}}),
               ContainsSubstring("HOTPACK_PARTITION is '") && ContainsSubstring("I/N"));
}

TEST_CASE("option --partition auto: srun's tasks") {
  CHECK(automatic(kStep) == "2/4");
  CHECK(automatic({{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}) == "0/4");
  CHECK(automatic({{"SLURM_PROCID", "3"}, {"SLURM_NTASKS", "4"}}) == "3/4");
  // A script that runs with any number of tasks also runs with one.
  CHECK(automatic({{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}}) == "0/1");
  CHECK_THAT(automatic({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}}),
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

TEST_CASE("option --partition auto: HOTPACK_PARTITIONS counts tasks of elements") {
  const Values forty{{"HOTPACK_PARTITIONS", "40"}};
  CHECK(automatic(with(with(array_of("2", "0", "9", "1", "10"), kStep), forty)) == "10/40");
  CHECK(automatic(with(with(array_of("9", "4", "9", "1", "2"), kStep), forty)) == "38/40");
  CHECK(automatic(with(with(array_of("3", "1", "10", "1", "10"), kStep), forty)) == "10/40");
  CHECK_THAT(automatic(with(with(array_of("10", "4", "10", "1", "3"), kStep), forty)),
             ContainsSubstring("0 to 9"));
  CHECK_THAT(automatic(with(with(array_of("2", "0", "9", "1", "10"), kStep),
                            {{"HOTPACK_PARTITIONS", "42"}})),
             ContainsSubstring("not a multiple of the 4 tasks"));
  // Without srun, 10 elements with 4 tasks each are not 10 of 40 partitions.
  CHECK_THAT(automatic(with(with(array_of("2", "0", "9", "1", "10"), kBatchScript), forty)),
             ContainsSubstring("batch script") && ContainsSubstring("srun"));
}

TEST_CASE("option --partition auto: an array of LSF counts from 1") {
  const auto lsf = [](const char* id, const char* end, const char* step) {
    return Values{{"LSB_JOBINDEX", id}, {"LSB_JOBINDEX_END", end}, {"LSB_JOBINDEX_STEP", step}};
  };
  CHECK(automatic(lsf("1", "10", "1")) == "0/10");
  CHECK(automatic(lsf("10", "10", "1")) == "9/10");
  CHECK(automatic(lsf("21", "91", "10")) == "2/10");
  CHECK(automatic(with(lsf("5", "10", "1"), {{"HOTPACK_PARTITIONS", "40"}})) == "4/40");
  CHECK(automatic(with(lsf("40", "40", "1"), {{"HOTPACK_PARTITIONS", "40"}})) == "39/40");
  CHECK(automatic({{"LSB_JOBINDEX", "5"}, {"HOTPACK_PARTITIONS", "40"}}) == "4/40");
  CHECK_THAT(automatic(with(lsf("41", "41", "1"), {{"HOTPACK_PARTITIONS", "40"}})),
             ContainsSubstring("an LSF array") && ContainsSubstring("1 to 40"));
  CHECK_THAT(automatic({{"LSB_JOBINDEX", "5"}}), ContainsSubstring("LSB_JOBINDEX_END is not"));
  CHECK_THAT(automatic(lsf("0", "0", "0")), ContainsSubstring("finds no scheduler"));
}

TEST_CASE("option --partition auto: an array of Grid Engine counts from 1") {
  const auto sge = [](const char* id, const char* first, const char* last, const char* step) {
    return Values{{"SGE_TASK_ID", id},
                  {"SGE_TASK_FIRST", first},
                  {"SGE_TASK_LAST", last},
                  {"SGE_TASK_STEPSIZE", step}};
  };
  CHECK(automatic(sge("1", "1", "10", "1")) == "0/10");
  CHECK(automatic(sge("5", "1", "10", "4")) == "1/3");
  CHECK_THAT(automatic(sge("4", "4", "5", "1")), ContainsSubstring("set HOTPACK_PARTITIONS"));
  CHECK(automatic(with(sge("4", "4", "5", "1"), {{"HOTPACK_PARTITIONS", "40"}})) == "3/40");
  CHECK(automatic(with(sge("11", "2", "11", "1"), {{"HOTPACK_PARTITIONS", "10"}})) == "9/10");
  CHECK_THAT(automatic(with(sge("41", "41", "41", "1"), {{"HOTPACK_PARTITIONS", "40"}})),
             ContainsSubstring("1 to 40"));
  CHECK_THAT(automatic(sge("undefined", "undefined", "undefined", "undefined")),
             ContainsSubstring("finds no scheduler"));
}

TEST_CASE("option --partition auto: arrays of PBS and Torque need their size") {
  for (const char* index : {"PBS_ARRAY_INDEX", "PBS_ARRAYID"}) {
    CHECK(automatic({{index, "0"}, {"HOTPACK_PARTITIONS", "10"}}) == "0/10");
    CHECK(automatic({{index, "9"}, {"HOTPACK_PARTITIONS", "10"}}) == "9/10");
    CHECK_THAT(automatic({{index, "10"}, {"HOTPACK_PARTITIONS", "10"}}),
               ContainsSubstring("less than HOTPACK_PARTITIONS"));
    CHECK_THAT(automatic({{index, "3"}}), ContainsSubstring("set HOTPACK_PARTITIONS") &&
                                              ContainsSubstring(std::string("$") + index + "/N"));
  }
}

TEST_CASE("option --partition auto: batch services and parallel jobs of CI") {
  CHECK(automatic({{"AWS_BATCH_JOB_ARRAY_INDEX", "3"}, {"AWS_BATCH_JOB_ARRAY_SIZE", "8"}}) ==
        "3/8");
  CHECK(automatic({{"AWS_BATCH_JOB_ARRAY_INDEX", "3"}, {"HOTPACK_PARTITIONS", "8"}}) == "3/8");
  CHECK_THAT(automatic({{"AWS_BATCH_JOB_ARRAY_INDEX", "3"}}),
             ContainsSubstring("HOTPACK_PARTITIONS"));
  CHECK(automatic({{"BATCH_TASK_INDEX", "3"}, {"BATCH_TASK_COUNT", "8"}}) == "3/8");
  CHECK(automatic({{"CLOUD_RUN_TASK_INDEX", "7"}, {"CLOUD_RUN_TASK_COUNT", "8"}}) == "7/8");
  CHECK(automatic({{"CLOUD_RUN_TASK_INDEX", "0"}, {"CLOUD_RUN_TASK_COUNT", "1"}}) == "0/1");
  CHECK(automatic({{"BUILDKITE_PARALLEL_JOB", "0"}, {"BUILDKITE_PARALLEL_JOB_COUNT", "3"}}) ==
        "0/3");
}

TEST_CASE("option --partition auto: GitLab counts its parallel jobs from 1") {
  const Values gitlab{{"GITLAB_CI", "true"}, {"CI_NODE_TOTAL", "3"}};
  CHECK(automatic(with(gitlab, {{"CI_NODE_INDEX", "1"}})) == "0/3");
  CHECK(automatic(with(gitlab, {{"CI_NODE_INDEX", "3"}})) == "2/3");
  CHECK_THAT(automatic(with(gitlab, {{"CI_NODE_INDEX", "0"}})),
             ContainsSubstring("from 1 to CI_NODE_TOTAL"));
  CHECK_THAT(automatic({{"CI_NODE_TOTAL", "3"}, {"CI_NODE_INDEX", "1"}}),
             ContainsSubstring("finds no scheduler"));
}

TEST_CASE("option --partition auto: PMI, also where Slurm or Flux sets it") {
  const Values pmi{{"PMI_RANK", "2"}, {"PMI_SIZE", "4"}};
  CHECK(automatic(pmi) == "2/4");
  CHECK(automatic(with(kStep, pmi)) == "2/4");
  CHECK(automatic(with(with(array_of("2", "0", "9", "1", "10"), kStep), pmi)) == "10/40");
  CHECK_THAT(automatic({{"PMI_RANK", "2"}}), ContainsSubstring("finds no scheduler"));
  CHECK_THAT(automatic(with(kStep, {{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}})),
             ContainsSubstring("schedulers disagree"));
}

TEST_CASE("option --partition auto: tasks and copies of Flux") {
  const Values tasks{{"FLUX_TASK_RANK", "2"}, {"FLUX_JOB_SIZE", "4"}},
      single{{"FLUX_TASK_RANK", "0"}, {"FLUX_JOB_SIZE", "1"}}, forty{{"HOTPACK_PARTITIONS", "40"}};
  CHECK(automatic(tasks) == "2/4");
  CHECK(automatic(with(tasks, {{"PMI_RANK", "2"}, {"PMI_SIZE", "4"}})) == "2/4");
  CHECK(automatic(with(single, with({{"FLUX_JOB_CC", "7"}}, forty))) == "7/40");
  CHECK(automatic(with(tasks, with({{"FLUX_JOB_CC", "9"}}, forty))) == "38/40");
  CHECK_THAT(automatic(with(tasks, with({{"FLUX_JOB_CC", "10"}}, forty))),
             ContainsSubstring("0 to 9"));
  CHECK_THAT(automatic(with(single, {{"FLUX_JOB_CC", "7"}})),
             ContainsSubstring("set HOTPACK_PARTITIONS"));
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
  CHECK_THAT(automatic(with(kStep, {{"HOTPACK_PARTITIONS", "10"}})),
             ContainsSubstring("HOTPACK_PARTITIONS is 10") && ContainsSubstring("2/4"));
  CHECK_THAT(automatic(with(kStep, {{"HOTPACK_PARTITIONS", "0"}})),
             ContainsSubstring("HOTPACK_PARTITIONS is '0'"));
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
    for (const char* name :
         {"SLURM_ARRAY_TASK_ID", "SLURM_PROCID", "JOB_COMPLETION_INDEX", "OMPI_COMM_WORLD_RANK",
          "RANK", "LSB_JOBINDEX", "SGE_TASK_ID", "PBS_ARRAY_INDEX", "CI_NODE_INDEX",
          "HOTPACK_PARTITION", "--partition I/N"})
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
