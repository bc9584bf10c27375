// The options of Loader and DeviceLoader. Plain values, copied freely.
//
// LastBatch and Shuffle are in loader_state.hpp, VerifyChecksums in shard.hpp.
// Failure: open() refuses options that contradict each other or do not fit the data set, with
// code `usage` and the option's name.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "hotpack/augment.hpp"
#include "hotpack/expand.hpp"
#include "hotpack/loader_state.hpp"
#include "hotpack/shard.hpp"
#include "hotpack/slot_memory.hpp"

namespace hotpack {

/// How records are read.
enum class FileAccess {
  map,   ///< from mapped shards; a SIGBUS handler turns a failing disk into an error
  read,  ///< with system calls only: slower, but without a signal handler
};

enum class BatchContent {
  expanded,  ///< tensors, as `image` and `label` describe them
  packed,    ///< records as stored; crops are chosen but not applied
};

struct LoaderOptions {
  // ---- Order ----
  /// Samples per step, summed over all ranks. Ranks get equal shares, or shares that differ by one
  /// row if this number is not a multiple of world_size.
  std::uint64_t global_batch_size = 32;

  /// Determines the order of samples and every random choice of augmentation.
  std::uint64_t seed = 0;

  /// The first epoch, below 2^32.
  std::uint64_t epoch = 0;

  /// This process among those that train together: 0 … world_size − 1.
  std::uint64_t rank = 0;
  /// The number of processes that train together.
  std::uint64_t world_size = 1;

  /// If the last samples do not fill a batch: drop them, pad with empty rows, wrap, or keep them.
  LastBatch last_batch = LastBatch::drop;

  /// full: all samples. block: long reads, for disks. none: the order of the files.
  Shuffle shuffle = Shuffle::full;
  /// Samples per block of Shuffle::block, at least 1. Larger: longer reads, poorer mixing.
  std::uint64_t block_samples = 256;
  /// Blocks per window of Shuffle::block, at least 1. Larger: better mixing, more memory in use.
  std::uint64_t window_blocks = 16;

  /// Continues a run at this state; `epoch` is then ignored. The state does not contain the options
  /// of augmentation and output: pass the same ones as before.
  std::optional<LoaderState> resume = {};

  // ---- Output ----
  /// Element type, axis order and normalization of images. Default: the stored bytes, [H,W,C].
  ImageOutput image = {};
  /// Form and element type of labels. Default: class ids. Unlabeled data sets need the default.
  LabelOutput label = {};
  /// What batches contain: tensors, or records as they are stored. Default: tensors.
  BatchContent content = BatchContent::expanded;

  // ---- Augmentation ----
  /// Flips and crops. Default: none.
  Augment augment = {};

  /// Pads each record on the right and at the bottom to this size (black; labels: ignored).
  /// Required if record sizes differ, unless a crop is set or a batch has one row.
  std::optional<PixelSize> pad_to = {};

  // ---- Resources ----
  /// Threads that read and expand records. 0: the cores that this process may use, at most 8.
  unsigned threads = 0;
  /// Batches in memory, 2 … 64: read ahead or in use; there are more while the program holds many.
  unsigned prefetch_batches = 3;

  /// When to check a record's CRC-32C: at its first read in this process, always, or never.
  VerifyChecksums verify_checksums = VerifyChecksums::first_read;
  /// How shards are read. Default: mapped.
  FileAccess access = FileAccess::map;

  /// Limit for next() calls without a timeout of their own. 0: wait forever.
  std::chrono::milliseconds timeout = std::chrono::minutes(10);

  /// Limit for the memory of all batches; open() and next() refuse to exceed it. 0: no limit.
  std::uint64_t memory_budget_bytes = 0;

  /// Memory for batches, for example pinned memory. Null: ordinary memory.
  std::shared_ptr<SlotAllocator> allocator = {};
};

}  // namespace hotpack
