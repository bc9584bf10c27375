// Batches as DLPack tensors, which other libraries use without a copy.
//
// Ownership: a tensor shares its batch until its deleter is called, which also frees the tensor;
// the memory is free when the last tensor and the last copy of the batch are gone.
// Thread-safety: as the batch; any thread may call a deleter, which neither waits nor fails.
// Failure: `usage` for a batch that was released, and for a stream number that the protocol
// refuses. If the program has the official dlpack.h, include that one first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "hotpack/batch.hpp"
#include "hotpack/hotpack_dlpack.h"
#include "hotpack/result.hpp"

namespace hotpack {

class DeviceBatch;

enum class Field { image, label };

/// Calls a tensor's deleter; for DlpackPointer.
struct DlpackDeleter {
  template <class Managed>
  void operator()(Managed* tensor) const noexcept {
    tensor->deleter(tensor);
  }
};
/// Call release() to pass the tensor on to a consumer, which then calls its deleter.
template <class Managed>
using DlpackPointer = std::unique_ptr<Managed, DlpackDeleter>;

/// A field of a host batch: kDLCPU, compact strides, byte_offset 0. Null if the batch has no such
/// field. Consumers may write to it.
[[nodiscard]] Result<DlpackPointer<DLManagedTensorVersioned>> to_dlpack(const Batch& batch,
                                                                        Field field);
/// The same in the form before DLPack 1.0, for older consumers.
[[nodiscard]] Result<DlpackPointer<DLManagedTensor>> to_dlpack_legacy(const Batch& batch,
                                                                      Field field);

/// A field of a device batch: kDLCUDA. `stream` is the consumer's stream, numbered as in the DLPack
/// protocol: 1 for the legacy default stream (None in Python), 2 for the per-thread one, or a
/// handle above 2. It is synchronized as by DeviceBatch::record_stream(). −1 means no
/// synchronization: the consumer must make its work wait for the batch's stream, and call the
/// deleter after that work. 0 is refused as ambiguous.
[[nodiscard]] Result<DlpackPointer<DLManagedTensorVersioned>> to_dlpack(const DeviceBatch& batch,
                                                                        Field field,
                                                                        std::int64_t stream);
[[nodiscard]] Result<DlpackPointer<DLManagedTensor>> to_dlpack_legacy(const DeviceBatch& batch,
                                                                      Field field,
                                                                      std::int64_t stream);

}  // namespace hotpack
