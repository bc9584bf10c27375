// Runs the kernels that nvcc compiled for an architecture on the host: their PTX, translated by
// ptx_to_cpp.py.
//
// A program that links ptx_choice.cpp runs these instead of the bodies that the host's compiler
// made (host_kernels.hpp); HOTPACK_PTX_ARCHITECTURE names the architecture. Threads run one after
// another. Failure: an access that a device would trap on (misaligned, outside the parameters) ends
// the process, with kernel, line and address on stderr.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "support/fake_cuda/host_kernels.hpp"

namespace hotpack::test::ptx {

struct CompiledKernel {
  int architecture = 0;
  const char* name = "";
  void (*thread)(std::uint64_t parameters, const device::ThreadPlace& place) =
      nullptr;  // parameters: address of what was launched with
  HostKernel launch = nullptr;
  std::size_t parameter_bytes = 0;
  std::uint32_t most_threads = 0;  // of a block; 0: not said
};

// Returns the kernels of kernels.cu, for all architectures.
[[nodiscard]] std::span<const CompiledKernel> kernels();

// The architecture that this program runs.
[[nodiscard]] int architecture();

// Null for an unknown name.
[[nodiscard]] const CompiledKernel* find(std::string_view name);

}  // namespace hotpack::test::ptx
