// Reads files from end to end as fast as the disk can, without interpreting them.
//
// Thread-safe. Failure: code `io` with the path.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "bench/measure.hpp"

namespace hotpack::bench {

// Reads the files in pieces of 4 MiB with `threads` threads, for about `seconds` or until
// everything was read once. Uses O_DIRECT if the file system supports it. The first piece is at the
// share `start` (0 … 1) of all bytes; after the last byte, reading continues at the first.
// Work.samples stays 0.
[[nodiscard]] Result<Work> plain_read(std::span<const std::string> paths, unsigned threads,
                                      double seconds, double start);

}  // namespace hotpack::bench
