#include "base/cores.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <limits>
#include <sstream>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace hotpack {

namespace {

enum class Version { v1, v2 };

// A mounted cgroup hierarchy that may contain the limits of a controller.
struct Hierarchy {
  Version version = Version::v2;
  std::string mount_point;
  std::string mounted_path;  // the cgroup at the mount point: "/", or the container's
};

bool names(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    if (list.substr(0, comma) == name) return true;
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
  return false;
}

// A line of mountinfo: "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu".
std::optional<Hierarchy> hierarchy_of(const std::string& line, std::string_view controller) {
  std::istringstream words(line);
  std::string skipped, mounted_path, mount_point, kind, source, options;
  words >> skipped >> skipped >> skipped >> mounted_path >> mount_point;
  while (words >> skipped && skipped != "-") continue;
  words >> kind >> source >> options;
  if (kind == "cgroup2") return Hierarchy{Version::v2, mount_point, mounted_path};
  if (kind == "cgroup" && names(options, controller))
    return Hierarchy{Version::v1, mount_point, mounted_path};
  return std::nullopt;
}

// Returns the path of this process's cgroup, from <root>/proc/self/cgroup: the text after the
// second colon of its line. With version 2 this is the line "0::/path"; with version 1 the line
// that names `controller`, such as "5:cpu,cpuacct:/path".
std::optional<std::string> cgroup_path(const std::string& root, Version version,
                                       std::string_view controller) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string_view listed = std::string_view(line).substr(first + 1, second - first - 1);
    if (version == Version::v2 ? line.starts_with("0::") : names(listed, controller))
      return line.substr(second + 1);
  }
  return std::nullopt;
}

// Returns the path of a cgroup relative to `mounted_path`, the cgroup that is mounted. Returns ""
// if both are the same, or if the cgroup lies outside.
std::string path_below(const std::string& cgroup, const std::string& mounted_path) {
  const std::string above = mounted_path == "/" ? "" : mounted_path;
  if (!cgroup.starts_with(above + "/") || cgroup == "/" || cgroup.find("/..") != std::string::npos)
    return {};
  return cgroup.substr(above.size());
}

std::optional<unsigned> cores_of(std::int64_t quota, std::int64_t period) {
  if (quota <= 0 || period <= 0) return std::nullopt;
  return static_cast<unsigned>(
      std::min<std::int64_t>((quota - 1) / period + 1, std::numeric_limits<int>::max()));
}

// Reads cpu.max: "150000 100000", or "max 100000" if there is no quota.
std::optional<unsigned> quota_v2(const std::string& folder) {
  std::ifstream file(folder + "/cpu.max");
  std::int64_t quota = 0, period = 0;
  if (!(file >> quota >> period)) return std::nullopt;
  return cores_of(quota, period);
}

// Reads cpu.cfs_quota_us, which is -1 if there is no quota.
std::optional<unsigned> quota_v1(const std::string& folder) {
  std::ifstream quota_file(folder + "/cpu.cfs_quota_us"),
      period_file(folder + "/cpu.cfs_period_us");
  std::int64_t quota = 0, period = 0;
  if (!(quota_file >> quota) || !(period_file >> period)) return std::nullopt;
  return cores_of(quota, period);
}

// Returns the number after `name` in a file of lines "name number".
std::uint64_t number_of(const std::string& path, std::string_view name) {
  std::ifstream file(path);
  std::string found;
  for (std::uint64_t number = 0; file >> found >> number;) {
    if (found == name) return number;
  }
  return 0;
}

// Returns the memory that may still be taken: the limit (in the file limit_path) minus the use (in
// the file used_path), plus `reclaimable`, the bytes of file pages and of the kernel's caches of
// names, because the kernel reclaims them before it refuses memory.
std::optional<std::uint64_t> left_of(const std::string& limit_path, const std::string& used_path,
                                     std::uint64_t reclaimable) {
  std::ifstream limit_file(limit_path), used_file(used_path);
  std::uint64_t limit = 0, used = 0;
  if (!(limit_file >> limit) || !(used_file >> used))
    return std::nullopt;  // memory.max is "max" without a limit
  used -= std::min(used, reclaimable);
  return limit - std::min(limit, used);
}

std::optional<std::uint64_t> memory_v2(const std::string& folder) {
  const std::string stat = folder + "/memory.stat";
  return left_of(folder + "/memory.max", folder + "/memory.current",
                 number_of(stat, "inactive_file") + number_of(stat, "active_file") +
                     number_of(stat, "slab_reclaimable"));
}

// If there is no limit, the file contains a number that no machine reaches.
std::optional<std::uint64_t> memory_v1(const std::string& folder) {
  constexpr std::uint64_t kUnlimited = std::uint64_t{1} << 60;
  const std::string stat = folder + "/memory.stat";
  const auto left =
      left_of(folder + "/memory.limit_in_bytes", folder + "/memory.usage_in_bytes",
              number_of(stat, "total_inactive_file") + number_of(stat, "total_active_file"));
  return left && *left < kUnlimited ? left : std::nullopt;
}

template <class Value>
std::optional<Value> smaller(std::optional<Value> a, std::optional<Value> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

// Reads the limits of a controller in a cgroup's folder.
template <class Value>
struct Limits {
  std::string_view controller;
  std::optional<Value> (*v2)(const std::string& folder);
  std::optional<Value> (*v1)(const std::string& folder);
};

// The tightest limit of a cgroup and its parents.
template <class Value>
std::optional<Value> tightest_in(const std::string& root, const Hierarchy& hierarchy,
                                 const Limits<Value>& limits) {
  const auto cgroup = cgroup_path(root, hierarchy.version, limits.controller);
  if (!cgroup) return std::nullopt;
  std::optional<Value> tightest;
  std::string below = path_below(*cgroup, hierarchy.mounted_path);
  while (true) {
    const std::string folder = root + hierarchy.mount_point + below;
    tightest =
        smaller(tightest, hierarchy.version == Version::v2 ? limits.v2(folder) : limits.v1(folder));
    if (below.empty()) return tightest;
    below.resize(below.rfind('/'));
  }
}

// The tightest limit of all hierarchies.
template <class Value>
std::optional<Value> tightest_of(const std::string& root, const Limits<Value>& limits) {
  std::optional<Value> tightest;
  std::ifstream mounts(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    if (const auto hierarchy = hierarchy_of(line, limits.controller))
      tightest = smaller(tightest, tightest_in(root, *hierarchy, limits));
  }
  return tightest;
}

// The number of cores in the affinity mask, which is wider than cpu_set_t on large machines.
unsigned affinity_cores() {
  std::vector<cpu_set_t> mask(1);
  while (::sched_getaffinity(0, mask.size() * sizeof(cpu_set_t), mask.data()) != 0) {
    constexpr std::size_t kMost = 1024;  // a million cores
    if (errno != EINVAL || mask.size() >= kMost)
      return std::max(1u, std::thread::hardware_concurrency());
    mask.resize(2 * mask.size());
  }
  return static_cast<unsigned>(
      std::max(1, CPU_COUNT_S(mask.size() * sizeof(cpu_set_t), mask.data())));
}

}  // namespace

std::optional<unsigned> quota_cores(const std::string& root) {
  return tightest_of<unsigned>(root, {"cpu", quota_v2, quota_v1});
}

std::optional<std::uint64_t> quota_memory(const std::string& root) {
  return tightest_of<std::uint64_t>(root, {"memory", memory_v2, memory_v1});
}

std::optional<std::uint64_t> available_memory(const std::string& root) {
  std::ifstream file(root + "/proc/meminfo");
  std::string name, unit;
  for (std::uint64_t kilobytes = 0; file >> name >> kilobytes; std::getline(file, unit))
    if (name == "MemAvailable:") return kilobytes * 1024;
  return std::nullopt;
}

UsableMemory usable_memory(const std::string& root) {
  const auto quota = quota_memory(root), available = available_memory(root);
  if (quota && (!available || *quota < *available)) return {*quota, true};
  if (available) return {*available, false};
  return {static_cast<std::uint64_t>(std::max(0L, ::sysconf(_SC_AVPHYS_PAGES))) *
              static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)),
          false};
}

unsigned usable_cores() { return smaller<unsigned>(affinity_cores(), quota_cores("")).value_or(1); }

}  // namespace hotpack
