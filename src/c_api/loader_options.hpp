// hotpack_loader_options as LoaderOptions. Pure functions; thread-safe. Failure: code `usage`, naming the option; what depends on the data
// set is checked by Loader::open.
#pragma once

#include <chrono>
#include <cstdint>

#include "hotpack/hotpack.h"
#include "hotpack/loader.hpp"
#include "hotpack/result.hpp"

namespace hotpack::c_api {

// As LoaderOptions has them; struct_size is that of this library's struct.
[[nodiscard]] hotpack_loader_options default_options();

// Nothing refers to `from` afterwards but the allocator's functions and their user pointer.
[[nodiscard]] Result<LoaderOptions> loader_options(const hotpack_loader_options& from);

[[nodiscard]] Result<std::chrono::milliseconds> milliseconds(std::int64_t count);

}  // namespace hotpack::c_api
