// The order in which a training run sees samples: pure functions of a few integers, no tables.
//
// An epoch has N positions, and position p holds sample order[p]. With a global batch size G, step
// k takes the positions kG … kG + G − 1. Of these, rank r of w ranks takes kG + ⌊Gr/w⌋ … kG +
// ⌊G(r+1)/w⌋ − 1. With LastBatch::keep, the last step has only the positions that are left. The
// order does not depend on threads, ranks or restarts. ORDER.md (in the source:
// src/loader/ORDER.md) has every formula with examples, so that other programs can compute the
// same order.
// Only programs that compute an order themselves need this header; hotpack.hpp does not include it.
// Plain values, copied freely. Failure: code `usage` for options that contradict each other.
#pragma once

#include <cstdint>
#include <optional>

#include "hotpack/augment.hpp"
#include "hotpack/loader_options.hpp"
#include "hotpack/result.hpp"

namespace hotpack {

inline constexpr std::uint64_t kMaxSamples = std::uint64_t{1} << 62;
inline constexpr std::uint64_t kMaxEpoch = 0xFFFFFFFF;

/// A seeded permutation of the numbers 0 … size − 1: an alternating Feistel network over a grid of
/// about √size × √size cells. The grid may have more than `size` cells, so the network is applied
/// until the result is below `size`.
class Permutation {
 public:
  Permutation() = default;  ///< no elements
  /// `stream` is the purpose of the permutation and `index` its number within that purpose:
  /// permutations that differ in one of them are independent. hotpack uses the streams 1 to 15.
  /// Preconditions: size ≤ kMaxSamples, epoch ≤ kMaxEpoch, stream < 256.
  Permutation(std::uint64_t size, std::uint64_t seed, std::uint64_t epoch, std::uint32_t stream,
              std::uint64_t index = 0);
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Precondition: position < size().
  [[nodiscard]] std::uint64_t operator[](std::uint64_t position) const;
  /// The inverse. Precondition: element < size().
  [[nodiscard]] std::uint64_t position_of(std::uint64_t element) const;

 private:
  struct Cell;
  [[nodiscard]] Cell cell(std::uint64_t number) const;
  [[nodiscard]] std::uint64_t number(const Cell& cell) const;
  [[nodiscard]] std::uint64_t shift(unsigned round, std::uint64_t coordinate,
                                    std::uint64_t below) const;

  std::uint64_t size_ = 0;
  std::uint64_t columns_ = 2;
  std::uint64_t rows_ = 0;
  unsigned rounds_ = 0;         ///< pairs of a shift of columns and a shift of rows
  std::uint64_t key_ = 0;       ///< key of round 0
  std::uint64_t key_step_ = 0;  ///< difference between the keys of two rounds
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
  /// Preconditions: samples ≤ kMaxSamples, epoch ≤ kMaxEpoch, block_samples ≥ 1,
  /// window_blocks ≥ 1.
  EpochOrder(std::uint64_t samples, const OrderOptions& options, std::uint64_t epoch);
  [[nodiscard]] std::uint64_t samples() const { return samples_; }
  /// Precondition: position < samples().
  [[nodiscard]] std::uint64_t operator[](std::uint64_t position) const;
  /// Returns the sample at `position` in the order that Shuffle::block has before it mixes the
  /// samples of each window: whole blocks, each read in the order of the files, which suits disks.
  /// Every window holds the same samples as in the final order. Precondition: position < samples().
  [[nodiscard]] std::uint64_t unmixed(std::uint64_t position) const;

 private:
  [[nodiscard]] std::uint64_t mixed_position(std::uint64_t position) const;
  [[nodiscard]] std::uint64_t start_of(std::uint64_t place) const;
  [[nodiscard]] std::uint64_t in_full_blocks(std::uint64_t position) const;

  std::uint64_t samples_ = 0;
  OrderOptions options_;
  std::uint64_t epoch_ = 0;
  Permutation permutation_;  ///< permutes samples, or blocks
  Positions short_block_;    ///< Shuffle::block: the positions of the last, shorter block
};

/// The division of an epoch into steps and ranks.
class StepPlan {
 public:
  /// Divides N samples into steps of G = global_batch_size. Fails, with the numbers in the message,
  /// if N is 0 or above kMaxSamples, G is 0 or above kMaxSamples, world_size is 0 or above G, rank
  /// is not below world_size, no step is left (LastBatch::drop with N < G), or a rank would have an
  /// empty last batch (LastBatch::keep with fewer samples in the last step than ranks).
  [[nodiscard]] static Result<StepPlan> make(std::uint64_t samples, std::uint64_t global_batch_size,
                                             LastBatch last_batch, std::uint64_t rank = 0,
                                             std::uint64_t world_size = 1);
  /// Per epoch; the same on every rank.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  /// In this rank's largest batch. Every batch has as many, except that with LastBatch::keep the
  /// last one differs.
  [[nodiscard]] std::uint64_t rows() const;
  [[nodiscard]] std::uint64_t global_batch_size() const { return global_batch_size_; }  ///< G
  /// This rank's positions of step k, one per row of its batch. They may exceed N with
  /// LastBatch::pad and wrap.
  [[nodiscard]] Positions positions(std::uint64_t step) const;  ///< precondition: step < steps()
  /// The sample at a position; absent if LastBatch::pad leaves the row empty.
  [[nodiscard]] std::optional<std::uint64_t> sample(const EpochOrder& order,
                                                    std::uint64_t position) const;

 private:
  std::uint64_t samples_ = 0;
  std::uint64_t global_batch_size_ = 1;
  std::uint64_t steps_ = 0;
  LastBatch last_batch_ = LastBatch::drop;
  Positions rows_;       ///< within a global batch
  Positions last_rows_;  ///< within the last global batch, which is shorter with LastBatch::keep
};

/// Returns the random window and flips of one sample. Preconditions: check_augment() accepts
/// `augment`; width and height of `record` are 1 … 2^30; epoch ≤ kMaxEpoch.
[[nodiscard]] SampleCrop draw_crop(const Augment& augment, PixelSize record, std::uint64_t seed,
                                   std::uint64_t epoch, std::uint64_t sample);

}  // namespace hotpack
