// Files in the system's page cache: how much of them is there, and dropping them from it.
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
  [[nodiscard]] double share() const { return pages == 0 ? 0 : static_cast<double>(resident) / static_cast<double>(pages); }
};

// Of all files together. Where the system does not tell (another user's files), all pages count as resident.
[[nodiscard]] Result<Residency> residency(std::span<const std::string> paths);

// Writes back what is dirty and asks the system to drop the pages. Pages that somebody has mapped stay, and so do those of file systems
// that live in memory: residency() tells.
[[nodiscard]] Status drop_pages(std::span<const std::string> paths);

}  // namespace hotpack::bench
