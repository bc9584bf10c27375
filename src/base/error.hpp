// Short ways to make an Error. Values only; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "hotpack/result.hpp"

namespace hotpack {

Error usage_error(std::string message);
Error data_error(std::string message, std::string path = {});
Error damaged_error(std::string message, std::string path = {},
                    std::optional<std::uint64_t> offset = {});
Error internal_error(std::string message);

// Makes an I/O error. Its message is `what` and the system's text for `errno_value`, for example
// "cannot open: No such file or directory".
Error io_error(std::string what, std::string path, int errno_value);

}  // namespace hotpack
