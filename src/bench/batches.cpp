#include "bench/batches.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/try.hpp"

namespace hotpack::bench {

Result<Batches> Batches::open(const Dataset& dataset, const LoaderOptions& options,
                              std::uint64_t steps) {
  HOTPACK_ASSIGN(Loader loader, Loader::open(dataset, options));
  const std::uint64_t all = loader.steps_per_epoch();
  return Batches(std::move(loader), options.prefetch_batches, steps < all ? steps : UINT64_MAX);
}

Result<Batch> Batches::next() {
  if (taken_ == steps_) {
    HOTPACK_TRY(loader_.seek(0, 0));
    taken_ = 0;
  }
  std::optional<Batch> batch;
  while (!batch) {  // empty at the end of an epoch
    HOTPACK_ASSIGN(batch, loader_.next());
  }
  ++taken_;
  return std::move(*batch);
}

Status Batches::reach_steady_state() {
  // Holds all slots at once, so that every slot is written and its memory is touched. Without this,
  // a fast consumer might use only some slots, because the Ring fills the slot first that was
  // released last; a slower consumer would then pay for touching the others.
  std::vector<Batch> held;
  while (held.size() < slots_) {
    HOTPACK_ASSIGN(Batch batch, next());
    held.push_back(std::move(batch));
  }
  held.clear();
  HOTPACK_TRY(next());
  return {};
}

void Batches::rest(double seconds_a_batch) const {
  constexpr double kMargin = 1.5;
  std::this_thread::sleep_for(
      std::chrono::duration<double>(kMargin * (slots_ + 1) * seconds_a_batch));
}

Result<Work> Batches::take(double seconds) {
  HOTPACK_TRY(reach_steady_state());
  Work work;
  unsigned batches = 0;
  const double began = now_seconds();
  do {
    HOTPACK_ASSIGN(const Batch batch, next());
    work.samples += batch.num_valid();
    work.bytes += batch_bytes(batch);
    work.seconds = now_seconds() - began;
    ++batches;
  } while (work.seconds < seconds);
  rest(work.seconds / batches);
  return work;
}

Result<double> Batches::wait_share(double step_seconds, double seconds) {
  HOTPACK_TRY(reach_steady_state());
  double waited = 0, all = 0;
  double began = now_seconds();
  do {
    HOTPACK_ASSIGN(const Batch batch, next());
    waited += now_seconds() - began;
    std::this_thread::sleep_for(std::chrono::duration<double>(
        step_seconds));  // a training step on a device does not use the cores
    const double ended = now_seconds();
    all += ended - began;
    began = ended;
  } while (all < seconds);
  return waited / all;
}

}  // namespace hotpack::bench
