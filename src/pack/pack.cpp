#include "pack/pack.hpp"

#include <deque>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "format/manifest.hpp"
#include "label_setup/one_size.hpp"
#include "label_setup/placement.hpp"
#include "pack/output_probe.hpp"
#include "pack/packed_set.hpp"
#include "pack/plan_file.hpp"
#include "pack/planned_pack.hpp"
#include "pack/prepare.hpp"
#include "pack/prepared_inputs.hpp"
#include "pack/receipt.hpp"
#include "pack/set_folders.hpp"
#include "pack/shard_delivery.hpp"
#include "pack/skipped_file.hpp"
#include "settings/arena.hpp"

namespace hotpack::pipeline {

namespace {

// Returns an error if input files could not be opened. Such files always stop the run: if they were
// skipped, the bytes of a pack could depend on temporary errors.
Status all_opened(const ProblemLog& problems) {
  const ProblemLog::Group& group = problems.group(ProblemKind::unopenable_file);
  if (group.count == 0) return {};
  const Problem& first = group.examples.front();
  const std::string more = group.count > 1 ? " (the first of " + std::to_string(group.count) +
                                                 " files that cannot be opened)"
                                           : "";
  return Error{ErrorCode::io,
               first.detail + more + "; run the same command again to continue",
               first.path,
               {}};
}

class Packing {
 public:
  // `book` may be null.
  Packing(const PackOptions& options, ReceiptBook* book, Observer& observer)
      : inputs_(options, observer), book_(book), observer_(observer) {}

  // Writes the plan to a file, and packs nothing.
  Result<PackRun> write_plan(const std::string& path) {
    HOTPACK_TRY(check_plan_path(path));
    HOTPACK_TRY(discover());
    if (observer_.stop_requested()) return end(PackStatus::stopped);
    if (run_.problems.count() > 0) return end(PackStatus::refused);
    HOTPACK_TRY(probe_headers());
    if (observer_.stop_requested()) return end(PackStatus::stopped);
    folders_.resize(inputs_.splits().size());
    make_sets();
    HOTPACK_TRY(decide());
    if (observer_.stop_requested()) return end(PackStatus::stopped);
    if (run_.problems.count() > 0) return end(PackStatus::refused);
    std::vector<SetToPlan> planned;
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      const Split& split = inputs_.splits()[i];
      planned.push_back({split.name, &sets_[i].planned(), &split.list});
    }
    HOTPACK_ASSIGN(run_.plan_file_bytes,
                   write_plan_file(path, inputs_.resolved(), *setup_, planned));
    run_.plan_file = path;
    HOTPACK_ASSIGN(PackRun run, describe());
    for (std::size_t i = 0; i < run.sets.size(); ++i) warn_of_unusable(i, run.sets[i]);
    return run;
  }

  // With --on-error skip, files whose headers cannot be used are planned. Now they can be repaired.
  void warn_of_unusable(std::size_t set, PackReport& report) const {
    const ProblemLog& problems = inputs_.headers()[set].problems;
    if (problems.count() == 0) return;
    report.plan.warnings.push_back(
        "`hotpack pack --plan` will skip " + counted_text(problems.count(), "sample") +
        " unless their files are repaired and the plan is made again. " + problems.skipped_text());
  }

  Result<PackRun> pack(bool dry_run) {
    HOTPACK_TRY(check_options(inputs_.given()));
    if (!dry_run) HOTPACK_TRY(probe_output(writing_folder(inputs_.given().run), observer_));
    HOTPACK_TRY(discover());
    if (observer_.stop_requested()) return end(PackStatus::stopped);
    if (run_.problems.count() > 0) return end(PackStatus::refused);
    const std::vector<std::string> names = split_names();
    HOTPACK_TRY(check_delivery_of_splits(inputs_.given().run, names));
    HOTPACK_TRY(check_folder_of_sets(inputs_.given().run, names));
    HOTPACK_TRY(read_output_folders());
    if (size_is_open(inputs_.given().record)) HOTPACK_TRY(probe_headers());
    if (observer_.stop_requested()) return end(PackStatus::stopped);
    make_sets();
    HOTPACK_ASSIGN(const bool finished, all_finished());
    if (finished) return complete(dry_run);
    HOTPACK_TRY(decide());
    if (observer_.stop_requested()) return end(PackStatus::stopped);
    if (run_.problems.count() > 0) return end(PackStatus::refused);
    return dry_run ? describe() : write();
  }

 private:
  Status discover() {
    HOTPACK_TRY(inputs_.discover(run_.problems));
    if (observer_.stop_requested()) return {};
    inputs_.announce();
    run_.layout = inputs_.discovery().layout;
    run_.orphans_left_out = inputs_.discovery().orphans_left_out;
    run_.other_files = inputs_.discovery().other_files;
    run_.excluded = inputs_.discovery().excluded;
    return {};
  }

  // Reads what is in the output folders. Called before headers are read, so that the run fails at
  // once if a folder must not be changed.
  Status read_output_folders() {
    for (const Split& split : inputs_.splits()) {
      if (inputs_.given().run.output.empty()) {
        folders_.emplace_back();
        continue;
      }
      const RunOptions run = run_of_split(inputs_.given().run, split.name);
      HOTPACK_TRY(check_skipped_path(run));
      HOTPACK_ASSIGN(OutputFolder folder, read_output_folder(run.output, rules_before_plan(run)));
      folders_.push_back(std::move(folder));
    }
    return {};
  }

  [[nodiscard]] std::vector<std::string> split_names() {
    std::vector<std::string> names;
    for (const Split& split : inputs_.splits()) names.push_back(split.name);
    return names;
  }

  void make_sets() {
    for (std::size_t i = 0; i < folders_.size(); ++i) {
      Split& split = inputs_.splits()[i];
      PackOptions own = inputs_.resolved();
      own.run = run_of_split(own.run, split.name);
      sets_.emplace_back(std::move(own), split, std::move(folders_[i]), inputs_.observer_of(split));
    }
    if (const RecordSizes* sizes = inputs_.differing_sizes())
      observer_.message(Level::info, sizes->note());
  }

  Status probe_headers() {
    HOTPACK_TRY(inputs_.probe_headers());
    for (const HeaderProbe& headers : inputs_.headers()) HOTPACK_TRY(all_opened(headers.problems));
    return {};
  }

  // Returns true if the output folders already contain the finished packs of these inputs and
  // options. Reads no labels and, if the plan does not depend on sizes, no headers.
  Result<bool> all_finished() {
    if (book_ != nullptr) return false;  // write() also delivers what is finished
    std::vector<const format::Manifest*> manifests;
    for (const PackedSet& set : sets_) manifests.push_back(set.manifest());
    if (std::count(manifests.begin(), manifests.end(), nullptr) > 0) return false;
    ProblemLog found;
    Result<LabelSetup> setup = adopt_labels(inputs_.resolved(), inputs_.lists(), manifests, found);
    if (!setup.ok() || found.count() > 0)
      return false;  // decide() will find the same error and report it in full
    setup_.emplace(std::move(setup).value());
    if (plan_needs_sizes(inputs_.resolved().record)) HOTPACK_TRY(probe_headers());
    for (PackedSet& set : sets_) {
      if (observer_.stop_requested()) return false;
      HOTPACK_ASSIGN(const bool finished, set.is_finished(*setup_));
      if (!finished) return false;
    }
    return true;
  }

  // Reads headers and labels, and plans the shards.
  Status decide() {
    if (observer_.stop_requested()) return {};
    HOTPACK_TRY(probe_headers());
    if (observer_.stop_requested()) return {};
    // Problems in headers stop the run now, before hours of packing. With --on-error skip they are
    // not added here, because packing will find and report them again.
    if (!inputs_.given().run.skip_errors)
      for (const HeaderProbe& headers : inputs_.headers()) run_.problems.append(headers.problems);
    note_exchanged_sides(inputs_.forms().total(), run_.problems);
    HOTPACK_ASSIGN(LabelSetup setup, inputs_.resolve_labels(run_.problems));
    setup_.emplace(std::move(setup));
    if (observer_.stop_requested()) return {};
    if (!setup_->explanation.empty()) observer_.message(Level::info, setup_->explanation);
    for (const std::string& line : setup_->map_lines) observer_.message(Level::info, line);
    if (run_.problems.count() > 0) return {};
    for (PackedSet& set : sets_) HOTPACK_TRY(set.plan(*setup_));
    return {};
  }

  Result<PackRun> complete(bool dry_run) {
    for (PackedSet& set : sets_) {
      HOTPACK_ASSIGN(PackReport report, set.complete(dry_run));
      run_.sets.push_back(std::move(report));
    }
    return end(PackStatus::complete);
  }

  Result<PackRun> describe() {
    for (PackedSet& set : sets_) {
      HOTPACK_ASSIGN(PackReport report, set.describe_plan());
      run_.sets.push_back(std::move(report));
    }
    return end(PackStatus::planned);
  }

  Result<PackRun> write() {
    HOTPACK_TRY(check_space_of_sets(inputs_.given().run, sets_));
    for (PackedSet& set : sets_)
      if (book_ != nullptr) HOTPACK_TRY(set.begin_receipt(*book_));
    HOTPACK_TRY(remove_other_splits(inputs_.given().run, split_names(), observer_));
    run_.status = PackStatus::complete;
    std::uint64_t samples = 0;
    for (const PackedSet& set : sets_) samples += set.samples();
    inputs_.joined().begin(samples);
    for (PackedSet& set : sets_) {
      HOTPACK_ASSIGN(PackReport report, set.write());
      inputs_.joined().end_part(set.samples());
      const PackStatus status = report.status;
      run_.sets.push_back(std::move(report));
      if (status == PackStatus::stopped) return end(PackStatus::stopped);
      if (status == PackStatus::packed) run_.status = PackStatus::packed;
    }
    HOTPACK_TRY(make_output_folder(inputs_.given().run));
    return std::move(run_);
  }

  Result<PackRun> end(PackStatus status) {
    run_.status = status;
    return std::move(run_);
  }

  PreparedInputs inputs_;
  ReceiptBook* book_;
  Observer& observer_;
  std::vector<OutputFolder> folders_;  // one per split; moved into sets_
  std::deque<PackedSet> sets_;
  std::optional<LabelSetup> setup_;
  PackRun run_;
};

}  // namespace

Result<PackRun> pack(const PackOptions& given, bool dry_run, Observer& observer) {
  HOTPACK_TRY(check_run_options(given.run));
  HOTPACK_TRY(check_delivery(given.run));
  PackOptions options = given;
  if (gives_shards_away(options.run) && !options.run.partition) options.run.partition = Partition();
  std::optional<ReceiptBook> opened;
  if (!options.run.receipts.empty() && !dry_run) {
    HOTPACK_ASSIGN(opened, ReceiptBook::open(options.run.receipts,
                                             options.run.partition.value_or(Partition())));
  }
  ReceiptBook* const book = opened ? &*opened : nullptr;
  Result<PackRun> run = with_threads(options.run.threads, [&] {
    return options.run.plan_file.empty() ? Packing(options, book, observer).pack(dry_run)
                                         : pack_planned(options, dry_run, book, observer);
  });
  if (book == nullptr || !book->begun()) return run;
  // After a failure, too: the next run then knows what is delivered.
  const Status written = book->write();
  if (!run.ok()) return run;
  HOTPACK_TRY(written);
  run->receipt = book->path();
  return run;
}

Result<PackRun> plan(const PackOptions& options, const std::string& path, Observer& observer) {
  if (path.empty()) return usage_error("-o FILE is required: the file for the plan");
  return with_threads(options.run.threads,
                      [&] { return Packing(options, nullptr, observer).write_plan(path); });
}

}  // namespace hotpack::pipeline
