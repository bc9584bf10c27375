// Reads files from end to end without any order or meaning: the best rate of a disk.
//
// Thread-safe. Failure: code `io` with the path.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "bench/measure.hpp"

namespace hotpack::bench {

// Reads pieces of 4 MiB one after the other with `threads` threads, O_DIRECT where the file system
// has it, for about `seconds` or until all is read once. Starts at `start` (0 … 1) of all bytes and
// goes on at the beginning. Work.samples stays 0.
[[nodiscard]] Result<Work> plain_read(std::span<const std::string> paths, unsigned threads,
                                      double seconds, double start);

}  // namespace hotpack::bench
