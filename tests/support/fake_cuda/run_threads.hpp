// Runs every thread of a launch on the host, one after another.
#pragma once

#include "device/kernels/portable.hpp"

namespace hotpack::test {

// Calls body(place) for every thread of every block.
template <class Body>
void run_threads(const device::LaunchSize& size, const Body& body) {
  device::ThreadPlace place;
  place.block_threads = size.block_threads;
  place.grid_x = size.grid_x;
  place.grid_y = size.grid_y;
  place.grid_z = size.grid_z;
  for (place.block_z = 0; place.block_z < size.grid_z; ++place.block_z) {
    for (place.block_y = 0; place.block_y < size.grid_y; ++place.block_y) {
      for (place.block_x = 0; place.block_x < size.grid_x; ++place.block_x) {
        for (place.thread = 0; place.thread < size.block_threads; ++place.thread) body(place);
      }
    }
  }
}

}  // namespace hotpack::test
