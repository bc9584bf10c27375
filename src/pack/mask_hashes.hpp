// Computes the hash of the label files of a sample with several masks, as the format defines it:
// the XXH3-64 of the files' XXH3-64 hashes, in the order of their classes.
//
// A pure function; thread-safe.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/checksum.hpp"

namespace hotpack::pipeline {

[[nodiscard]] inline std::uint64_t hash_of_hashes(const std::vector<std::uint64_t>& hashes) {
  static_assert(std::endian::native == std::endian::little,
                "the hash is defined over little-endian numbers");
  return xxh3_64(std::as_bytes(std::span(hashes)));
}

}  // namespace hotpack::pipeline
