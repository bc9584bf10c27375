// Implements the functions that hotpack_loader and hotpack_device_loader have in common.
//
// Ownership, thread-safety and failure: as handles.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>

#include "base/try.hpp"
#include "c_api/batch.hpp"
#include "c_api/call.hpp"
#include "c_api/handles.hpp"
#include "c_api/loader_options.hpp"
#include "c_api/text.hpp"
#include "hotpack/loader.hpp"

namespace hotpack::c_api {

template <class Handle, class Body>
hotpack_status with_loader(Handle* handle, const Body& body) noexcept {
  return with_open(handle, &std::remove_const_t<Handle>::loader, body);
}

// Returns a number of an open loader, otherwise 0.
template <class Handle, class AnyLoader, class Number>
Number loader_fact(const Handle* handle, Number (AnyLoader::*get)() const) {
  return handle == nullptr || !handle->loader ? Number{} : ((*handle->loader).*get)();
}

template <class Handle>
const char* loader_fingerprint(const Handle* handle) {
  return handle == nullptr || !handle->loader ? "" : handle->loader->fingerprint().c_str();
}

// The windows of a batch's rows; empty at the end of an epoch.
using Crops = std::optional<std::span<const SampleCrop>>;

// Implements the next-functions: take(loader, batch) or take(loader, batch, timeout) fills a new
// handle, which the caller gets in *out unless `out` is null. Everything that may fail is done
// before the batch is taken, so that no batch is lost.
template <class Handle, class Batch, class Take>
hotpack_status loader_next(Handle* handle, std::optional<std::int64_t> timeout_ms, Batch** out,
                           const Take& take) noexcept {
  if (out != nullptr) *out = nullptr;
  return with_loader(handle, [&](auto& loader) -> Outcome {
    HOTPACK_ASSIGN(const auto timeout, milliseconds(timeout_ms.value_or(0)));
    auto batch = std::make_unique<Batch>();
    batch->crops.resize(loader.batch_size());
    HOTPACK_ASSIGN(const Crops crops,
                   timeout_ms ? take(loader, *batch, timeout) : take(loader, *batch));
    if (!crops) return HOTPACK_END_OF_EPOCH;
    std::transform(crops->begin(), crops->end(), batch->crops.begin(), crop_of);
    if (out != nullptr) *out = batch.release();
    return HOTPACK_OK;
  });
}

template <class Handle>
hotpack_status loader_seek(Handle* handle, std::uint64_t epoch, std::uint64_t step) noexcept {
  return with_loader(handle, [&](auto& loader) -> Outcome {
    HOTPACK_TRY(loader.seek(epoch, step));
    return HOTPACK_OK;
  });
}

template <class Handle>
hotpack_status loader_begin_epoch(Handle* handle, std::uint64_t epoch) noexcept {
  return with_loader(handle, [&](auto& loader) -> Outcome {
    HOTPACK_TRY(loader.begin_epoch(epoch));
    return HOTPACK_OK;
  });
}

template <class Handle>
hotpack_status loader_position(const Handle* handle, std::uint64_t* epoch,
                               std::uint64_t* step) noexcept {
  return with_loader(handle, [&](const auto& loader) -> Outcome {
    const LoaderPosition position = loader.position();
    if (epoch != nullptr) *epoch = position.epoch;
    if (step != nullptr) *step = position.step;
    return HOTPACK_OK;
  });
}

template <class Handle>
hotpack_status loader_state(Handle* handle, char* text, std::size_t size,
                            std::size_t* length) noexcept {
  return with_loader(handle, [&](const auto& loader) -> Outcome {
    HOTPACK_TRY(copy_text(loader.state().text(), text, size, length));
    return HOTPACK_OK;
  });
}

template <class Handle>
hotpack_status loader_restore(Handle* handle, const char* text) noexcept {
  return with_loader(handle, [&](auto& loader) -> Outcome {
    HOTPACK_TRY(require(text, "text"));
    HOTPACK_ASSIGN(const LoaderState state, LoaderState::parse(text));
    HOTPACK_TRY(loader.restore(state));
    return HOTPACK_OK;
  });
}

template <class Handle>
void loader_cancel(Handle* handle) noexcept {
  if (handle != nullptr && handle->loader) handle->loader->cancel();
}

}  // namespace hotpack::c_api
