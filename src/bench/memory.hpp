// How much memory a measurement may take.
// Thread-safe; never fails: a file that cannot be read counts as absent.
#pragma once

#include <cstdint>

namespace hotpack::bench {

// Returns the memory in bytes that this process may take without swapping: the system's
// MemAvailable or the limit of the process's cgroup (v2), whichever is smaller.
[[nodiscard]] std::uint64_t available_memory();

}  // namespace hotpack::bench
