// The image half of a batch: which kernel, with what, over how many threads.
//
// Ownership: keeps the modules and a table of values on the device. Thread-safe once made: launches may come from several threads.
// Failure: `usage` at make() as ImageExpander::make; `io` where a call of the driver fails.
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
  // Makes the context current for itself. The table is on the device when this returns.
  [[nodiscard]] static Result<ImageLaunch> make(const std::shared_ptr<const Context>& context,
                                                const std::shared_ptr<const KernelModules>& modules, const ImageOutput& output,
                                                int channels, AxisOrder stored);
  // Bytes of one output row.
  [[nodiscard]] std::uint64_t row_bytes(PixelSize output) const;
  // Writes rows.count rows at `out`, aligned to 16 bytes, when the stream comes to it. Needs the context current.
  [[nodiscard]] Status launch(const PackedRows& rows, Pointer out, StreamHandle stream) const;

 private:
  ImageLaunch() = default;
  std::shared_ptr<const Context> context_;
  std::shared_ptr<const KernelModules> modules_;
  FunctionHandle function_ = nullptr;
  ImageOutput output_;
  ImageArgs args_;  // what every launch has alike
  std::shared_ptr<const DeviceMemory> values_;
};

// The launch for such arguments; `processors` of the device.
[[nodiscard]] LaunchSize image_launch_size(const ImageArgs& args, ElementType type, AxisOrder order, int processors);
[[nodiscard]] const char* image_kernel_name(ElementType type, AxisOrder order);

}  // namespace hotpack::device
