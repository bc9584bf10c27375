#include "format/canonical_scan.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "format/json.hpp"
#include "format/json_node.hpp"

namespace hotpack::format {

namespace {

bool is_plain(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\'; }

// The character that stands for the letter after a backslash; NUL if canonical JSON has no such
// short form.
char unescaped(char letter) {
  switch (letter) {
    case '"':
    case '\\':
      return letter;
    case 'b':
      return '\b';
    case 't':
      return '\t';
    case 'n':
      return '\n';
    case 'f':
      return '\f';
    case 'r':
      return '\r';
    default:
      return '\0';
  }
}

}  // namespace

bool CanonicalScan::take_number(std::uint64_t& number) {
  const auto [end, problem] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
  if (problem != std::errc() || number > kMaxCount) return false;
  const auto digits = static_cast<std::size_t>(end - rest_.data());
  if (digits > 1 && rest_.front() == '0') return false;
  rest_.remove_prefix(digits);
  return true;
}

bool CanonicalScan::take_string(std::string& text) {
  text.clear();
  if (!take("\"")) return false;
  while (true) {
    const auto stop = std::find_if_not(rest_.begin(), rest_.end(), is_plain);
    text.append(rest_.begin(), stop);
    rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.begin()));
    if (take("\"")) return true;
    if (rest_.size() < 2 || rest_.front() != '\\') return false;
    const char c = unescaped(rest_[1]);
    if (c == '\0') return false;
    text += c;
    rest_.remove_prefix(2);
  }
}

bool CanonicalScan::take_digest(std::string& text) {
  constexpr std::string_view kPrefix = "xxh3-128:";
  constexpr std::size_t kBytes = kPrefix.size() + 32;
  if (!take("\"") || rest_.size() <= kBytes || rest_[kBytes] != '"') return false;
  const std::string_view digest = rest_.substr(0, kBytes);
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (!digest.starts_with(kPrefix) ||
      !std::all_of(digest.begin() + kPrefix.size(), digest.end(), is_hex))
    return false;
  text = digest;
  rest_.remove_prefix(kBytes + 1);
  return true;
}

}  // namespace hotpack::format
