// Converts errors of the library to numbers of hotpack.h. A pure function; thread-safe.
#pragma once

#include "hotpack/hotpack.h"
#include "hotpack/result.hpp"

namespace hotpack::c_api {

[[nodiscard]] hotpack_status status_of(ErrorCode code) noexcept;

}  // namespace hotpack::c_api
