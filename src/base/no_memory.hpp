// Turns a lack of memory into an Error, for the public functions of a library. Thread-safe.
#pragma once

#include <new>

#include "hotpack/result.hpp"

namespace hotpack {

// The text is short enough to need no allocation.
inline Error out_of_memory() { return {ErrorCode::io, "out of memory", {}, {}}; }

// Returns the Result or Status of `work`, or out_of_memory() if `work` throws std::bad_alloc.
template <class Work>
auto or_out_of_memory(Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

}  // namespace hotpack
