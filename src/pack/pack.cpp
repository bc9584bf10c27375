#include "pack/pack.hpp"

#include <filesystem>
#include <list>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "format/manifest.hpp"
#include "inputs/gather.hpp"
#include "label_setup/one_size.hpp"
#include "pack/packed_set.hpp"
#include "pack/prepare.hpp"
#include "pack/skipped_file.hpp"
#include "settings/arena.hpp"

namespace hotpack::pipeline {

namespace {

// The folder above several sets is no set itself.
Status check_folder_of_sets(const std::string& folder) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder + "/" + std::string(format::kManifestName), ignored)) return {};
  return usage_error(folder +
                     ": is a packed data set itself; this input makes several sets, each in a folder below -o. Choose another folder");
}

// Names the split in what one of several sets tells.
class SplitObserver final : public Observer {
 public:
  SplitObserver(std::string split, Observer& whole) : split_(std::move(split)), whole_(whole) {}
  void message(Level level, std::string_view text) override { whole_.message(level, split_ + ": " + std::string(text)); }
  void progress(const Progress& progress) override {
    Progress named = progress;
    const std::string stage = std::string(progress.stage) + " " + split_;
    named.stage = stage;
    whole_.progress(named);
  }
  [[nodiscard]] bool stop_requested() const override { return whole_.stop_requested(); }

 private:
  std::string split_;
  Observer& whole_;
};

class Packing {
 public:
  Packing(const PackOptions& options, Observer& observer) : options_(options), observer_(observer) {}

  Result<PackRun> pack(bool dry_run) {
    HOTPACK_TRY(check_options(options_));
    HOTPACK_TRY(make_sets());
    if (run_.problems.count() > 0) return end(PackStatus::refused);
    for (PackedSet& set : sets_) HOTPACK_TRY(set.look_at_folder());
    HOTPACK_ASSIGN(const bool finished, all_finished());
    if (finished) return complete(dry_run);
    HOTPACK_TRY(decide());
    if (observer_.stop_requested()) return end(PackStatus::stopped);
    if (run_.problems.count() > 0) return end(PackStatus::refused);
    return dry_run ? describe() : write();
  }

 private:
  Status make_sets() {
    HOTPACK_ASSIGN(Gathered gathered, gather(options_, run_.problems));
    options_.label = gathered.label;
    run_.layout = gathered.layout;
    tell_layout();
    for (const std::string& warning : gathered.warnings) observer_.message(Level::warning, warning);
    run_.orphans_left_out = gathered.orphans_left_out;
    run_.other_files = gathered.other_files;
    for (Split& split : gathered.splits) {
      if (!split.name.empty()) HOTPACK_TRY(check_folder_of_sets(options_.run.output));
      PackOptions own = options_of_split(options_, split.name);
      HOTPACK_TRY(check_skipped_path(own.run));
      Observer& observer = split.name.empty() ? observer_ : observers_.emplace_back(split.name, observer_);
      sets_.emplace_back(std::move(own), std::move(split), observer);
    }
    return {};
  }

  void tell_layout() {
    for (std::string_view text = run_.layout; !text.empty();) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      observer_.message(Level::info, text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  [[nodiscard]] std::vector<SampleList*> lists() {
    std::vector<SampleList*> all;
    for (PackedSet& set : sets_) all.push_back(&set.list());
    return all;
  }

  // A finished pack of the same inputs and options: found without reading a label, and without a header where sizes do not matter.
  Result<bool> all_finished() {
    std::vector<const format::Manifest*> manifests;
    for (const PackedSet& set : sets_) manifests.push_back(set.manifest());
    if (std::count(manifests.begin(), manifests.end(), nullptr) > 0) return false;
    HOTPACK_TRY(settle_size());
    if (observer_.stop_requested()) return false;
    ProblemLog found;
    Result<LabelSetup> setup = adopt_labels(options_, lists(), manifests, found);
    if (!setup.ok() || found.count() > 0) return false;  // decide() finds the same fault and says it in full
    setup_.emplace(std::move(setup).value());
    for (PackedSet& set : sets_) {
      HOTPACK_ASSIGN(const bool finished, set.is_finished(*setup_));
      if (!finished) return false;
    }
    return true;
  }

  // Where no size was given and all pictures of all sets have one, records have it too.
  Status settle_size() {
    if (settled_ || !size_is_open(options_.record)) return {};
    RecordSizes sizes;
    for (PackedSet& set : sets_) {
      HOTPACK_ASSIGN([[maybe_unused]] const HeaderSurvey headers, set.survey());
      if (observer_.stop_requested()) return {};
      sizes.add(set.list(), options_.record);
    }
    settled_ = true;
    sizes.settle(options_.record);
    for (PackedSet& set : sets_) set.settle_record(options_.record);
    if (sizes.differ()) observer_.message(Level::info, sizes.note());
    return {};
  }

  // Labels, classes, shards.
  Status decide() {
    HOTPACK_TRY(settle_size());
    if (observer_.stop_requested()) return {};
    LabelForms forms;
    for (PackedSet& set : sets_) {
      HOTPACK_ASSIGN(HeaderSurvey survey, set.survey());
      if (observer_.stop_requested()) return {};
      forms.add(survey.forms);
      // What headers show stops the run now, before hours are spent, unless bad samples are skipped: then packing meets them again.
      if (!options_.run.skip_errors) run_.problems.append(survey.problems);
    }
    HOTPACK_ASSIGN(LabelSetup setup, resolve_labels(options_, lists(), forms, observer_, run_.problems));
    setup_.emplace(std::move(setup));
    if (observer_.stop_requested()) return {};
    if (!setup_->verdict.empty()) observer_.message(Level::info, setup_->verdict);
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
    run_.status = PackStatus::complete;
    for (PackedSet& set : sets_) {
      HOTPACK_ASSIGN(PackReport report, set.write());
      const PackStatus status = report.status;
      run_.sets.push_back(std::move(report));
      if (status == PackStatus::stopped) return end(PackStatus::stopped);
      if (status == PackStatus::packed) run_.status = PackStatus::packed;
    }
    return std::move(run_);
  }

  Result<PackRun> end(PackStatus status) {
    run_.status = status;
    return std::move(run_);
  }

  PackOptions options_;
  Observer& observer_;
  std::list<SplitObserver> observers_;  // of sets_, which point to them
  std::list<PackedSet> sets_;
  std::optional<LabelSetup> setup_;
  bool settled_ = false;  // what size records have
  PackRun run_;
};

}  // namespace

PackOptions options_of_split(const PackOptions& options, const std::string& split) {
  PackOptions own = options;
  if (split.empty()) return own;
  if (!own.run.output.empty()) own.run.output += "/" + split;
  if (!own.run.skipped_file.empty()) own.run.skipped_file += "." + split;
  return own;
}

Result<PackRun> pack(const PackOptions& options, bool dry_run, Observer& observer) {
  if (options.run.output.empty()) return usage_error("-o DIR is required: where to write the packed data set");
  return with_threads(options.run.threads, [&] { return Packing(options, observer).pack(dry_run); });
}

}  // namespace hotpack::pipeline
