// The cores and the memory that this process may use. Thread-safe; never fails.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace hotpack {

// Returns the number of cores that this process may use: the cores in its affinity mask or the
// quota of its cgroup, rounded up, whichever is smaller; at least 1. The quota is the tightest of
// those of the cgroup and its parents (v2 cpu.max, v1 cpu.cfs_quota_us). Every default number of
// threads comes from here. A file that is missing, unreadable or malformed sets no quota. Without
// an affinity mask, the number of online cores is used.
[[nodiscard]] unsigned usable_cores();

// Returns the CPU quota of this process's cgroup in cores, or nothing if there is none. Reads
// proc/self/cgroup, proc/self/mountinfo and the mounted hierarchies below the folder `root`: "" for
// the system's own files, or a copy of them for tests.
[[nodiscard]] std::optional<unsigned> quota_cores(const std::string& root);

// Returns the bytes that the memory limit of this process's cgroup leaves (v2 memory.max, v1
// memory.limit_in_bytes; the tightest), or nothing without a limit. File pages, and with v2 the
// reclaimable caches of the kernel, count as available. Reads files below `root`: "" for the
// system's own, or a copy of them for tests.
[[nodiscard]] std::optional<std::uint64_t> quota_memory(const std::string& root);

// Returns the number of bytes that <root>/proc/meminfo gives as "MemAvailable", or nothing if it
// has no such line.
[[nodiscard]] std::optional<std::uint64_t> available_memory(const std::string& root);

// The memory that this process may still take without swapping.
struct UsableMemory {
  std::uint64_t bytes = 0;
  bool of_cgroup = false;  // what the cgroup's limit leaves, because the machine has more
};
// Returns the smaller of quota_memory() and available_memory(). If neither is known, the free pages
// of the system.
[[nodiscard]] UsableMemory usable_memory(const std::string& root);

}  // namespace hotpack
