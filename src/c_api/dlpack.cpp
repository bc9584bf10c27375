#include <memory>
#include <new>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "c_api/call.hpp"
#include "c_api/device_handles.hpp"
#include "c_api/handles.hpp"
#include "hotpack/dlpack.hpp"
#include "hotpack/hotpack_device.h"
#include "loader/dlpack_tensor.hpp"

namespace hotpack::c_api {

namespace {

Result<Field> field_of(std::int32_t field) {
  if (field == HOTPACK_FIELD_IMAGE) return Field::image;
  if (field == HOTPACK_FIELD_LABEL) return Field::label;
  return option_error("field", "field is " + std::to_string(field) +
                                   "; it must be HOTPACK_FIELD_IMAGE or HOTPACK_FIELD_LABEL");
}

template <class Managed>
Outcome give(DlpackPointer<Managed> made, Managed** tensor) {
  if (!made) return HOTPACK_NOT_FOUND;
  *tensor = made.release();
  return HOTPACK_OK;
}

auto export_field(const DeviceBatch& batch, Field field, std::int64_t stream, std::size_t part,
                  DLManagedTensorVersioned**) {
  return to_dlpack(batch, field, stream, part);
}
auto export_field(const DeviceBatch& batch, Field field, std::int64_t stream, std::size_t part,
                  DLManagedTensor**) {
  return to_dlpack_legacy(batch, field, stream, part);
}

template <class Managed>
Outcome give_field(const hotpack_device_batch& batch, std::uint64_t part, std::int32_t field,
                   std::int64_t stream, Managed** tensor) {
  HOTPACK_TRY(require(tensor, "tensor"));
  if (!batch.lease)
    return usage_error(
        "the batch comes from next_into, so its memory is yours; describe it to other libraries "
        "yourself");
  HOTPACK_TRY(part_of(batch, part));
  HOTPACK_ASSIGN(const Field chosen, field_of(field));
  HOTPACK_ASSIGN(auto made, export_field(*batch.lease, chosen, stream, part, tensor));
  return give(std::move(made), tensor);
}

template <class Managed>
hotpack_status give_tensor(const hotpack_device_batch* batch, std::uint64_t part,
                           std::int32_t field, std::int64_t stream, Managed** tensor) noexcept {
  if (tensor != nullptr) *tensor = nullptr;
  if (batch == nullptr) return HOTPACK_ERROR_USAGE;
  return call(batch->failures, [&] { return give_field(*batch, part, field, stream, tensor); });
}

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
  const auto chosen = field_of(field);
  if (!chosen.ok()) return HOTPACK_ERROR_USAGE;
  try {
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

hotpack_status hotpack_device_batch_dlpack(const hotpack_device_batch* batch, uint64_t part,
                                           int32_t field, int64_t stream,
                                           DLManagedTensorVersioned** tensor) {
  return give_tensor(batch, part, field, stream, tensor);
}

hotpack_status hotpack_device_batch_dlpack_legacy(const hotpack_device_batch* batch, uint64_t part,
                                                  int32_t field, int64_t stream,
                                                  DLManagedTensor** tensor) {
  return give_tensor(batch, part, field, stream, tensor);
}
