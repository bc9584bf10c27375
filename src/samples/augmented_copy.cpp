#include "samples/augmented_copy.hpp"

#include <algorithm>
#include <cctype>

namespace hotpack::pipeline {

std::optional<std::string_view> roboflow_original(std::string_view key) {
  constexpr std::string_view kMark = ".rf.";
  constexpr std::size_t kDigits = 32;
  const std::size_t mark = key.rfind(kMark);
  if (mark == std::string_view::npos || mark == 0 || key.size() - mark - kMark.size() != kDigits)
    return std::nullopt;
  const std::string_view digits = key.substr(mark + kMark.size());
  const bool hexadecimal = std::all_of(digits.begin(), digits.end(),
                                       [](unsigned char c) { return std::isxdigit(c) != 0; });
  return hexadecimal ? std::optional(key.substr(0, mark)) : std::nullopt;
}

}  // namespace hotpack::pipeline
