// Checks whether a stream of the program can be used.
//
// Plain functions; they need the context current. Failure: `usage` for a stream that cannot be used
// for a batch, `io` if a call of the driver fails.
#pragma once

#include <cstddef>

#include "device/driver_api.hpp"
#include "device/handles.hpp"
#include "hotpack/result.hpp"

namespace hotpack::device {

// Returns true if the stream is being captured into a graph, or if it cannot be queried because
// another stream is being captured.
[[nodiscard]] bool is_captured(const Context& context, StreamHandle stream);
// Checks that the kernels of a part of a batch may be queued on the stream. `number` is the number
// of the part; error messages contain it.
[[nodiscard]] Status check_stream(const Context& context, StreamHandle stream, std::size_t number);

}  // namespace hotpack::device
