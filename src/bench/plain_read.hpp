// Reads files from end to end as fast as the disk can, without interpreting them.
//
// Thread-safe. Failure: code `io` with the path.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "bench/measure.hpp"

namespace hotpack::bench {

// Reads pieces of 4 MiB one after another with `threads` threads, with O_DIRECT if the file system
// supports it, for about `seconds` or until everything was read once. Starts at the share `start`
// (0 … 1) of all bytes and continues at the beginning after the last byte. Work.samples stays 0.
[[nodiscard]] Result<Work> plain_read(std::span<const std::string> paths, unsigned threads,
                                      double seconds, double start);

}  // namespace hotpack::bench
