#include "pack/planned_pack.hpp"

#include <deque>
#include <list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/try.hpp"
#include "pack/output_folder.hpp"
#include "pack/output_probe.hpp"
#include "pack/packed_set.hpp"
#include "pack/partition.hpp"
#include "pack/plan_file.hpp"
#include "pack/prepare.hpp"
#include "pack/set_folders.hpp"
#include "pack/shard_delivery.hpp"
#include "pack/skipped_file.hpp"
#include "pack/split_observer.hpp"
#include "samples/split.hpp"

namespace hotpack::pipeline {

namespace {

class PlannedPacking {
 public:
  PlannedPacking(const PackOptions& options, ReceiptBook* book, Observer& observer)
      : options_(options), book_(book), observer_(observer), joined_(observer) {}

  Result<PackRun> pack(bool dry_run) {
    if (!dry_run) HOTPACK_TRY(probe_output(writing_folder(options_.run), observer_));
    HOTPACK_ASSIGN(PlanFile opened, PlanFile::open(options_.run.plan_file));
    const PlanFile& file = file_.emplace(std::move(opened));
    std::vector<std::string> names;
    for (std::size_t i = 0; i < file.set_count(); ++i) names.push_back(file.set_name(i));
    HOTPACK_TRY(check_delivery_of_splits(options_.run, names));
    HOTPACK_TRY(check_folder_of_sets(options_.run, names));
    run_.status = dry_run ? PackStatus::planned : PackStatus::complete;
    for (std::size_t i = 0; i < file.set_count(); ++i) {
      HOTPACK_TRY(add_set(file, i));
      if (observer_.stop_requested()) return end(PackStatus::stopped);
    }
    if (!dry_run) HOTPACK_TRY(make_output_folder(options_.run));
    if (!dry_run) HOTPACK_TRY(check_space_of_sets(options_.run, sets_));
    if (!dry_run) HOTPACK_TRY(remove_other_splits(options_.run, names, observer_));
    std::uint64_t samples = 0;
    for (const PackedSet& set : sets_) samples += set.samples();
    joined_.begin(samples);
    for (PackedSet& set : sets_) {
      HOTPACK_ASSIGN(PackReport report, dry_run ? set.describe_plan() : set.write());
      joined_.end_part(set.samples());
      const PackStatus status = report.status;
      run_.sets.push_back(std::move(report));
      if (status == PackStatus::stopped) return end(PackStatus::stopped);
      if (status == PackStatus::packed) run_.status = PackStatus::packed;
    }
    return std::move(run_);
  }

 private:
  Status add_set(const PlanFile& file, std::size_t index) {
    const std::string& name = file.set_name(index);
    const bool has_folder = !options_.run.output.empty();
    PackOptions own;
    own.record = file.record();
    own.shard = file.shard();
    own.run = run_of_split(options_.run, name);
    HOTPACK_TRY(check_skipped_path(own.run));
    OutputFolder folder;
    if (has_folder) {
      HOTPACK_ASSIGN(folder, read_output_folder(own.run.output, rules_before_plan(own.run)));
    }
    ShardRange range{0, file.shard_count(index)};
    if (own.run.partition) range = shards_of(*own.run.partition, range.end);
    HOTPACK_ASSIGN(PlannedSet planned, file.read(index, range));
    Split& split = splits_.emplace_back(Split{name, std::move(planned.list)});
    Observer& observer = name.empty() ? observer_ : observers_.emplace_back(name, joined_);
    PackedSet& set = sets_.emplace_back(std::move(own), split, std::move(folder), observer);
    set.use_plan(file.labels(), std::move(planned.plan));
    if (book_ != nullptr) HOTPACK_TRY(set.begin_receipt(*book_));
    return {};
  }

  Result<PackRun> end(PackStatus status) {
    run_.status = status;
    return std::move(run_);
  }

  const PackOptions& options_;
  ReceiptBook* book_;
  Observer& observer_;
  JoinedProgress joined_;         // of all sets
  std::optional<PlanFile> file_;  // owns the labels of the sets
  std::list<Split> splits_;
  std::list<SplitObserver> observers_;
  std::deque<PackedSet> sets_;
  PackRun run_;
};

}  // namespace

Result<PackRun> pack_planned(const PackOptions& options, bool dry_run, ReceiptBook* book,
                             Observer& observer) {
  return PlannedPacking(options, book, observer).pack(dry_run);
}

}  // namespace hotpack::pipeline
