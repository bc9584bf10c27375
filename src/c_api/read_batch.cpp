// The functions hotpack_dataset_read_batch… and their options.
#include "hotpack/read_batch.hpp"

#include <cstdint>
#include <span>

#include "base/try.hpp"
#include "c_api/batch.hpp"
#include "c_api/call.hpp"
#include "c_api/handles.hpp"
#include "c_api/loader_options.hpp"
#include "c_api/structs.hpp"
#include "hotpack/hotpack.h"

namespace hotpack::c_api {
namespace {

Result<ReadOptions> options_of(const hotpack_read_options* options) {
  if (options == nullptr) return ReadOptions{};
  HOTPACK_ASSIGN(const hotpack_read_options given,
                 read_struct(options, default_read_options(), "hotpack_read_options"));
  return read_options(given);
}

Result<hotpack_batch_info> described(const BatchShapes& shapes, std::size_t rows) {
  hotpack_batch_info info{};
  info.batch_size = info.num_valid = rows;
  HOTPACK_ASSIGN(info.image, field_of(nullptr, shapes.image, shapes.image_dtype));
  HOTPACK_ASSIGN(info.label, field_of(nullptr, shapes.label, shapes.label_dtype));
  info.image.bytes = shapes.image_bytes;
  info.label.bytes = shapes.label_bytes;
  return info;
}

Outcome read_into(const Dataset& dataset, std::span<const std::uint64_t> numbers,
                  const hotpack_read_options* options, const hotpack_batch_buffers* buffers,
                  hotpack_batch_info* info) {
  if (info != nullptr)
    // checked before anything is read
    HOTPACK_TRY(check_struct_size<hotpack_batch_info>(info->struct_size, "hotpack_batch_info"));
  HOTPACK_ASSIGN(const hotpack_batch_buffers into, read_buffers(buffers));
  HOTPACK_ASSIGN(const ReadOptions own, options_of(options));
  HOTPACK_ASSIGN(const BatchInfo batch, read_batch(dataset, numbers, own, spans_of(into)));
  copy_rows(batch, into);
  if (info == nullptr) return HOTPACK_OK;
  HOTPACK_ASSIGN(const hotpack_batch_info known, info_of(batch, into));
  HOTPACK_TRY(write_struct(known, info, "hotpack_batch_info"));
  return HOTPACK_OK;
}

}  // namespace
}  // namespace hotpack::c_api

using namespace hotpack;
using namespace hotpack::c_api;

hotpack_status hotpack_read_options_init(hotpack_read_options* options, size_t struct_size) {
  return init_struct(options, struct_size, "hotpack_read_options", default_read_options);
}

hotpack_status hotpack_dataset_read_batch_shapes(const hotpack_dataset* dataset,
                                                 const uint64_t* numbers, size_t count,
                                                 const hotpack_read_options* options,
                                                 hotpack_batch_info* info) {
  return with_dataset(dataset, [&](const Dataset& open) -> Outcome {
    HOTPACK_TRY(require(info, "info"));
    HOTPACK_ASSIGN(const auto chosen, numbers_of(numbers, count));
    HOTPACK_ASSIGN(const ReadOptions own, options_of(options));
    HOTPACK_ASSIGN(const BatchShapes shapes, read_batch_shapes(open, chosen, own));
    HOTPACK_ASSIGN(const hotpack_batch_info known, described(shapes, count));
    HOTPACK_TRY(write_struct(known, info, "hotpack_batch_info"));
    return HOTPACK_OK;
  });
}

hotpack_status hotpack_dataset_read_batch(const hotpack_dataset* dataset, const uint64_t* numbers,
                                          size_t count, const hotpack_read_options* options,
                                          const hotpack_batch_buffers* buffers,
                                          hotpack_batch_info* info) {
  return with_dataset(dataset, [&](const Dataset& open) -> Outcome {
    HOTPACK_ASSIGN(const auto chosen, numbers_of(numbers, count));
    return read_into(open, chosen, options, buffers, info);
  });
}
