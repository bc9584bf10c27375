// Measures a Loader: its steady rate, its first batch, and how long a consumer waits for it.
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
  // Goes through all epochs. If an epoch has more than `steps` steps, repeats the first `steps`
  // steps of the first epoch instead.
  [[nodiscard]] static Result<Batches> open(const Dataset& dataset, const LoaderOptions& options,
                                            std::uint64_t steps = UINT64_MAX);

  [[nodiscard]] const Loader& loader() const { return loader_; }
  // Returns the next batch, also if an epoch ends before it.
  [[nodiscard]] Result<Batch> next();

  // Takes batches for about `seconds`, at least one. Batches that were read ahead come first and
  // are not counted. Returns after the loader's threads have become idle, so that they do not
  // disturb the next measurement.
  [[nodiscard]] Result<Work> take(double seconds);
  // Returns the share of its time that a consumer waits if it keeps each batch for `step_seconds`.
  [[nodiscard]] Result<double> wait_share(double step_seconds, double seconds);

 private:
  Batches(Loader loader, unsigned slots, std::uint64_t steps)
      : loader_(std::move(loader)), slots_(slots), steps_(steps) {}
  // Touches every slot and takes one batch more. The clock then starts when a batch has just been
  // finished.
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
