// Makes DLPack tensors of contiguous memory.
//
// Ownership: a tensor shares `keeper` until its deleter is called, which also frees the tensor.
// Any thread may call the deleter. Thread-safe. Failure: std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "hotpack/dlpack.hpp"

namespace hotpack::loader {

// What a tensor points to.
struct TensorMemory {
  void* data = nullptr;
  const std::vector<std::int64_t>& shape;
  ElementType type = ElementType::u8;
  DLDevice device{kDLCPU, 0};
};

// A tensor together with everything it points to.
template <class Managed>
struct ExportedTensor {
  Managed managed{};
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  std::shared_ptr<void> keeper;

  static void end(Managed* managed) noexcept {
    delete static_cast<ExportedTensor*>(managed->manager_ctx);
  }
};

inline void set_dlpack_version(DLManagedTensorVersioned& tensor) { tensor.version = {1, 1}; }
inline void set_dlpack_version(DLManagedTensor&) {}

[[nodiscard]] DLDataType dlpack_type(ElementType type);
// The strides of a contiguous tensor, in elements; the last dimension changes fastest.
[[nodiscard]] std::vector<std::int64_t> compact_strides(const std::vector<std::int64_t>& shape);

// Managed is DLManagedTensorVersioned or DLManagedTensor.
template <class Managed>
[[nodiscard]] DlpackPointer<Managed> make_tensor(const TensorMemory& memory,
                                                 const std::shared_ptr<void>& keeper) {
  auto exported = std::make_unique<ExportedTensor<Managed>>();
  exported->shape = memory.shape;
  exported->strides = compact_strides(memory.shape);
  exported->keeper = keeper;
  Managed& managed = exported->managed;
  set_dlpack_version(managed);
  managed.manager_ctx = exported.get();
  managed.deleter = ExportedTensor<Managed>::end;
  managed.dl_tensor = {memory.data,
                       memory.device,
                       static_cast<std::int32_t>(exported->shape.size()),
                       dlpack_type(memory.type),
                       exported->shape.data(),
                       exported->strides.data(),
                       0};
  return DlpackPointer<Managed>(&exported.release()->managed);
}

}  // namespace hotpack::loader
