// The container of the format: a safetensors file, whose header may be hostile.
//
// Works on bytes in memory, checks every range by subtraction, never throws, and allocates in
// proportion to the header's actual bytes. Pure; thread-safe. Errors have code `damaged` and, if
// there is one, the byte offset in the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "format/shard_layout.hpp"
#include "hotpack/result.hpp"

namespace hotpack::format {

struct Container {
  std::uint64_t header_bytes = 0;                             // L
  std::vector<std::pair<std::string, std::string>> metadata;  // __metadata__ in file order
  std::vector<Tensor> tensors;  // sorted by offset; the header's order breaks ties
};

// Parses a file and checks every rule of safetensors: the length, strict JSON that starts with `{`,
// entries, sizes that fit their shapes, no gap, no overlap, and tensors that end with the file. A
// file whose header length L is 0 is reported as unfinished.
[[nodiscard]] Result<Container> read_container(std::span<const std::byte> file);

// The same without the fast reader for headers as hotpack writes them. Tests and the fuzzer compare
// the two.
[[nodiscard]] Result<Container> read_container_generally(std::span<const std::byte> file);

}  // namespace hotpack::format
