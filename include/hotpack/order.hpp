// The order in which a training run sees the samples: pure functions of a few integers, without tables.
//
// Global position p = 0 … N − 1 of an epoch holds sample order[p]; step k of global batch G takes the positions kG … kG + G − 1; of these
// rank r of w takes kG + ⌊Gr/w⌋ … kG + ⌊G(r+1)/w⌋ − 1. Nothing depends on the number of threads, ranks or restarts.
// ORDER.md gives every formula, with examples, so that another program can compute the same; it is installed next to the other documents,
// and lies in src/loader of the source.
// For programs that compute or check an order by themselves; a training loop does not need this header, hotpack.hpp leaves it out.
// Values only, copied freely; thread-safe as such. Failure: code `usage` where options contradict each other.
#pragma once

#include <cstdint>
#include <optional>

#include "hotpack/augment.hpp"
#include "hotpack/loader_options.hpp"
#include "hotpack/result.hpp"

namespace hotpack {

inline constexpr std::uint64_t kMaxSamples = std::uint64_t{1} << 62;
inline constexpr std::uint64_t kMaxEpoch = 0xFFFFFFFF;

/// A seeded bijection on [0, size): an alternating Feistel network over a grid of about √size × √size cells that walks back into the range.
class Permutation {
 public:
  Permutation() = default;  ///< of no elements
  /// Preconditions: size ≤ kMaxSamples, epoch ≤ kMaxEpoch, stream < 256. Permutations of different `stream` or `index` are independent;
  /// streams 1 to 15 are hotpack's own.
  Permutation(std::uint64_t size, std::uint64_t seed, std::uint64_t epoch, std::uint32_t stream, std::uint64_t index = 0);
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint64_t operator[](std::uint64_t position) const;  ///< precondition: position < size()
  [[nodiscard]] std::uint64_t position_of(std::uint64_t element) const;  ///< the inverse; precondition: element < size()

 private:
  struct Cell;
  [[nodiscard]] Cell cell(std::uint64_t number) const;
  [[nodiscard]] std::uint64_t number(const Cell& cell) const;
  [[nodiscard]] std::uint64_t shift(unsigned round, std::uint64_t coordinate, std::uint64_t below) const;

  std::uint64_t size_ = 0;
  std::uint64_t columns_ = 2;
  std::uint64_t rows_ = 0;
  unsigned rounds_ = 0;         ///< pairs of one shift of columns and one of rows
  std::uint64_t key_ = 0;       ///< of round 0
  std::uint64_t key_step_ = 0;  ///< from one round's key to the next
};

/// Positions first … last − 1.
struct Positions {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  [[nodiscard]] std::uint64_t size() const { return last - first; }
  bool operator==(const Positions&) const = default;
};

/// The order of one epoch.
class EpochOrder {
 public:
  EpochOrder() = default;
  /// Preconditions: samples ≤ kMaxSamples, epoch ≤ kMaxEpoch, block_samples and window_blocks ≥ 1.
  EpochOrder(std::uint64_t samples, const OrderOptions& options, std::uint64_t epoch);
  [[nodiscard]] std::uint64_t samples() const { return samples_; }
  [[nodiscard]] std::uint64_t operator[](std::uint64_t position) const;  ///< precondition: position < samples()
  /// The same without the mixing within windows: with Shuffle::block the sample at this position of the permuted blocks, each whole and in
  /// the order of the files, as a disk likes to read them. A window's positions hold the same samples either way. Precondition: as above.
  [[nodiscard]] std::uint64_t unmixed(std::uint64_t position) const;

 private:
  [[nodiscard]] std::uint64_t mixed_position(std::uint64_t position) const;
  [[nodiscard]] std::uint64_t start_of(std::uint64_t place) const;
  [[nodiscard]] std::uint64_t in_full_blocks(std::uint64_t position) const;

  std::uint64_t samples_ = 0;
  OrderOptions options_;
  std::uint64_t epoch_ = 0;
  Permutation permutation_;  ///< of samples, or of blocks
  Positions short_block_;    ///< Shuffle::block: the positions of the last block, wherever it went
};

/// How an epoch is cut into steps and shared by ranks.
class StepPlan {
 public:
  /// Refused, naming the numbers: no samples, or more than kMaxSamples; G = 0 or beyond kMaxSamples; no rank, or more ranks than rows of a
  /// batch; rank not below world_size; LastBatch::drop with N < G (no step at all).
  [[nodiscard]] static Result<StepPlan> make(std::uint64_t samples, std::uint64_t global_batch_size, LastBatch last_batch,
                                             std::uint64_t rank = 0, std::uint64_t world_size = 1);
  [[nodiscard]] std::uint64_t steps() const { return steps_; }       ///< of an epoch; the same on every rank
  [[nodiscard]] std::uint64_t rows() const { return rows_.size(); }  ///< of this rank's batch, the same at every step
  /// This rank's positions of step k; past N where tail is not drop.
  [[nodiscard]] Positions positions(std::uint64_t step) const;  ///< precondition: step < steps()
  /// The sample at a position; nothing where LastBatch::pad leaves the row empty.
  [[nodiscard]] std::optional<std::uint64_t> sample(const EpochOrder& order, std::uint64_t position) const;

 private:
  std::uint64_t samples_ = 0;
  std::uint64_t global_batch_size_ = 1;
  std::uint64_t steps_ = 0;
  LastBatch last_batch_ = LastBatch::drop;
  Positions rows_;  ///< of a global batch
};

/// What is drawn for one sample. Preconditions: check_augment is good; record sizes from 1 to 2^30; epoch ≤ kMaxEpoch.
[[nodiscard]] SampleCrop draw_crop(const Augment& augment, PixelSize record, std::uint64_t seed, std::uint64_t epoch, std::uint64_t sample);

}  // namespace hotpack
