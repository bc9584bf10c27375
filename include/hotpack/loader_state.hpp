// The position of a training run in its order of samples: what a checkpoint stores.
//
// Plain values, copied freely. Failure: LoaderState::parse() has code `usage` for text that is
// not a state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hotpack/result.hpp"

namespace hotpack {

// <api: cpp enum shuffle>
/// The order of an epoch's samples.
enum class Shuffle {
  /// one permutation of all samples
  full,
  /// permutes blocks of consecutive samples, then samples within windows of blocks: long reads for
  /// disks
  block,
  /// 0, 1, 2, …: the order of the files
  none,
};
// </api>

// <api: cpp enum last_batch>
/// The end of an epoch whose samples do not fill the last step. N: samples; G: samples per step,
/// over all ranks.
enum class LastBatch {
  /// ⌊N/G⌋ steps; the epoch leaves out its last N mod G positions
  drop,
  /// ⌈N/G⌉ steps; rows past the end are empty and belong to no sample
  pad,
  /// ⌈N/G⌉ steps; position i past the end holds order[i mod N]
  wrap,
  /// ⌈N/G⌉ steps; the last one has fewer rows, at least one on each rank
  keep,
};
// </api>

/// The options that, together with the number of an epoch, determine the order of its samples.
struct OrderOptions {
  Shuffle shuffle = Shuffle::full;
  std::uint64_t seed = 0;
  std::uint64_t block_samples = 256;  ///< as LoaderOptions::block_samples
  std::uint64_t window_blocks = 16;   ///< as LoaderOptions::window_blocks
  bool operator==(const OrderOptions&) const = default;
};

/// A step of an epoch.
struct LoaderPosition {
  std::uint64_t epoch = 0;
  std::uint64_t step = 0;
  bool operator==(const LoaderPosition&) const = default;
};

/// The position of a run: which batches next() has returned, not which were read ahead. A run can
/// resume after any step, with any number of ranks.
struct LoaderState {
  std::string fingerprint;    ///< the data set's, as Loader::fingerprint() returns it
  std::uint64_t records = 0;  ///< N
  OrderOptions order;
  LastBatch last_batch = LastBatch::drop;
  std::uint64_t global_batch_size = 0;  ///< G
  std::uint64_t epoch = 0;
  /// G times the number of steps of this epoch that were handed out.
  std::uint64_t samples = 0;
  bool operator==(const LoaderState&) const = default;

  /// One line of JSON: {"hotpack_state":1,"fingerprint":…,"records":…,"shuffle":"full",…}
  [[nodiscard]] std::string text() const;
  /// The state that text() wrote. Code `usage` for text of another form or of a later version.
  [[nodiscard]] static Result<LoaderState> parse(std::string_view text);
};

[[nodiscard]] std::string_view shuffle_name(Shuffle shuffle);  ///< "full", "block", "none"
/// "drop", "pad", "wrap", "keep"
[[nodiscard]] std::string_view last_batch_name(LastBatch last_batch);

}  // namespace hotpack
