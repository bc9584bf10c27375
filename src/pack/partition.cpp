#include "pack/partition.hpp"

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

// The partition that a scheduler assigns to this process. `scheduler` names the scheduler and the
// variable that was found.
struct Place {
  std::string scheduler;
  Partition partition;
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

  // Reads the index and the count of the partition from one variable each.
  [[nodiscard]] FoundPlace place(const std::string& scheduler, const char* index_name,
                                 const char* count_name) const {
    if (!has(index_name)) return std::optional<Place>();
    HOTPACK_ASSIGN(const std::uint64_t index, number(index_name, index_name));
    HOTPACK_ASSIGN(const std::uint64_t count, number(count_name, index_name));
    if (index < count)
      return std::optional(Place{scheduler + " (" + index_name + ")", {index, count}});
    return usage_error(std::string(index_name) + " is " + std::to_string(index) + " and " +
                       count_name + " is " + std::to_string(count) + ", but " + index_name +
                       " must be less than " + count_name + "; " + kExplicitly);
  }

 private:
  const Environment& environment_;
};

// ---- Slurm

// The ids of a job array as Slurm sets them.
struct SlurmIds {
  std::uint64_t id = 0, min = 0, max = 0, step = 0, count = 0;

  [[nodiscard]] bool regular() const {
    return step > 0 && min <= max && (max - min) % step == 0 && count == (max - min) / step + 1 &&
           id >= min && id <= max && (id - min) % step == 0;
  }
  [[nodiscard]] std::string describe() const {
    return "id " + std::to_string(id) + " of " + std::to_string(count) + " from " +
           std::to_string(min) + " to " + std::to_string(max) + " in steps of " +
           std::to_string(step);
  }
};

FoundPlace slurm_array(const Variables& variables) {
  constexpr const char* kId = "SLURM_ARRAY_TASK_ID";
  if (!variables.has(kId)) return std::optional<Place>();
  SlurmIds ids;
  HOTPACK_ASSIGN(ids.id, variables.number(kId, kId));
  HOTPACK_ASSIGN(ids.min, variables.number("SLURM_ARRAY_TASK_MIN", kId));
  HOTPACK_ASSIGN(ids.max, variables.number("SLURM_ARRAY_TASK_MAX", kId));
  HOTPACK_ASSIGN(ids.step, variables.number("SLURM_ARRAY_TASK_STEP", kId));
  HOTPACK_ASSIGN(ids.count, variables.number("SLURM_ARRAY_TASK_COUNT", kId));
  if (ids.regular())
    return std::optional(
        Place{"a Slurm array (SLURM_ARRAY_TASK_ID)", {(ids.id - ids.min) / ids.step, ids.count}});
  return usage_error("SLURM_ARRAY_TASK_ID and the related variables (" + ids.describe() +
                     ") do not describe an array with evenly spaced ids. Submit one, such as "
                     "--array=0-9 or --array=0-90:10; or " +
                     kExplicitly);
}

// Finds the partition of a task that srun started. Slurm sets SLURM_PROCID=0 also for a batch
// script, which runs once and is not a task; but only for tasks it sets SLURM_STEP_ID, which tells
// task 0 from the script.
FoundPlace slurm_tasks(const Variables& variables) {
  constexpr const char *kIndex = "SLURM_PROCID", *kCount = "SLURM_NTASKS";
  const bool is_task =
      variables.has("SLURM_STEP_ID") || variables.text(kIndex).value_or("0") != "0";
  if (!is_task || !variables.has(kCount)) return std::optional<Place>();
  HOTPACK_ASSIGN(std::optional<Place> place, variables.place("Slurm's tasks", kIndex, kCount));
  return place && place->partition.count > 1 ? place : std::nullopt;
}

bool is_slurm_batch_script(const Variables& variables) {
  return variables.has("SLURM_PROCID") && variables.text("SLURM_NTASKS").value_or("1") != "1" &&
         !variables.has("SLURM_STEP_ID");
}

// Finds the partition of a Slurm process. The tasks of an array element divide its partition.
FoundPlace slurm(const Variables& variables) {
  HOTPACK_ASSIGN(std::optional<Place> array, slurm_array(variables));
  HOTPACK_ASSIGN(std::optional<Place> tasks, slurm_tasks(variables));
  if (!array || !tasks) return array ? array : tasks;
  const Partition outer = array->partition, inner = tasks->partition;
  if (outer.count > kMostPartitions / inner.count)
    return usage_error("a Slurm array of " + std::to_string(outer.count) + " with " +
                       std::to_string(inner.count) + " tasks each makes too many partitions; " +
                       kExplicitly);
  return std::optional(Place{"a Slurm array and its tasks (SLURM_ARRAY_TASK_ID, SLURM_PROCID)",
                             {outer.index * inner.count + inner.index, outer.count * inner.count}});
}

// ---- others

// Finds the partition of a Kubernetes container. Kubernetes tells a container its index, but not
// how many containers there are.
FoundPlace kubernetes(const Variables& variables) {
  constexpr const char* kIndex = "JOB_COMPLETION_INDEX";
  if (!variables.has(kIndex)) return std::optional<Place>();
  for (const char* const count : {"JOB_COMPLETIONS", "HOTPACK_PARTITIONS"})
    if (variables.has(count)) return variables.place("a Kubernetes indexed Job", kIndex, count);
  return usage_error(
      "JOB_COMPLETION_INDEX is set, but Kubernetes does not set the number of completions of the "
      "Job: set HOTPACK_PARTITIONS in the container's `env` to the Job's `completions`, or use "
      "--partition $(JOB_COMPLETION_INDEX)/N");
}

FoundPlace open_mpi(const Variables& variables) {
  return variables.place("Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE");
}

FoundPlace torchrun(const Variables& variables) {
  return variables.place("torchrun", "RANK", "WORLD_SIZE");
}

// ---- all of them

Error nothing_found(const Variables& variables) {
  if (is_slurm_batch_script(variables))
    return usage_error("this is the batch script of Slurm, which runs once, not one of its " +
                       *variables.text("SLURM_NTASKS") +
                       " tasks: start hotpack with srun, or use a job array; " + kExplicitly);
  return usage_error(
      "auto finds no scheduler; it looked for SLURM_ARRAY_TASK_ID (job array), SLURM_PROCID with "
      "SLURM_NTASKS above 1 (srun), "
      "JOB_COMPLETION_INDEX (Kubernetes indexed Job), OMPI_COMM_WORLD_RANK (Open MPI), RANK with "
      "WORLD_SIZE (torchrun); " +
      std::string(kExplicitly));
}

Result<std::vector<Place>> places_of(const Variables& variables) {
  std::vector<Place> places;
  for (const auto find : {slurm, kubernetes, open_mpi, torchrun}) {
    HOTPACK_ASSIGN(std::optional<Place> place, find(variables));
    if (place) places.push_back(std::move(*place));
  }
  return places;
}

// Drops schedulers with a single process if another one has several.
void drop_single_processes(std::vector<Place>& places) {
  const auto single = [](const Place& place) { return place.partition.count == 1; };
  if (!std::all_of(places.begin(), places.end(), single)) std::erase_if(places, single);
}

Status check_agreement(const std::vector<Place>& places) {
  const Place& first = places.front();
  for (const Place& place : places) {
    if (place.partition.index == first.partition.index &&
        place.partition.count == first.partition.count)
      continue;
    return usage_error("schedulers disagree: " + first.scheduler + " says " +
                       text_of(first.partition) + ", " + place.scheduler + " says " +
                       text_of(place.partition) + "; " + kExplicitly);
  }
  return {};
}

Status check_expected_count(const Variables& variables, const Place& place) {
  if (!variables.has("HOTPACK_PARTITIONS")) return {};
  HOTPACK_ASSIGN(const std::uint64_t expected,
                 variables.number("HOTPACK_PARTITIONS", "HOTPACK_PARTITIONS"));
  if (expected == place.partition.count) return {};
  return usage_error("HOTPACK_PARTITIONS is " + std::to_string(expected) + ", but " +
                     place.scheduler + " says " + text_of(place.partition) + "; " + kExplicitly);
}

Result<Partition> automatic(const Environment& environment) {
  const Variables variables(environment);
  HOTPACK_ASSIGN(std::vector<Place> places, places_of(variables));
  if (places.empty()) return nothing_found(variables);
  drop_single_processes(places);
  HOTPACK_TRY(check_agreement(places));
  HOTPACK_TRY(check_expected_count(variables, places.front()));
  return places.front().partition;
}

}  // namespace

Environment process_environment() {
  return [](const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

Result<Partition> parse_partition(std::string_view text, const Environment& environment) {
  if (text == "auto") return automatic(environment);
  const std::size_t slash = text.find('/');
  const auto index = whole_number(text.substr(0, slash));
  const auto count =
      slash == std::string_view::npos ? std::nullopt : whole_number(text.substr(slash + 1));
  if (index && count && *index < *count) return Partition{*index, *count};
  return usage_error("'" + std::string(text) +
                     "': expected auto, or I/N with 0 ≤ I < N, such as 0/4 for the first of four");
}

ShardRange shards_of(const Partition& partition, std::uint64_t shard_count) {
  const std::uint64_t each = shard_count / partition.count, larger = shard_count % partition.count;
  const auto first = [&](std::uint64_t index) { return index * each + std::min(index, larger); };
  return {first(partition.index), first(partition.index + 1)};
}

std::vector<std::uint64_t> parts_of(const std::vector<std::uint64_t>& shards,
                                    std::uint64_t shard_count, std::uint64_t part_count) {
  const std::uint64_t each = shard_count / part_count, larger = shard_count % part_count;
  const std::uint64_t in_larger = larger * (each + 1);  // shards of the larger parts
  std::vector<std::uint64_t> parts;
  for (const std::uint64_t shard : shards) {
    const std::uint64_t part =
        shard < in_larger ? shard / (each + 1) : larger + (shard - in_larger) / each;
    if (parts.empty() || parts.back() != part) parts.push_back(part);
  }
  return parts;
}

std::string array_list(const std::vector<std::uint64_t>& parts) {
  std::string text;
  for (std::size_t first = 0, next = 0; first < parts.size(); first = next) {
    for (next = first + 1; next < parts.size() && parts[next] == parts[next - 1] + 1;) ++next;
    text += (text.empty() ? "" : ",") + std::to_string(parts[first]);
    if (next > first + 1) text += "-" + std::to_string(parts[next - 1]);
  }
  return text;
}

}  // namespace hotpack::pipeline
