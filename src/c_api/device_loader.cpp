// The functions hotpack_device_loader_….
#include "hotpack/device_loader.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/try.hpp"
#include "c_api/batch.hpp"
#include "c_api/call.hpp"
#include "c_api/device_handles.hpp"
#include "c_api/device_options.hpp"
#include "c_api/handles.hpp"
#include "c_api/loader_options.hpp"
#include "c_api/option_error.hpp"
#include "c_api/structs.hpp"
#include "c_api/text.hpp"
#include "hotpack/hotpack_device.h"

namespace hotpack::c_api {
namespace {

using Streams = std::vector<CUstream_st*>;

Status open_loader(const hotpack_dataset* dataset, const hotpack_device_loader_options* options,
                   hotpack_device_loader& handle) {
  HOTPACK_ASSIGN(const Dataset* const data, open_dataset(dataset));
  hotpack_device_loader_options given = default_device_options();
  if (options != nullptr) {
    HOTPACK_ASSIGN(given,
                   read_struct(options, default_device_options(), "hotpack_device_loader_options"));
  }
  HOTPACK_ASSIGN(DeviceLoaderOptions own, device_options(given));
  HOTPACK_ASSIGN(handle.loader, DeviceLoader::open(*data, own));
  return {};
}

// Refuses a wrong number of streams or buffers before anything reads an array of that length.
Status check_count(const DeviceLoader& loader, std::size_t count) {
  if (count == loader.devices()) return {};
  return option_error("count", "count is " + std::to_string(count) + ", the loader has " +
                                   std::to_string(loader.devices()) + " devices");
}

Result<Streams> streams_of(const DeviceLoader& loader, void* const* streams, std::size_t count) {
  HOTPACK_TRY(require(streams, "streams"));
  HOTPACK_TRY(check_count(loader, count));
  Streams own(count);
  std::transform(streams, streams + count, own.begin(),
                 [](void* stream) { return static_cast<CUstream_st*>(stream); });
  return own;
}

Result<std::vector<DeviceBuffers>> buffers_of(const DeviceLoader& loader,
                                              const hotpack_device_buffers* buffers,
                                              std::size_t count) {
  HOTPACK_TRY(require(buffers, "buffers"));
  HOTPACK_TRY(check_count(loader, count));
  std::vector<DeviceBuffers> own(count);
  std::transform(buffers, buffers + count, own.begin(), [](const hotpack_device_buffers& part) {
    return DeviceBuffers{part.image, part.image_bytes, part.label, part.label_bytes};
  });
  return own;
}

std::unique_ptr<hotpack_device_batch> empty_batch(const DeviceLoader& loader) {
  auto batch = std::make_unique<hotpack_device_batch>();
  batch->crops.resize(loader.batch_size());
  return batch;
}

hotpack_device_batch* with_boxes(std::unique_ptr<hotpack_device_batch> batch) {
  const auto& crops = batch->info().crops;
  std::transform(
      crops.begin(),
      crops.begin() + static_cast<std::ptrdiff_t>(std::min(crops.size(), batch->crops.size())),
      batch->crops.begin(), crop_of);
  return batch.release();
}

// Implements the next-functions: takes a batch with next() and passes it to the caller in *out.
// Uses the loader's own timeout if `timeout_ms` is absent. Everything that may fail is done before
// the batch is taken, so that no batch is lost.
hotpack_status next_batch(hotpack_device_loader* handle, void* const* streams, std::size_t count,
                          std::optional<std::int64_t> timeout_ms, hotpack_device_batch** out) {
  if (out != nullptr) *out = nullptr;
  return with_device_loader(handle, [&](DeviceLoader& loader) -> Outcome {
    HOTPACK_TRY(require(out, "batch"));
    HOTPACK_ASSIGN(const auto timeout, milliseconds(timeout_ms.value_or(0)));
    HOTPACK_ASSIGN(const Streams own, streams_of(loader, streams, count));
    auto batch = empty_batch(loader);
    HOTPACK_ASSIGN(batch->lease, timeout_ms ? loader.next(own, timeout) : loader.next(own));
    if (!batch->lease) return HOTPACK_END_OF_EPOCH;
    *out = with_boxes(std::move(batch));
    return HOTPACK_OK;
  });
}

hotpack_status next_into(hotpack_device_loader* handle, const hotpack_device_buffers* buffers,
                         void* const* streams, std::size_t count, hotpack_device_batch** out) {
  if (out != nullptr) *out = nullptr;
  return with_device_loader(handle, [&](DeviceLoader& loader) -> Outcome {
    HOTPACK_ASSIGN(const auto into, buffers_of(loader, buffers, count));
    HOTPACK_ASSIGN(const Streams own, streams_of(loader, streams, count));
    auto batch = empty_batch(loader);
    HOTPACK_ASSIGN(auto filled, loader.next_into(into, own));
    if (!filled) return HOTPACK_END_OF_EPOCH;
    batch->copied = std::move(*filled);
    if (out != nullptr) *out = with_boxes(std::move(batch));
    return HOTPACK_OK;
  });
}

hotpack_device_loader_statistics_info info_of(const DeviceLoaderStatistics& statistics) {
  hotpack_device_loader_statistics_info info{};
  info.batches = statistics.batches;
  info.copied_bytes = statistics.copied_bytes;
  info.pinned_bytes = statistics.pinned_bytes;
  info.device_bytes = std::accumulate(statistics.device_bytes.begin(),
                                      statistics.device_bytes.end(), std::uint64_t{0});
  info.wait_seconds = statistics.wait_seconds;
  info.load_seconds = statistics.load_seconds;
  return info;
}

std::int32_t residency_number(Residency residency) {
  switch (residency) {
    case Residency::page:
      return HOTPACK_RESIDENCY_PAGE;
    case Residency::device:
      return HOTPACK_RESIDENCY_DEVICE;
    case Residency::automatic:
      break;
  }
  return HOTPACK_RESIDENCY_AUTO;
}

hotpack_residency_info info_of(const ResidencyChoice& choice) {
  hotpack_residency_info info{};
  info.packed_bytes = choice.packed_bytes;
  info.reason = choice.reason.c_str();
  info.residency = residency_number(choice.residency);
  return info;
}

// Returns get(loader) for an open loader, otherwise 0.
template <class Get>
auto fact(const hotpack_device_loader* handle, const Get& get) -> decltype(get(*handle->loader)) {
  if (handle == nullptr || !handle->loader) return {};
  return get(*handle->loader);
}

// The same for one part of the loader; 0 for a part that does not exist.
template <class Get>
std::uint64_t part_fact(const hotpack_device_loader* handle, std::uint64_t part, const Get& get) {
  return fact(handle, [&](const DeviceLoader& loader) -> std::uint64_t {
    return part < loader.devices() ? get(loader) : 0;
  });
}

}  // namespace
}  // namespace hotpack::c_api

using namespace hotpack;
using namespace hotpack::c_api;

hotpack_status hotpack_device_loader_options_init(hotpack_device_loader_options* options,
                                                  size_t struct_size) {
  return init_struct(options, struct_size, "hotpack_device_loader_options", default_device_options);
}

hotpack_status hotpack_device_loader_open(const hotpack_dataset* dataset,
                                          const hotpack_device_loader_options* options,
                                          hotpack_device_loader** loader) {
  if (loader == nullptr) return HOTPACK_ERROR_USAGE;
  *loader = new (std::nothrow) hotpack_device_loader;
  if (*loader == nullptr) return HOTPACK_ERROR_IO;  // no memory
  return call((*loader)->failures, [&]() -> Outcome {
    HOTPACK_TRY(open_loader(dataset, options, **loader));
    return HOTPACK_OK;
  });
}

void hotpack_device_loader_close(hotpack_device_loader* loader) { delete loader; }

const char* hotpack_device_loader_error(const hotpack_device_loader* loader) {
  return loader == nullptr ? "" : loader->failures.latest();
}

hotpack_status hotpack_device_loader_error_info(const hotpack_device_loader* loader,
                                                hotpack_error_info* info) {
  return describe_error(loader == nullptr ? nullptr : &loader->failures, info);
}

uint64_t hotpack_device_loader_steps_per_epoch(const hotpack_device_loader* loader) {
  return fact(loader, [](const DeviceLoader& open) { return open.steps_per_epoch(); });
}

uint64_t hotpack_device_loader_batch_size(const hotpack_device_loader* loader) {
  return fact(loader, [](const DeviceLoader& open) { return open.batch_size(); });
}

uint64_t hotpack_device_loader_part_batch_size(const hotpack_device_loader* loader, uint64_t part) {
  return part_fact(loader, part, [&](const DeviceLoader& open) { return open.batch_size(part); });
}

uint64_t hotpack_device_loader_parts(const hotpack_device_loader* loader) {
  return fact(loader, [](const DeviceLoader& open) { return open.devices(); });
}

uint32_t hotpack_device_loader_threads(const hotpack_device_loader* loader) {
  return fact(loader, [](const DeviceLoader& open) { return open.threads(); });
}

uint64_t hotpack_device_loader_image_batch_bytes(const hotpack_device_loader* loader,
                                                 uint64_t part) {
  return part_fact(loader, part,
                   [&](const DeviceLoader& open) { return open.image_batch_bytes(part); });
}

uint64_t hotpack_device_loader_label_batch_bytes(const hotpack_device_loader* loader,
                                                 uint64_t part) {
  return part_fact(loader, part,
                   [&](const DeviceLoader& open) { return open.label_batch_bytes(part); });
}

const char* hotpack_device_loader_fingerprint(const hotpack_device_loader* loader) {
  return loader == nullptr || !loader->loader ? "" : loader->loader->fingerprint().c_str();
}

hotpack_status hotpack_device_loader_residency(hotpack_device_loader* loader,
                                               hotpack_residency_info* info) {
  return with_device_loader(loader, [&](const DeviceLoader& open) -> Outcome {
    HOTPACK_TRY(require(info, "info"));
    HOTPACK_TRY(write_struct(info_of(open.residency()), info, "hotpack_residency_info"));
    return HOTPACK_OK;
  });
}

hotpack_status hotpack_device_loader_statistics(hotpack_device_loader* loader,
                                                hotpack_device_loader_statistics_info* info) {
  return with_device_loader(loader, [&](const DeviceLoader& open) -> Outcome {
    HOTPACK_TRY(require(info, "info"));
    HOTPACK_TRY(
        write_struct(info_of(open.statistics()), info, "hotpack_device_loader_statistics_info"));
    return HOTPACK_OK;
  });
}

uint64_t hotpack_device_loader_device_bytes(const hotpack_device_loader* loader, uint64_t part) {
  try {
    return part_fact(loader, part, [&](const DeviceLoader& open) {
      return open.statistics().device_bytes.at(part);
    });
  } catch (...) {
    return 0;
  }
}

hotpack_status hotpack_device_loader_next(hotpack_device_loader* loader, void* const* streams,
                                          size_t count, hotpack_device_batch** batch) {
  return next_batch(loader, streams, count, std::nullopt, batch);
}

hotpack_status hotpack_device_loader_next_timeout(hotpack_device_loader* loader,
                                                  void* const* streams, size_t count,
                                                  int64_t timeout_ms,
                                                  hotpack_device_batch** batch) {
  return next_batch(loader, streams, count, timeout_ms, batch);
}

hotpack_status hotpack_device_loader_next_into(hotpack_device_loader* loader,
                                               const hotpack_device_buffers* buffers,
                                               void* const* streams, size_t count,
                                               hotpack_device_batch** batch) {
  return next_into(loader, buffers, streams, count, batch);
}

hotpack_status hotpack_device_loader_seek(hotpack_device_loader* loader, uint64_t epoch,
                                          uint64_t step) {
  return with_device_loader(loader, [&](DeviceLoader& open) -> Outcome {
    HOTPACK_TRY(open.seek(epoch, step));
    return HOTPACK_OK;
  });
}

hotpack_status hotpack_device_loader_begin_epoch(hotpack_device_loader* loader, uint64_t epoch) {
  return with_device_loader(loader, [&](DeviceLoader& open) -> Outcome {
    HOTPACK_TRY(open.begin_epoch(epoch));
    return HOTPACK_OK;
  });
}

hotpack_status hotpack_device_loader_position(const hotpack_device_loader* loader, uint64_t* epoch,
                                              uint64_t* step) {
  if (loader == nullptr || !loader->loader) return HOTPACK_ERROR_USAGE;
  return write_position(loader->failures, *loader->loader, epoch, step);
}

hotpack_status hotpack_device_loader_state(hotpack_device_loader* loader, char* text, size_t size,
                                           size_t* length) {
  return with_device_loader(loader, [&](const DeviceLoader& open) -> Outcome {
    HOTPACK_TRY(copy_text(open.state().text(), text, size, length));
    return HOTPACK_OK;
  });
}

hotpack_status hotpack_device_loader_restore(hotpack_device_loader* loader, const char* text) {
  return with_device_loader(loader, [&](DeviceLoader& open) -> Outcome {
    HOTPACK_TRY(require(text, "text"));
    HOTPACK_ASSIGN(const LoaderState state, LoaderState::parse(text));
    HOTPACK_TRY(open.restore(state));
    return HOTPACK_OK;
  });
}

void hotpack_device_loader_cancel(hotpack_device_loader* loader) {
  if (loader != nullptr && loader->loader) loader->loader->cancel();
}
