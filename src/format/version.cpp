#include "format/version.hpp"

#include <charconv>
#include <optional>
#include <string>

#include "base/error.hpp"

namespace hotpack::format {
namespace {

// Parses a decimal number of at most six digits, without leading zeros or signs.
std::optional<int> plain_number(std::string_view digits) {
  if (digits.empty() || digits.size() > 6 || (digits.size() > 1 && digits[0] == '0')) return {};
  int value = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (problem != std::errc() || end != digits.data() + digits.size() || value < 0) return {};
  return value;
}

}  // namespace

Result<int> parse_version(std::string_view text) {
  const auto dot = text.find('.');
  const auto major = plain_number(text.substr(0, dot));
  const auto minor =
      dot == std::string_view::npos ? std::nullopt : plain_number(text.substr(dot + 1));
  if (!major || !minor) return damaged_error("the format's version is not of the form 1.<minor>");
  if (*major != 1)
    return damaged_error(
        "format version " + std::string(text) +
        " is unknown; this program reads 1.x. Use a hotpack that reads this version");
  return *minor;
}

}  // namespace hotpack::format
