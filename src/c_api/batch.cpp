#include "c_api/batch.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

#include "base/error.hpp"
#include "base/try.hpp"
#include "c_api/choices.hpp"
#include "c_api/handles.hpp"
#include "c_api/option_error.hpp"
#include "c_api/structs.hpp"

namespace hotpack::c_api {

Result<hotpack_field> field_of(void* data, const std::vector<std::int64_t>& shape,
                               ElementType type) {
  if (shape.size() > HOTPACK_MAX_DIMENSIONS)
    return internal_error("a field has " + std::to_string(shape.size()) + " dimensions");
  hotpack_field field{};
  field.data = data;
  field.dimensions = static_cast<std::int32_t>(shape.size());
  field.dtype = type_number(type);
  std::copy(shape.begin(), shape.end(), field.shape);
  if (data == nullptr) return field;
  field.bytes = element_bytes(type);
  for (const std::int64_t extent : shape) field.bytes *= static_cast<std::uint64_t>(extent);
  return field;
}

Result<hotpack_batch_info> info_of(const Batch& batch) {
  hotpack_batch_info info{};
  info.epoch = batch.epoch();
  info.step = batch.step();
  info.batch_size = batch.batch_size();
  info.num_valid = batch.num_valid();
  HOTPACK_ASSIGN(info.image,
                 field_of(batch.image().bytes.data(), batch.image().shape, batch.image().dtype));
  const bool labeled = !batch.label().bytes.empty();
  HOTPACK_ASSIGN(info.label, field_of(labeled ? batch.label().bytes.data() : nullptr,
                                      batch.label().shape, batch.label().dtype));
  return info;
}

Result<hotpack_batch_info> info_of(const BatchInfo& batch, const hotpack_batch_buffers& buffers) {
  hotpack_batch_info info{};
  set_rows(batch, info);
  HOTPACK_ASSIGN(info.image, field_of(buffers.image, batch.image_shape, batch.image_dtype));
  const bool labeled = !batch.label_shape.empty();
  HOTPACK_ASSIGN(info.label,
                 field_of(labeled ? buffers.label : nullptr, batch.label_shape, batch.label_dtype));
  return info;
}

Result<hotpack_batch_buffers> read_buffers(const hotpack_batch_buffers* buffers) {
  HOTPACK_TRY(require(buffers, "buffers"));
  HOTPACK_ASSIGN(const hotpack_batch_buffers into,
                 read_struct(buffers, hotpack_batch_buffers{}, "hotpack_batch_buffers"));
  if (into.image != nullptr && into.image_bytes == 0)
    return option_error("image_bytes", "image_bytes is 0 for a buffer that is not NULL");
  if (into.label != nullptr && into.label_bytes == 0)
    return option_error("label_bytes", "label_bytes is 0 for a buffer that is not NULL");
  return into;
}

BatchBuffers spans_of(const hotpack_batch_buffers& buffers) {
  const auto span = [](void* memory, std::uint64_t bytes) {
    return memory == nullptr ? std::span<std::byte>()
                             : std::span<std::byte>(static_cast<std::byte*>(memory), bytes);
  };
  return {span(buffers.image, buffers.image_bytes), span(buffers.label, buffers.label_bytes)};
}

void copy_rows(const BatchRows& batch, const hotpack_batch_buffers& buffers) {
  if (buffers.indices != nullptr)
    std::copy(batch.indices.begin(), batch.indices.end(), buffers.indices);
  if (buffers.crops != nullptr)
    std::transform(batch.crops.begin(), batch.crops.end(), buffers.crops, crop_of);
}

hotpack_crop crop_of(const SampleCrop& box) {
  return {box.x,
          box.y,
          box.width,
          box.height,
          static_cast<std::uint8_t>(box.flip_horizontal),
          static_cast<std::uint8_t>(box.flip_vertical),
          {}};
}

namespace {

// The keys of all rows as texts that end with a NUL.
std::vector<std::string> keys_of(const Batch& batch) {
  std::vector<std::string> keys;
  keys.reserve(batch.batch_size());
  for (std::size_t row = 0; row < batch.batch_size(); ++row) keys.emplace_back(batch.key(row));
  return keys;
}

}  // namespace
}  // namespace hotpack::c_api

using namespace hotpack::c_api;

hotpack_status hotpack_batch_describe(const hotpack_batch* batch, hotpack_batch_info* info) {
  if (batch == nullptr || info == nullptr) return HOTPACK_ERROR_USAGE;
  try {
    const auto known = info_of(*batch->batch);
    if (!known.ok()) return HOTPACK_ERROR_INTERNAL;
    return write_struct(*known, info, "hotpack_batch_info").ok() ? HOTPACK_OK : HOTPACK_ERROR_USAGE;
  } catch (...) {
    return HOTPACK_ERROR_INTERNAL;
  }
}

const int64_t* hotpack_batch_indices(const hotpack_batch* batch) {
  return batch == nullptr ? nullptr : batch->batch->indices().data();
}

const hotpack_crop* hotpack_batch_crops(const hotpack_batch* batch) {
  return batch == nullptr ? nullptr : batch->crops.data();
}

const char* hotpack_batch_key(const hotpack_batch* batch, uint64_t row) {
  if (batch == nullptr || row >= batch->batch->batch_size()) return "";
  try {
    if (batch->keys.empty()) batch->keys = keys_of(*batch->batch);
    return batch->keys[row].c_str();
  } catch (...) {
    return "";
  }
}

hotpack_status hotpack_batch_share(const hotpack_batch* batch, hotpack_batch** share) {
  return share_batch(batch, share, [](const hotpack_batch& shared) {
    auto copy = std::make_unique<hotpack_batch>();
    copy->memory = shared.memory;
    copy->batch = shared.batch;
    copy->crops = shared.crops;
    return copy;
  });
}

void hotpack_batch_release(hotpack_batch* batch) { delete batch; }
