// What may be done with a stream of the program.
//
// Plain functions; they need the context current. Failure: `usage` for a stream that a batch cannot be given to, `io` where a call fails.
#pragma once

#include <cstddef>

#include "device/driver_api.hpp"
#include "device/handles.hpp"
#include "hotpack/result.hpp"

namespace hotpack::device {

// Whether the stream is being captured into a graph, or may not be asked because another one is.
[[nodiscard]] bool is_captured(const Context& context, StreamHandle stream);
// Whether the stream may be given a batch's kernels. `number`: of the part, for the message.
[[nodiscard]] Status check_stream(const Context& context, StreamHandle stream, std::size_t number);

}  // namespace hotpack::device
