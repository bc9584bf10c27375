// Files in the system's page cache: measures which share of them is there, and drops them from it.
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

// Returns the residency of all files together. If the system refuses to answer (another user's
// files), all pages count as resident.
[[nodiscard]] Result<Residency> residency(std::span<const std::string> paths);

// Writes dirty pages back and asks the system to drop all pages of the files. Pages that a process
// has mapped stay, and so do those of file systems that live in memory; see residency().
[[nodiscard]] Status drop_pages(std::span<const std::string> paths);

}  // namespace hotpack::bench
