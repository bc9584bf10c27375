// The functions hotpack_loader_….
#include "hotpack/loader.hpp"

#include <memory>
#include <optional>
#include <utility>

#include "base/try.hpp"
#include "c_api/batch.hpp"
#include "c_api/call.hpp"
#include "c_api/handles.hpp"
#include "c_api/loader_calls.hpp"
#include "c_api/loader_options.hpp"
#include "c_api/structs.hpp"
#include "c_api/user_memory.hpp"
#include "hotpack/hotpack.h"

namespace hotpack::c_api {
namespace {

hotpack_status next(hotpack_loader* handle, std::optional<std::int64_t> timeout_ms,
                    hotpack_batch** out) {
  const auto take = [&](Loader& loader, hotpack_batch& made, auto... timeout) -> Result<Crops> {
    HOTPACK_TRY(require(out, "batch"));
    made.memory = handle->memory;
    HOTPACK_ASSIGN(made.batch, loader.next(timeout...));
    return made.batch ? Crops(made.batch->crops()) : Crops();
  };
  return loader_next(handle, timeout_ms, out, take);
}

Outcome next_into(Loader& loader, const hotpack_batch_buffers* buffers, hotpack_batch_info* info) {
  if (info != nullptr)
    // checked before a batch is taken
    HOTPACK_TRY(check_struct_size<hotpack_batch_info>(info->struct_size, "hotpack_batch_info"));
  HOTPACK_ASSIGN(const hotpack_batch_buffers into, read_buffers(buffers));
  HOTPACK_ASSIGN(const std::optional<BatchInfo> batch, loader.next_into(spans_of(into)));
  if (!batch) return HOTPACK_END_OF_EPOCH;
  copy_rows(*batch, into);
  if (info == nullptr) return HOTPACK_OK;
  HOTPACK_ASSIGN(const hotpack_batch_info known, info_of(*batch, into));
  HOTPACK_TRY(write_struct(known, info, "hotpack_batch_info"));
  return HOTPACK_OK;
}

}  // namespace
}  // namespace hotpack::c_api

using namespace hotpack;
using namespace hotpack::c_api;

hotpack_status hotpack_loader_options_init(hotpack_loader_options* options, size_t struct_size) {
  return init_struct(options, struct_size, "hotpack_loader_options", default_options);
}

hotpack_status hotpack_loader_open(const hotpack_dataset* dataset,
                                   const hotpack_loader_options* options, hotpack_loader** loader) {
  return open_handle(loader, [&](hotpack_loader& handle) -> Status {
    HOTPACK_ASSIGN(const Dataset* const data, open_dataset(dataset));
    HOTPACK_ASSIGN(const hotpack_loader_options given,
                   read_or(options, default_options(), "hotpack_loader_options"));
    HOTPACK_ASSIGN(LoaderOptions own, loader_options(given));
    if (own.allocator)
      handle.memory = UserMemory::hold(std::static_pointer_cast<UserMemory>(own.allocator));
    HOTPACK_ASSIGN(handle.loader, Loader::open(*data, own));
    return {};
  });
}

void hotpack_loader_close(hotpack_loader* loader) { delete loader; }

const char* hotpack_loader_error(const hotpack_loader* loader) { return latest_error(loader); }

hotpack_status hotpack_loader_error_info(const hotpack_loader* loader, hotpack_error_info* info) {
  return latest_error_info(loader, info);
}

uint64_t hotpack_loader_steps_per_epoch(const hotpack_loader* loader) {
  return loader_fact(loader, &Loader::steps_per_epoch);
}

uint64_t hotpack_loader_batch_size(const hotpack_loader* loader) {
  return loader_fact(loader, &Loader::batch_size);
}

uint32_t hotpack_loader_threads(const hotpack_loader* loader) {
  return loader_fact(loader, &Loader::threads);
}

uint64_t hotpack_loader_image_batch_bytes(const hotpack_loader* loader) {
  return loader_fact(loader, &Loader::image_batch_bytes);
}

uint64_t hotpack_loader_label_batch_bytes(const hotpack_loader* loader) {
  return loader_fact(loader, &Loader::label_batch_bytes);
}

uint64_t hotpack_loader_slot_bytes(const hotpack_loader* loader) {
  return loader_fact(loader, &Loader::slot_bytes);
}

uint64_t hotpack_loader_slots(const hotpack_loader* loader) {
  return loader_fact(loader, &Loader::slots);
}

uint64_t hotpack_loader_leased(const hotpack_loader* loader) {
  return loader_fact(loader, &Loader::leased);
}

const char* hotpack_loader_fingerprint(const hotpack_loader* loader) {
  return loader_fingerprint(loader);
}

hotpack_status hotpack_loader_next(hotpack_loader* loader, hotpack_batch** batch) {
  return next(loader, std::nullopt, batch);
}

hotpack_status hotpack_loader_next_timeout(hotpack_loader* loader, int64_t timeout_ms,
                                           hotpack_batch** batch) {
  return next(loader, timeout_ms, batch);
}

hotpack_status hotpack_loader_next_into(hotpack_loader* loader,
                                        const hotpack_batch_buffers* buffers,
                                        hotpack_batch_info* info) {
  return with_loader(loader,
                     [&](Loader& open) -> Outcome { return next_into(open, buffers, info); });
}

hotpack_status hotpack_loader_seek(hotpack_loader* loader, uint64_t epoch, uint64_t step) {
  return loader_seek(loader, epoch, step);
}

hotpack_status hotpack_loader_begin_epoch(hotpack_loader* loader, uint64_t epoch) {
  return loader_begin_epoch(loader, epoch);
}

hotpack_status hotpack_loader_position(const hotpack_loader* loader, uint64_t* epoch,
                                       uint64_t* step) {
  return loader_position(loader, epoch, step);
}

hotpack_status hotpack_loader_state(hotpack_loader* loader, char* text, size_t size,
                                    size_t* length) {
  return loader_state(loader, text, size, length);
}

hotpack_status hotpack_loader_restore(hotpack_loader* loader, const char* text) {
  return loader_restore(loader, text);
}

void hotpack_loader_cancel(hotpack_loader* loader) { loader_cancel(loader); }
