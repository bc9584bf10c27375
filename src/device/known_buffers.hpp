// Checks that the kernels of a device can write to the caller's memory. If they could not, they
// would fail, and the process could not use CUDA any more.
//
// Thread-safe. Failure: `usage` for host memory, for memory of another device, and for memory that
// ends before the buffer does; `io` if the driver cannot tell.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "device/driver_api.hpp"
#include "device/handles.hpp"
#include "hotpack/result.hpp"

namespace hotpack::device {

class KnownBuffers {
 public:
  // Checks a buffer. `which` is its name in the message, for example "the image buffer of part 0".
  // The last buffers are remembered, and the driver is asked only if the address is not among them,
  // or if the buffer is larger than before; so fixed buffers cost nothing. Managed memory is
  // accepted for any device. Whether the memory is large enough is checked only if cuMemAlloc
  // allocated it: mapped memory may continue after the end that the driver reports.
  [[nodiscard]] Status check(const std::string& which, const void* memory, std::uint64_t bytes,
                             const Context& context);

 private:
  struct Known {
    Pointer address = 0;
    int ordinal = 0;
    std::uint64_t bytes = 0;  // known to fit
  };
  [[nodiscard]] bool remembered(const Known& buffer);
  void remember(const Known& buffer);

  std::mutex mutex_;
  std::array<Known, 64> known_{};  // enough for two fields on sixteen devices, twice
  std::size_t oldest_ = 0;
};

}  // namespace hotpack::device
