// Measures a Loader: its steady rate, the time to its first batch, and how long a consumer waits
// for it.
//
// Ownership: owns its Loader. Thread-safety: none. Failure: as Loader's functions.
#pragma once

#include <cstdint>

#include "bench/measure.hpp"
#include "hotpack/dataset.hpp"
#include "hotpack/loader.hpp"

namespace hotpack::bench {

class Batches {
 public:
  // Opens a loader that delivers epoch after epoch. If an epoch has more than `steps` steps, the
  // loader repeats the first `steps` steps of the first epoch instead.
  [[nodiscard]] static Result<Batches> open(const Dataset& dataset, const LoaderOptions& options,
                                            std::uint64_t steps = UINT64_MAX);

  [[nodiscard]] const Loader& loader() const { return loader_; }
  // Returns the next batch, also if an epoch ends before it.
  [[nodiscard]] Result<Batch> next();

  // Takes batches for about `seconds`, at least one. First discards the batches that were read
  // ahead. Returns after the loader's threads have become idle, so that they do not disturb the
  // next measurement.
  [[nodiscard]] Result<Work> take(double seconds);
  // Returns the share of its time that a consumer waits if it keeps each batch for `step_seconds`.
  [[nodiscard]] Result<double> wait_share(double step_seconds, double seconds);

 private:
  Batches(Loader loader, unsigned slots, std::uint64_t steps)
      : loader_(std::move(loader)), slots_(slots), steps_(steps) {}
  // Uses every slot once, so that its memory is touched, and then takes one more batch. The clock
  // can then start at the moment at which a batch has just been finished.
  [[nodiscard]] Status reach_steady_state();
  // Waits about as long as the threads need to fill every slot again.
  void rest(double seconds_a_batch) const;

  Loader loader_;
  unsigned slots_;
  std::uint64_t steps_;  // of an epoch that are used
  std::uint64_t taken_ = 0;
};

[[nodiscard]] inline std::uint64_t batch_bytes(const Batch& batch) {
  return batch.image().bytes.size() + batch.label().bytes.size();
}

}  // namespace hotpack::bench
