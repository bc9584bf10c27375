// In the place of host_image_kernels.cpp and host_label_kernels.cpp.
#include <string_view>

#include "support/ptx/ptx_kernels.hpp"

namespace hotpack::test {
namespace ptx {
namespace {

const CompiledKernel* find_among(std::span<const CompiledKernel> kernels, std::string_view name) {
  for (const CompiledKernel& kernel : kernels) {
    if (kernel.architecture == architecture() && kernel.name == name) return &kernel;
  }
  return nullptr;
}

HostKernel launch_of(const CompiledKernel* kernel) {
  return kernel == nullptr ? nullptr : kernel->launch;
}

}  // namespace

int architecture() { return HOTPACK_PTX_ARCHITECTURE; }

const CompiledKernel* find(const char* name) {
  const CompiledKernel* const image = find_among(image_kernels(), name);
  return image != nullptr ? image : find_among(label_kernels(), name);
}

}  // namespace ptx

HostKernel find_image_kernel(const std::string& name) {
  return ptx::launch_of(ptx::find_among(ptx::image_kernels(), name));
}
HostKernel find_label_kernel(const std::string& name) {
  return ptx::launch_of(ptx::find_among(ptx::label_kernels(), name));
}

}  // namespace hotpack::test
