// Converts hotpack_loader_options to LoaderOptions, and hotpack_read_options to ReadOptions. Pure
// functions; thread-safe. Failure: code `usage` with the option's name; Loader::open checks what
// depends on the data set.
#pragma once

#include <chrono>
#include <cstdint>

#include "hotpack/hotpack.h"
#include "hotpack/loader.hpp"
#include "hotpack/read_batch.hpp"
#include "hotpack/result.hpp"

namespace hotpack::c_api {

// The defaults of LoaderOptions, with struct_size set to the size of this library's struct.
[[nodiscard]] hotpack_loader_options default_options();

// The result keeps no pointer into `from`, except the allocator's functions and their user pointer.
[[nodiscard]] Result<LoaderOptions> loader_options(const hotpack_loader_options& from);

// The same for the options of read_batch().
[[nodiscard]] hotpack_read_options default_read_options();
[[nodiscard]] Result<ReadOptions> read_options(const hotpack_read_options& from);

[[nodiscard]] Result<std::chrono::milliseconds> milliseconds(std::int64_t count);

}  // namespace hotpack::c_api
