// Opens a Loader that delivers only every `stride`-th step, for processes that share the steps of
// one run: with `stride` processes, each begins at another step, by seek() or `resume`.
//
// The Loader is as Loader::open() returns it, except that after a step k it continues with step
// k + stride. An epoch ends where that would be no step of it, and the next one begins at step 0,
// whatever the first step was. Steps, states and positions are those of the whole run. It reads
// ahead only within an epoch, because the step at which the caller continues after that is unknown.
// Ownership, thread-safety and failure: as Loader::open(); `usage` if the stride is 0.
#pragma once

#include <cstdint>

#include "hotpack/dataset.hpp"
#include "hotpack/loader.hpp"
#include "hotpack/result.hpp"

namespace hotpack {

struct StridedLoader {
  [[nodiscard]] static Result<Loader> open(const Dataset& dataset, const LoaderOptions& options,
                                           std::uint64_t stride);
};

}  // namespace hotpack
