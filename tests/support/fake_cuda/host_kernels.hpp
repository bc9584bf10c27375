// Runs kernels on the host: every thread of a launch, one after another.
//
// Pure functions of their arguments' memory. host_kernels.cpp has the device's kernel bodies, made
// by the host's compiler; support/ptx has what nvcc made of them.
#pragma once

#include <string>

#include "device/kernels/portable.hpp"

namespace hotpack::test {

struct LaunchSize {
  std::uint32_t grid_x = 1, grid_y = 1, block_threads = 256;
};
using HostKernel = void (*)(const void* args, const LaunchSize& size);

// Null for an unknown name.
[[nodiscard]] HostKernel find_host_kernel(const std::string& name);

// Calls body(place) for every thread of every block.
template <class Body>
void run_threads(const LaunchSize& size, const Body& body) {
  device::ThreadPlace place;
  place.block_threads = size.block_threads;
  place.grid_x = size.grid_x;
  place.grid_y = size.grid_y;
  for (place.block_y = 0; place.block_y < size.grid_y; ++place.block_y) {
    for (place.block_x = 0; place.block_x < size.grid_x; ++place.block_x) {
      for (place.thread = 0; place.thread < size.block_threads; ++place.thread) body(place);
    }
  }
}

}  // namespace hotpack::test
