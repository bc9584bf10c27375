#include "hotpack/order.hpp"

#include <algorithm>

#include "base/counter_random.hpp"
#include "base/error.hpp"
#include "base/isqrt.hpp"
#include "base/try.hpp"

namespace hotpack {
namespace {

__extension__ using Wide = unsigned __int128;

// a small permutation takes more rounds: two of its elements too often share a row or a column
constexpr std::uint64_t kSmall = 64;
constexpr unsigned kRoundsSmall = 12;
constexpr unsigned kRounds = 4;

std::uint64_t ceil_div(std::uint64_t count, std::uint64_t step) {
  return count / step + (count % step != 0);
}

std::uint64_t key_of(std::uint32_t low, std::uint32_t high) {
  return low | std::uint64_t{high} << 32;
}

// value + shift mod `below`; both are less than `below` ≤ 2^32.
std::uint64_t add(std::uint64_t value, std::uint64_t shift, std::uint64_t below) {
  const std::uint64_t sum = value + shift;
  return sum >= below ? sum - below : sum;
}

std::uint64_t subtract(std::uint64_t value, std::uint64_t shift, std::uint64_t below) {
  return add(value, below - shift, below);
}

}  // namespace

// ---- permutation

// A cell of the grid; its number is column + columns_ · row.
struct Permutation::Cell {
  std::uint64_t column;
  std::uint64_t row;
};

// The samples lie in a grid, whose rows and columns the rounds shift cyclically. The grid's number
// of columns must be even. If rows and columns had odd lengths, as in a grid of 3 × 3 cells, every
// cyclic shift would be an even permutation, and half of all orders of 9 samples could never occur.
Permutation::Permutation(std::uint64_t size, std::uint64_t seed, std::uint64_t epoch,
                         std::uint32_t stream, std::uint64_t index)
    : size_(size), rounds_(size < kSmall ? kRoundsSmall : kRounds) {
  const std::uint64_t root = isqrt_ceil(size);
  columns_ = std::max<std::uint64_t>(root + root % 2, 2);
  rows_ = ceil_div(size, columns_);
  const RandomWords words = random_words(seed, epoch, stream, index);
  key_ = key_of(words[0], words[1]);
  key_step_ = key_of(words[2], words[3]) | 1;
}

Permutation::Cell Permutation::cell(std::uint64_t number) const {
  return {number % columns_, number / columns_};
}

std::uint64_t Permutation::number(const Cell& cell) const {
  return cell.column + columns_ * cell.row;
}

// Returns how far a round shifts the row or column at `coordinate`: 0 … below − 1.
std::uint64_t Permutation::shift(unsigned round, std::uint64_t coordinate,
                                 std::uint64_t below) const {
  return static_cast<std::uint64_t>(Wide{mix64(key_ + round * key_step_ + coordinate)} * below >>
                                    64);
}

std::uint64_t Permutation::operator[](std::uint64_t position) const {
  std::uint64_t element = position;
  do {
    Cell at = cell(element);
    for (unsigned pair = 0; pair < rounds_; ++pair) {
      at.column = add(at.column, shift(2 * pair, at.row, columns_), columns_);
      at.row = add(at.row, shift(2 * pair + 1, at.column, rows_), rows_);
    }
    element = number(at);
  } while (element >= size_);
  return element;
}

std::uint64_t Permutation::position_of(std::uint64_t element) const {
  std::uint64_t position = element;
  do {
    Cell at = cell(position);
    for (unsigned pair = rounds_; pair-- > 0;) {
      at.row = subtract(at.row, shift(2 * pair + 1, at.column, rows_), rows_);
      at.column = subtract(at.column, shift(2 * pair, at.row, columns_), columns_);
    }
    position = number(at);
  } while (position >= size_);
  return position;
}

// ---- epoch

EpochOrder::EpochOrder(std::uint64_t samples, const OrderOptions& options, std::uint64_t epoch)
    : samples_(samples), options_(options), epoch_(epoch) {
  const auto permutation_of = [&](std::uint64_t size, Stream stream) {
    return Permutation(size, options_.seed, epoch_, static_cast<std::uint32_t>(stream));
  };
  if (options_.shuffle == Shuffle::full) permutation_ = permutation_of(samples_, Stream::samples);
  if (options_.shuffle != Shuffle::block || samples_ == 0) return;
  options_.block_samples = std::min(options_.block_samples, samples_);
  const std::uint64_t blocks = ceil_div(samples_, options_.block_samples);
  options_.window_blocks = std::min(options_.window_blocks, blocks);
  permutation_ = permutation_of(blocks, Stream::blocks);
  const std::uint64_t before = permutation_.position_of(blocks - 1) * options_.block_samples;
  short_block_ = {before, before + samples_ - (blocks - 1) * options_.block_samples};
}

std::uint64_t EpochOrder::operator[](std::uint64_t position) const {
  return unmixed(options_.shuffle == Shuffle::block ? mixed_position(position) : position);
}

std::uint64_t EpochOrder::unmixed(std::uint64_t position) const {
  switch (options_.shuffle) {
    case Shuffle::full:
      return permutation_[position];
    case Shuffle::block: {
      const std::uint64_t full = in_full_blocks(position);
      return permutation_[full / options_.block_samples] * options_.block_samples +
             full % options_.block_samples;
    }
    case Shuffle::none:
      return position;
  }
  return position;
}

// The last block of the files may be shorter than the others, and it is somewhere among the
// permuted blocks. Returns the position that the sample at `position` would have if this block were
// as long as the others.
std::uint64_t EpochOrder::in_full_blocks(std::uint64_t position) const {
  return position < short_block_.last ? position
                                      : position + options_.block_samples - short_block_.size();
}

// Returns the position of the first sample of the block that is number `place` in the permuted
// order. If `place` is the number of blocks, returns the number of samples.
std::uint64_t EpochOrder::start_of(std::uint64_t place) const {
  const std::uint64_t full = place * options_.block_samples;
  return full <= short_block_.first ? full : full - (options_.block_samples - short_block_.size());
}

// Shuffle::block mixes the samples of each window. Returns the position before mixing of the sample
// that is at `position` after mixing.
std::uint64_t EpochOrder::mixed_position(std::uint64_t position) const {
  const std::uint64_t window =
      in_full_blocks(position) / options_.block_samples / options_.window_blocks;
  const std::uint64_t first_place = window * options_.window_blocks;
  const std::uint64_t first = start_of(first_place);
  const std::uint64_t last =
      start_of(std::min(first_place + options_.window_blocks, permutation_.size()));
  const Permutation within(last - first, options_.seed, epoch_,
                           static_cast<std::uint32_t>(Stream::windows), window);
  return first + within[position - first];
}

// ---- steps

namespace {

std::string text(std::uint64_t number) { return std::to_string(number); }

Status check_batch(std::uint64_t samples, std::uint64_t global_batch_size, LastBatch last_batch) {
  if (samples == 0)
    return usage_error(
        "the data set has no samples, so there is no batch; use a data set that has some");
  if (samples > kMaxSamples)
    return usage_error(text(samples) + " samples are too many; the limit is 2^62");
  if (global_batch_size == 0 || global_batch_size > kMaxSamples) {
    return usage_error("global_batch_size is " + text(global_batch_size) +
                       "; it must be from 1 to 2^62: the samples per step, over all ranks");
  }
  if (last_batch == LastBatch::drop && samples < global_batch_size) {
    return usage_error("a step of " + text(global_batch_size) + " samples is larger than the " +
                       text(samples) +
                       " samples of the data set, so last_batch drop leaves no step; use a smaller "
                       "batch, or last_batch keep, pad or wrap");
  }
  return {};
}

// Refuses a last step that leaves a rank without a row.
Status check_last_step(std::uint64_t samples, std::uint64_t global_batch_size,
                       std::uint64_t last_samples, std::uint64_t world_size) {
  if (last_samples >= world_size) return {};
  return usage_error("steps of " + text(global_batch_size) + " samples leave " +
                     text(last_samples) + " of the " + text(samples) +
                     " samples for the last one, fewer than world_size " + text(world_size) +
                     ", so with last_batch keep a process would have an empty last batch; use "
                     "another batch size, fewer processes, or last_batch pad");
}

Status check_ranks(std::uint64_t global_batch_size, std::uint64_t rank, std::uint64_t world_size) {
  if (world_size == 0) return usage_error("world_size is 0; it must be 1 or more");
  if (rank >= world_size) {
    return usage_error("rank " + text(rank) + " is not below world_size " + text(world_size) +
                       "; ranks are numbered from 0 to " + text(world_size - 1));
  }
  if (world_size > global_batch_size) {
    return usage_error("a step of " + text(global_batch_size) +
                       " samples is smaller than world_size " + text(world_size) +
                       "; use a global_batch_size of at least " + text(world_size));
  }
  return {};
}

}  // namespace

Result<StepPlan> StepPlan::make(std::uint64_t samples, std::uint64_t global_batch_size,
                                LastBatch last_batch, std::uint64_t rank,
                                std::uint64_t world_size) {
  HOTPACK_TRY(check_batch(samples, global_batch_size, last_batch));
  HOTPACK_TRY(check_ranks(global_batch_size, rank, world_size));
  // the rank's part of a step of `count` samples
  const auto share = [&](std::uint64_t count) {
    const auto begin = [&](std::uint64_t ranks) {
      return static_cast<std::uint64_t>(Wide{count} * ranks / world_size);
    };
    return Positions{begin(rank), begin(rank + 1)};
  };
  StepPlan plan;
  plan.samples_ = samples;
  plan.global_batch_size_ = global_batch_size;
  plan.steps_ = last_batch == LastBatch::drop ? samples / global_batch_size
                                              : ceil_div(samples, global_batch_size);
  plan.last_batch_ = last_batch;
  plan.rows_ = share(global_batch_size);
  plan.last_rows_ = plan.rows_;
  if (last_batch == LastBatch::keep) {
    const std::uint64_t last_samples = samples - (plan.steps_ - 1) * global_batch_size;
    HOTPACK_TRY(check_last_step(samples, global_batch_size, last_samples, world_size));
    plan.last_rows_ = share(last_samples);
  }
  return plan;
}

// If the global batch size is no multiple of the world size, a rank may have one row more in a
// shorter last step than in the others.
std::uint64_t StepPlan::rows() const {
  return steps_ == 1 ? last_rows_.size() : std::max(rows_.size(), last_rows_.size());
}

Positions StepPlan::positions(std::uint64_t step) const {
  const Positions& rows = step + 1 == steps_ ? last_rows_ : rows_;
  const std::uint64_t first = step * global_batch_size_;
  return {first + rows.first, first + rows.last};
}

std::optional<std::uint64_t> StepPlan::sample(const EpochOrder& order,
                                              std::uint64_t position) const {
  if (position < samples_) return order[position];
  if (last_batch_ == LastBatch::wrap) return order[position % samples_];
  return std::nullopt;
}

}  // namespace hotpack
