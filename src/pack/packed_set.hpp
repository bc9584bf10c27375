// One data set on its way into its output folder: what is there already, the plan, what stays, what is written.
//
// Used in this order: either is_finished (nothing is to be done) or plan, and describe_plan or write. Headers were read before where the
// plan needs sizes, and always before plan. Each ends where a stop is requested; the caller asks the observer. Not thread-safe; works with
// the threads of the caller's arena. Failure: `usage` for a folder that must not be touched, `io`, `data` where a bad sample stops the run.
// Nothing half-written is left.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "hotpack/result.hpp"
#include "inputs/split.hpp"
#include "label_setup/label_setup.hpp"
#include "pack/output_folder.hpp"
#include "pack/pack_report.hpp"
#include "pack/partition.hpp"
#include "pack/plan.hpp"
#include "pack/run.hpp"
#include "settings/observer.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

class PackedSet {
 public:
  // `options.run.output` is this set's own folder, which `folder` describes. `split` and `observer` outlive the set.
  PackedSet(PackOptions options, Split& split, OutputFolder folder, Observer& observer);

  // Of a finished run in the folder.
  [[nodiscard]] const format::Manifest* manifest() const { return folder_.manifest ? &*folder_.manifest : nullptr; }

  // Whether the folder holds this very set, whole. Plans it. `setup` outlives the set.
  [[nodiscard]] Result<bool> is_finished(const LabelSetup& setup);
  [[nodiscard]] Status plan(const LabelSetup& setup);

  [[nodiscard]] Result<PackReport> describe_plan();         // --dry-run
  [[nodiscard]] Result<PackReport> complete(bool dry_run);  // precondition: nothing is to be done
  [[nodiscard]] Result<PackReport> write();

 private:
  using Kept = std::vector<std::optional<writer::FinishedShard>>;
  using Finished = std::map<std::size_t, writer::FinishedShard>;

  [[nodiscard]] Status look_again();
  void use(OutputFolder folder);
  [[nodiscard]] Status keep_what_is_good();
  [[nodiscard]] Status find_kept(std::vector<std::string>& damaged);
  [[nodiscard]] Status verify_kept(std::vector<std::string>& damaged);
  [[nodiscard]] Result<std::string> damage_of(const format::ShardRow& row, std::uint64_t records_before);
  [[nodiscard]] Status recheck_sources();
  [[nodiscard]] bool all_kept() const;
  [[nodiscard]] bool nothing_to_do() const;
  [[nodiscard]] Status summarize_plan();

  [[nodiscard]] Status check_free_space() const;
  [[nodiscard]] std::uint64_t bytes_forced_away() const;
  [[nodiscard]] Status remove_leftovers() const;
  [[nodiscard]] Status unpublish();
  [[nodiscard]] Status remove_shards(const std::vector<std::string>& names) const;
  [[nodiscard]] std::vector<std::string> forced_shards() const;
  [[nodiscard]] std::vector<std::string> stale_shards() const;
  [[nodiscard]] bool is_own(std::string_view name) const;

  [[nodiscard]] Result<PackReport> pack_shards();
  [[nodiscard]] Result<PackReport> publish(const Finished& finished);
  void warn_of_other_records(const format::Manifest& manifest);
  [[nodiscard]] format::Manifest make_manifest() const;
  void describe(const format::Manifest& manifest);
  [[nodiscard]] PackReport end(PackStatus status);

  const PackOptions options_;
  SampleList& list_;
  Observer& observer_;
  OutputFolder folder_;
  std::vector<std::string> shards_before_;     // shard files that were there
  std::map<std::string, FileIdentity> sound_;  // shards that --repair has verified
  std::vector<std::string> spoiled_;           // and those that it found damaged
  bool tiled_ = false;
  const LabelSetup* setup_ = nullptr;
  std::optional<Plan> plan_;
  ShardRange range_;  // the shards that this run is to see to
  Kept kept_;
  PackReport report_;
};

}  // namespace hotpack::pipeline
