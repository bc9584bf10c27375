#include "device/dlpack.hpp"

#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/try.hpp"
#include "hotpack/device_loader.hpp"
#include "hotpack/dlpack.hpp"
#include "loader/dlpack_tensor.hpp"

namespace hotpack {

Result<std::optional<CUstream_st*>> device::consumer_stream(std::int64_t number) {
  using Stream = std::optional<CUstream_st*>;
  if (number == -1) return Stream();
  // The driver gives the streams 1 and 2 of the protocol these handles.
  const auto handle = static_cast<std::uintptr_t>(number);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the protocol has handles as integers
  if (number > 0) return Stream(reinterpret_cast<CUstream_st*>(handle));
  return usage_error("the stream is " + std::to_string(number) +
                     "; DLPack has 1 for the legacy default stream, 2 for the per-thread one, a "
                     "handle above 2, and -1 for none");
}

namespace {

template <class Managed>
Result<DlpackPointer<Managed>> tensor_of(const DeviceBatch& batch, Field field, std::int64_t stream,
                                         std::size_t part) {
  const std::size_t parts = batch.parts().size();
  if (parts == 0) return usage_error("the batch was released, so it has no memory to share");
  if (part >= parts) {
    return usage_error("part " + std::to_string(part) + " does not exist; the batch has " +
                       std::to_string(parts));
  }
  HOTPACK_ASSIGN(const std::optional<CUstream_st*> consumer, device::consumer_stream(stream));
  const DeviceField& chosen = field == Field::image ? batch.image(part) : batch.label(part);
  if (chosen.data == nullptr || chosen.bytes == 0) return DlpackPointer<Managed>();
  auto tensor = loader::make_tensor<Managed>(
      {chosen.data, chosen.shape, chosen.dtype, {kDLCUDA, batch.parts()[part].device}},
      std::make_shared<DeviceBatch>(batch));
  if (consumer) HOTPACK_TRY(batch.record_stream(*consumer, part));
  return tensor;
}

}  // namespace

Result<DlpackPointer<DLManagedTensorVersioned>> to_dlpack(const DeviceBatch& batch, Field field,
                                                          std::int64_t stream, std::size_t part) {
  return tensor_of<DLManagedTensorVersioned>(batch, field, stream, part);
}

Result<DlpackPointer<DLManagedTensor>> to_dlpack_legacy(const DeviceBatch& batch, Field field,
                                                        std::int64_t stream, std::size_t part) {
  return tensor_of<DLManagedTensor>(batch, field, stream, part);
}

}  // namespace hotpack
