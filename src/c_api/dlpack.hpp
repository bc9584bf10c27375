// Fields of device batches as DLPack tensors.
//
// Ownership: a tensor holds the keeper until its deleter is called, which frees the tensor too, from any thread. Thread-safe.
// Failure: code `internal` for a shape of more dimensions than a field has; `usage` for a stream number that the protocol refuses.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "hotpack/device_loader.hpp"
#include "hotpack/hotpack_dlpack.h"
#include "hotpack/result.hpp"

namespace hotpack::c_api {

// The deleter as the owner of a tensor.
struct TensorDeleter {
  template <class Managed>
  void operator()(Managed* tensor) const noexcept {
    tensor->deleter(tensor);
  }
};
template <class Managed>
using TensorPointer = std::unique_ptr<Managed, TensorDeleter>;

// The field, which lies on this device for as long as `keeper` lives. Managed: DLManagedTensorVersioned or DLManagedTensor.
template <class Managed>
[[nodiscard]] Result<TensorPointer<Managed>> make_tensor(const DeviceField& field, int device, const std::shared_ptr<void>& keeper);

// The consumer's stream behind a number of the DLPack protocol; nothing where none is to be synchronised (−1).
[[nodiscard]] Result<std::optional<CUstream_st*>> consumer_stream(std::int64_t number);

}  // namespace hotpack::c_api
