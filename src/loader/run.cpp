#include "loader/run.hpp"

#include <algorithm>
#include <string>

#include "base/checked.hpp"
#include "base/cores.hpp"
#include "base/error.hpp"
#include "base/try.hpp"

namespace hotpack::loader {

namespace {

constexpr unsigned kMostThreads = 1024;
constexpr unsigned kDefaultThreads = 8;  // more would only wait for memory
constexpr std::uint64_t kDefaultGlobalBatch = 32;
constexpr unsigned kFewestSlots = 2;
constexpr unsigned kMostSlots = 64;
// A thread takes rows of about this many bytes at once. This is enough to make taking them cheap,
// and so little that the threads finish a batch at about the same time.
constexpr std::uint64_t kItemBytes = std::uint64_t{256} << 10;
// If a thread's share of a batch has fewer bytes, it takes more rows than its share, and threads
// work on several batches rather than share one.
constexpr std::uint64_t kSmallestItemBytes = std::uint64_t{64} << 10;

// Names the first difference of two states that keeps a run from continuing, or returns "".
std::string difference(const LoaderState& state, const LoaderState& own) {
  const auto differ = [](const std::string& name, const auto& theirs, const auto& ours) {
    return "the state has " + name + " " + theirs + ", the loader " + ours;
  };
  const auto number = [&](const std::string& name, std::uint64_t theirs, std::uint64_t ours) {
    return differ(name, std::to_string(theirs), std::to_string(ours));
  };
  if (state.fingerprint != own.fingerprint) {
    return "the state is of another data set: " +
           differ("fingerprint", state.fingerprint, own.fingerprint);
  }
  if (state.records != own.records) return number("records", state.records, own.records);
  if (state.order.shuffle != own.order.shuffle) {
    return differ("shuffle", std::string(shuffle_name(state.order.shuffle)),
                  std::string(shuffle_name(own.order.shuffle)));
  }
  if (state.order.seed != own.order.seed) return number("seed", state.order.seed, own.order.seed);
  if (state.order.shuffle == Shuffle::block && state.order != own.order) {
    if (state.order.block_samples != own.order.block_samples) {
      return number("block_samples", state.order.block_samples, own.order.block_samples);
    }
    return number("window_blocks", state.order.window_blocks, own.order.window_blocks);
  }
  if (state.global_batch_size != own.global_batch_size)
    return number("global_batch_size", state.global_batch_size, own.global_batch_size);
  if (state.last_batch != own.last_batch)
    return differ("last_batch", std::string(last_batch_name(state.last_batch)),
                  std::string(last_batch_name(own.last_batch)));
  return {};
}

}  // namespace

Status check_options(const LoaderOptions& options) {
  const auto refuse = [](const std::string& name, std::uint64_t value, std::uint64_t least,
                         std::uint64_t most) {
    Error error = usage_error(name + " is " + std::to_string(value) + "; it must be from " +
                              std::to_string(least) + " to " + std::to_string(most));
    error.option = name;
    return error;
  };
  if (options.threads > kMostThreads) return refuse("threads", options.threads, 0, kMostThreads);
  if (options.prefetch_batches < kFewestSlots || options.prefetch_batches > kMostSlots)
    return refuse("prefetch_batches", options.prefetch_batches, kFewestSlots, kMostSlots);
  if (options.epoch > kMaxEpoch) return refuse("epoch", options.epoch, 0, kMaxEpoch);
  if (options.block_samples < 1 || options.block_samples > kMaxSamples) {
    return refuse("block_samples", options.block_samples, 1, kMaxSamples);
  }
  if (options.window_blocks < 1 || options.window_blocks > kMaxSamples) {
    return refuse("window_blocks", options.window_blocks, 1, kMaxSamples);
  }
  if (options.timeout.count() < 0) return usage_error("timeout is negative; 0 waits forever");
  return {};
}

OrderOptions order_of(const LoaderOptions& options) {
  return {options.shuffle, options.seed, options.block_samples, options.window_blocks};
}

unsigned thread_count(const LoaderOptions& options) {
  return options.threads != 0 ? options.threads : std::min(usable_cores(), kDefaultThreads);
}

std::size_t rows_per_item(const RowBytes& row, std::size_t rows, unsigned threads) {
  const std::uint64_t bytes = std::max<std::uint64_t>(1, row.image + row.label);
  const std::uint64_t share = (rows + threads - 1) / threads;
  const std::uint64_t least =
      std::min<std::uint64_t>(rows, std::max<std::uint64_t>(1, kSmallestItemBytes / bytes));
  return static_cast<std::size_t>(std::max(least, std::min(share, kItemBytes / bytes)));
}

Result<StepPlan> plan_of(std::uint64_t records, const LoaderOptions& options) {
  const auto refuse = [](std::string text) {
    Error error = usage_error(std::move(text));
    error.option = "batch_size";
    return error;
  };
  if (options.batch_size && options.global_batch_size) {
    return refuse(
        "batch_size and global_batch_size are both set; set batch_size, the samples of each "
        "process per step, or global_batch_size, those of all processes together");
  }
  if (options.batch_size == std::uint64_t{0})
    return refuse("batch_size is 0; it must be 1 or more");
  const auto whole =
      options.batch_size
          ? checked_mul(*options.batch_size, std::max<std::uint64_t>(1, options.world_size))
          : options.global_batch_size.value_or(kDefaultGlobalBatch);
  if (!whole)
    return refuse("batch_size times world_size has more than 64 bits; use a smaller batch");
  return StepPlan::make(records, *whole, options.last_batch, options.rank, options.world_size);
}

LoaderState first_state(const RecordSource& source, const LoaderOptions& options,
                        const StepPlan& plan) {
  return {source.fingerprint(),
          source.records(),
          order_of(options),
          options.last_batch,
          plan.global_batch_size(),
          options.epoch,
          0};
}

Result<Cursor> cursor_of(const LoaderState& state, const LoaderState& own, std::uint64_t steps) {
  if (const std::string text = difference(state, own); !text.empty()) {
    return usage_error("cannot resume: " + text +
                       "; open the loader with the options of the run to continue");
  }
  const std::uint64_t step = state.samples / own.global_batch_size;
  if (state.samples % own.global_batch_size != 0 || step > steps || state.epoch > kMaxEpoch) {
    return usage_error("cannot resume: the state's position, " + std::to_string(state.samples) +
                       " samples into epoch " + std::to_string(state.epoch) +
                       ", is not a step of this run");
  }
  return Cursor{state.epoch, step};
}

Result<Cursor> first_cursor(const LoaderOptions& options, const LoaderState& own,
                            std::uint64_t steps) {
  if (!options.resume) return Cursor{options.epoch, 0};
  return cursor_of(*options.resume, own, steps);
}

Status check_seek(std::uint64_t epoch, std::uint64_t step, std::uint64_t steps) {
  if (epoch <= kMaxEpoch && step <= steps) return {};
  return usage_error("there is no step " + std::to_string(step) + " of epoch " +
                     std::to_string(epoch) + ": epochs go to " + std::to_string(kMaxEpoch) +
                     ", steps to " + std::to_string(steps) + ", the end of the epoch");
}

}  // namespace hotpack::loader
