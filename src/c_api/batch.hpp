// Fills the structs of hotpack.h that describe batches and their fields. Pure functions;
// thread-safe. Failure: code `internal` for a shape of more dimensions than a hotpack_field holds.
#pragma once

#include <cstdint>
#include <vector>

#include "hotpack/hotpack.h"
#include "hotpack/loader.hpp"
#include "hotpack/result.hpp"

namespace hotpack::c_api {

// Describes a field (the images or labels of a batch). `data` is null if the caller skipped the
// field or the data set does not have it; shape and type are reported anyway.
[[nodiscard]] Result<hotpack_field> field_of(void* data, const std::vector<std::int64_t>& shape,
                                             ElementType type);
// Sets what the structs for batches in host memory and device memory say of the rows.
template <class Info>
void set_rows(const BatchRows& rows, Info& info) {
  info.epoch = rows.epoch;
  info.step = rows.step;
  info.batch_size = rows.batch_size;
  info.num_valid = rows.num_valid;
}
[[nodiscard]] Result<hotpack_batch_info> info_of(const Batch& batch);
// The description of a batch that was copied to these buffers.
[[nodiscard]] Result<hotpack_batch_info> info_of(const BatchInfo& batch,
                                                 const hotpack_batch_buffers& buffers);

// The caller's memory. Failure: code `usage` for a struct_size that is wrong, and for a buffer of
// no bytes, which BatchBuffers would skip silently.
[[nodiscard]] Result<hotpack_batch_buffers> read_buffers(const hotpack_batch_buffers* buffers);
[[nodiscard]] BatchBuffers spans_of(const hotpack_batch_buffers& buffers);
// Copies indices and crops of the rows, unless the caller skipped them.
void copy_rows(const BatchRows& batch, const hotpack_batch_buffers& buffers);

[[nodiscard]] hotpack_crop crop_of(const SampleCrop& box);

}  // namespace hotpack::c_api
