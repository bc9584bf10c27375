// The kernels: the embedded module, and the launch for each field of a batch.
//
// Plain values; thread-safe. Failure: `usage` if hotpack was built without kernels or the driver
// cannot use them, and as ImageExpander::make and LabelExpander::make; otherwise `io`. The context
// must be current.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "device/context.hpp"
#include "device/kernels/portable.hpp"
#include "hotpack/augment.hpp"
#include "hotpack/expand.hpp"
#include "hotpack/schema.hpp"

namespace hotpack::device {

[[nodiscard]] std::span<const std::byte> embedded_kernels();  // a fatbin; empty without CUDA
[[nodiscard]] std::string embedded_kernels_text();  // "CUDA 13.0, sm_75 … sm_121", "none: …"
[[nodiscard]] Result<ModuleHandle> load_kernels(const Context& context,
                                                std::span<const std::byte> image);

class FieldLaunch {
 public:
  [[nodiscard]] static Result<FieldLaunch> image(const Driver& driver, ModuleHandle module,
                                                 const ImageOutput& output, const Schema& schema);
  // Precondition: the schema has a label.
  [[nodiscard]] static Result<FieldLaunch> label(const Driver& driver, ModuleHandle module,
                                                 const LabelOutput& output, const Schema& schema);

  // Queues the kernel that writes `count` rows of images of `size` pixels, or their labels, to
  // `out`, which must be aligned to 16 bytes. `table` is the address of the RowEntry objects, whose
  // offsets count from `records`.
  [[nodiscard]] Status launch(const Driver& driver, Pointer table, Pointer records,
                              std::size_t count, PixelSize size, void* out,
                              StreamHandle stream) const;

 private:
  FunctionHandle function_ = nullptr;
  std::size_t element_bytes_ = 1;
  bool by_planes_ = false;  // a thread writes the same pixels of every plane
  KernelArgs args_;         // what all launches share
};

}  // namespace hotpack::device
