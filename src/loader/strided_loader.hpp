// Opens Loaders with further options, for other parts of hotpack.
//
// A loader with a `stride` delivers only every `stride`-th step, for processes that share the steps
// of one run: with `stride` processes, each begins at another step, by seek() or `resume`.
//
// The Loader is as Loader::open() returns it, except that after a step k it continues with step
// k + stride. An epoch ends where that would be no step of it, and the next one begins at step 0,
// whatever the first step was. Steps, states and positions are those of the whole run. It reads
// ahead only within an epoch, because the step at which the caller continues after that is unknown.
// A loader with a sink writes packed records to it. `image` and `label` of a batch then have the
// shapes of the expanded fields, whose first extent is to be that of the largest batch; the bytes
// of the image are the whole slot.
// Ownership, thread-safety and failure: as Loader::open(); `usage` if the stride is 0.
#pragma once

#include <cstdint>
#include <memory>

#include "hotpack/dataset.hpp"
#include "hotpack/loader.hpp"
#include "hotpack/result.hpp"

namespace hotpack {

namespace loader {
class RowSink;
}

// Slots of `bytes` bytes, filled by a RowSink. Their number is fixed.
struct SinkSlots {
  std::shared_ptr<loader::RowSink> sink = {};
  std::uint64_t bytes = 0;
  unsigned count = 0;
};

struct StridedLoader {
  [[nodiscard]] static Result<Loader> open(const Dataset& dataset, const LoaderOptions& options,
                                           std::uint64_t stride, const SinkSlots& sink = {});
};

}  // namespace hotpack
