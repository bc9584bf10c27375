// What a Loader and a DeviceLoader are asked for, and where a run stands.
//
// Values only, copied freely; thread-safe as such. Failure: Loader::open() and DeviceLoader::open() refuse options that contradict each
// other or do not fit the data set with code `usage`, naming the option.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "hotpack/augment.hpp"
#include "hotpack/expand.hpp"
#include "hotpack/result.hpp"
#include "hotpack/shard.hpp"
#include "hotpack/slot_memory.hpp"

namespace hotpack {

/// The order of an epoch's samples.
enum class Shuffle {
  full,   ///< a permutation of all samples
  block,  ///< blocks of consecutive samples are permuted, then samples within windows of blocks: long reads for disks
  none,   ///< 0, 1, 2, …: the order of the files
};

/// The end of an epoch where the number of samples N is no multiple of the global batch size G.
enum class LastBatch {
  drop,  ///< ⌊N/G⌋ steps; the last N mod G positions are not seen in this epoch
  pad,   ///< ⌈N/G⌉ steps; rows past the end are empty and belong to no sample
  wrap,  ///< ⌈N/G⌉ steps; position i past the end holds order[i mod N]
};

/// How records are read.
enum class FileAccess {
  map,   ///< from the mapped shard. A file that shrinks meanwhile, or a failing disk, raises SIGBUS; a handler of hotpack turns it into an
         ///< error for hotpack's own reads and passes every other signal on
  read,  ///< by system calls alone: slower, but no file is mapped and no handler is installed
};

/// What a batch in host memory holds.
enum class BatchContent {
  expanded,  ///< what `image` and `label` ask for
  packed,    ///< records as stored, for expansion elsewhere; crops are drawn but not applied
};

/// How an epoch is ordered.
struct OrderOptions {
  Shuffle shuffle = Shuffle::full;

  /// Together with the epoch it determines the order.
  std::uint64_t seed = 0;

  /// Samples per block of Shuffle::block, at least 1. Larger: longer reads, poorer mixing.
  std::uint64_t block_samples = 256;

  /// Blocks per window of Shuffle::block, at least 1; samples mix within a window. Larger: better mixing, more pages in use at once.
  std::uint64_t window_blocks = 16;

  bool operator==(const OrderOptions&) const = default;
};

/// Where a run stands: the batches handed out, not those read ahead. A run resumes after any step, on any number of ranks.
struct LoaderState {
  std::string fingerprint;    ///< of the data set: Loader::fingerprint()
  std::uint64_t records = 0;  ///< N
  OrderOptions order;
  LastBatch last_batch = LastBatch::drop;
  std::uint64_t global_batch_size = 0;  ///< G
  std::uint64_t epoch = 0;
  std::uint64_t samples = 0;  ///< positions of this epoch handed out, over all ranks: a multiple of G
  bool operator==(const LoaderState&) const = default;

  /// One line of JSON: {"hotpack_state":1,"fingerprint":…,"records":…,"shuffle":"full",…}
  [[nodiscard]] std::string text() const;
  /// Code `usage` for a text of another form or of a later version.
  [[nodiscard]] static Result<LoaderState> parse(std::string_view text);
};

struct LoaderOptions {
  // ---- Order ----

  /// Samples per step, over all ranks. Each rank has an equal share, up to one row.
  std::uint64_t global_batch_size = 32;

  /// Determines the order of samples and every draw of augmentation.
  std::uint64_t seed = 0;

  /// The epoch to begin with, below 2^32.
  std::uint64_t epoch = 0;

  /// This process among those that train together: 0 … world_size − 1.
  std::uint64_t rank = 0;

  /// Number of processes that train together.
  std::uint64_t world_size = 1;

  /// What happens to the last samples of an epoch that do not fill a batch.
  LastBatch last_batch = LastBatch::drop;

  Shuffle shuffle = Shuffle::full;

  /// As in OrderOptions, for Shuffle::block.
  std::uint64_t block_samples = 256;
  std::uint64_t window_blocks = 16;

  // ---- Output ----

  /// Element type, axis order and normalization of images. Default: the stored bytes, [H,W,C].
  ImageOutput image;

  /// Form and element type of labels. Default: class ids. Not used for unlabeled sets.
  LabelOutput label;

  BatchContent content = BatchContent::expanded;

  // ---- Augmentation ----

  /// Default: none.
  Augment augment;

  /// Pads records of different sizes to this size: records lie at the upper left, the rest is black and ignored; a larger record is an
  /// error at its step. Records of different sizes need this, a crop, or a batch size of 1.
  std::optional<PixelSize> pad_to;

  // ---- Resources ----

  /// Threads that read and expand records. 0: the cores this process may use (affinity and cgroup quota), at most 8.
  unsigned threads = 0;

  /// Batches in memory, read ahead or in use: 2 … 64. More bridge longer pauses of the disk; each costs the memory of one batch.
  unsigned prefetch_batches = 3;

  /// When a record's CRC-32C is checked.
  VerifyChecksums verify_checksums = VerifyChecksums::first_read;

  FileAccess access = FileAccess::map;

  /// How long next() waits if it is given no time of its own. 0: forever.
  std::chrono::milliseconds timeout = std::chrono::minutes(10);

  /// Limit for the memory of all slots together; open() refuses to exceed it. 0: no limit.
  std::uint64_t memory_budget_bytes = 0;

  /// Where the slots live. Null: ordinary memory.
  std::shared_ptr<SlotAllocator> allocator;

  // ---- Resume ----

  /// Continues there, as restore() right after open().
  std::optional<LoaderState> resume;
};

[[nodiscard]] std::string_view shuffle_name(Shuffle shuffle);          ///< "full", "block", "none"
[[nodiscard]] std::string_view last_batch_name(LastBatch last_batch);  ///< "drop", "pad", "wrap"

}  // namespace hotpack
