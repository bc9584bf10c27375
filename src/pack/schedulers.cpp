#include "pack/schedulers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/try.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::uint64_t kMostPartitions = 1'000'000'000;  // so products of two do not overflow
constexpr const char* kExplicitly = "use --partition I/N to set the partition yourself";
constexpr const char *kPartition = "HOTPACK_PARTITION", *kPartitions = "HOTPACK_PARTITIONS";

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size() || number > kMostPartitions)
    return {};
  return number;
}

std::string text_of(const Partition& partition) {
  return std::to_string(partition.index) + "/" + std::to_string(partition.count);
}

bool equal(const Partition& a, const Partition& b) {
  return a.index == b.index && a.count == b.count;
}

// The partition that a scheduler assigns to this process. `scheduler` names the scheduler and the
// variable that was found.
struct Place {
  std::string scheduler;
  Partition partition;
  std::optional<Partition> task;  // in an array whose elements start several tasks: the task alone
};
using FoundPlace = Result<std::optional<Place>>;

class Variables {
 public:
  explicit Variables(const Environment& environment) : environment_(environment) {}

  [[nodiscard]] std::optional<std::string> text(const char* name) const {
    std::optional<std::string> value = environment_(name);
    return value && !value->empty() ? value : std::nullopt;
  }

  [[nodiscard]] bool has(const char* name) const { return text(name).has_value(); }

  // Reads a variable that must hold a number, because the variable `because_of` is set.
  [[nodiscard]] Result<std::uint64_t> number(const char* name, const char* because_of) const {
    const std::optional<std::string> value = text(name);
    if (!value)
      return usage_error(std::string(because_of) + " is set, but " + name + " is not; " +
                         kExplicitly);
    if (const auto parsed = whole_number(*value)) return *parsed;
    return usage_error(std::string(name) + " is '" + *value +
                       "', expected a whole number of at most " + std::to_string(kMostPartitions) +
                       "; " + kExplicitly);
  }

  // Reads the index and the count of the partition from one variable each. The first index is
  // `first`.
  [[nodiscard]] FoundPlace place(const std::string& scheduler, const char* index_name,
                                 const char* count_name, std::uint64_t first = 0) const {
    if (!has(index_name)) return std::optional<Place>();
    HOTPACK_ASSIGN(const std::uint64_t index, number(index_name, index_name));
    HOTPACK_ASSIGN(const std::uint64_t count, number(count_name, index_name));
    if (index >= first && index - first < count)
      return std::optional(
          Place{scheduler + " (" + index_name + ")", {index - first, count}, std::nullopt});
    const std::string bounds =
        first == 0 ? std::string("less than ") + count_name
                   : std::string("from ") + std::to_string(first) + " to " + count_name;
    return usage_error(std::string(index_name) + " is " + std::to_string(index) + " and " +
                       count_name + " is " + std::to_string(count) + ", but " + index_name +
                       " must be " + bounds + "; " + kExplicitly);
  }

  // The number of all partitions, if the user has set it.
  [[nodiscard]] Result<std::optional<std::uint64_t>> expected() const {
    if (!has(kPartitions)) return std::optional<std::uint64_t>();
    const std::string value = *text(kPartitions);
    const std::optional<std::uint64_t> count = whole_number(value);
    if (count && *count > 0) return count;
    return usage_error("HOTPACK_PARTITIONS is '" + value +
                       "', expected the number of all partitions, from 1 to " +
                       std::to_string(kMostPartitions));
  }

 private:
  const Environment& environment_;
};

// ---- schedulers with one variable each for index and count

// `count`: null if the scheduler does not tell the number. `unknown`: what users do if it is not
// told; HOTPACK_PARTITIONS then stands in for it. Null if the count always comes with the index.
// `first`: the lowest index. `needs`: another variable without which the index means something
// else.
struct Scheduler {
  const char* name;
  const char* index;
  const char* count;
  const char* unknown = nullptr;
  std::uint64_t first = 0;
  const char* needs = nullptr;
};

constexpr std::array kSchedulers{
    Scheduler{
        "a Kubernetes indexed Job", "JOB_COMPLETION_INDEX", "JOB_COMPLETIONS",
        "JOB_COMPLETION_INDEX is set, but Kubernetes does not set the number of completions of the "
        "Job: set HOTPACK_PARTITIONS in the container's `env` to the Job's `completions`, or use "
        "--partition $(JOB_COMPLETION_INDEX)/N"},
    Scheduler{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    Scheduler{"torchrun", "RANK", "WORLD_SIZE"},
    // Intel MPI, MPICH. Some process managers set the rank alone.
    Scheduler{"MPI by PMI", "PMI_RANK", "PMI_SIZE", nullptr, 0, "PMI_SIZE"},
    Scheduler{
        "an array of PBS", "PBS_ARRAY_INDEX", nullptr,
        "PBS_ARRAY_INDEX is set, but PBS does not set the number of elements: set "
        "HOTPACK_PARTITIONS to the number of all partitions, and let the array count from 0 (qsub "
        "-J 0-9 for 10 partitions), or use --partition $PBS_ARRAY_INDEX/N"},
    Scheduler{"an array of Torque", "PBS_ARRAYID", nullptr,
              "PBS_ARRAYID is set, but Torque does not set the number of elements: set "
              "HOTPACK_PARTITIONS "
              "to the number of all partitions, and let the array count from 0 (qsub -t 0-9 for 10 "
              "partitions), or use --partition $PBS_ARRAYID/N"},
    Scheduler{"AWS Batch", "AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE",
              "AWS_BATCH_JOB_ARRAY_INDEX is set, but AWS_BATCH_JOB_ARRAY_SIZE is not: set "
              "HOTPACK_PARTITIONS in the container's environment to the size of the array, or use "
              "--partition $AWS_BATCH_JOB_ARRAY_INDEX/N"},
    Scheduler{"Google Batch", "BATCH_TASK_INDEX", "BATCH_TASK_COUNT"},
    Scheduler{"Cloud Run", "CLOUD_RUN_TASK_INDEX", "CLOUD_RUN_TASK_COUNT"},
    // Other services use the same two names, and count from 0.
    Scheduler{"parallel jobs of GitLab", "CI_NODE_INDEX", "CI_NODE_TOTAL", nullptr, 1, "GITLAB_CI"},
    Scheduler{"parallel jobs of Buildkite", "BUILDKITE_PARALLEL_JOB",
              "BUILDKITE_PARALLEL_JOB_COUNT"},
};

FoundPlace place_of(const Scheduler& scheduler, const Variables& variables) {
  if (!variables.has(scheduler.index)) return std::optional<Place>();
  if (scheduler.needs && !variables.has(scheduler.needs)) return std::optional<Place>();
  const bool told = scheduler.count && variables.has(scheduler.count);
  if (scheduler.unknown && !told && !variables.has(kPartitions))
    return usage_error(scheduler.unknown);
  return variables.place(scheduler.name, scheduler.index,
                         scheduler.unknown && !told ? kPartitions : scheduler.count,
                         scheduler.first);
}

// ---- arrays

// The ids of a job array. `first_part` is the id that an array gives to partition 0 if its ids are
// partitions.
struct ArrayIds {
  std::uint64_t id = 0, min = 0, max = 0, step = 0, count = 0;
  std::uint64_t first_part = 0;

  [[nodiscard]] bool regular() const {
    return step > 0 && min <= max && (max - min) % step == 0 && count == (max - min) / step + 1 &&
           id >= min && id <= max && (id - min) % step == 0;
  }
  // For schedulers whose arrays have no gaps: the count follows from the rest. The highest id may
  // have been given as one that the steps do not reach, as in 1-10:4.
  void count_by_step() {
    if (step == 0 || min > max) return;
    count = (max - min) / step + 1;
    max = min + (count - 1) * step;
  }
  [[nodiscard]] std::string describe() const {
    return "id " + std::to_string(id) + " of " + std::to_string(count) + " from " +
           std::to_string(min) + " to " + std::to_string(max) + " in steps of " +
           std::to_string(step);
  }
};

struct ArrayNames {
  std::string scheduler;
  const char* id;
  std::string example;  // how to submit a complete array
};

// Finds the partition of an element whose array is said to be complete.
Result<Partition> position_in(const ArrayIds& ids, const ArrayNames& names) {
  const std::string advice =
      ". If it is an array of elements to run again, set HOTPACK_PARTITIONS to the number of all "
      "partitions: then the ids are the partitions to run. Otherwise submit an array such as " +
      names.example + "; or " + kExplicitly;
  if (!ids.regular())
    return usage_error(std::string(names.id) + " and the related variables (" + ids.describe() +
                       ") do not describe an array with evenly spaced ids" + advice);
  // Whoever runs elements 4 and 5 again does not want the halves of the data set.
  if (ids.min > 1)
    return usage_error(names.scheduler + " (" + ids.describe() +
                       ") does not start at 0 or 1, so it may be a part of another array" + advice);
  return Partition{(ids.id - ids.min) / ids.step, ids.count};
}

// Finds the partition of an element of an array, of `all` partitions.
Result<Partition> partition_of(const ArrayIds& ids, std::uint64_t all, const ArrayNames& names) {
  if (ids.regular() && ids.count == all) return Partition{(ids.id - ids.min) / ids.step, all};
  const std::uint64_t end = ids.first_part + all;
  // All elements of an array give the same answer, so the highest id counts, too.
  if (ids.id >= ids.first_part && std::max(ids.id, ids.max) < end)
    return Partition{ids.id - ids.first_part, all};
  return usage_error(names.scheduler + " (" + ids.describe() + ") does not fit " +
                     std::to_string(all) +
                     " elements (HOTPACK_PARTITIONS): it is neither an evenly spaced array of that "
                     "many, nor are its ids the partitions to run, which are " +
                     std::to_string(ids.first_part) + " to " + std::to_string(end - 1) +
                     ". Submit an array such as " + names.example + "; or " + kExplicitly);
}

// Finds the place of an array's element. `tasks` is the number of tasks that the element starts,
// among which its partition is divided.
FoundPlace element(const ArrayIds& ids, std::uint64_t tasks, const ArrayNames& names,
                   const Variables& variables) {
  const auto placed = [&](const Partition& partition) {
    return std::optional(Place{names.scheduler + " (" + names.id + ")", partition, std::nullopt});
  };
  HOTPACK_ASSIGN(const std::optional<std::uint64_t> expected, variables.expected());
  if (!expected) {
    HOTPACK_ASSIGN(const Partition partition, position_in(ids, names));
    return placed(partition);
  }
  if (*expected % tasks != 0)
    return usage_error("HOTPACK_PARTITIONS is " + std::to_string(*expected) +
                       ", which is not a multiple of the " + std::to_string(tasks) +
                       " tasks of each element of " + names.scheduler + "; " + kExplicitly);
  HOTPACK_ASSIGN(const Partition partition, partition_of(ids, *expected / tasks, names));
  return placed(partition);
}

// Divides the partition of an array's element among its tasks.
FoundPlace divided(const std::optional<Place>& array, const std::optional<Place>& tasks,
                   const char* both) {
  if (!array || !tasks) return array ? array : tasks;
  const Partition outer = array->partition, inner = tasks->partition;
  if (outer.count > kMostPartitions / inner.count)
    return usage_error(array->scheduler + " of " + std::to_string(outer.count) + " with " +
                       std::to_string(inner.count) + " tasks each makes too many partitions; " +
                       kExplicitly);
  return std::optional(
      Place{both, {outer.index * inner.count + inner.index, outer.count * inner.count}, inner});
}

std::uint64_t count_of(const std::optional<Place>& tasks) {
  return tasks ? tasks->partition.count : 1;
}

// ---- Slurm

bool is_slurm_batch_script(const Variables& variables) {
  return variables.has("SLURM_PROCID") && variables.text("SLURM_NTASKS").value_or("1") != "1" &&
         !variables.has("SLURM_STEP_ID");
}

Error batch_script(const Variables& variables) {
  return usage_error("this is the batch script of Slurm, which runs once, not one of its " +
                     *variables.text("SLURM_NTASKS") +
                     " tasks: start hotpack with srun, or use a job array; " + kExplicitly);
}

// Returns an error if this is the script of an array's element and HOTPACK_PARTITIONS counts the
// tasks that it should start.
Status check_srun(const ArrayIds& ids, const Variables& variables) {
  HOTPACK_ASSIGN(const std::optional<std::uint64_t> expected, variables.expected());
  if (!expected || !is_slurm_batch_script(variables)) return {};
  const auto tasks = whole_number(*variables.text("SLURM_NTASKS"));
  if (tasks && ids.count != *expected && ids.count * *tasks == *expected)
    return batch_script(variables);
  return {};
}

FoundPlace slurm_array(const Variables& variables, std::uint64_t tasks) {
  constexpr const char* kId = "SLURM_ARRAY_TASK_ID";
  if (!variables.has(kId)) return std::optional<Place>();
  ArrayIds ids;
  HOTPACK_ASSIGN(ids.id, variables.number(kId, kId));
  HOTPACK_ASSIGN(ids.min, variables.number("SLURM_ARRAY_TASK_MIN", kId));
  HOTPACK_ASSIGN(ids.max, variables.number("SLURM_ARRAY_TASK_MAX", kId));
  HOTPACK_ASSIGN(ids.step, variables.number("SLURM_ARRAY_TASK_STEP", kId));
  HOTPACK_ASSIGN(ids.count, variables.number("SLURM_ARRAY_TASK_COUNT", kId));
  HOTPACK_TRY(check_srun(ids, variables));
  return element(ids, tasks, {"a Slurm array", kId, "--array=0-9 or --array=0-90:10"}, variables);
}

// Finds the partition of a task that srun started. Slurm sets SLURM_PROCID=0 also for a batch
// script, which runs once and is not a task; but only for tasks it sets SLURM_STEP_ID, which tells
// task 0 from the script.
FoundPlace slurm_tasks(const Variables& variables) {
  constexpr const char *kIndex = "SLURM_PROCID", *kCount = "SLURM_NTASKS";
  const bool is_task =
      variables.has("SLURM_STEP_ID") || variables.text(kIndex).value_or("0") != "0";
  if (!is_task || !variables.has(kCount)) return std::optional<Place>();
  return variables.place("Slurm's tasks", kIndex, kCount);
}

FoundPlace slurm(const Variables& variables) {
  HOTPACK_ASSIGN(const std::optional<Place> tasks, slurm_tasks(variables));
  HOTPACK_ASSIGN(const std::optional<Place> array, slurm_array(variables, count_of(tasks)));
  return divided(array, tasks, "a Slurm array and its tasks (SLURM_ARRAY_TASK_ID, SLURM_PROCID)");
}

// ---- LSF, Grid Engine, Flux

// Finds the partition of an element of an LSF array. Indices count from 1; 0 means that the job is
// no array. LSF does not tell the lowest index.
FoundPlace lsf(const Variables& variables) {
  constexpr const char *kId = "LSB_JOBINDEX", *kMax = "LSB_JOBINDEX_END";
  if (variables.text(kId).value_or("0") == "0") return std::optional<Place>();
  ArrayIds ids;
  ids.first_part = ids.min = 1;
  HOTPACK_ASSIGN(ids.id, variables.number(kId, kId));
  if (variables.has(kMax) || !variables.has(kPartitions)) {
    HOTPACK_ASSIGN(ids.max, variables.number(kMax, kId));
  } else {
    ids.max = ids.id;
  }
  ids.step = whole_number(variables.text("LSB_JOBINDEX_STEP").value_or("1")).value_or(0);
  ids.count_by_step();
  return element(ids, 1, {"an LSF array", kId, "bsub -J 'pack[1-10]'"}, variables);
}

// Finds the partition of a task of Grid Engine, whose ids count from 1. A job that is no array has
// the word "undefined" in all these variables.
FoundPlace grid_engine(const Variables& variables) {
  constexpr const char* kId = "SGE_TASK_ID";
  if (variables.text(kId).value_or("undefined") == "undefined") return std::optional<Place>();
  ArrayIds ids;
  ids.first_part = 1;
  HOTPACK_ASSIGN(ids.id, variables.number(kId, kId));
  HOTPACK_ASSIGN(ids.min, variables.number("SGE_TASK_FIRST", kId));
  HOTPACK_ASSIGN(ids.max, variables.number("SGE_TASK_LAST", kId));
  HOTPACK_ASSIGN(ids.step, variables.number("SGE_TASK_STEPSIZE", kId));
  ids.count_by_step();
  return element(ids, 1, {"an array of Grid Engine", kId, "qsub -t 1-10"}, variables);
}

// Finds the partition of a task of Flux. `flux submit --cc=IDS` starts a job for each id; Flux does
// not tell their number.
FoundPlace flux(const Variables& variables) {
  constexpr const char* kId = "FLUX_JOB_CC";
  HOTPACK_ASSIGN(const std::optional<Place> tasks,
                 variables.place("Flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE"));
  if (!variables.has(kId)) return tasks;
  if (!variables.has(kPartitions))
    return usage_error(
        "FLUX_JOB_CC is set, but Flux does not set the number of copies: set HOTPACK_PARTITIONS to "
        "the number of all partitions, and let the copies count from 0 (--cc=0-9 for 10 "
        "partitions), or use --partition $FLUX_JOB_CC/N");
  ArrayIds ids;
  HOTPACK_ASSIGN(ids.id, variables.number(kId, kId));
  ids.min = ids.max = ids.id;
  ids.step = ids.count = 1;
  HOTPACK_ASSIGN(const std::optional<Place> array,
                 element(ids, count_of(tasks), {"copies of Flux", kId, "--cc=0-9"}, variables));
  return divided(array, tasks, "copies of Flux and their tasks (FLUX_JOB_CC, FLUX_TASK_RANK)");
}

// ---- all of them

Error nothing_found(const Variables& variables) {
  if (is_slurm_batch_script(variables)) return batch_script(variables);
  std::string others;
  for (const Scheduler& scheduler : kSchedulers)
    others += std::string(", ") + scheduler.index + " (" + scheduler.name + ")";
  return usage_error(
      "auto finds no scheduler; it looked for SLURM_ARRAY_TASK_ID (job array), SLURM_PROCID with "
      "SLURM_NTASKS (srun), LSB_JOBINDEX (LSF), SGE_TASK_ID (Grid Engine), FLUX_TASK_RANK (Flux)" +
      others + ", HOTPACK_PARTITION (set by you, I/N); " + std::string(kExplicitly));
}

Result<std::vector<Place>> places_of(const Variables& variables) {
  std::vector<Place> places;
  for (const auto find : {slurm, lsf, grid_engine, flux}) {
    HOTPACK_ASSIGN(std::optional<Place> place, find(variables));
    if (place) places.push_back(std::move(*place));
  }
  for (const Scheduler& scheduler : kSchedulers) {
    HOTPACK_ASSIGN(std::optional<Place> place, place_of(scheduler, variables));
    if (place) places.push_back(std::move(*place));
  }
  return places;
}

// Drops schedulers with a single process if another one has several.
void drop_single_processes(std::vector<Place>& places) {
  const auto single = [](const Place& place) { return place.partition.count == 1; };
  if (!std::all_of(places.begin(), places.end(), single)) std::erase_if(places, single);
}

// True if two places mean the same partition. Also if one knows the tasks of one array's element
// only: Slurm and Flux set the variables of PMI for the tasks that they start.
bool agree(const Place& a, const Place& b) {
  return equal(a.partition, b.partition) || (a.task && equal(*a.task, b.partition));
}

Status check_agreement(const std::vector<Place>& places) {
  const Place& first = places.front();
  for (const Place& place : places) {
    if (agree(first, place)) continue;
    return usage_error("schedulers disagree: " + first.scheduler + " says " +
                       text_of(first.partition) + ", " + place.scheduler + " says " +
                       text_of(place.partition) + "; " + kExplicitly);
  }
  return {};
}

Status check_expected_count(const Variables& variables, const std::string& source,
                            const Partition& partition) {
  HOTPACK_ASSIGN(const std::optional<std::uint64_t> expected, variables.expected());
  if (!expected || *expected == partition.count) return {};
  return usage_error("HOTPACK_PARTITIONS is " + std::to_string(*expected) + ", but " + source +
                     " says " + text_of(partition) + "; " + kExplicitly);
}

Result<Partition> given(const Variables& variables) {
  const std::string text = *variables.text(kPartition);
  const std::optional<Partition> partition = parse_index_of_count(text);
  if (!partition)
    return usage_error("HOTPACK_PARTITION is '" + text +
                       "', expected I/N with 0 ≤ I < N, such as 0/4 for the first of four");
  HOTPACK_TRY(check_expected_count(variables, kPartition, *partition));
  return *partition;
}

}  // namespace

Environment process_environment() {
  return [](const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

std::optional<Partition> parse_index_of_count(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto index = whole_number(text.substr(0, slash));
  const auto count = whole_number(text.substr(slash + 1));
  if (!index || !count || *index >= *count) return std::nullopt;
  return Partition{*index, *count};
}

Result<std::optional<std::uint64_t>> expected_partitions(const Environment& environment) {
  return Variables(environment).expected();
}

Result<Partition> scheduled_partition(const Environment& environment) {
  const Variables variables(environment);
  if (variables.has(kPartition)) return given(variables);
  HOTPACK_ASSIGN(std::vector<Place> places, places_of(variables));
  if (places.empty()) return nothing_found(variables);
  drop_single_processes(places);
  HOTPACK_TRY(check_agreement(places));
  HOTPACK_TRY(check_expected_count(variables, places.front().scheduler, places.front().partition));
  return places.front().partition;
}

}  // namespace hotpack::pipeline
