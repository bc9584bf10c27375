// Streams of the DLPack protocol.
//
// Pure; thread-safe. Failure: `usage` for a number that the protocol refuses.
#pragma once

#include <cstdint>
#include <optional>

#include "hotpack/device_loader.hpp"
#include "hotpack/result.hpp"

namespace hotpack::device {

// Converts a stream number of the protocol. Empty for −1, which means no synchronization.
[[nodiscard]] Result<std::optional<CUstream_st*>> consumer_stream(std::int64_t number);

}  // namespace hotpack::device
