// Checks of the program's streams.
//
// Plain functions; they need the context current. Failure: `usage` for a stream that cannot get a
// batch, `io` if a call fails.
#pragma once

#include <cstddef>

#include "device/driver_api.hpp"
#include "device/handles.hpp"
#include "hotpack/result.hpp"

namespace hotpack::device {

// True if the stream is being captured into a graph, or cannot be queried because another one is.
[[nodiscard]] bool is_captured(const Context& context, StreamHandle stream);
// Checks that the stream may get a batch's kernels. `number` is the part's, for the message.
[[nodiscard]] Status check_stream(const Context& context, StreamHandle stream, std::size_t number);

}  // namespace hotpack::device
