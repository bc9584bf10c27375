#include "bench/bench.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "bench/batches.hpp"
#include "bench/disk_stage.hpp"
#include "bench/measure.hpp"
#include "bench/memory_stage.hpp"
#include "bench/records.hpp"
#include "bench/setup.hpp"
#include "expand/processor.hpp"

namespace hotpack::bench {

namespace {

constexpr double kWarmUpSeconds = 10;  // for each second per row; what is not in memory by then is left out

class Run {
 public:
  Run(Setup setup, const BenchOptions& options) : setup_(std::move(setup)), options_(options) {}

  Result<BenchReport> measure() {
    HOTPACK_TRY(describe());
    if (options_.cold) {
      HOTPACK_TRY(begin_stage("reads from the disk"));
      HOTPACK_TRY(measure_disk(setup_, report_));
    }
    HOTPACK_ASSIGN(const Dataset dataset, setup_.open_dataset());
    HOTPACK_TRY(begin_stage("reading into memory"));
    HOTPACK_ASSIGN(const std::uint64_t steps, warm_up(dataset));
    HOTPACK_ASSIGN(const RecordList records, list_records(dataset, steps));
    const Warm warm{&dataset, &records, steps};
    for (const unsigned threads : setup_.threads) {
      HOTPACK_TRY(begin_stage(std::to_string(threads) + (threads == 1 ? " thread" : " threads")));
      HOTPACK_TRY(measure_memory(setup_, warm, threads, report_));
    }
    HOTPACK_TRY(begin_stage("a consumer"));
    HOTPACK_TRY(recommend(warm));
    return std::move(report_);
  }

 private:
  Status begin_stage(const std::string& stage) const {
    if (!options_.progress || options_.progress(stage)) return {};
    return Error{ErrorCode::cancelled, "the measurement was stopped", {}, {}};
  }

  Status describe() {
    HOTPACK_ASSIGN(const Dataset dataset, setup_.open_dataset());
    report_.folders = setup_.folders;
    report_.samples = setup_.records;
    report_.shards = dataset.shards().size();
    for (const ShardInfo& shard : dataset.shards()) report_.size_bytes += shard.size_bytes;
    report_.batch = setup_.batch;
    report_.slots = setup_.slots;
    report_.rounds = setup_.rounds;
    report_.processor = expand::level_name(expand::current_level());
    report_.cores = setup_.cores;
    report_.notes = setup_.notes;
    return {};
  }

  // Reads and checks every sample once, or what memory and time allow. Steps of an epoch that the measurements go through.
  Result<std::uint64_t> warm_up(const Dataset& dataset) {
    const LoaderOptions options = setup_.loader_options(0, setup_.plain, BatchContent::packed, VerifyChecksums::always);
    HOTPACK_ASSIGN(Batches batches, Batches::open(dataset, options));
    const std::uint64_t all = batches.loader().steps_per_epoch();
    const double until = now_seconds() + kWarmUpSeconds * std::max(setup_.seconds, 0.1);
    std::uint64_t steps = 0, bytes = 0;
    while (steps < all && bytes <= 2 * setup_.memory_bytes && now_seconds() < until) {
      HOTPACK_ASSIGN(const Batch batch, batches.next());
      ++steps;
      bytes += batch_bytes(batch);
    }
    report_.packed_bytes = bytes / std::max<std::uint64_t>(1, steps);
    report_.measured = std::min(steps * setup_.batch, setup_.records);
    if (steps < all)
      report_.notes.push_back("rates in memory are those of " + std::to_string(report_.measured) + " of " + std::to_string(setup_.records) +
                              " samples: more did not fit into half of the free memory, or did not come from the disk in " +
                              std::to_string(static_cast<int>(kWarmUpSeconds * setup_.seconds)) + " s");
    return steps;
  }

  Result<RecordList> list_records(const Dataset& dataset, std::uint64_t steps) {
    const LoaderOptions options = setup_.loader_options(0, setup_.plain, BatchContent::packed, VerifyChecksums::never);
    const std::vector<std::uint64_t> samples = first_samples(setup_.records, options, steps * setup_.batch);
    HOTPACK_ASSIGN(RecordList records, RecordList::make(dataset, samples, setup_.memory_bytes));
    if (records.unpacked()) report_.notes.emplace_back("records are zstd frames: ceilings have them uncompressed in memory");
    HOTPACK_ASSIGN(const std::uint64_t row, row_bytes(setup_.schema, setup_.training, records.largest_size()));
    report_.output_bytes = row * setup_.batch;
    return records;
  }

  Status recommend(const Warm& warm) {
    report_.recommended_threads = recommended_threads(report_.rows);
    double samples_per_second = 0;
    for (const BenchRow& row : report_.rows)
      if (row.stage == Stage::end_to_end && row.threads == report_.recommended_threads) samples_per_second = row.rate.samples_per_second;
    const double batches_per_second = samples_per_second / static_cast<double>(setup_.batch);
    HOTPACK_ASSIGN(report_.consumer, measure_consumer(setup_, warm, report_.recommended_threads, batches_per_second));
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
  } catch (const std::exception& refused) {  // std::bad_alloc, std::system_error of a thread
    return Error{ErrorCode::io,
                 std::string("the system does not give what the measurement needs: ") + refused.what() +
                     "; a smaller --batch or fewer --threads need less",
                 {},
                 {}};
  }
}

}  // namespace hotpack::bench
