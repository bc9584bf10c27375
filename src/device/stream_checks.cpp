#include "device/stream_checks.hpp"

#include <string>

#include "base/error.hpp"
#include "base/try.hpp"

namespace hotpack::device {
namespace {

std::string stream_text(std::size_t number, const Context& context) {
  return "stream " + std::to_string(number) + " (of device " + std::to_string(context.ordinal()) +
         ")";
}

bool is_special(StreamHandle stream) {
  return stream == nullptr || stream == kLegacyStream || stream == kPerThreadStream;
}

Error captured_error(const std::string& which) {
  return usage_error(
      which +
      " is being captured into a CUDA graph, but a loader cannot be captured, because each step is "
      "different work; call next_into() on fixed buffers outside of the capture, before each "
      "launch of the graph");
}

// Returns the error for the legacy stream while another stream is being captured. The legacy stream
// waits for blocking streams, so it must not be used while one of them is being captured.
Error barred_error(const std::string& which) {
  return usage_error(which +
                     " cannot be used while another stream is being captured into a CUDA graph, "
                     "because it waits for that stream; pass a stream made with "
                     "cudaStreamNonBlocking, or end the capture first");
}

bool is_no_stream(int result) {
  return result == code::kInvalidHandle || result == code::kInvalidContext;
}

Error no_stream_error(const std::string& which) {
  return usage_error(which +
                     " is not a stream of this process, or was destroyed; pass an existing "
                     "stream that was made with that device current");
}

}  // namespace

bool is_captured(const Context& context, StreamHandle stream) {
  int capture = kCaptureNone;
  const int known = context.api().StreamIsCapturing(stream, &capture);
  return known == code::kStreamCaptureImplicit ||
         (known == code::kSuccess && capture != kCaptureNone);
}

Status check_stream(const Context& context, StreamHandle stream, std::size_t number) {
  const Driver& driver = context.driver();
  const std::string which = stream_text(number, context);
  int capture = kCaptureNone;
  const int known = driver.api().StreamIsCapturing(stream, &capture);
  if (known == code::kStreamCaptureImplicit) return barred_error(which);
  if (known == code::kSuccess && capture != kCaptureNone) return captured_error(which);
  if (is_no_stream(known)) return no_stream_error(which);
  HOTPACK_TRY(driver.check("cuStreamIsCapturing", known));
  if (is_special(stream)) return {};
  ContextHandle owner = nullptr;
  HOTPACK_TRY(HOTPACK_DRIVER(driver, StreamGetCtx, stream, &owner));
  if (owner == context.handle()) return {};
  return usage_error(which +
                     " was made in another context; make it in the primary context of that device, "
                     "which the CUDA runtime uses");
}

}  // namespace hotpack::device
