// In the place of host_kernels.cpp.
#include <string_view>

#include "support/ptx/ptx_kernels.hpp"

namespace hotpack::test {

int ptx::architecture() { return HOTPACK_PTX_ARCHITECTURE; }

const ptx::CompiledKernel* ptx::find(std::string_view name) {
  for (const CompiledKernel& kernel : kernels()) {
    if (kernel.architecture == architecture() && kernel.name == name) return &kernel;
  }
  return nullptr;
}

HostKernel find_host_kernel(const std::string& name) {
  const ptx::CompiledKernel* const kernel = ptx::find(name);
  return kernel == nullptr ? nullptr : kernel->launch;
}

}  // namespace hotpack::test
