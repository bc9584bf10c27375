// The label half of a batch: the kernel, its arguments, and the number of threads.
//
// Ownership, thread-safety and failure as ImageLaunch.
#pragma once

#include <memory>

#include "device/handles.hpp"
#include "device/kernel_modules.hpp"
#include "device/kernels/label_args.hpp"
#include "device/kernels/portable.hpp"
#include "device/packed_rows.hpp"
#include "expand/label_expander.hpp"
#include "hotpack/expand.hpp"

namespace hotpack::device {

class LabelLaunch {
 public:
  [[nodiscard]] static Result<LabelLaunch> make(const std::shared_ptr<const Context>& context,
                                                const std::shared_ptr<const KernelModules>& modules,
                                                const LabelOutput& output,
                                                const expand::LabelSource& source);
  // `output` is the size of the image; it does not matter for labels of whole images
  [[nodiscard]] std::uint64_t row_bytes(PixelSize output) const;
  [[nodiscard]] Status launch(const PackedRows& rows, Pointer out, StreamHandle stream) const;

 private:
  LabelLaunch() = default;
  [[nodiscard]] LabelArgs sized(PixelSize output) const;
  std::shared_ptr<const Context> context_;
  std::shared_ptr<const KernelModules> modules_;
  FunctionHandle function_ = nullptr;
  LabelOutput output_;
  LabelArgs args_;  // the arguments that all launches share
};

// Returns the arguments that all launches share for an output of this size: everything but rows,
// records and out. `output` has type and ignore_index filled in.
[[nodiscard]] LabelArgs label_args(const LabelOutput& output, const expand::LabelSource& source);
void set_size(LabelArgs& args, const LabelOutput& output, PixelSize size);

// Returns the launch for these arguments. `processors` is the device's number of multiprocessors.
[[nodiscard]] LaunchSize label_launch_size(const LabelArgs& args, const LabelOutput& output,
                                           int processors);
[[nodiscard]] const char* label_kernel_name(const LabelOutput& output);  // with the type filled in

}  // namespace hotpack::device
