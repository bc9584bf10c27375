#include <memory>
#include <new>

#include "c_api/choices.hpp"
#include "c_api/handles.hpp"
#include "hotpack/dlpack.hpp"
#include "loader/dlpack_tensor.hpp"

namespace hotpack::c_api {

namespace {

// The caller's functions may have allocated the memory, so a tensor also keeps what frees it.
struct HostKeeper {
  std::shared_ptr<void> memory;
  Batch batch;
};

template <class Managed>
hotpack_status give_host_tensor(const hotpack_batch* batch, std::int32_t field,
                                Managed** tensor) noexcept {
  if (tensor == nullptr) return HOTPACK_ERROR_USAGE;
  *tensor = nullptr;
  if (batch == nullptr) return HOTPACK_ERROR_USAGE;
  try {
    const auto chosen = choose("field", field, {Field::image, Field::label});
    if (!chosen.ok()) return HOTPACK_ERROR_USAGE;
    const BatchField& from =
        *chosen == Field::image ? batch->batch->image() : batch->batch->label();
    if (from.shape.empty()) return HOTPACK_NOT_FOUND;
    auto made = loader::make_tensor<Managed>(
        {from.bytes.data(), from.shape, from.dtype},
        std::make_shared<HostKeeper>(HostKeeper{batch->memory, *batch->batch}));
    *tensor = made.release();
    return HOTPACK_OK;
  } catch (const std::bad_alloc&) {
    return HOTPACK_ERROR_IO;
  } catch (...) {
    return HOTPACK_ERROR_INTERNAL;
  }
}

}  // namespace
}  // namespace hotpack::c_api

using namespace hotpack::c_api;

hotpack_status hotpack_batch_dlpack(const hotpack_batch* batch, int32_t field,
                                    DLManagedTensorVersioned** tensor) {
  return give_host_tensor(batch, field, tensor);
}

hotpack_status hotpack_batch_dlpack_legacy(const hotpack_batch* batch, int32_t field,
                                           DLManagedTensor** tensor) {
  return give_host_tensor(batch, field, tensor);
}
