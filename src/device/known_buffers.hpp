// Checks that a device's kernels can write memory of the caller: another address would end the
// process's use of CUDA, not only the call.
//
// Thread-safe. Failure: `usage` for memory of the host or of another device, or that ends before
// the buffer does; `io` if the driver cannot tell.
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
  // `which` is for the message, "the image buffer of part 0". Asks the driver only if the address
  // is not among the last ones or the buffer is larger than before, so that fixed buffers cost
  // nothing. Managed memory belongs to any device. The end of memory is checked only for memory
  // of cuMemAlloc: mapped memory may continue after the end that the driver reports.
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
