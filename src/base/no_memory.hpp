// Lack of memory as an Error, for the doors of a library. Thread-safe.
#pragma once

#include <new>

#include "hotpack/result.hpp"

namespace hotpack {

// Its text is short enough to need no memory itself.
inline Error out_of_memory() { return {ErrorCode::io, "out of memory", {}, {}}; }

// What `work` gives, a Result or Status, or that error where memory is lacking.
template <class Work>
auto or_out_of_memory(Work&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

}  // namespace hotpack
