// What is behind the opaque handles of hotpack.h.
//
// Ownership: the caller of the C ABI owns each handle until it closes it. Thread-safety: as hotpack.h tells; what changes behind a const
// handle has its own lock. Failure: a handle whose open function failed holds nothing but the text of it, and refuses everything.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "c_api/call.hpp"
#include "c_api/failures.hpp"
#include "hotpack/dataset.hpp"
#include "hotpack/hotpack.h"
#include "hotpack/loader.hpp"
#include "hotpack/statistics.hpp"

struct hotpack_dataset {
  mutable hotpack::c_api::Failures failures;
  std::optional<hotpack::Dataset> dataset;

  mutable std::mutex statistics_mutex;
  mutable std::optional<hotpack::Statistics> statistics;  // once asked for: of several packs they cost a look at every shard
};

struct hotpack_loader {
  hotpack::c_api::Failures failures;
  std::shared_ptr<void> memory;  // UserMemory::hold(), null without functions of the caller; goes after the loader
  std::optional<hotpack::Loader> loader;
};

struct hotpack_batch {
  std::shared_ptr<void> memory;         // as the loader's
  std::optional<hotpack::Batch> batch;  // there in every handle that was given out
  std::vector<hotpack_crop> crops;
  mutable std::vector<std::string> keys;  // copied when the first one is asked for
};

namespace hotpack::c_api {

// Calls body(Dataset) for a handle that is open. A failed open keeps its text: it says more than that the handle is not open.
template <class Body>
hotpack_status with_dataset(const hotpack_dataset* handle, const Body& body) noexcept {
  if (handle == nullptr || !handle->dataset) return HOTPACK_ERROR_USAGE;
  return call(handle->failures, [&]() -> Outcome { return body(*handle->dataset); });
}

// Likewise body(Loader).
template <class Body>
hotpack_status with_loader(hotpack_loader* handle, const Body& body) noexcept {
  if (handle == nullptr || !handle->loader) return HOTPACK_ERROR_USAGE;
  return call(handle->failures, [&]() -> Outcome { return body(*handle->loader); });
}

// The Error for an argument that must not be NULL.
[[nodiscard]] inline Status require(const void* pointer, const char* name) {
  if (pointer != nullptr) return {};
  return Error{ErrorCode::usage, std::string(name) + " is NULL; it must point to where the result goes or what is meant", {}, {}};
}

}  // namespace hotpack::c_api
