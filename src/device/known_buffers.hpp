// Whether memory of the caller can be written by kernels of a device: other addresses would end the process's use of CUDA, not the call.
//
// Thread-safe. Failure: `usage` for memory of the host or of another device, or that ends before the buffer does, `io` where the driver
// cannot tell.
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
  // `which`: for the message, "the image buffer of part 0". The driver is asked once for as long as the address is among the last ones and
  // the buffer no larger than was seen to fit, so that fixed buffers cost nothing. Managed memory is any device's. Where memory ends is
  // held against what comes of one cuMemAlloc alone: of mapped memory, which may go on behind the driver's answer, nothing is asked.
  [[nodiscard]] Status check(const std::string& which, const void* memory, std::uint64_t bytes, const Context& context);

 private:
  struct Known {
    Pointer address = 0;
    int ordinal = 0;
    std::uint64_t bytes = 0;  // that fit
  };
  [[nodiscard]] bool remembered(const Known& buffer);
  void remember(const Known& buffer);

  std::mutex mutex_;
  std::array<Known, 64> known_{};  // two fields on sixteen devices, twice
  std::size_t oldest_ = 0;
};

}  // namespace hotpack::device
