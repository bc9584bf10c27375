// How many cores, and how much memory, this process may use. Thread-safe; never fails.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace hotpack {

// The smaller of the cores in the affinity mask and the cgroup's quota (v2 cpu.max, v1 cpu.cfs_quota_us; the tightest of the process's
// cgroup and its parents), rounded up; at least 1.
[[nodiscard]] unsigned usable_cores();

// The cgroup's quota alone, by proc/self/cgroup, proc/self/mountinfo and the mounted hierarchies under `root` ("" for the system's own, or
// a copy for tests); nothing where there is none.
[[nodiscard]] std::optional<unsigned> quota_cores(const std::string& root);

// What the cgroup's limit leaves of memory (v2 memory.max, v1 memory.limit_in_bytes; likewise the tightest), pages of files not counted:
// they make room where memory is wanted. `root` likewise; nothing where there is no limit.
[[nodiscard]] std::optional<std::uint64_t> quota_memory(const std::string& root);

}  // namespace hotpack
