// The cores and the memory that this process may use. Thread-safe; never fails.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace hotpack {

// The smaller of the cores in the affinity mask and the cgroup's quota, rounded up; at least 1.
// The quota is the tightest of the process's cgroup and its parents (v2 cpu.max, v1
// cpu.cfs_quota_us). Every default number of threads comes from here. A file that is missing, not
// readable or malformed sets no quota; without an affinity mask, the number of online cores counts.
[[nodiscard]] unsigned usable_cores();

// The cgroup's quota, or nothing if there is none. Reads proc/self/cgroup, proc/self/mountinfo
// and the mounted hierarchies under `root`: "" for the system's own, or a copy for tests.
[[nodiscard]] std::optional<unsigned> quota_cores(const std::string& root);

// The memory that the cgroup's limit leaves (v2 memory.max, v1 memory.limit_in_bytes; the
// tightest), or nothing without a limit. File pages count as available, since the kernel reclaims
// them. `root` as above.
[[nodiscard]] std::optional<std::uint64_t> quota_memory(const std::string& root);

}  // namespace hotpack
