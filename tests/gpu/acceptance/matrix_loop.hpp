// A loop of matrix products in bf16, as a training keeps a device busy: cuBLAS, where this machine has it.
//
// Nothing is linked: the library is looked for at run time. It is the file $HOTPACK_CUBLAS where that is set, otherwise what the system's
// search finds, otherwise what lies in $CUDA_HOME/lib64 or /usr/local/cuda/lib64. Ownership: owns its matrices and stream, borrows the
// DeviceSession. Thread-safety: none. Failure: `usage` where there is no cuBLAS, with where it was looked for; `io` where a call of it
// fails.
#pragma once

#include <cstdint>
#include <memory>

#include "gpu/acceptance/meter.hpp"

namespace hotpack::gpu {

class MatrixLoop {
 public:
  [[nodiscard]] static Result<MatrixLoop> open(const DeviceSession& session);
  // Products for about `seconds`: Work::samples counts them, Work::bytes are their operations.
  [[nodiscard]] Result<Work> run(double seconds);

 private:
  struct Impl;
  explicit MatrixLoop(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

}  // namespace hotpack::gpu
