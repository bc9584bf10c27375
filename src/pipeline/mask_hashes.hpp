// One hash for several label files of a sample: the XXH3-64 of their XXH3-64s, one a class in class order, 0 for a class without a file.
//
// A plain value; not thread-safe.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/checksum.hpp"

namespace hotpack::pipeline {

class MaskHashes {
 public:
  explicit MaskHashes(std::size_t class_count) : hashes_(class_count) {}
  void set(std::uint32_t class_id, std::uint64_t hash) { hashes_[class_id] = hash; }

  [[nodiscard]] std::uint64_t together() const {
    static_assert(std::endian::native == std::endian::little, "the hash is defined over little-endian numbers");
    return xxh3_64(std::as_bytes(std::span(hashes_)));
  }

 private:
  std::vector<std::uint64_t> hashes_;
};

}  // namespace hotpack::pipeline
