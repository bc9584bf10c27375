// The memory that a measurement may take. Thread-safe; never fails: a file that cannot be read
// counts as absent.
#pragma once

#include <cstdint>

namespace hotpack::bench {

// Returns the smaller of two numbers: the memory that is available without swapping (MemAvailable),
// and the limit of this process's cgroup (v2).
[[nodiscard]] std::uint64_t available_memory();

}  // namespace hotpack::bench
