// Lets the same code compile for the device and for the host; tests compare the two.
//
// Fused multiply-add is used only where std::fma is written (nvcc runs with --fmad=false, the host
// compiler with -ffp-contract=off). Divisions are those of IEEE 754.
#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#define HOTPACK_HOST_DEVICE __host__ __device__
#else
#define HOTPACK_HOST_DEVICE
#endif

namespace hotpack::device {

// The position of the running thread in a launch. A body knows nothing else about where it runs.
// Grids have three dimensions, blocks one.
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

// The size of a launch. Precondition: y and z are at most 65,535.
struct LaunchSize {
  std::uint32_t grid_x = 1;
  std::uint32_t grid_y = 1;
  std::uint32_t grid_z = 1;
  std::uint32_t block_threads = 256;
};

}  // namespace hotpack::device
