// A loop of matrix products in bf16, which keeps a device as busy as a training does. Uses cuBLAS
// if this machine has it.
//
// The library is found at run time: the file $HOTPACK_CUBLAS if that is set, otherwise one on the
// system's search path, otherwise one in $CUDA_HOME/lib64 or /usr/local/cuda/lib64. Ownership: owns
// its matrices and stream, borrows the DeviceSession. Not thread-safe. Failure: `usage` if there is
// no cuBLAS, with the places that were searched; `io` if a call of it fails.
#pragma once

#include <cstdint>
#include <memory>

#include "gpu/acceptance/meter.hpp"

namespace hotpack::gpu {

class MatrixLoop {
 public:
  [[nodiscard]] static Result<MatrixLoop> open(const DeviceSession& session);
  // Multiplies for about `seconds`. In the result, Work::samples is the number of products, and
  // Work::bytes the number of operations.
  [[nodiscard]] Result<Work> run(double seconds);

 private:
  struct Impl;
  explicit MatrixLoop(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

}  // namespace hotpack::gpu
