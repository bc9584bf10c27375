#include "check/check.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "check/dataset_summary.hpp"
#include "check/lenient_labels.hpp"
#include "label_setup/named_labels.hpp"
#include "label_setup/source_file.hpp"
#include "labels/one_hot.hpp"
#include "pack/prepare.hpp"
#include "pack/prepared_inputs.hpp"
#include "pack/run.hpp"
#include "settings/arena.hpp"

namespace hotpack::pipeline {

namespace {

// True for the first tile of an image. What concerns an image is reported with its first tile only.
bool is_first_tile(const Sample& sample) { return sample.tile_x == 0 && sample.tile_y == 0; }

// Receives the results of the workers instead of writing records.
class CheckSink : public Sink {
 public:
  CheckSink(std::uint32_t split, const RunInput& input, DatasetSummary& summary,
            ProblemLog& problems, SplitReport& report)
      : split_(split), input_(input), summary_(summary), problems_(problems), report_(report) {}

  Result<std::shared_ptr<ShardSink>> open_shard(std::size_t) override {
    return std::shared_ptr<ShardSink>();
  }
  Status finish_shard(std::size_t) override { return {}; }
  Status accept(Outcome& outcome) override {
    const std::uint64_t index = input_.plan.shards[outcome.shard].first + outcome.slot;
    if (!is_first_tile(input_.list.samples[static_cast<std::size_t>(index)])) return {};
    if (outcome.inspection) {
      summary_.add(split_, static_cast<std::uint32_t>(index), *outcome.inspection);
      if (outcome.inspection->label_problem)
        problems_.add(std::move(*outcome.inspection->label_problem));
    }
    if (!outcome.problem) return {};
    ++report_.bad;
    problems_.add(std::move(*outcome.problem));
    return {};
  }

 private:
  std::uint32_t split_;
  const RunInput& input_;
  DatasetSummary& summary_;
  ProblemLog& problems_;
  SplitReport& report_;
};

// Returns the options without shuffling, so that the first examples are those with the first keys.
PackOptions in_key_order(PackOptions options) {
  options.shard.shuffle_seed.reset();
  return options;
}

class Checking {
 public:
  Checking(const PackOptions& options, bool headers_only, Observer& observer)
      : inputs_(in_key_order(options), observer), headers_only_(headers_only), observer_(observer) {
    report_.headers_only = headers_only;
  }

  Result<CheckReport> run() {
    const Status discovered = discover();
    if (!discovered.ok() && discovered.error().code != ErrorCode::data) return discovered.error();
    if (!discovered.ok()) return nothing_to_check(discovered.error());
    if (observer_.stop_requested()) return stopped();
    HOTPACK_TRY(probe_headers());
    if (observer_.stop_requested()) return stopped();
    if (nothing_left() && problems_.group(ProblemKind::unopenable_file).count > 0)
      return nothing_to_check(data_error("there is no sample whose files can be opened"));
    HOTPACK_TRY(read_labels());
    if (observer_.stop_requested()) return stopped();
    DatasetSummary summary(inputs_.splits(), context(), options().record);
    std::uint64_t samples = 0;  // tiles are counted later, for each split
    for (const Split& split : inputs_.splits())
      samples += options().record.tile ? 0 : split.list.samples.size();
    inputs_.joined().begin(samples);
    for (std::uint32_t split = 0; split < inputs_.splits().size(); ++split) {
      HOTPACK_TRY(headers_only_ ? check_headers(split, summary) : check_samples(split, summary));
      if (observer_.stop_requested()) return stopped();
    }
    report_problems();
    summary.finish(!headers_only_, report_.diagnostics);
    report_counts();
    report_lost_classes();
    report_disk_space();
    return finished(summary);
  }

 private:
  Status discover() {
    HOTPACK_TRY(inputs_.discover(problems_));
    if (observer_.stop_requested()) return {};
    const Discovery& discovered = inputs_.discovery();
    report_.layout = discovered.layout;
    for (const std::string& warning : discovered.warnings) warn("input", warning);
    report_.orphans_left_out = discovered.orphans_left_out;
    report_.other_files = discovered.other_files;
    report_.excluded = discovered.excluded;
    for (const Split& split : inputs_.splits()) {
      const SampleList& list = split.list;
      report_.splits.push_back({split.name, list.samples.size(), 0, {}});
      report_.label_files = report_.label_files || list.has_label_files || !list.masks.empty();
    }
    return {};
  }

  Status probe_headers() {
    HOTPACK_TRY(inputs_.probe_headers());
    if (observer_.stop_requested()) return {};
    for (std::size_t i = 0; i < inputs_.splits().size(); ++i) {
      const HeaderProbe& headers = inputs_.headers()[i];
      // If pixels are read, these problems are found again then.
      if (headers_only_)
        problems_.append(headers.problems);
      else
        problems_.append(headers.problems, ProblemKind::unopenable_file);
      drop_unopened(headers.unopened, inputs_.splits()[i].list);
    }
    report_sizes();
    return {};
  }

  // Removes samples whose files cannot be opened. They are reported already, and the next step
  // would stop at the first of them.
  static void drop_unopened(const std::vector<std::size_t>& unopened, SampleList& list) {
    for (auto index = unopened.rbegin(); index != unopened.rend(); ++index)
      list.samples.erase(list.samples.begin() + static_cast<std::ptrdiff_t>(*index));
  }

  [[nodiscard]] bool nothing_left() {
    const std::vector<SampleList*> lists = inputs_.lists();
    return std::all_of(lists.begin(), lists.end(),
                       [](const SampleList* list) { return list->samples.empty(); });
  }

  void report_sizes() {
    const RecordSizes* sizes = inputs_.differing_sizes();
    if (sizes == nullptr) return;
    report_.diagnostics.add(make_diagnostic("sizes-differ", Severity::note, sizes->note()));
    report_.size_advice = sizes->advice(report_.label_files);
  }

  Status read_labels() {
    const std::vector<SampleList*> lists = inputs_.lists();
    HOTPACK_ASSIGN(LenientLabels read,
                   resolve_labels_leniently(inputs_.resolved(), lists, inputs_.forms(),
                                            headers_only_, observer_, problems_));
    if (read.classes_known) report_.labels = labels_text(read);
    report_.classes_known = read.classes_known;
    options_ = inputs_.resolved();
    options_->label = read.options;
    question_ = std::move(read.question);
    if (question_ && !report_.classes_known && !headers_only_)
      HOTPACK_TRY(list_label_values(lists));
    setup_ = std::move(read.setup);
    if (!report_.classes_known) return {};
    report_.mapped = !setup_->map.empty();
    report_.classes = setup_->table.classes;
    report_.ignored_classes = context().ignored;
    for (const std::string& warning : setup_->table.warnings)
      if (report_.label_files || !tells_of_missing_images(warning))
        warn("class-table", warning);  // the summary reports missing images
    return {};
  }

  // Lists the colors of RGB labels, or the ids of others.
  Status list_label_values(const std::vector<SampleList*>& lists) {
    const std::vector<const SampleList*> all(lists.begin(), lists.end());
    Result<ColorList> values =
        inputs_.forms().rgb.count > 0
            ? list_colors(all, options(), std::numeric_limits<std::size_t>::max(), observer_)
            : list_ids(all, options(), observer_);
    HOTPACK_ASSIGN(ColorList listed, std::move(values));
    if (!listed.colors.empty()) report_.colors = std::move(listed);
    return {};
  }

  [[nodiscard]] std::string labels_text(const LenientLabels& read) const {
    std::string text = read.setup.explanation;
    for (const std::string& line : read.setup.map_lines) text += "\n" + line;
    if (read.options.unknown != inputs_.resolved().label.unknown)
      text += "\nfor this report, unknown colors take the class of the nearest color";
    return text;
  }

  [[nodiscard]] LabelContext context() const {
    return report_.classes_known ? context_of(*setup_) : LabelContext{};
  }

  void warn(std::string kind, const std::string& title) {
    report_.diagnostics.add(make_diagnostic(std::move(kind), Severity::warning, title));
  }

  // ---- with pixels

  Status check_samples(std::uint32_t split, DatasetSummary& summary) {
    SampleList& list = inputs_.splits()[split].list;
    cut_into_tiles(options().record, list);
    const LabelSetup& setup = setup_of(list, *setup_);
    HOTPACK_ASSIGN(const Plan plan, make_plan(options(), setup, list));
    add_to_estimate(plan, list);
    RunInput input{options(), setup, plan, list, {}, "checking", 0, true};
    for (std::size_t i = 0; i < plan.shards.size(); ++i) input.shards.push_back(i);
    CheckSink sink(split, input, summary, problems_, report_.splits[split]);
    HOTPACK_ASSIGN(const RunResult run, run_samples(input, sink, inputs_.joined()));
    inputs_.joined().end_part(list.samples.size());
    counts_.add(run.diagnostics);
    classes_.add(run.classes);
    schema_ = plan.schema;
    report_.bytes_in += run.bytes_in;
    return {};
  }

  // ---- headers only

  Status check_headers(std::uint32_t split, DatasetSummary& summary) {
    SampleList& list = inputs_.splits()[split].list;
    constexpr std::size_t kAtATime = 1024;
    for (std::size_t begin = 0; begin < list.samples.size() && !observer_.stop_requested();
         begin += kAtATime) {
      std::vector<SampleInspection> found(std::min(kAtATime, list.samples.size() - begin));
      tbb::parallel_for(tbb::blocked_range<std::size_t>(0, found.size()),
                        [&](const tbb::blocked_range<std::size_t>& range) {
                          SourceReader reader;
                          for (std::size_t i = range.begin(); i != range.end(); ++i)
                            probe(list, list.samples[begin + i], reader, found[i]);
                        });
      for (std::size_t i = 0; i < found.size(); ++i)
        summary.add(split, static_cast<std::uint32_t>(begin + i), found[i]);
    }
    cut_into_tiles(options().record, list);
    HOTPACK_ASSIGN(const Plan plan, make_plan(options(), setup_of(list, *setup_), list));
    add_to_estimate(plan, list);
    return {};
  }

  // Reads the headers of the files of a sample. Does not report files whose headers cannot be read,
  // because the header probe has already done so.
  static void probe(const SampleList& list, const Sample& sample, SourceReader& reader,
                    SampleInspection& inspection) {
    const auto image = reader.probe(list.image_path(sample));
    if (image.ok()) inspection.image = *image;
    if (!list.has_label_files) return;
    const auto label = reader.probe(list.label_path(sample));
    if (label.ok()) inspection.label = *label;
  }

  // ---- size estimate

  void add_to_estimate(const Plan& plan, const SampleList& list) {
    if (!report_.classes_known) return;
    if (!report_.estimate) report_.estimate = empty_estimate(plan);
    SizeEstimate& estimate = *report_.estimate;
    std::uint64_t image_bytes = 0;
    for (const ShardPlan& shard : plan.shards) image_bytes += shard.bytes.image;
    estimate.records += list.samples.size();
    estimate.shards += plan.shards.size();
    estimate.image_bytes += image_bytes;
    if (!plan.schema.label) return;
    const bool per_pixel = plan.schema.label->scope == LabelScope::pixel;
    const std::uint64_t places =
        per_pixel ? image_bytes / static_cast<std::uint64_t>(plan.schema.image.channels())
                  : list.samples.size();
    for (SizeEstimate::Storage& storage : estimate.storages)
      storage.label_bytes +=
          labels::encoded_bytes(storage.storage, places, plan.schema.class_count());
  }

  [[nodiscard]] SizeEstimate empty_estimate(const Plan& plan) const {
    SizeEstimate estimate;
    if (plan.schema.label) estimate.chosen = plan.schema.label->storage;
    estimate.compressed = plan.compressed();
    for (const LabelStorage storage :
         {LabelStorage::bits, LabelStorage::one_hot, LabelStorage::index}) {
      const bool possible = storage != LabelStorage::index || !setup_->multi;
      if (setup_->scope && possible) estimate.storages.push_back({storage, 0});
    }
    return estimate;
  }

  // Adds a warning if the disk is too small for the pack. This is only a warning, because an
  // earlier run may have written some of the shards, which then need no more space.
  void report_disk_space() {
    if (!report_.estimate || report_.estimate->compressed || options().run.output.empty()) return;
    const std::uint64_t needed = report_.estimate->chosen_bytes();
    const std::optional<std::uint64_t> free = free_bytes_at(options().run.output);
    if (!free || needed <= *free) return;
    warn("disk-space", "the disk of '" + options().run.output + "' has " + number_text(*free) +
                           " bytes free, but the pack needs " + number_text(needed) +
                           " bytes, plus some for the tables of the shards");
  }

  // ---- ends

  // Reports an input without any sample: only the reason, and the problems with names.
  CheckReport nothing_to_check(const Error& error) {
    report_.diagnostics.add(make_diagnostic("no-samples", Severity::problem, error.describe()));
    add_problems(problems_, {}, options().run.skip_errors, report_.diagnostics);
    report_.problems = problems_.count() + 1;
    report_.result = CheckResult::refuses;
    return std::move(report_);
  }

  Result<CheckReport> stopped() {
    report_.result = CheckResult::stopped;
    return std::move(report_);
  }

  Result<CheckReport> finished(const DatasetSummary& summary) {
    report_.images = summary.images();
    report_.label_images = summary.label_images();
    report_.classes_counted = report_.classes_known && (!headers_only_ || !report_.label_files) &&
                              !report_.classes.empty();
    for (std::size_t split = 0; split < report_.splits.size(); ++split)
      report_.splits[split].classes = summary.classes(split);
    report_.problems = problems_.count();
    report_.result = result();
    return std::move(report_);
  }

  void report_problems() {
    note_exchanged_sides(inputs_.forms().total(), problems_);
    // The open question about how to read all labels is left out if problems of single label files
    // (of another form than the rest) are reported. With --on-error skip such files are skipped, so
    // the question is reported as well.
    const bool reported_by_file =
        problems_.group(ProblemKind::label_form).count > 0 && !options().run.skip_errors;
    const bool of_all = question_ && (question_->kind == ProblemKind::class_file ||
                                      !reported_by_file || !report_.classes_known);
    if (of_all) problems_.add(*question_);
    // Unknown values have diagnostics of their own, one per value.
    add_problems(problems_, {ProblemKind::unknown_value, ProblemKind::exchanged_colors},
                 options().run.skip_errors, report_.diagnostics);
  }

  // Adds a warning if classes of labels occur in hardly any record.
  void report_lost_classes() {
    const std::string lost = classes_.lost_text(schema_);
    if (!lost.empty())
      report_.diagnostics.add(make_diagnostic("class-lost", Severity::warning, lost,
                                              {classes_.lost(), {}}, schema_.class_count(),
                                              kLostClassAdvice));
  }

  // Adds notes about how labels were read; none if their classes are unknown.
  void report_counts() {
    if (!report_.classes_known) return;
    const auto note = [&](std::string kind, std::uint64_t count, const std::string& title) {
      if (count > 0)
        report_.diagnostics.add(
            make_diagnostic(std::move(kind), Severity::note, title, {count, {}}));
    };
    const auto labels = [](std::uint64_t count, const std::string& one, const std::string& many) {
      return counted_text(count, "label ", "labels ") + (count == 1 ? one : many);
    };
    note(
        "label-resized", counts_.label_resized,
        labels(counts_.label_resized, "differs in size from its image; --size-mismatch allows this",
               "differ in size from their images; --size-mismatch allows this"));
    note("nearest-color", counts_.nearest_pixels,
         counted_text(counts_.nearest_pixels, "label pixel takes", "label pixels take") +
             " the class of the nearest color");
    note("beyond-palette", counts_.beyond_palette,
         labels(counts_.beyond_palette, "uses an index beyond its palette; it is taken as an id",
                "use an index beyond their palettes; it is taken as an id"));
    note("channels-differ", counts_.channels_differ,
         labels(counts_.channels_differ,
                "has channels that differ by more than 16; brightness decides",
                "have channels that differ by more than 16; brightness decides"));
    note("alpha-varies", counts_.alpha_varies,
         labels(counts_.alpha_varies, "has transparency that is not constant; it is dropped",
                "have transparency that is not constant; it is dropped"));
  }

  [[nodiscard]] CheckResult result() const {
    if (problems_.count() == 0) return CheckResult::succeeds;
    if (!options().run.skip_errors) return CheckResult::refuses;
    std::uint64_t skipped = 0;
    for (std::size_t i = 0; i < kProblemKinds; ++i) {
      const auto kind = static_cast<ProblemKind>(i);
      if (problems_.group(kind).count > 0 && !problem_is_skippable(kind))
        return CheckResult::refuses;
      skipped += problems_.group(kind).count;
    }
    return options().run.max_errors && skipped > *options().run.max_errors
               ? CheckResult::refuses
               : CheckResult::leaves_out;
  }

  // Returns the options with which the labels were read. As long as no labels have been read,
  // returns the options as completed from the inputs.
  [[nodiscard]] const PackOptions& options() const {
    return options_ ? *options_ : inputs_.resolved();
  }

  PreparedInputs inputs_;
  bool headers_only_;
  Observer& observer_;
  std::optional<PackOptions> options_;
  std::optional<LabelSetup> setup_;
  std::optional<Problem> question_;
  ProblemLog problems_;
  DiagnosticCounts counts_;
  ClassUses classes_;
  Schema schema_;  // of the records, if pixels were read
  CheckReport report_;
};

}  // namespace

std::uint64_t SizeEstimate::chosen_bytes() const {
  std::uint64_t bytes = image_bytes;
  for (const Storage& each : storages)
    if (each.storage == chosen) bytes += each.label_bytes;
  return bytes;
}

Result<CheckReport> check(const PackOptions& options, bool headers_only, Observer& observer) {
  return with_threads(options.run.threads,
                      [&] { return Checking(options, headers_only, observer).run(); });
}

}  // namespace hotpack::pipeline
