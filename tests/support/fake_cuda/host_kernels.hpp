// Runs kernels on the host: every thread of a launch, one after another, with the device's kernel
// bodies.
//
// Pure functions of their arguments' memory. Failure: null for an unknown name.
#pragma once

#include <string>

#include "device/kernel_modules.hpp"
#include "device/kernels/portable.hpp"

namespace hotpack::test {

using HostKernel = void (*)(const void* args, const device::LaunchSize& size);

// host_image_kernels.cpp and host_label_kernels.cpp have the lists.
[[nodiscard]] HostKernel find_image_kernel(const std::string& name);
[[nodiscard]] HostKernel find_label_kernel(const std::string& name);
[[nodiscard]] inline HostKernel find_host_kernel(const std::string& name) {
  const HostKernel image = find_image_kernel(name);
  return image != nullptr ? image : find_label_kernel(name);
}

// Two images as hotpack's own: one has the image kernels, the other the label kernels.
[[nodiscard]] device::KernelImages fake_kernel_images();

}  // namespace hotpack::test
