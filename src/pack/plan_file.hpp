// A plan as a file: everything that `pack --plan` needs to pack any part of a data set without
// looking for samples or reading headers again. PLAN.md specifies the file.
//
// The file is a safetensors file with a table of shards and one Zstandard frame of samples per
// shard, so a part reads the table and its own frames only: time and memory grow with the samples
// of the part. Ownership: PlanFile owns the mapping. Thread-safety: reading is. Failure: `io`,
// `damaged` for a file that breaks a rule, `usage` for a plan of another version of hotpack.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapping.hpp"
#include "hotpack/result.hpp"
#include "label_setup/label_setup.hpp"
#include "pack/partition.hpp"
#include "pack/plan.hpp"
#include "samples/sample_list.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// One split of a data set to write. `list` is in write order.
struct SetToPlan {
  std::string name;  // empty without splits
  const Plan* plan = nullptr;
  const SampleList* list = nullptr;
};

// Writes the plan of all splits, atomically. Returns the bytes of the file. Refuses, with `usage`,
// to replace a file that is not a plan.
[[nodiscard]] Result<std::uint64_t> write_plan_file(const std::string& path,
                                                    const PackOptions& options,
                                                    const LabelSetup& setup,
                                                    std::span<const SetToPlan> sets);

// True if the file begins as a plan does.
[[nodiscard]] bool is_plan_file(const std::string& path);

// Returns an error if a file at `path` must not be replaced, or if its folder does not exist.
[[nodiscard]] Status check_plan_path(const std::string& path);

// Part of a split, as a plan file holds it.
struct PlannedSet {
  Plan plan;        // all shards; those outside the range have no `sources`
  SampleList list;  // the samples of the shards in the range; ShardPlan::first counts from these
};

class PlanFile {
 public:
  [[nodiscard]] static Result<PlanFile> open(const std::string& path);
  ~PlanFile();
  PlanFile(PlanFile&&) noexcept;
  PlanFile& operator=(PlanFile&&) = delete;

  [[nodiscard]] const RecordOptions& record() const;
  [[nodiscard]] const ShardOptions& shard() const;
  [[nodiscard]] const LabelSetup& labels() const;

  [[nodiscard]] std::size_t set_count() const;
  [[nodiscard]] const std::string& set_name(std::size_t set) const;
  [[nodiscard]] std::uint64_t shard_count(std::size_t set) const;
  [[nodiscard]] std::uint64_t sample_count(std::size_t set) const;

  // Reads the shards of `range`. Precondition: it lies in the set.
  [[nodiscard]] Result<PlannedSet> read(std::size_t set, ShardRange range) const;

 private:
  struct Impl;
  explicit PlanFile(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hotpack::pipeline
