// The functions hotpack_device_batch_…, except those for DLPack.
#include <memory>
#include <string>

#include "base/error.hpp"
#include "base/try.hpp"
#include "c_api/batch.hpp"
#include "c_api/call.hpp"
#include "c_api/device_handles.hpp"
#include "c_api/handles.hpp"
#include "c_api/structs.hpp"
#include "hotpack/hotpack_device.h"

namespace hotpack::c_api {

Result<const DevicePart*> part_of(const hotpack_device_batch& batch, std::uint64_t number) {
  const auto& parts = batch.info().parts;
  if (number < parts.size()) return &parts[number];
  return option_error("part", "part is " + std::to_string(number) + "; the batch has " +
                                  std::to_string(parts.size()) + ", numbered from 0");
}

namespace {

hotpack_device_batch_info info_of(const DeviceBatchInfo& batch) {
  hotpack_device_batch_info info{};
  info.epoch = batch.epoch;
  info.step = batch.step;
  info.batch_size = batch.batch_size;
  info.num_valid = batch.num_valid;
  info.parts = batch.parts.size();
  return info;
}

Result<hotpack_device_part_info> info_of(const DevicePart& part) {
  hotpack_device_part_info info{};
  info.stream = part.stream;
  info.first_row = part.first_row;
  info.batch_size = part.batch_size;
  info.num_valid = part.num_valid;
  HOTPACK_ASSIGN(info.image, field_of(part.image.data, part.image.shape, part.image.dtype));
  HOTPACK_ASSIGN(info.label, field_of(part.label.data, part.label.shape, part.label.dtype));
  info.device = part.device;
  return info;
}

// Calls body() if the handle is not NULL; otherwise returns HOTPACK_ERROR_USAGE.
template <class Body>
hotpack_status with_batch(const hotpack_device_batch* batch, const Body& body) noexcept {
  return batch == nullptr ? HOTPACK_ERROR_USAGE : call(batch->failures, body);
}

}  // namespace
}  // namespace hotpack::c_api

using namespace hotpack;
using namespace hotpack::c_api;

hotpack_status hotpack_device_batch_describe(const hotpack_device_batch* batch,
                                             hotpack_device_batch_info* info) {
  return with_batch(batch, [&]() -> Outcome {
    HOTPACK_TRY(require(info, "info"));
    HOTPACK_TRY(write_struct(info_of(batch->info()), info, "hotpack_device_batch_info"));
    return HOTPACK_OK;
  });
}

hotpack_status hotpack_device_batch_part(const hotpack_device_batch* batch, uint64_t part,
                                         hotpack_device_part_info* info) {
  return with_batch(batch, [&]() -> Outcome {
    HOTPACK_TRY(require(info, "info"));
    HOTPACK_ASSIGN(const DevicePart* const found, part_of(*batch, part));
    HOTPACK_ASSIGN(const hotpack_device_part_info known, info_of(*found));
    HOTPACK_TRY(write_struct(known, info, "hotpack_device_part_info"));
    return HOTPACK_OK;
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
  return batch == nullptr ? "" : batch->failures.latest();
}

hotpack_status hotpack_device_batch_error_info(const hotpack_device_batch* batch,
                                               hotpack_error_info* info) {
  return describe_error(batch == nullptr ? nullptr : &batch->failures, info);
}

hotpack_status hotpack_device_batch_record_stream(const hotpack_device_batch* batch, void* stream,
                                                  uint64_t part) {
  return with_batch(batch, [&]() -> Outcome {
    HOTPACK_TRY(part_of(*batch, part));
    if (!batch->lease)
      return usage_error(
          "the batch comes from next_into; make other streams wait for the part's stream with an "
          "event");
    HOTPACK_TRY(batch->lease->record_stream(static_cast<CUstream_st*>(stream), part));
    return HOTPACK_OK;
  });
}

hotpack_status hotpack_device_batch_share(const hotpack_device_batch* batch,
                                          hotpack_device_batch** share) {
  return share_batch(batch, share, [](const hotpack_device_batch& shared) {
    auto copy = std::make_unique<hotpack_device_batch>();
    copy->lease = shared.lease;
    copy->copied = shared.copied;
    copy->crops = shared.crops;
    return copy;
  });
}

void hotpack_device_batch_release(hotpack_device_batch* batch) { delete batch; }
