// The options of Loader and DeviceLoader. Plain values, copied freely.
//
// LastBatch and Shuffle are in loader_state.hpp, VerifyChecksums and FileAccess in shard.hpp,
// BatchContent in expand.hpp.
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

struct LoaderOptions {
  // <api: cpp LoaderOptions>
  // ---- Order ----
  /// Samples per step of this rank: each of `world_size` ranks gets as many. Give this or
  /// `global_batch_size`.
  std::optional<std::uint64_t> batch_size = {};
  /// Samples per step, summed over all ranks; at least `world_size`. The shares of ranks differ by
  /// one row if this number is not a multiple of `world_size`. Without `batch_size` and
  /// `global_batch_size`, it is 32.
  std::optional<std::uint64_t> global_batch_size = {};
  /// Determines the order of samples and every random choice of augmentation.
  std::uint64_t seed = 0;
  /// The first epoch, below 2^32.
  std::uint64_t epoch = 0;
  /// This process among those that train together: 0 … `world_size` − 1.
  std::uint64_t rank = 0;
  /// The number of processes that train together.
  std::uint64_t world_size = 1;
  /// If the last samples of an epoch do not fill a step: LastBatch::drop leaves them out (with
  /// shuffling, different samples in each epoch), LastBatch::pad adds empty rows after the first
  /// `num_valid`, LastBatch::wrap adds the first samples of the epoch again, and LastBatch::keep
  /// gives a shorter last batch, on every rank.
  LastBatch last_batch = LastBatch::drop;
  /// Shuffle::full: one permutation of all samples. Shuffle::block: long reads, for disks.
  /// Shuffle::none: the order of the files.
  Shuffle shuffle = Shuffle::full;
  /// Samples per block of Shuffle::block, at least 1. Larger: longer reads, poorer mixing.
  std::uint64_t block_samples = 256;
  /// Blocks per window of Shuffle::block, at least 1. Larger: better mixing, more memory in use.
  std::uint64_t window_blocks = 16;
  /// Continues a run at this state; `epoch` is then ignored. The state does not contain the options
  /// of augmentation and output: pass the same ones as before.
  std::optional<LoaderState> resume = {};

  // ---- Output ----
  /// Element type, axis order and normalization of images.
  ImageOutput image = {};
  /// Form and element type of labels. Unlabeled data sets need the default.
  LabelOutput label = {};
  /// Content of batches: BatchContent::expanded tensors, or BatchContent::packed records as they
  /// are stored, for code that expands them itself.
  BatchContent content = BatchContent::expanded;

  // ---- Augmentation ----
  /// Flips and crops of image and label alike. Default: none.
  Augment augment = {};
  /// Pads each record on the right and at the bottom to this size (black; labels: ignored).
  /// Required if record sizes differ, unless a crop is set or a batch has one row.
  std::optional<PixelSize> pad_to = {};

  // ---- Resources ----
  /// Threads that read and expand records. 0: the cores that this process may use, at most 8.
  unsigned threads = 0;
  /// Slots, each of which is memory for one batch that is read ahead or in use, 2 … 64. More of
  /// them bridge longer pauses. A loader in host memory makes further slots while the program holds
  /// batches. A device loader has twice as many slots, in pinned memory, and room for as many
  /// packed batches on the device.
  unsigned prefetch_batches = 3;
  /// When to check the CRC-32C of a record. VerifyChecksums::first_read: once in this process.
  /// VerifyChecksums::always: at every read. VerifyChecksums::never: not at all.
  VerifyChecksums verify_checksums = VerifyChecksums::first_read;
  /// Way to read shards: FileAccess::map maps them and installs a SIGBUS handler for hotpack's own
  /// reads; FileAccess::read uses system calls only, which is slower.
  FileAccess access = FileAccess::map;
  /// Limit for a wait for the next batch; then the call fails with a timeout and may be repeated.
  /// 0: wait forever.
  std::chrono::milliseconds timeout = std::chrono::seconds(600);
  /// Limit for the memory of all slots, also of those that are made later; opening a loader that
  /// needs more is refused. 0: no limit. With a limit, a loader of records of different sizes makes
  /// no further slots. The slots of a device loader are pinned memory.
  std::uint64_t memory_budget_bytes = 0;
  /// Memory for batches, for example pinned memory. Null: ordinary memory.
  std::shared_ptr<SlotAllocator> allocator = {};
  // </api>
};

}  // namespace hotpack
