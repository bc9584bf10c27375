// Fields of device batches as DLPack tensors.
//
// Ownership: a tensor shares `keeper` until its deleter is called, which also frees the tensor.
// Any thread may call the deleter. Thread-safe.
// Failure: code `internal` for a shape with more dimensions than a field has; `usage` for a
// stream number that the protocol refuses.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "hotpack/device_loader.hpp"
#include "hotpack/hotpack_dlpack.h"
#include "hotpack/result.hpp"

namespace hotpack::c_api {

// Calls a tensor's deleter; for unique_ptr.
struct TensorDeleter {
  template <class Managed>
  void operator()(Managed* tensor) const noexcept {
    tensor->deleter(tensor);
  }
};
template <class Managed>
using TensorPointer = std::unique_ptr<Managed, TensorDeleter>;

// Returns the field as a tensor. Its memory is on `device` and lives as long as `keeper`. Managed
// is DLManagedTensorVersioned or DLManagedTensor.
template <class Managed>
[[nodiscard]] Result<TensorPointer<Managed>> make_tensor(const DeviceField& field, int device,
                                                         const std::shared_ptr<void>& keeper);

// Converts a stream number of the DLPack protocol. Empty for −1, which means no synchronization.
[[nodiscard]] Result<std::optional<CUstream_st*>> consumer_stream(std::int64_t number);

}  // namespace hotpack::c_api
