#include "base/temporary_name.hpp"

namespace hotpack {

namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::string_view kEnding = ".tmp";
constexpr std::size_t kDigits = 16;

}  // namespace

std::string temporary_name(std::string_view final_name, std::uint64_t number) {
  std::string digits(kDigits, '0');
  for (std::size_t at = kDigits; at-- > 0; number /= 16) digits[at] = kHexDigits[number % 16];
  return "." + std::string(final_name) + "." + digits + std::string(kEnding);
}

std::string_view final_name_of(std::string_view name) {
  constexpr std::size_t kTail = 1 + kDigits + kEnding.size();
  if (name.size() <= kTail + 1 || name.front() != '.' || !name.ends_with(kEnding)) return {};
  const std::string_view tail = name.substr(name.size() - kTail);
  if (tail.front() != '.' ||
      tail.substr(1, kDigits).find_first_not_of(kHexDigits) != std::string_view::npos)
    return {};
  return name.substr(1, name.size() - kTail - 1);
}

bool is_removed_file(std::string_view name) {
  constexpr std::size_t kFewestDigits = 9;
  for (const std::string_view start : {".nfs", ".fuse_hidden"})
    if (name.starts_with(start) && name.size() >= start.size() + kFewestDigits)
      return name.find_first_not_of(kHexDigits, start.size()) == std::string_view::npos;
  return false;
}

std::uint64_t number_of(std::string_view name) {
  std::uint64_t number = 0;
  if (final_name_of(name).empty()) return number;
  for (const char digit : name.substr(name.size() - kEnding.size() - kDigits, kDigits))
    number = number * 16 + kHexDigits.find(digit);
  return number;
}

}  // namespace hotpack
