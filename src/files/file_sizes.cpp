#include "files/file_sizes.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "files/scan_scope.hpp"
#include "settings/io_threads.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::size_t kBlock = 32;  // files that a thread asks for at once

std::optional<std::uint64_t> size_of(const std::string& path) {
  struct stat status {};
  if (path.empty() || ::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
    return std::nullopt;
  return static_cast<std::uint64_t>(status.st_size);
}

}  // namespace

std::vector<std::optional<std::uint64_t>> sizes_of(const std::vector<std::string>& paths) {
  std::vector<std::optional<std::uint64_t>> sizes(paths.size());
  std::atomic<std::size_t> next = 0;
  IoThreads* others = nullptr;
  const auto work = [&] {
    for (std::size_t first = 0; (first = next.fetch_add(kBlock)) < paths.size();) {
      const WaitMeter meter;
      for (std::size_t i = first; i < std::min(first + kBlock, paths.size()); ++i)
        sizes[i] = size_of(paths[i]);
      if (meter.waited() && next < paths.size()) others->add_one();
    }
  };
  ScanScope* const scope = ScanScope::current();
  IoThreads threads(scope == nullptr ? 1 : scope->io_threads(), work);
  others = &threads;
  if (scope != nullptr)
    threads.grow_to(std::min(scope->useful_threads(), paths.size() / kBlock + 1));
  work();
  threads.join();
  if (scope != nullptr)
    scope->set_useful_threads(std::max(scope->useful_threads(), threads.count()));
  return sizes;
}

}  // namespace hotpack::pipeline
