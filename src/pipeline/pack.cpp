#include "pipeline/pack.hpp"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/try.hpp"
#include "pipeline/header_survey.hpp"
#include "pipeline/output_folder.hpp"
#include "pipeline/output_lock.hpp"
#include "pipeline/pack_sink.hpp"
#include "pipeline/prepare.hpp"
#include "pipeline/run.hpp"
#include "pipeline/skipped_file.hpp"
#include "writer/atomic_file.hpp"

namespace hotpack::pipeline {

namespace {

using Kept = std::vector<std::optional<writer::FinishedShard>>;

// Everything that is decided before the first byte is written.
struct Decision {
  LabelSetup setup;
  Plan plan;
  Kept kept;
};

// Runs `work` with as many threads as asked for, more than cores if need be.
template <class Work>
auto with_threads(int threads, Work work) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  return arena.execute(work);
}

std::string manifest_path(const std::string& folder) { return folder + "/" + std::string(format::kManifestName); }

class Packing {
 public:
  Packing(const PackOptions& options, Observer& observer) : options_(options), observer_(observer) {}

  Result<PackReport> pack(bool dry_run) {
    HOTPACK_TRY(check_options(options_));
    HOTPACK_TRY(check_skipped_path(options_.run));
    HOTPACK_ASSIGN(list_, gather_samples(options_.input, report_.plan, report_.problems));
    if (report_.problems.count() > 0) return refused();
    HOTPACK_TRY(look_at_folder());
    HOTPACK_ASSIGN(const bool finished, already_complete());
    if (finished) return complete();
    HOTPACK_ASSIGN(const ProblemLog headers, decide());
    if (observer_.stop_requested()) return stopped();
    // What headers show stops the run now, before hours are spent, unless bad samples are skipped: then packing meets them again.
    if (!options_.run.skip_errors) report_.problems.append(headers);
    if (report_.problems.count() > 0) return refused();
    if (!dry_run) return write();
    HOTPACK_TRY(keep_what_is_good());
    HOTPACK_TRY(summarize_plan());
    return planned();
  }

  Result<PackReport> check() {
    checking_ = true;
    HOTPACK_TRY(check_options(options_));
    HOTPACK_ASSIGN(list_, gather_samples(options_.input, report_.plan, report_.problems));
    if (list_.samples.empty()) return refused();                          // what is wrong with the names is all there is to say
    HOTPACK_ASSIGN([[maybe_unused]] const ProblemLog headers, decide());  // looking at all samples meets them again
    if (observer_.stop_requested()) return stopped();
    if (!decision_) return refused();  // no sample can be looked at
    decision_->kept.resize(decision_->plan.shards.size());
    HOTPACK_TRY(summarize_plan());
    return look_at_all_samples();
  }

 private:
  // What the output folder holds. With --force every shard is to be packed again, whatever is there.
  Status look_at_folder() {
    HOTPACK_ASSIGN(folder_, look_at_output(options_.run.output));
    shards_before_ = folder_.shards;
    if (!options_.run.force) return {};
    folder_.manifest.reset();
    folder_.manifest_fault.clear();
    folder_.shards.clear();
    return {};
  }

  // A finished pack of the same inputs and options: found without reading a label or a header.
  Result<bool> already_complete() {
    if (!folder_.manifest) return false;
    ProblemLog ignored;
    Result<LabelSetup> setup = adopt_labels(options_, list_, *folder_.manifest, ignored);
    if (!setup.ok()) return false;  // decide() finds the same fault and says it in full
    HOTPACK_ASSIGN(Plan plan, make_plan(options_, *setup, list_));
    if (plan.schema_text != folder_.manifest->schema_text || plan.plan_text != folder_.manifest->plan_text) return false;
    std::vector<std::string> damaged;
    Kept kept = find_kept_shards(folder_, plan, damaged);
    HOTPACK_TRY(recheck_sources(*setup, plan, kept));
    if (observer_.stop_requested() || !is_complete(folder_, plan, kept)) return false;
    decision_.emplace(Decision{std::move(setup).value(), std::move(plan), std::move(kept)});
    return true;
  }

  // Labels, classes, shards. Gives the problems that headers show.
  Result<ProblemLog> decide() {
    HOTPACK_ASSIGN(HeaderSurvey survey, survey_headers(list_, options_.record, observer_));
    if (observer_.stop_requested()) return ProblemLog();
    Result<LabelSetup> resolved = resolve_labels(options_, list_, survey, observer_, report_.problems);
    if (!resolved.ok()) return unresolved(std::move(resolved).error(), survey);
    LabelSetup setup = std::move(resolved).value();
    if (observer_.stop_requested()) return ProblemLog();
    if (!setup.verdict.empty()) observer_.message(Level::info, setup.verdict);
    HOTPACK_ASSIGN(Plan plan, make_plan(options_, setup, list_));
    decision_.emplace(Decision{std::move(setup), std::move(plan), {}});
    return std::move(survey.problems);
  }

  // Labels that cannot be read as asked: an error of its own for pack; check reports it beside what the headers show.
  Result<ProblemLog> unresolved(Error error, HeaderSurvey& survey) {
    if (!checking_ || error.code != ErrorCode::data) return error;
    report_.problems.append(survey.problems);
    const bool class_file = error.path == options_.label.classes;
    report_.problems.add({class_file ? ProblemKind::class_file : ProblemKind::label_form, error.path, error.message});
    return ProblemLog();
  }

  // Which shards stay; refuses a folder that is not this pack's.
  Status keep_what_is_good() {
    HOTPACK_TRY(check_same_options(folder_, decision_->plan, list_, report_.plan.warnings));
    std::vector<std::string> damaged;
    decision_->kept = find_kept_shards(folder_, decision_->plan, damaged);
    HOTPACK_TRY(recheck_sources(decision_->setup, decision_->plan, decision_->kept));
    for (const std::string& text : damaged) report_.plan.warnings.push_back(text + "; the shard is packed again");
    if (!folder_.manifest_fault.empty()) report_.plan.warnings.push_back(folder_.manifest_fault + "; it is written again");
    return {};
  }

  // --recheck: forgets kept shards whose sources have other bytes now, or whose skipped samples can be packed by now.
  Status recheck_sources(const LabelSetup& setup, const Plan& plan, Kept& kept) {
    if (!options_.run.recheck) return {};
    SampleWorker worker(options_, setup, plan.schema, list_);
    PackedSample out;
    out.sums = format::Sums(plan.schema.image.channels(), plan.schema.label ? plan.schema.class_count() : 0);
    for (std::size_t i = 0; i < kept.size() && !observer_.stop_requested(); ++i) {
      if (!kept[i]) continue;
      HOTPACK_ASSIGN(SourceCheck check, check_sources(folder_.path, kept[i]->row.file, plan.shards[i], list_));
      for (const std::uint64_t skipped : check.skipped) {
        if (!check.unchanged) break;
        HOTPACK_ASSIGN(const auto problem, worker.process(list_.samples[static_cast<std::size_t>(skipped)], out));
        check.unchanged = problem.has_value();
      }
      if (!check.unchanged) kept[i].reset();
    }
    return {};
  }

  Status summarize_plan() {
    const Plan& plan = decision_->plan;
    PlanSummary& summary = report_.plan;
    summary.samples = plan.identity.samples;
    summary.shards = plan.shards.size();
    summary.samples_a_shard = plan.shards.front().samples;
    summary.image_record_bytes = plan.image_bytes;
    summary.label_record_bytes = plan.label_bytes;
    summary.exact = !plan.compressed();
    for (std::size_t i = 0; i < plan.shards.size(); ++i) {
      const auto& kept = decision_->kept[i];
      HOTPACK_ASSIGN(const std::uint64_t bytes, plan.shard_file_bytes(i));
      summary.shard_bytes_total += kept ? kept->row.bytes : bytes;
      summary.bytes_to_write += kept ? 0 : bytes;
      summary.kept_shards += kept.has_value();
    }
    summary.free_bytes = free_bytes_at(options_.run.output.empty() ? "." : options_.run.output);
    summary.plan_bytes = list_.memory_bytes();
    summary.verdict = decision_->setup.verdict;
    summary.warnings.insert(summary.warnings.end(), decision_->setup.table.warnings.begin(), decision_->setup.table.warnings.end());
    report_.schema = plan.schema;
    return {};
  }

  // What --force removes before it writes.
  [[nodiscard]] std::uint64_t bytes_forced_away() const {
    std::uint64_t bytes = 0;
    for (const std::string& name : shards_before_) {
      std::error_code failure;
      const std::uintmax_t size = std::filesystem::file_size(options_.run.output + "/" + name, failure);
      if (options_.run.force && !failure) bytes += size;
    }
    return bytes;
  }

  Status check_free_space() const {
    // The manifest repeats the schema and has a row a shard.
    const std::uint64_t manifest = 4096 + decision_->plan.schema_text.size() + 256 * decision_->plan.shards.size();
    const std::uint64_t needed = report_.plan.bytes_to_write + manifest;
    if (!report_.plan.free_bytes || *report_.plan.free_bytes + bytes_forced_away() >= needed) return {};
    return Error{ErrorCode::io,
                 "the disk has " + std::to_string(*report_.plan.free_bytes) + " bytes free, the pack needs " +
                     (report_.plan.exact ? "" : "up to ") + std::to_string(needed) +
                     ". Free some space, choose another disk, or a smaller form (--label-storage bits or index, --zstd)",
                 options_.run.output,
                 {}};
  }

  // ---- writing

  // With the folder locked: another run may have changed it since it was looked at.
  Result<PackReport> write() {
    HOTPACK_ASSIGN(const std::optional<OutputLock> lock, OutputLock::take(options_.run.output, observer_));
    if (!lock) return stopped();
    HOTPACK_TRY(look_at_folder());
    HOTPACK_TRY(keep_what_is_good());
    if (observer_.stop_requested()) return stopped();
    if (is_complete(folder_, decision_->plan, decision_->kept)) return complete();
    HOTPACK_TRY(summarize_plan());
    HOTPACK_TRY(check_free_space());
    HOTPACK_TRY(writer::remove_stale_temporaries(options_.run.output, [](std::string_view) { return true; }));
    HOTPACK_TRY(unpublish());
    return pack_shards();
  }

  // From here on the folder is not a data set until its manifest is written again.
  Status unpublish() {
    std::error_code failure;
    const std::string path = manifest_path(options_.run.output);
    if (std::filesystem::remove(path, failure)) HOTPACK_TRY(sync_folder(options_.run.output));
    if (failure) return io_error("cannot remove the old manifest", path, failure.value());
    return options_.run.force ? remove_shards(shards_before_) : Status();
  }

  [[nodiscard]] Status remove_shards(const std::vector<std::string>& names) const {
    for (const std::string& name : names) {
      std::error_code failure;
      if (!std::filesystem::remove(options_.run.output + "/" + name, failure) && failure)
        return io_error("cannot remove an old shard", options_.run.output + "/" + name, failure.value());
    }
    return {};
  }

  // Shards of an earlier plan whose names this one does not use.
  [[nodiscard]] std::vector<std::string> stale_shards() const {
    std::set<std::string> planned;
    const std::size_t count = decision_->plan.shards.size();
    for (std::size_t i = 0; i < count; ++i) planned.insert(format::shard_file_name(i, count));
    std::vector<std::string> stale;
    for (const std::string& name : folder_.shards)
      if (planned.count(name) == 0) stale.push_back(name);
    return stale;
  }

  Result<PackReport> pack_shards() {
    const Plan& plan = decision_->plan;
    RunInput input{options_, decision_->setup, plan, list_, {}, "packing", 0};
    std::uint64_t skipped_before = 0;
    for (std::size_t i = 0; i < plan.shards.size(); ++i) {
      const auto& kept = decision_->kept[i];
      if (!kept) input.shards.push_back(i);
      if (kept) input.already_done += plan.shards[i].samples, skipped_before += kept->sums.skipped;
    }
    PackSink sink(input, report_.problems, skipped_before);
    HOTPACK_TRY(open_empty_shard(input, sink));
    const Result<RunResult> run = run_samples(input, sink, observer_);
    // Also when the run fails: who set --max-errors wants to know what was skipped.
    HOTPACK_TRY(write_skipped_file(options_.run, plan, list_, decision_->kept, sink.skipped_lines()));
    HOTPACK_TRY(run);
    HOTPACK_ASSIGN(const auto finished, sink.finish());
    take_counts(*run, finished);
    if (run->stopped) return stopped();
    return publish(finished);
  }

  // An empty data set has one shard without records; no sample makes the pipeline open it.
  static Status open_empty_shard(const RunInput& input, PackSink& sink) {
    if (input.shards.size() != 1 || input.plan.shards[input.shards[0]].samples > 0) return {};
    HOTPACK_ASSIGN([[maybe_unused]] const auto opened, sink.open_shard(input.shards[0]));
    return sink.finish_shard(input.shards[0]);
  }

  void take_counts(const RunResult& run, const std::map<std::size_t, writer::FinishedShard>& finished) {
    report_.packed_shards = finished.size();
    report_.kept_shards = report_.plan.kept_shards;
    report_.changed_shards = shards_before_.size() - std::min<std::size_t>(shards_before_.size(), report_.plan.kept_shards);
    report_.bytes_in = run.bytes_in;
    report_.remarks = run.remarks;
  }

  // All shards are there: the manifest makes them a data set.
  Result<PackReport> publish(const std::map<std::size_t, writer::FinishedShard>& finished) {
    for (const auto& [index, shard] : finished) decision_->kept[index] = shard;
    const format::Manifest manifest = make_manifest();
    HOTPACK_TRY(remove_shards(stale_shards()));
    HOTPACK_TRY(writer::write_file_atomically(options_.run.output, std::string(format::kManifestName), format::encode_manifest(manifest)));
    report_.status = PackStatus::packed;
    describe(manifest);
    return std::move(report_);
  }

  [[nodiscard]] format::Manifest make_manifest() const {
    const Plan& plan = decision_->plan;
    format::Manifest manifest;
    manifest.schema_text = plan.schema_text;
    manifest.schema = plan.schema;
    manifest.plan_text = plan.plan_text;
    manifest.plan = plan.identity;
    format::Sums total(plan.schema.image.channels(), plan.schema.label ? plan.schema.class_count() : 0);
    for (const auto& shard : decision_->kept) {
      manifest.shards.push_back(shard->row);
      total.add(shard->sums);
    }
    manifest.skipped = total.skipped;
    manifest.statistics = format::statistics_of(total);
    return manifest;
  }

  void describe(const format::Manifest& manifest) {
    report_.records = manifest.records();
    report_.skipped = manifest.skipped;
    report_.statistics = manifest.statistics;
    report_.schema = manifest.schema;
    report_.bytes_out = 0;
    for (const format::ShardRow& row : manifest.shards) report_.bytes_out += row.bytes;
  }

  // ---- check

  // Counts instead of writing.
  class CheckSink : public Sink {
   public:
    CheckSink(PackReport& report, const Schema& schema)
        : report_(report), total_(schema.image.channels(), schema.label ? schema.class_count() : 0) {}
    Result<std::shared_ptr<ShardSink>> open_shard(std::size_t) override { return std::shared_ptr<ShardSink>(); }
    Status finish_shard(std::size_t) override { return {}; }
    Status accept(Outcome& outcome) override {
      if (outcome.problem) {
        report_.problems.add(std::move(*outcome.problem));
      } else {
        total_.add(outcome.sums);
        ++report_.records;
      }
      return {};
    }
    [[nodiscard]] Statistics statistics() const { return format::statistics_of(total_); }

   private:
    PackReport& report_;
    format::Sums total_;
  };

  Result<PackReport> look_at_all_samples() {
    RunInput input{options_, decision_->setup, decision_->plan, list_, {}, "checking", 0};
    for (std::size_t i = 0; i < decision_->plan.shards.size(); ++i) input.shards.push_back(i);
    CheckSink sink(report_, decision_->plan.schema);
    HOTPACK_ASSIGN(const RunResult run, run_samples(input, sink, observer_));
    report_.bytes_in = run.bytes_in;
    report_.remarks = run.remarks;
    report_.statistics = sink.statistics();
    if (run.stopped) return stopped();
    if (report_.problems.count() > 0) return refused();
    return planned();
  }

  // ---- ends

  Result<PackReport> end(PackStatus status) {
    report_.status = status;
    return std::move(report_);
  }
  Result<PackReport> refused() { return end(PackStatus::refused); }
  Result<PackReport> stopped() { return end(PackStatus::stopped); }
  Result<PackReport> planned() { return end(PackStatus::planned); }
  Result<PackReport> complete() {
    HOTPACK_TRY(write_skipped_file(options_.run, decision_->plan, list_, decision_->kept, ""));
    HOTPACK_TRY(summarize_plan());
    report_.kept_shards = report_.plan.kept_shards;
    describe(*folder_.manifest);
    return end(PackStatus::complete);
  }

  const PackOptions& options_;
  Observer& observer_;
  bool checking_ = false;
  SampleList list_;
  OutputFolder folder_;
  std::vector<std::string> shards_before_;  // shard files that were there
  std::optional<Decision> decision_;
  PackReport report_;
};

}  // namespace

Result<PackReport> pack(const PackOptions& options, bool dry_run, Observer& observer) {
  if (options.run.output.empty()) return usage_error("-o DIR is required: where to write the packed data set");
  return with_threads(std::max(1, options.run.threads), [&] { return Packing(options, observer).pack(dry_run); });
}

Result<PackReport> check(const PackOptions& options, Observer& observer) {
  return with_threads(std::max(1, options.run.threads), [&] { return Packing(options, observer).check(); });
}

}  // namespace hotpack::pipeline
