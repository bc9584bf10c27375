// The pages of files in the system's page cache: measures what share of them is there, and drops
// them.
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

// Returns how many pages of all files together are in the page cache. If the system refuses to
// answer (another user's files), all pages count as present.
[[nodiscard]] Result<Residency> residency(std::span<const std::string> paths);

// Writes changed pages of the files to the disk and asks the system to drop all of their pages.
// Pages that a process has mapped stay, and so do those of file systems that live in memory.
// residency() tells how many stayed.
[[nodiscard]] Status drop_pages(std::span<const std::string> paths);

}  // namespace hotpack::bench
