// Packs one data set into its output folder: makes the plan, keeps the finished shards that are
// already in the folder, and writes the others.
//
// The order of calls:
//   - is_finished(); if it returns true, call complete() and nothing else
//   - plan()
//   - describe_plan() for --dry-run, else write()
// The caller must have read all headers before plan(), and before is_finished() if the plan needs
// sizes. Every function returns early if a stop is requested; the caller must ask the observer.
// Not thread-safe; uses the threads of the caller's arena. Failure: `usage` for a folder that must
// not be changed; `data` if a bad sample stops the run; `io`. No incomplete shard is ever left
// under its final name.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "hotpack/result.hpp"
#include "label_setup/label_setup.hpp"
#include "pack/output_folder.hpp"
#include "pack/output_lock.hpp"
#include "pack/pack_report.hpp"
#include "pack/partition.hpp"
#include "pack/plan.hpp"
#include "pack/receipt.hpp"
#include "pack/run.hpp"
#include "samples/split.hpp"
#include "settings/observer.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

class PackedSet {
 public:
  // `folder` is the content of the folder options.run.output, the output folder of this data set.
  // `split` and `observer` must outlive the object.
  PackedSet(PackOptions options, Split& split, OutputFolder folder, Observer& observer);

  // The manifest of a finished run in the folder, or null.
  [[nodiscard]] const format::Manifest* manifest() const {
    return folder_.manifest ? &*folder_.manifest : nullptr;
  }

  // Makes the plan and returns true if the output folder already contains the complete data set.
  // `setup` must outlive the object.
  [[nodiscard]] Result<bool> is_finished(const LabelSetup& setup);
  [[nodiscard]] Status plan(const LabelSetup& setup);
  // The same with a plan that was made before, of which the split has the samples of this run's
  // shards only.
  void use_plan(const LabelSetup& setup, Plan plan);
  [[nodiscard]] const Plan& planned() const { return *plan_; }  // precondition: there is a plan
  // The samples that this run is responsible for. Precondition: there is a plan.
  [[nodiscard]] std::uint64_t samples() const;

  // Returns the bytes of those shards of this run whose files are not in the folder, without those
  // that --force frees. Precondition: plan().
  [[nodiscard]] Result<std::uint64_t> missing_bytes() const;
  [[nodiscard]] bool exact() const { return plan_->exact(); }

  [[nodiscard]] Result<PackReport> describe_plan();         // --dry-run
  [[nodiscard]] Result<PackReport> complete(bool dry_run);  // precondition: nothing is left to do
  [[nodiscard]] Result<PackReport> write();

  // Finished shards are written down in `book`, which must outlive the object. Call it for all sets
  // of a run before write() of the first, so that a receipt names all of them. Precondition:
  // plan().
  [[nodiscard]] Status begin_receipt(ReceiptBook& book);

 private:
  using Kept = std::vector<std::optional<writer::FinishedShard>>;
  using Finished = std::map<std::size_t, writer::FinishedShard>;

  [[nodiscard]] Status read_folder_again();
  void use(OutputFolder folder);
  [[nodiscard]] Status keep_what_is_good();
  [[nodiscard]] Status find_kept(std::vector<std::string>& damaged);
  [[nodiscard]] Status verify_kept(std::vector<std::string>& damaged);
  [[nodiscard]] Result<std::string> damage_of(const format::ShardRow& row,
                                              std::uint64_t records_before);
  [[nodiscard]] std::vector<std::size_t> shards_to_recheck() const;
  [[nodiscard]] Status recheck_sources();
  [[nodiscard]] bool all_kept() const;
  [[nodiscard]] bool nothing_to_do() const;
  [[nodiscard]] Status summarize_plan();

  [[nodiscard]] std::string private_scratch() const;
  [[nodiscard]] std::vector<std::string> scratch_folders() const;
  [[nodiscard]] Result<std::optional<OutputLock>> lock_folders();
  [[nodiscard]] Status find_given_away();
  [[nodiscard]] ReceiptShard receipt_of(std::size_t shard,
                                        const writer::FinishedShard& finished) const;
  [[nodiscard]] Status deliver_kept();
  [[nodiscard]] Status remove_scratch_leftovers() const;

  [[nodiscard]] Status check_scratch_space() const;
  [[nodiscard]] Status check_space() const;
  void warn_of_other_parts() const;
  [[nodiscard]] std::uint64_t missing_shards_of_others() const;
  [[nodiscard]] std::uint64_t bytes_in_temporaries() const;
  [[nodiscard]] std::uint64_t bytes_forced_away() const;
  [[nodiscard]] Status remove_leftovers() const;
  [[nodiscard]] Status check_inputs_of_force() const;
  [[nodiscard]] Status unpublish();
  [[nodiscard]] Status remove_shards(const std::vector<std::string>& names) const;
  [[nodiscard]] std::vector<std::string> forced_shards() const;
  [[nodiscard]] std::vector<std::string> stale_shards() const;
  [[nodiscard]] bool is_own(std::string_view name) const;
  [[nodiscard]] bool in_range(const format::ShardName& shard) const;

  [[nodiscard]] Result<PackReport> pack_shards();
  [[nodiscard]] Result<PackReport> publish(const Finished& finished);
  void warn_of_other_records(const format::Manifest& manifest);
  void warn_of_lost_classes(const Finished& finished);
  [[nodiscard]] format::Manifest make_manifest() const;
  void describe(const format::Manifest& manifest);
  [[nodiscard]] PackReport end(PackStatus status);

  PackOptions options_;
  const std::string scratch_;  // as given; options_ has the folder of this part in it
  SampleList& list_;
  Observer& observer_;
  OutputFolder folder_;
  std::vector<std::string> shards_before_;        // shard files that were in the folder
  std::map<std::string, FileIdentity> verified_;  // shards that --repair found undamaged
  std::vector<std::string> damaged_;              // shards that --repair found damaged
  std::set<std::string> edited_;                  // shards whose sources have other contents now
  bool tiled_ = false;
  const LabelSetup* setup_ = nullptr;
  std::optional<Plan> plan_;
  ShardRange range_;  // the shards that this run is responsible for
  Kept kept_;
  ClassUses classes_;  // of this run
  ReceiptBook* book_ = nullptr;
  std::size_t book_set_ = 0;  // number of this data set in the book
  std::optional<OutputLock> scratch_lock_;
  PackReport report_;
};

// Returns an error if the missing shards of all `sets`, the splits of one run, do not fit on the
// disk: otherwise the run fails after hours, in a later split. A single set checks that itself.
[[nodiscard]] Status check_space_of_sets(const RunOptions& run, const std::deque<PackedSet>& sets);

}  // namespace hotpack::pipeline
