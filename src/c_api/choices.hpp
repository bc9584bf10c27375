// Converts numbers of hotpack.h to the library's enums and back.
//
// Pure functions; thread-safe. Failure: code `usage`, with the option's name, for a number that
// the option does not have.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include "c_api/option_error.hpp"
#include "hotpack/expand.hpp"
#include "hotpack/result.hpp"

namespace hotpack::c_api {

// Returns the value that has this number. `values` lists all values in the order of their numbers
// in hotpack.h, from 0. `option` is the name for the error message.
template <class Choice>
[[nodiscard]] Result<Choice> choose(const char* option, std::int32_t number,
                                    std::initializer_list<Choice> values) {
  if (number >= 0 && static_cast<std::size_t>(number) < values.size())
    return values.begin()[number];
  return option_error(option, std::string(option) + " is " + std::to_string(number) +
                                  ", which hotpack.h does not list; it must be from 0 to " +
                                  std::to_string(values.size() - 1));
}

// Returns an empty optional for HOTPACK_DTYPE_DEFAULT.
[[nodiscard]] Result<std::optional<ElementType>> type_choice(const char* option,
                                                             std::int32_t number);
[[nodiscard]] std::int32_t type_number(ElementType type);

// Converts 0 to false and 1 to true.
[[nodiscard]] Result<bool> flag(const char* option, std::int32_t number);

}  // namespace hotpack::c_api
