// The functions of hotpack_device.h.
#include "hotpack/hotpack_device.h"

#include <memory>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "c_api/batch.hpp"
#include "c_api/call.hpp"
#include "c_api/choices.hpp"
#include "c_api/device_handles.hpp"
#include "c_api/handles.hpp"
#include "c_api/loader_calls.hpp"
#include "c_api/loader_options.hpp"
#include "c_api/structs.hpp"
#include "hotpack/device_loader.hpp"
#include "hotpack/dlpack.hpp"

struct hotpack_cuda {
  mutable hotpack::c_api::Failures failures;
  std::optional<hotpack::CudaInfo> info;
};

namespace hotpack::c_api {

hotpack_device_loader_options default_device_options() {
  hotpack_device_loader_options options{};
  options.struct_size = sizeof options;
  // <api: c device loader defaults>
  options.residency = HOTPACK_RESIDENCY_PAGE;
  // </api>
  return options;
}

Result<DeviceLoaderOptions> device_options(const hotpack_device_loader_options& from) {
  DeviceLoaderOptions to;
  HOTPACK_ASSIGN(const hotpack_loader_options given,
                 read_or(from.loader, default_options(), "hotpack_loader_options"));
  HOTPACK_ASSIGN(to.loader, loader_options(given));
  // <api: c device loader conversion>
  // clang-format off
  to.device = from.device;
  HOTPACK_ASSIGN(to.residency, choose("residency", from.residency,
                 {Residency::page, Residency::device, Residency::automatic}));
  if (from.device_budget_bytes != 0) to.device_budget_bytes = from.device_budget_bytes;
  // clang-format on
  // </api>
  if (from.progress != nullptr) {
    to.progress = [call = from.progress, user = from.progress_user](const LoadProgress& at) {
      const hotpack_load_progress reached{at.records_done, at.records_total, at.bytes_done,
                                          at.bytes_total};
      return call(user, &reached) != 0;
    };
  }
  return to;
}

namespace {

hotpack_status next(hotpack_device_loader* handle, void* stream,
                    std::optional<std::int64_t> timeout_ms, hotpack_device_batch** out) {
  const auto take = [&](auto& loader, auto& made, auto... timeout) -> Result<Crops> {
    HOTPACK_TRY(require(out, "batch"));
    HOTPACK_ASSIGN(made.batch, loader.next(static_cast<CUstream_st*>(stream), timeout...));
    return made.batch ? Crops(made.batch->crops()) : Crops();
  };
  return loader_next(handle, timeout_ms, out, take);
}

hotpack_status next_into(hotpack_device_loader* handle, const hotpack_device_buffers* buffers,
                         void* stream, std::optional<std::int64_t> timeout_ms,
                         hotpack_device_batch** out) {
  const auto take = [&](auto& loader, auto& made, auto... timeout) -> Result<Crops> {
    HOTPACK_TRY(require(buffers, "buffers"));
    const auto& [image, image_bytes, label, label_bytes] = *buffers;
    const DeviceBuffers into{image, image_bytes, label, label_bytes};
    auto* const own = static_cast<CUstream_st*>(stream);
    HOTPACK_ASSIGN(auto written, loader.next_into(into, own, timeout...));
    if (!written) return Crops();
    made.written = std::move(*written);
    return Crops(made.written.crops);
  };
  return loader_next(handle, timeout_ms, out, take);
}

Result<hotpack_device_batch_info> info_of(const DeviceBatchInfo& batch) {
  hotpack_device_batch_info info{};
  set_rows(batch, info);
  info.stream = batch.stream;
  HOTPACK_ASSIGN(info.image, field_of(batch.image.data, batch.image.shape, batch.image.dtype));
  HOTPACK_ASSIGN(info.label, field_of(batch.label.data, batch.label.shape, batch.label.dtype));
  info.device = batch.device;
  return info;
}

// Calls body() if the handle is not NULL; otherwise returns HOTPACK_ERROR_USAGE.
template <class Body>
hotpack_status with_batch(const hotpack_device_batch* batch, const Body& body) noexcept {
  return batch == nullptr ? HOTPACK_ERROR_USAGE : call(batch->failures, body);
}

Result<const DeviceBatch*> owned(const hotpack_device_batch& batch) {
  if (batch.batch) return &*batch.batch;
  return usage_error(
      "the batch comes from next_into, so its memory is yours; make other streams wait for the "
      "batch's stream with an event, and describe the memory to other libraries yourself");
}

template <class Managed>
hotpack_status give_tensor(const hotpack_device_batch* batch, std::int32_t field,
                           std::int64_t stream, Managed** tensor,
                           Result<DlpackPointer<Managed>> (*make)(const DeviceBatch&, Field,
                                                                  std::int64_t)) noexcept {
  if (tensor != nullptr) *tensor = nullptr;
  return with_batch(batch, [&]() -> Outcome {
    HOTPACK_TRY(require(tensor, "tensor"));
    HOTPACK_ASSIGN(const DeviceBatch* const own, owned(*batch));
    HOTPACK_ASSIGN(const Field chosen, choose("field", field, {Field::image, Field::label}));
    HOTPACK_ASSIGN(auto made, make(*own, chosen, stream));
    *tensor = made.release();
    return *tensor == nullptr ? HOTPACK_NOT_FOUND : HOTPACK_OK;
  });
}

}  // namespace
}  // namespace hotpack::c_api

using namespace hotpack;
using namespace hotpack::c_api;

hotpack_status hotpack_cuda_query(hotpack_cuda** cuda) {
  return open_handle(cuda, [](hotpack_cuda& handle) -> Status {
    HOTPACK_ASSIGN(handle.info, cuda_info());
    return {};
  });
}

void hotpack_cuda_close(hotpack_cuda* cuda) { delete cuda; }
const char* hotpack_cuda_error(const hotpack_cuda* cuda) { return latest_error(cuda); }
hotpack_status hotpack_cuda_error_info(const hotpack_cuda* cuda, hotpack_error_info* info) {
  return latest_error_info(cuda, info);
}

hotpack_status hotpack_cuda_describe(const hotpack_cuda* cuda, hotpack_cuda_info* info) {
  return with_open(cuda, &hotpack_cuda::info, [&](const CudaInfo& known) {
    return give_struct({0, known.devices.size(), known.kernels.c_str(), known.driver_version, 0},
                       info, "hotpack_cuda_info");
  });
}

hotpack_status hotpack_cuda_device(const hotpack_cuda* cuda, uint64_t number,
                                   hotpack_cuda_device_info* info) {
  return with_open(cuda, &hotpack_cuda::info, [&](const CudaInfo& known) -> Outcome {
    if (number >= known.devices.size()) return HOTPACK_NOT_FOUND;
    const CudaDevice& device = known.devices[number];
    return give_struct({0, device.name.c_str(), device.memory_bytes, device.free_bytes,
                        device.ordinal, device.major, device.minor, 0},
                       info, "hotpack_cuda_device_info");
  });
}

hotpack_status hotpack_device_loader_options_init(hotpack_device_loader_options* options,
                                                  size_t struct_size) {
  return init_struct(options, struct_size, "hotpack_device_loader_options", default_device_options);
}

hotpack_status hotpack_device_loader_open(const hotpack_dataset* dataset,
                                          const hotpack_device_loader_options* options,
                                          hotpack_device_loader** loader) {
  return open_handle(loader, [&](hotpack_device_loader& handle) -> Status {
    HOTPACK_ASSIGN(const Dataset* const data, open_dataset(dataset));
    HOTPACK_ASSIGN(const hotpack_device_loader_options given,
                   read_or(options, default_device_options(), "hotpack_device_loader_options"));
    HOTPACK_ASSIGN(const DeviceLoaderOptions own, device_options(given));
    HOTPACK_ASSIGN(handle.loader, DeviceLoader::open(*data, own));
    return {};
  });
}

void hotpack_device_loader_close(hotpack_device_loader* loader) { delete loader; }
const char* hotpack_device_loader_error(const hotpack_device_loader* loader) {
  return latest_error(loader);
}
hotpack_status hotpack_device_loader_error_info(const hotpack_device_loader* loader,
                                                hotpack_error_info* info) {
  return latest_error_info(loader, info);
}

uint64_t hotpack_device_loader_steps_per_epoch(const hotpack_device_loader* loader) {
  return loader_fact(loader, &DeviceLoader::steps_per_epoch);
}
uint64_t hotpack_device_loader_batch_size(const hotpack_device_loader* loader) {
  return loader_fact(loader, &DeviceLoader::batch_size);
}
uint32_t hotpack_device_loader_threads(const hotpack_device_loader* loader) {
  return loader_fact(loader, &DeviceLoader::threads);
}
uint64_t hotpack_device_loader_image_batch_bytes(const hotpack_device_loader* loader) {
  return loader_fact(loader, &DeviceLoader::image_batch_bytes);
}
uint64_t hotpack_device_loader_label_batch_bytes(const hotpack_device_loader* loader) {
  return loader_fact(loader, &DeviceLoader::label_batch_bytes);
}
const char* hotpack_device_loader_fingerprint(const hotpack_device_loader* loader) {
  return loader_fingerprint(loader);
}

hotpack_status hotpack_device_loader_residency(hotpack_device_loader* loader,
                                               hotpack_residency_info* info) {
  return with_loader(loader, [&](const DeviceLoader& open) {
    const ResidencyChoice& choice = open.residency();
    const bool on_device = choice.residency == Residency::device;
    return give_struct({0, choice.packed_bytes, choice.reason.c_str(),
                        on_device ? HOTPACK_RESIDENCY_DEVICE : HOTPACK_RESIDENCY_PAGE, 0},
                       info, "hotpack_residency_info");
  });
}

hotpack_status hotpack_device_loader_statistics(hotpack_device_loader* loader,
                                                hotpack_device_loader_statistics_info* info) {
  return with_loader(loader, [&](const DeviceLoader& open) {
    const DeviceLoaderStatistics now = open.statistics();
    return give_struct({0, now.batches, now.copied_bytes, now.pinned_bytes, now.device_bytes,
                        now.wait_seconds, now.load_seconds},
                       info, "hotpack_device_loader_statistics_info");
  });
}

hotpack_status hotpack_device_loader_next(hotpack_device_loader* loader, void* stream,
                                          hotpack_device_batch** batch) {
  return next(loader, stream, std::nullopt, batch);
}
hotpack_status hotpack_device_loader_next_timeout(hotpack_device_loader* loader, void* stream,
                                                  int64_t timeout_ms,
                                                  hotpack_device_batch** batch) {
  return next(loader, stream, timeout_ms, batch);
}
hotpack_status hotpack_device_loader_next_into(hotpack_device_loader* loader,
                                               const hotpack_device_buffers* buffers, void* stream,
                                               hotpack_device_batch** batch) {
  return next_into(loader, buffers, stream, std::nullopt, batch);
}
hotpack_status hotpack_device_loader_next_into_timeout(hotpack_device_loader* loader,
                                                       const hotpack_device_buffers* buffers,
                                                       void* stream, int64_t timeout_ms,
                                                       hotpack_device_batch** batch) {
  return next_into(loader, buffers, stream, timeout_ms, batch);
}

hotpack_status hotpack_device_loader_seek(hotpack_device_loader* loader, uint64_t epoch,
                                          uint64_t step) {
  return loader_seek(loader, epoch, step);
}
hotpack_status hotpack_device_loader_begin_epoch(hotpack_device_loader* loader, uint64_t epoch) {
  return loader_begin_epoch(loader, epoch);
}
hotpack_status hotpack_device_loader_position(const hotpack_device_loader* loader, uint64_t* epoch,
                                              uint64_t* step) {
  return loader_position(loader, epoch, step);
}
hotpack_status hotpack_device_loader_state(hotpack_device_loader* loader, char* text, size_t size,
                                           size_t* length) {
  return loader_state(loader, text, size, length);
}
hotpack_status hotpack_device_loader_restore(hotpack_device_loader* loader, const char* text) {
  return loader_restore(loader, text);
}
void hotpack_device_loader_cancel(hotpack_device_loader* loader) { loader_cancel(loader); }

hotpack_status hotpack_device_batch_describe(const hotpack_device_batch* batch,
                                             hotpack_device_batch_info* info) {
  return with_batch(batch, [&]() -> Outcome {
    HOTPACK_ASSIGN(const auto known, info_of(batch->info()));
    return give_struct(known, info, "hotpack_device_batch_info");
  });
}

const int64_t* hotpack_device_batch_indices(const hotpack_device_batch* batch) {
  return batch == nullptr ? nullptr : batch->info().indices.data();
}

const hotpack_crop* hotpack_device_batch_crops(const hotpack_device_batch* batch) {
  return batch == nullptr ? nullptr : batch->crops.data();
}

const char* hotpack_device_batch_key(const hotpack_device_batch* batch, uint64_t row) {
  return batch == nullptr || row >= batch->info().keys.size() ? ""
                                                              : batch->info().keys[row].c_str();
}

const char* hotpack_device_batch_error(const hotpack_device_batch* batch) {
  return latest_error(batch);
}
hotpack_status hotpack_device_batch_error_info(const hotpack_device_batch* batch,
                                               hotpack_error_info* info) {
  return latest_error_info(batch, info);
}

hotpack_status hotpack_device_batch_record_stream(const hotpack_device_batch* batch, void* stream) {
  return with_batch(batch, [&]() -> Outcome {
    HOTPACK_ASSIGN(const DeviceBatch* const own, owned(*batch));
    HOTPACK_TRY(own->record_stream(static_cast<CUstream_st*>(stream)));
    return HOTPACK_OK;
  });
}

hotpack_status hotpack_device_batch_share(const hotpack_device_batch* batch,
                                          hotpack_device_batch** share) {
  return share_batch(batch, share, [](const hotpack_device_batch& shared) {
    auto copy = std::make_unique<hotpack_device_batch>();
    copy->batch = shared.batch;
    copy->written = shared.written;
    copy->crops = shared.crops;
    return copy;
  });
}

void hotpack_device_batch_release(hotpack_device_batch* batch) { delete batch; }

hotpack_status hotpack_device_batch_dlpack(const hotpack_device_batch* batch, int32_t field,
                                           int64_t stream, DLManagedTensorVersioned** tensor) {
  return give_tensor(batch, field, stream, tensor, to_dlpack);
}

hotpack_status hotpack_device_batch_dlpack_legacy(const hotpack_device_batch* batch, int32_t field,
                                                  int64_t stream, DLManagedTensor** tensor) {
  return give_tensor(batch, field, stream, tensor, to_dlpack_legacy);
}
