// An Error of code `usage` that names the option or argument that is wrong. A pure function;
// thread-safe.
#pragma once

#include <string>
#include <utility>

#include "base/error.hpp"
#include "hotpack/result.hpp"

namespace hotpack::c_api {

[[nodiscard]] inline Error option_error(const char* option, std::string message) {
  Error error = usage_error(std::move(message));
  error.option = option;
  return error;
}

}  // namespace hotpack::c_api
