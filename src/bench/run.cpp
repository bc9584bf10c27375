#include "bench/run.hpp"

#include <algorithm>
#include <cmath>

#include "base/try.hpp"
#include "bench/batches.hpp"
#include "expand/processor.hpp"

namespace hotpack::bench {

namespace {

constexpr double kWarmUpSeconds = 10;  // for each second that a row takes

std::string left_out(const Setup& setup, std::uint64_t samples) {
  return "rates in memory were measured with " + std::to_string(samples) + " of " +
         std::to_string(setup.records) +
         " samples: more did not fit into half of the free memory, or did not come from the disk "
         "in " +
         std::to_string(static_cast<int>(kWarmUpSeconds * setup.seconds)) + " s";
}

}  // namespace

Status begin_stage(const BenchOptions& options, const std::string& stage) {
  if (!options.progress || options.progress(stage)) return {};
  return Error{ErrorCode::cancelled, "the measurement was stopped", {}, {}};
}

Result<WarmUp> warm_up(const Setup& setup, const Dataset& dataset) {
  const LoaderOptions options =
      setup.loader_options(0, setup.plain, BatchContent::packed, VerifyChecksums::always);
  HOTPACK_ASSIGN(Batches batches, Batches::open(dataset, options));
  const std::uint64_t all = batches.loader().steps_per_epoch();
  const double until = now_seconds() + kWarmUpSeconds * std::max(setup.seconds, 0.1);
  WarmUp done;
  std::uint64_t bytes = 0;
  while (done.steps < all && bytes <= 2 * setup.memory_bytes && now_seconds() < until) {
    HOTPACK_ASSIGN(const Batch batch, batches.next());
    ++done.steps;
    bytes += batch_bytes(batch);
  }
  done.packed_batch_bytes =
      static_cast<double>(bytes) / static_cast<double>(std::max<std::uint64_t>(1, done.steps));
  done.samples = std::min(done.steps * setup.batch, setup.records);
  if (done.steps < all) done.note = left_out(setup, done.samples);
  return done;
}

void describe_setup(const Setup& setup, const Dataset& dataset, BenchReport& report) {
  report.folders = setup.folders;
  report.samples = setup.records;
  report.shards = dataset.shards().size();
  for (const ShardInfo& shard : dataset.shards()) report.size_bytes += shard.size_bytes;
  report.batch = setup.batch;
  report.slots = setup.slots;
  report.rounds = setup.rounds;
  report.processor = expand::vector_instructions();
  report.cores = setup.cores;
  report.notes = setup.notes;
}

void describe_warm_up(const WarmUp& warm, BenchReport& report) {
  report.packed_bytes = static_cast<std::uint64_t>(std::llround(warm.packed_batch_bytes));
  report.measured = warm.samples;
  if (!warm.note.empty()) report.notes.push_back(warm.note);
}

Error refused_by_system(const std::exception& refused) {
  return Error{ErrorCode::io,
               std::string("the system refused memory or threads: ") + refused.what() +
                   "; use a smaller --batch-size or fewer --threads",
               {},
               {}};
}

}  // namespace hotpack::bench
