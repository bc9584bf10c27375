// Batches of a data set in host memory, in a seeded order that is the same for any number of threads, ranks and restarts.
//
//   auto loader = hotpack::Loader::open(dataset, {.global_batch_size = 32, .seed = 7}).value();
//   while (auto batch = loader.next().value()) train(batch->image(), batch->label());   // one epoch; the next call begins the next one
//
// Threads read records ahead into a ring of fixed slots, which are allocated once. A Batch is a lease of one slot: its memory is filled
// anew once the Batch is gone.
// Ownership: the Loader shares the data set's files, so the Dataset may go first. A Batch keeps its slot, and outlives the Loader if need
// be.
// Thread-safety: a Loader may be used by several threads at once, each call of next() gives one batch; a Batch belongs to one thread at a
// time. After fork() a Loader of the parent gives an error in the child, where close() and the destructor do nothing; open another one
// there.
// Failure: `usage` for options that do not fit the data set, with what would; `damaged` and `io` (`data` for a record larger than pad_to)
// at exactly the step that holds the record, naming file and record, and again at each later call (seek() goes past it); `timeout` and
// `cancelled` as described below.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hotpack/augment.hpp"
#include "hotpack/dataset.hpp"
#include "hotpack/expand.hpp"
#include "hotpack/loader_options.hpp"
#include "hotpack/result.hpp"

namespace hotpack {

/// One field of a batch: contiguous, [rows, …].
struct BatchField {
  std::span<std::byte> bytes;       ///< may be written to: the slot is the holder's alone
  std::vector<std::int64_t> shape;  ///< [rows,H,W,C], [rows,C,H,W], [rows,H,W], [rows,C] or [rows]; packed labels: as stored; one-channel
                                    ///< images keep their channel
  ElementType type = ElementType::u8;
  template <class T>
  [[nodiscard]] std::span<T> as() const {
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

namespace loader {
class Ring;
struct Slot;
}  // namespace loader

/// A lease of one filled slot. Moved, not copied; gives the slot back when it goes or at release().
class Batch {
 public:
  ~Batch();
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;

  [[nodiscard]] std::uint64_t epoch() const;
  [[nodiscard]] std::uint64_t step() const;      ///< of the epoch, from 0
  [[nodiscard]] std::size_t batch_size() const;  ///< rows of this rank, the same at every step
  [[nodiscard]] std::size_t num_valid() const;   ///< rows that hold a sample: the first ones (fewer than batch_size() with LastBatch::pad)
  [[nodiscard]] const BatchField& image() const;
  [[nodiscard]] const BatchField& label() const;                ///< of an unlabelled set: no bytes, no shape
  [[nodiscard]] std::span<const std::int64_t> indices() const;  ///< number in the Dataset per row; −1 for an empty row
  [[nodiscard]] std::string_view key(std::size_t row) const;    ///< "" for an empty row; lives as long as the Batch
  [[nodiscard]] std::span<const SampleCrop> crops() const;      ///< what augmentation drew, a row; the whole record without augmentation
  /// Gives the slot back; every view of this Batch ends, and it describes no rows. Idempotent.
  void release() noexcept;

 private:
  friend class Loader;
  Batch(std::shared_ptr<loader::Ring> ring, loader::Slot* slot);
  [[nodiscard]] const loader::Slot& slot() const;
  std::shared_ptr<loader::Ring> ring_;
  loader::Slot* slot_ = nullptr;
};

/// Memory of the caller that next_into() fills: at least image_batch_bytes() and label_batch_bytes(), aligned to their elements; a span of
/// no bytes skips the field.
struct BatchBuffers {
  std::span<std::byte> image;
  std::span<std::byte> label;
};

/// What next_into() says about the batch it copied.
struct BatchInfo {
  std::uint64_t epoch = 0;
  std::uint64_t step = 0;
  std::size_t batch_size = 0;  ///< rows
  std::size_t num_valid = 0;
  std::vector<std::int64_t> image_shape;
  std::vector<std::int64_t> label_shape;
  ElementType image_type = ElementType::u8;
  ElementType label_type = ElementType::u8;
  std::vector<std::int64_t> indices;
  std::vector<std::string> keys;
  std::vector<SampleCrop> crops;
};

class Loader {
 public:
  /// Allocates the slots and starts the threads, which begin to read at once.
  [[nodiscard]] static Result<Loader> open(const Dataset& dataset, const LoaderOptions& options = {});
  ~Loader();  ///< close()
  Loader(Loader&&) noexcept;
  Loader& operator=(Loader&&) noexcept;

  [[nodiscard]] std::uint64_t steps_per_epoch() const;  ///< the same on every rank
  [[nodiscard]] std::size_t batch_size() const;         ///< rows of this rank's batches
  [[nodiscard]] unsigned threads() const;
  [[nodiscard]] const std::string& fingerprint() const;   ///< of the data set: "xxh3-128:…"
  [[nodiscard]] std::uint64_t image_batch_bytes() const;  ///< records of different sizes in batches of one row: of the largest so far
  [[nodiscard]] std::uint64_t label_batch_bytes() const;  ///< 0 for an unlabelled set
  [[nodiscard]] std::uint64_t slot_bytes() const;         ///< of all slots together

  /// The next batch; nothing at the end of each epoch, after which the following call begins the next epoch, whose first batches are read
  /// already; of several threads one learns of the end. `timeout` 0: wait forever; below 0: only what is ready. Errors besides those of
  /// the data: `timeout` (nothing is lost, call again), `cancelled` after cancel(), `usage` after close(), after a fork, and when every
  /// slot is leased, so that waiting could not end.
  [[nodiscard]] Result<std::optional<Batch>> next();
  [[nodiscard]] Result<std::optional<Batch>> next(std::chrono::milliseconds timeout);
  /// The same, copied into memory of the caller; the slot is free again on return.
  [[nodiscard]] Result<std::optional<BatchInfo>> next_into(const BatchBuffers& into);

  /// Goes to a step of an epoch: 0 … steps_per_epoch(). What was read ahead is dropped; leased batches stay as they are. Ends cancel().
  [[nodiscard]] Status seek(std::uint64_t epoch, std::uint64_t step = 0);
  [[nodiscard]] LoaderState state() const;
  /// Refused, naming the first difference, where fingerprint, records, order, G or last_batch are not this Loader's. Epoch and position are
  /// taken over; rank and world size may be others than when the state was taken.
  [[nodiscard]] Status restore(const LoaderState& state);

  /// Wakes every next() that waits; they and later ones give `cancelled` until seek() or restore(). From any thread.
  void cancel() noexcept;
  /// Stops and joins the threads. Idempotent, safe at exit; batches that are still leased stay valid. A thread that hangs in the kernel is
  /// left behind after 5 s, so that close() always returns.
  void close() noexcept;

 private:
  struct Impl;
  explicit Loader(std::unique_ptr<Impl> impl);
  [[nodiscard]] static Result<Loader> start(const Dataset& dataset, const LoaderOptions& options);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hotpack
