// The structs behind the opaque handles of hotpack.h.
//
// Ownership: the caller of the C ABI owns each handle until it closes it. Thread-safety: as in
// hotpack.h; everything that changes behind a const handle has a lock, but for batches, which one
// thread uses at a time. Failure: a handle that failed to open has only the text of its error, and
// every other call with it fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/try.hpp"
#include "c_api/call.hpp"
#include "c_api/failures.hpp"
#include "c_api/option_error.hpp"
#include "c_api/structs.hpp"
#include "hotpack/dataset.hpp"
#include "hotpack/hotpack.h"
#include "hotpack/loader.hpp"
#include "hotpack/statistics.hpp"

struct hotpack_dataset {
  mutable hotpack::c_api::Failures failures;
  std::optional<hotpack::Dataset> dataset;

  mutable std::mutex statistics_mutex;
  // computed on first use: with several packs that opens every shard
  mutable std::optional<hotpack::Statistics> statistics;
};

struct hotpack_loader {
  mutable hotpack::c_api::Failures failures;
  // UserMemory::hold(), null if the caller gave no functions; outlives the loader
  std::shared_ptr<void> memory;
  std::optional<hotpack::Loader> loader;
};

struct hotpack_batch {
  std::shared_ptr<void> memory;         // shared with the loader
  std::optional<hotpack::Batch> batch;  // set in every handle that the caller gets
  std::vector<hotpack_crop> crops;
  mutable std::vector<std::string> keys;  // copied on first use
};

namespace hotpack::c_api {

// Calls body(value) with what the handle opened and returns its status. If the handle failed to
// open, returns HOTPACK_ERROR_USAGE instead; the handle then still has the text of the error of
// opening.
template <class Handle, class Value, class Body>
hotpack_status with_open(Handle* handle, std::optional<Value> std::remove_const_t<Handle>::*opened,
                         const Body& body) noexcept {
  if (handle == nullptr || !(handle->*opened)) return HOTPACK_ERROR_USAGE;
  return call(handle->failures, [&]() -> Outcome { return body(*(handle->*opened)); });
}

template <class Body>
hotpack_status with_dataset(const hotpack_dataset* handle, const Body& body) noexcept {
  return with_open(handle, &hotpack_dataset::dataset, body);
}

// Returns an Error if an argument that must not be NULL is NULL.
[[nodiscard]] inline Status require(const void* pointer, const char* name) {
  if (pointer != nullptr) return {};
  return option_error(
      name,
      std::string(name) + " is NULL; it must point to the argument, or to memory for the result");
}

// Writes `value` to `info`, the caller's struct for results.
template <class Struct>
[[nodiscard]] Outcome give_struct(const std::type_identity_t<Struct>& value, Struct* info,
                                  const char* name) {
  HOTPACK_TRY(require(info, "info"));
  HOTPACK_TRY(write_struct(value, info, name));
  return HOTPACK_OK;
}

// Implements the functions that make a handle, which the caller gets even if make(handle) fails.
template <class Handle, class Make>
hotpack_status open_handle(Handle** handle, const Make& make) noexcept {
  if (handle == nullptr) return HOTPACK_ERROR_USAGE;
  *handle = new (std::nothrow) Handle;
  if (*handle == nullptr) return HOTPACK_ERROR_IO;  // no memory
  return call((*handle)->failures, [&]() -> Outcome {
    HOTPACK_TRY(make(**handle));
    return HOTPACK_OK;
  });
}

// Implements the functions hotpack_…_error and hotpack_…_error_info.
template <class Handle>
const char* latest_error(const Handle* handle) noexcept {
  return handle == nullptr ? "" : handle->failures.latest();
}
template <class Handle>
hotpack_status latest_error_info(const Handle* handle, hotpack_error_info* info) noexcept {
  return describe_error(handle == nullptr ? nullptr : &handle->failures, info);
}

// Implements the functions hotpack_…_batch_share: calls copy(*batch), which returns a handle that
// `share` then owns.
template <class Handle, class Copy>
hotpack_status share_batch(const Handle* batch, Handle** share, const Copy& copy) noexcept {
  if (share != nullptr) *share = nullptr;
  if (batch == nullptr || share == nullptr) return HOTPACK_ERROR_USAGE;
  try {
    *share = copy(*batch).release();
    return HOTPACK_OK;
  } catch (const std::bad_alloc&) {
    return HOTPACK_ERROR_IO;
  } catch (...) {
    return HOTPACK_ERROR_INTERNAL;
  }
}

// The data set of a handle from which another handle is made. Failure: code `usage` for NULL, and
// for a data set that failed to open.
[[nodiscard]] inline Result<const Dataset*> open_dataset(const hotpack_dataset* handle) {
  HOTPACK_TRY(require(handle, "dataset"));
  if (handle->dataset) return &*handle->dataset;
  return option_error("dataset",
                      std::string("the data set did not open: ") + handle->failures.latest());
}

// Failure: code `usage` for a class that does not exist.
[[nodiscard]] Result<const ClassInfo*> find_class(const Dataset& dataset, std::uint64_t class_id);

// The numbers of samples that the caller chose. NULL is allowed only for no samples.
[[nodiscard]] inline Result<std::span<const std::uint64_t>> numbers_of(const std::uint64_t* numbers,
                                                                       std::size_t count) {
  if (count == 0) return std::span<const std::uint64_t>();
  HOTPACK_TRY(require(numbers, "numbers"));
  return std::span(numbers, count);
}

}  // namespace hotpack::c_api
