// Expands the images of a batch: holds the kernel and its arguments, and computes the number of
// threads.
//
// Ownership: keeps the modules and a table of values on the device. Thread-safe once made: several
// threads may launch. Failure: make() fails with `usage` as ImageExpander::make; `io` if a call of
// the driver fails.
#pragma once

#include <memory>

#include "device/handles.hpp"
#include "device/kernel_modules.hpp"
#include "device/kernels/image_args.hpp"
#include "device/kernels/portable.hpp"
#include "device/packed_rows.hpp"
#include "hotpack/expand.hpp"
#include "hotpack/schema.hpp"

namespace hotpack::device {

class ImageLaunch {
 public:
  // Makes the context current itself. When it returns, the table is on the device.
  [[nodiscard]] static Result<ImageLaunch> make(const std::shared_ptr<const Context>& context,
                                                const std::shared_ptr<const KernelModules>& modules,
                                                const ImageOutput& output, int channels,
                                                AxisOrder stored);
  // Bytes of the image of one batch row.
  [[nodiscard]] std::uint64_t row_bytes(PixelSize output) const;
  // Queues a kernel that writes the images of rows.count rows to `out`, which must be aligned to 16
  // bytes. The context must be current.
  [[nodiscard]] Status launch(const PackedRows& rows, Pointer out, StreamHandle stream) const;

 private:
  ImageLaunch() = default;
  std::shared_ptr<const Context> context_;
  std::shared_ptr<const KernelModules> modules_;
  FunctionHandle function_ = nullptr;
  ImageOutput output_;
  ImageArgs args_;  // the arguments that all launches share
  std::shared_ptr<const DeviceMemory> values_;
};

// Returns the launch for these arguments. `processors` is the device's number of multiprocessors.
[[nodiscard]] LaunchSize image_launch_size(const ImageArgs& args, ElementType type, AxisOrder order,
                                           int processors);
[[nodiscard]] const char* image_kernel_name(ElementType type, AxisOrder order);

}  // namespace hotpack::device
