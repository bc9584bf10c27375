#include "bench/bench.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "bench/disk_stage.hpp"
#include "bench/measure.hpp"
#include "bench/memory_stage.hpp"
#include "bench/records.hpp"
#include "bench/run.hpp"
#include "bench/setup.hpp"

namespace hotpack::bench {

namespace {

class Run {
 public:
  Run(Setup setup, const BenchOptions& options) : setup_(std::move(setup)), options_(options) {}

  Result<BenchReport> measure() {
    HOTPACK_TRY(describe());
    if (options_.cold) {
      HOTPACK_TRY(begin_stage(options_, "reads from the disk"));
      HOTPACK_TRY(measure_disk(setup_, report_));
    }
    HOTPACK_ASSIGN(const Dataset dataset, setup_.open_dataset());
    HOTPACK_TRY(begin_stage(options_, "reading into memory"));
    HOTPACK_ASSIGN(const WarmUp warmed, warm_up(setup_, dataset));
    describe_warm_up(warmed, report_);
    HOTPACK_ASSIGN(const RecordList records, list_records(dataset, warmed.steps));
    const Warm warm{&dataset, &records, warmed.steps};
    for (const unsigned threads : setup_.threads) {
      HOTPACK_TRY(
          begin_stage(options_, std::to_string(threads) + (threads == 1 ? " thread" : " threads")));
      HOTPACK_TRY(measure_memory(setup_, warm, threads, report_));
    }
    HOTPACK_TRY(begin_stage(options_, "a consumer"));
    HOTPACK_TRY(recommend(warm));
    return std::move(report_);
  }

 private:
  Status describe() {
    HOTPACK_ASSIGN(const Dataset dataset, setup_.open_dataset());
    describe_setup(setup_, dataset, report_);
    return {};
  }

  Result<RecordList> list_records(const Dataset& dataset, std::uint64_t steps) {
    const LoaderOptions options =
        setup_.loader_options(0, setup_.plain, BatchContent::packed, VerifyChecksums::never);
    const std::vector<std::uint64_t> samples =
        first_samples(setup_.records, options, steps * setup_.batch);
    HOTPACK_ASSIGN(RecordList records, RecordList::make(dataset, samples, setup_.memory_bytes));
    if (records.unpacked())
      report_.notes.emplace_back(
          "records are compressed with zstd; the limits were measured with uncompressed records");
    HOTPACK_ASSIGN(const std::uint64_t row,
                   row_bytes(setup_.schema, setup_.training, records.largest_size()));
    report_.output_bytes = row * setup_.batch;
    return records;
  }

  Status recommend(const Warm& warm) {
    report_.recommended_threads = recommended_threads(report_.rows);
    double samples_per_second = 0;
    for (const BenchRow& row : report_.rows)
      if (row.stage == Stage::end_to_end && row.threads == report_.recommended_threads)
        samples_per_second = row.rate.samples_per_second;
    const double batches_per_second = samples_per_second / static_cast<double>(setup_.batch);
    HOTPACK_ASSIGN(report_.consumer,
                   measure_consumer(setup_, warm, report_.recommended_threads, batches_per_second));
    return {};
  }

  Setup setup_;
  const BenchOptions& options_;
  BenchReport report_;
};

Result<BenchReport> measure(std::span<const std::string> folders, const BenchOptions& options) {
  HOTPACK_ASSIGN(Setup setup, Setup::make(folders, options));
  return Run(std::move(setup), options).measure();
}

}  // namespace

Result<BenchReport> run_bench(std::span<const std::string> folders, const BenchOptions& options) {
  try {
    return measure(folders, options);
  } catch (const std::exception&
               refused) {  // std::bad_alloc, or std::system_error if a thread cannot start
    return refused_by_system(refused);
  }
}

}  // namespace hotpack::bench
