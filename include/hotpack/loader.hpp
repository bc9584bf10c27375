// Batches in host memory, in a seeded order that does not depend on the number of threads or ranks.
//
//   auto loader = hotpack::Loader::open(dataset, {.global_batch_size = 32, .seed = 7}).value();
//   while (auto batch = loader.next().value()) train(batch->image(), batch->label());  // one epoch
//
// Threads read ahead into slots, each with memory for one batch; a Batch (batch.hpp) leases one.
// Ownership: a Loader shares the files of its Dataset and may outlive it.
// Thread-safety: several threads may use a Loader; each next() returns a different batch. In a
// forked child the parent's Loader returns errors and close() does nothing: open another one.
// Failure: `usage` for options that do not fit the data set. An error in the data (`damaged`,
// `io`; `data` for a record larger than pad_to) comes at exactly the step that contains the
// record, only on the rank whose rows contain it, and again at each later call. state() then
// stands at that step; to skip it, call seek(epoch, step + 1) on every rank.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "hotpack/batch.hpp"
#include "hotpack/batch_copy.hpp"
#include "hotpack/dataset.hpp"
#include "hotpack/loader_options.hpp"
#include "hotpack/result.hpp"

namespace hotpack {

class Loader {
 public:
  /// Allocates the slots and starts the threads, which begin to read at once.
  [[nodiscard]] static Result<Loader> open(const Dataset& data, const LoaderOptions& options = {});
  ~Loader();  ///< calls close()
  Loader(Loader&&) noexcept;
  Loader& operator=(Loader&&) noexcept;

  /// The next batch, or an empty optional at the end of each epoch; the call after that begins the
  /// next epoch. If several threads call next(), exactly one of them gets the empty optional.
  /// `timeout`: 0 waits forever; a negative value does not wait at all. Further errors: `timeout`
  /// (nothing is lost, call again), `cancelled` after cancel(), `usage` after close() or a fork,
  /// `busy` or `io` while the caller holds every slot and budget or memory allows no other.
  [[nodiscard]] Result<std::optional<Batch>> next();
  [[nodiscard]] Result<std::optional<Batch>> next(std::chrono::milliseconds timeout);
  /// The same, copied into the caller's memory; the slot is free again on return.
  [[nodiscard]] Result<std::optional<BatchInfo>> next_into(const BatchBuffers& into);

  [[nodiscard]] std::uint64_t steps_per_epoch() const;  ///< the same on every rank
  [[nodiscard]] std::size_t batch_size() const;         ///< rows of this rank's largest batch
  [[nodiscard]] unsigned threads() const;
  [[nodiscard]] const std::string& fingerprint() const;  ///< the data set's, "xxh3-128:…"
  /// Bytes of the largest batch. If records differ in size, a batch has one row, and this and the
  /// next two functions return the largest size so far. If a buffer is too small, next_into()
  /// returns `usage` and keeps the batch: enlarge the buffer and call again.
  [[nodiscard]] std::uint64_t image_batch_bytes() const;
  [[nodiscard]] std::uint64_t label_batch_bytes() const;  ///< 0 for an unlabeled data set
  [[nodiscard]] std::uint64_t slot_bytes() const;         ///< memory of all slots together

  /// Makes next() continue with this step, 0 … steps_per_epoch(), of this epoch, also after
  /// cancel(). Batches that the caller holds stay valid.
  [[nodiscard]] Status seek(std::uint64_t epoch, std::uint64_t step = 0);
  /// Makes next() continue with step 0 of this epoch. Unlike seek(), keeps what was read ahead if
  /// the loader stands there or at the end of the epoch before, told by next() or not.
  [[nodiscard]] Status begin_epoch(std::uint64_t epoch);
  /// The step that next() returns next; steps_per_epoch() at an end that next() has not told yet.
  [[nodiscard]] LoaderPosition position() const;
  [[nodiscard]] std::size_t slots() const;   ///< batches in memory now; more while many are held
  [[nodiscard]] std::size_t leased() const;  ///< of these, batches that the caller holds
  /// The position after the last batch, for restore() and LoaderOptions::resume; as text by
  /// LoaderState::text(). Every rank has the same state, so one copy per job is enough.
  [[nodiscard]] LoaderState state() const;
  /// Continues at the position of `state`, which any rank of a job with any world size saved. Fails
  /// if its data set, order, batch size or last_batch differ, and names the first difference.
  [[nodiscard]] Status restore(const LoaderState& state);

  /// Wakes every next(). Waiting and later calls return `cancelled` until seek() or restore().
  void cancel() noexcept;
  /// Stops and joins the threads, and abandons one that hangs in the kernel after 5 s. May be
  /// called again; batches that the caller holds stay valid.
  void close() noexcept;

 private:
  struct Impl;
  explicit Loader(std::unique_ptr<Impl> impl);
  friend struct StridedLoader;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hotpack
