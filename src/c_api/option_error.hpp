// Errors of code `usage` that name the option or argument that is wrong. Pure functions;
// thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
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

// Refuses a value in a field of `name` that has no meaning yet.
[[nodiscard]] inline Status refuse_reserved(const std::string& name,
                                            std::initializer_list<std::int32_t> fields) {
  if (std::ranges::all_of(fields, [](std::int32_t field) { return field == 0; })) return {};
  return option_error(
      "reserved", "the reserved fields of " + name + " must be 0; call " + name + "_init first");
}

}  // namespace hotpack::c_api
