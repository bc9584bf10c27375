// The functions hotpack_loader_….
#include "hotpack/loader.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "base/try.hpp"
#include "c_api/batch.hpp"
#include "c_api/call.hpp"
#include "c_api/handles.hpp"
#include "c_api/loader_options.hpp"
#include "c_api/structs.hpp"
#include "c_api/text.hpp"
#include "c_api/user_memory.hpp"
#include "hotpack/hotpack.h"

namespace hotpack::c_api {
namespace {

Status open_loader(const hotpack_dataset* dataset, const hotpack_loader_options* options,
                   hotpack_loader& handle) {
  HOTPACK_ASSIGN(const Dataset* const data, open_dataset(dataset));
  hotpack_loader_options given = default_options();
  if (options != nullptr) {
    HOTPACK_ASSIGN(given, read_struct(options, default_options(), "hotpack_loader_options"));
  }
  HOTPACK_ASSIGN(LoaderOptions own, loader_options(given));
  if (own.allocator)
    handle.memory = UserMemory::hold(std::static_pointer_cast<UserMemory>(own.allocator));
  HOTPACK_ASSIGN(handle.loader, Loader::open(*data, own));
  return {};
}

// Implements the next-functions: takes a batch with next() and passes it to the caller in *out.
// Uses the loader's own timeout if `timeout_ms` is absent. Everything that may fail is done before
// the batch is taken, so that no batch is lost.
hotpack_status next_batch(hotpack_loader* handle, std::optional<std::int64_t> timeout_ms,
                          hotpack_batch** out) {
  if (out != nullptr) *out = nullptr;
  return with_loader(handle, [&](Loader& loader) -> Outcome {
    HOTPACK_TRY(require(out, "batch"));
    HOTPACK_ASSIGN(const auto timeout, milliseconds(timeout_ms.value_or(0)));
    auto leased = std::make_unique<hotpack_batch>();
    leased->memory = handle->memory;
    leased->crops.resize(loader.batch_size());
    HOTPACK_ASSIGN(leased->batch, timeout_ms ? loader.next(timeout) : loader.next());
    if (!leased->batch) return HOTPACK_END_OF_EPOCH;
    const auto crops = leased->batch->crops();
    std::transform(crops.begin(), crops.end(), leased->crops.begin(), crop_of);
    *out = leased.release();
    return HOTPACK_OK;
  });
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

// Returns a number of an open loader, otherwise 0.
template <class Number>
Number fact(const hotpack_loader* handle, Number (Loader::*get)() const) {
  return handle == nullptr || !handle->loader ? Number{} : ((*handle->loader).*get)();
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
  if (loader == nullptr) return HOTPACK_ERROR_USAGE;
  *loader = new (std::nothrow) hotpack_loader;
  if (*loader == nullptr) return HOTPACK_ERROR_IO;  // no memory
  return call((*loader)->failures, [&]() -> Outcome {
    HOTPACK_TRY(open_loader(dataset, options, **loader));
    return HOTPACK_OK;
  });
}

void hotpack_loader_close(hotpack_loader* loader) { delete loader; }

const char* hotpack_loader_error(const hotpack_loader* loader) {
  return loader == nullptr ? "" : loader->failures.latest();
}

hotpack_status hotpack_loader_error_info(const hotpack_loader* loader, hotpack_error_info* info) {
  return describe_error(loader == nullptr ? nullptr : &loader->failures, info);
}

uint64_t hotpack_loader_steps_per_epoch(const hotpack_loader* loader) {
  return fact(loader, &Loader::steps_per_epoch);
}

uint64_t hotpack_loader_batch_size(const hotpack_loader* loader) {
  return fact(loader, &Loader::batch_size);
}

uint32_t hotpack_loader_threads(const hotpack_loader* loader) {
  return fact(loader, &Loader::threads);
}

uint64_t hotpack_loader_image_batch_bytes(const hotpack_loader* loader) {
  return fact(loader, &Loader::image_batch_bytes);
}

uint64_t hotpack_loader_label_batch_bytes(const hotpack_loader* loader) {
  return fact(loader, &Loader::label_batch_bytes);
}

uint64_t hotpack_loader_slot_bytes(const hotpack_loader* loader) {
  return fact(loader, &Loader::slot_bytes);
}

uint64_t hotpack_loader_slots(const hotpack_loader* loader) { return fact(loader, &Loader::slots); }

uint64_t hotpack_loader_leased(const hotpack_loader* loader) {
  return fact(loader, &Loader::leased);
}

const char* hotpack_loader_fingerprint(const hotpack_loader* loader) {
  return loader == nullptr || !loader->loader ? "" : loader->loader->fingerprint().c_str();
}

hotpack_status hotpack_loader_next(hotpack_loader* loader, hotpack_batch** batch) {
  return next_batch(loader, std::nullopt, batch);
}

hotpack_status hotpack_loader_next_timeout(hotpack_loader* loader, int64_t timeout_ms,
                                           hotpack_batch** batch) {
  return next_batch(loader, timeout_ms, batch);
}

hotpack_status hotpack_loader_next_into(hotpack_loader* loader,
                                        const hotpack_batch_buffers* buffers,
                                        hotpack_batch_info* info) {
  return with_loader(loader,
                     [&](Loader& open) -> Outcome { return next_into(open, buffers, info); });
}

hotpack_status hotpack_loader_seek(hotpack_loader* loader, uint64_t epoch, uint64_t step) {
  return with_loader(loader, [&](Loader& open) -> Outcome {
    HOTPACK_TRY(open.seek(epoch, step));
    return HOTPACK_OK;
  });
}

hotpack_status hotpack_loader_begin_epoch(hotpack_loader* loader, uint64_t epoch) {
  return with_loader(loader, [&](Loader& open) -> Outcome {
    HOTPACK_TRY(open.begin_epoch(epoch));
    return HOTPACK_OK;
  });
}

hotpack_status hotpack_loader_position(const hotpack_loader* loader, uint64_t* epoch,
                                       uint64_t* step) {
  if (loader == nullptr || !loader->loader) return HOTPACK_ERROR_USAGE;
  return write_position(loader->failures, *loader->loader, epoch, step);
}

hotpack_status hotpack_loader_state(hotpack_loader* loader, char* text, size_t size,
                                    size_t* length) {
  return with_loader(loader, [&](Loader& open) -> Outcome {
    HOTPACK_TRY(copy_text(open.state().text(), text, size, length));
    return HOTPACK_OK;
  });
}

hotpack_status hotpack_loader_restore(hotpack_loader* loader, const char* text) {
  return with_loader(loader, [&](Loader& open) -> Outcome {
    HOTPACK_TRY(require(text, "text"));
    HOTPACK_ASSIGN(const LoaderState state, LoaderState::parse(text));
    HOTPACK_TRY(open.restore(state));
    return HOTPACK_OK;
  });
}

void hotpack_loader_cancel(hotpack_loader* loader) {
  if (loader != nullptr && loader->loader) loader->loader->cancel();
}
