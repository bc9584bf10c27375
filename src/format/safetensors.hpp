// The container below the format: a safetensors file whose header may be hostile.
//
// Works on bytes in memory, checks every range by subtraction, never throws, allocates in proportion to the header's bytes that are
// really there. Pure; thread-safe. Errors have code `damaged` and the byte offset in the file where one makes sense.
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
  std::vector<Tensor> tensors;                                // sorted by offset; equal places keep the header's order
};

// Every rule of safetensors: length, strict JSON that starts with `{`, entries, sizes that fit shapes, no hole, no overlap, an end at the
// end of the file. A file with L = 0 is reported as unfinished.
[[nodiscard]] Result<Container> read_container(std::span<const std::byte> file);

}  // namespace hotpack::format
