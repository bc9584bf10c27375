// Expands the labels of a batch: holds the kernel and its arguments, and computes the number of
// threads.
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

// Returns the arguments that are the same in all launches for an output of this size, that is, all
// but rows, records and out. The members type and ignore_index of `output` must be set.
[[nodiscard]] LabelArgs label_args(const LabelOutput& output, const expand::LabelSource& source);
void set_size(LabelArgs& args, const LabelOutput& output, PixelSize size);

// Returns the launch for these arguments. `processors` is the device's number of multiprocessors.
[[nodiscard]] LaunchSize label_launch_size(const LabelArgs& args, const LabelOutput& output,
                                           int processors);
[[nodiscard]] const char* label_kernel_name(const LabelOutput& output);  // with the type filled in

}  // namespace hotpack::device
