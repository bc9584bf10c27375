// Files in the system's page cache: their share in it, and dropping them from it.
//
// Thread-safe. Failure: code `io` with the path.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "hotpack/result.hpp"

namespace hotpack::bench {

struct Residency {
  std::uint64_t pages = 0;
  std::uint64_t resident = 0;
  [[nodiscard]] double share() const {
    return pages == 0 ? 0 : static_cast<double>(resident) / static_cast<double>(pages);
  }
};

// Of all files together. If the system refuses to answer (another user's files), all pages count as
// resident.
[[nodiscard]] Result<Residency> residency(std::span<const std::string> paths);

// Writes back dirty pages and asks the system to drop all of them. Pages that a process has mapped
// stay, and so do those of file systems that live in memory; see residency().
[[nodiscard]] Status drop_pages(std::span<const std::string> paths);

}  // namespace hotpack::bench
