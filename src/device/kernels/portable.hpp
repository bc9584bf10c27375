// What lets one body compile for the device and for the host, where it is the oracle of the tests.
//
// No fused multiply-add but where std::fma is written (nvcc runs with --fmad=false, the host with
// -ffp-contract=off); divisions are IEEE's.
#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#define HOTPACK_HOST_DEVICE __host__ __device__
#else
#define HOTPACK_HOST_DEVICE
#endif

namespace hotpack::device {

// Which thread of a launch runs a body: all that a body may know of where it runs. Grids are
// three-dimensional, blocks one-dimensional.
struct ThreadPlace {
  std::uint32_t thread = 0;  // of its block
  std::uint32_t block_threads = 1;
  std::uint32_t block_x = 0;
  std::uint32_t block_y = 0;
  std::uint32_t block_z = 0;
  std::uint32_t grid_x = 1;
  std::uint32_t grid_y = 1;
  std::uint32_t grid_z = 1;
};

// A launch's size. y and z ≤ 65,535.
struct LaunchSize {
  std::uint32_t grid_x = 1;
  std::uint32_t grid_y = 1;
  std::uint32_t grid_z = 1;
  std::uint32_t block_threads = 256;
};

}  // namespace hotpack::device
