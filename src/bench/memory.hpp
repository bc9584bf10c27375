// How much memory a measurement may take. Thread-safe; never fails: what cannot be read counts as absent.
#pragma once

#include <cstdint>

namespace hotpack::bench {

// What the system can give without swapping (MemAvailable), or the limit of this process's cgroup (v2) where that is less.
[[nodiscard]] std::uint64_t available_memory();

}  // namespace hotpack::bench
