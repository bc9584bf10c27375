#include "c_api/dlpack.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "base/try.hpp"
#include "c_api/call.hpp"
#include "c_api/device_handles.hpp"
#include "c_api/handles.hpp"
#include "hotpack/hotpack_device.h"

namespace hotpack::c_api {

namespace {

constexpr DLPackVersion kVersion{1, 1};

// A tensor together with everything it points to.
template <class Managed>
struct Exported {
  Managed managed{};
  std::int64_t shape[HOTPACK_MAX_DIMENSIONS]{};
  std::int64_t strides[HOTPACK_MAX_DIMENSIONS]{};
  std::shared_ptr<void> keeper;

  static void end(Managed* managed) noexcept {
    delete static_cast<Exported*>(managed->manager_ctx);
  }
};

void set_version(DLManagedTensorVersioned& tensor) { tensor.version = kVersion; }
void set_version(DLManagedTensor&) {}

DLDataType data_type(ElementType type) {
  const auto bits = static_cast<std::uint8_t>(element_bytes(type) * 8);
  switch (type) {
    case ElementType::f16:
    case ElementType::f32:
      return {kDLFloat, bits, 1};
    case ElementType::bf16:
      return {kDLBfloat, bits, 1};
    case ElementType::i32:
    case ElementType::i64:
      return {kDLInt, bits, 1};
    case ElementType::u8:
    case ElementType::u16:
      break;
  }
  return {kDLUInt, bits, 1};
}

// The strides of a contiguous tensor, in elements; the last dimension changes fastest.
void write_strides(const std::vector<std::int64_t>& shape, std::int64_t* strides) {
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    step *= shape[i];
  }
}

}  // namespace

template <class Managed>
Result<TensorPointer<Managed>> make_tensor(const DeviceField& field, int device,
                                           const std::shared_ptr<void>& keeper) {
  if (field.shape.size() > HOTPACK_MAX_DIMENSIONS) {
    return internal_error("a field has " + std::to_string(field.shape.size()) + " dimensions");
  }
  auto* const exported = new Exported<Managed>;
  exported->keeper = keeper;
  std::copy(field.shape.begin(), field.shape.end(), exported->shape);
  write_strides(field.shape, exported->strides);
  Managed& managed = exported->managed;
  set_version(managed);
  managed.manager_ctx = exported;
  managed.deleter = Exported<Managed>::end;
  managed.dl_tensor = {field.data,
                       {kDLCUDA, device},
                       static_cast<std::int32_t>(field.shape.size()),
                       data_type(field.type),
                       exported->shape,
                       exported->strides,
                       0};
  return TensorPointer<Managed>(&managed);
}

template Result<TensorPointer<DLManagedTensorVersioned>> make_tensor(const DeviceField&, int,
                                                                     const std::shared_ptr<void>&);
template Result<TensorPointer<DLManagedTensor>> make_tensor(const DeviceField&, int,
                                                            const std::shared_ptr<void>&);

Result<std::optional<CUstream_st*>> consumer_stream(std::int64_t number) {
  using Stream = std::optional<CUstream_st*>;
  if (number == -1) return Stream();
  // The driver gives these two streams the handles 1 and 2.
  const auto handle = static_cast<std::uintptr_t>(number);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the protocol has handles as integers
  if (number > 0) return Stream(reinterpret_cast<CUstream_st*>(handle));
  return usage_error("the stream is " + std::to_string(number) +
                     "; DLPack has 1 for the legacy default stream, 2 for the per-thread one, a "
                     "handle above 2, and -1 for none");
}

namespace {

Result<const DeviceField*> field_of(const DevicePart& part, std::int32_t field) {
  if (field == HOTPACK_FIELD_IMAGE) return &part.image;
  if (field == HOTPACK_FIELD_LABEL) return &part.label;
  return usage_error("field is " + std::to_string(field) +
                     "; it must be HOTPACK_FIELD_IMAGE or HOTPACK_FIELD_LABEL");
}

template <class Managed>
Outcome export_field(const hotpack_device_batch& batch, std::uint64_t number, std::int32_t field,
                     std::int64_t stream, Managed** tensor) {
  HOTPACK_TRY(require(tensor, "tensor"));
  if (!batch.lease)
    return usage_error(
        "the batch comes from next_into, so its memory is yours; describe it to other libraries "
        "yourself");
  HOTPACK_ASSIGN(const DevicePart* const part, part_of(batch, number));
  HOTPACK_ASSIGN(const DeviceField* const chosen, field_of(*part, field));
  HOTPACK_ASSIGN(const std::optional<CUstream_st*> consumer, consumer_stream(stream));
  if (chosen->data == nullptr || chosen->bytes == 0) return HOTPACK_NOT_FOUND;
  HOTPACK_ASSIGN(auto made, make_tensor<Managed>(*chosen, part->device,
                                                 std::make_shared<DeviceBatch>(*batch.lease)));
  if (consumer) HOTPACK_TRY(batch.lease->record_stream(*consumer, number));
  *tensor = made.release();
  return HOTPACK_OK;
}

template <class Managed>
hotpack_status give_tensor(const hotpack_device_batch* batch, std::uint64_t part,
                           std::int32_t field, std::int64_t stream, Managed** tensor) noexcept {
  if (tensor != nullptr) *tensor = nullptr;
  if (batch == nullptr) return HOTPACK_ERROR_USAGE;
  return call(batch->failures, [&] { return export_field(*batch, part, field, stream, tensor); });
}

}  // namespace
}  // namespace hotpack::c_api

using namespace hotpack::c_api;

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
