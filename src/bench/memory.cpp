#include "bench/memory.hpp"

#include <algorithm>
#include <fstream>
#include <string>

namespace hotpack::bench {

namespace {

constexpr std::uint64_t kUnknown = std::uint64_t{1} << 30;  // for a machine that does not report it

std::uint64_t system_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  for (std::uint64_t kib = 0; file >> name >> kib; std::getline(file, unit))
    if (name == "MemAvailable:") return kib * 1024;
  return kUnknown;
}

// Returns the path of this process's cgroup below /sys/fs/cgroup: "/" or "/a/b".
std::string own_cgroup() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("0::")) return line.substr(3);
  return "/";
}

std::uint64_t cgroup_limit() {
  std::uint64_t limit = UINT64_MAX;
  for (std::string group = own_cgroup();; group.resize(group.find_last_of('/'))) {
    std::ifstream file("/sys/fs/cgroup" + group + "/memory.max");
    std::uint64_t bytes = 0;
    if (file >> bytes) limit = std::min(limit, bytes);  // "max", no limit, is not a number
    if (group.find('/') == std::string::npos) return limit;
  }
}

}  // namespace

std::uint64_t available_memory() { return std::min(system_memory(), cgroup_limit()); }

}  // namespace hotpack::bench
