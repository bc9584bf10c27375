#include "cli/config_text.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/try.hpp"

namespace hotpack::cli {

namespace {

constexpr std::string_view kBlank = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

// Reads the value, or the list of values, of one line.
class ValueReader {
 public:
  explicit ValueReader(std::string_view text) : rest_(text) {}

  Result<std::vector<std::string>> read() {
    std::vector<std::string> values;
    skip_blank();
    if (take('[')) {
      HOTPACK_ASSIGN(values, read_list());
    } else {
      HOTPACK_ASSIGN(std::string value, read_value("#"));
      values.push_back(std::move(value));
    }
    skip_blank();
    if (!rest_.empty() && rest_.front() != '#')
      return usage_error("unexpected '" + std::string(rest_) + "' after the value");
    return values;
  }

 private:
  Result<std::vector<std::string>> read_list() {
    std::vector<std::string> values;
    while (true) {
      skip_blank();
      if (take(']')) return values;
      HOTPACK_ASSIGN(std::string value, read_value(",]#"));
      values.push_back(std::move(value));
      skip_blank();
      if (take(']')) return values;
      if (!take(',')) return usage_error("a list must end with ']' on the same line");
    }
  }

  Result<std::string> read_value(std::string_view ends) {
    if (take('"')) return read_quoted('"');
    if (take('\'')) return read_quoted('\'');
    const std::string_view bare = trimmed(rest_.substr(0, bare_length(ends)));
    rest_.remove_prefix(bare_length(ends));
    if (bare.empty()) return usage_error("a value is missing");
    return std::string(bare);
  }

  // Returns the length in bytes of an unquoted value, which ends at one of the characters `ends`. A
  // '#' ends the value only after a space, because colors and paths may contain '#'.
  [[nodiscard]] std::size_t bare_length(std::string_view ends) const {
    for (std::size_t at = 0; at < rest_.size(); ++at) {
      const bool in_word = at > 0 && kBlank.find(rest_[at - 1]) == std::string_view::npos;
      if (rest_[at] == '#' && in_word) continue;
      if (ends.find(rest_[at]) != std::string_view::npos) return at;
    }
    return rest_.size();
  }

  Result<std::string> read_quoted(char quote) {
    std::string value;
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == quote) return value;
      if (c != '\\' || quote != '"') {
        value += c;
        continue;
      }
      HOTPACK_ASSIGN(const char meant, read_escape());
      value += meant;
    }
    return usage_error("a quoted value has no closing quote");
  }

  Result<char> read_escape() {
    constexpr std::string_view kWritten = "\"\\nt";
    constexpr std::string_view kMeant = "\"\\\n\t";
    const std::size_t which = rest_.empty() ? std::string_view::npos : kWritten.find(rest_.front());
    if (which == std::string_view::npos)
      return usage_error("unknown escape in a quoted value; single quotes keep backslashes");
    rest_.remove_prefix(1);
    return kMeant[which];
  }

  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void skip_blank() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlank), rest_.size()));
  }

  std::string_view rest_;
};

Result<ConfigEntry> parse_line(std::string_view text, int line) {
  if (text.front() == '[')
    return usage_error("sections such as [name] are not supported; remove the line");
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return usage_error("expected `key = value`");
  const std::string_view key = trimmed(text.substr(0, equals));
  if (key.empty()) return usage_error("a key is missing before '='");
  HOTPACK_ASSIGN(std::vector<std::string> values, ValueReader(text.substr(equals + 1)).read());
  return ConfigEntry{std::string(key), std::move(values), line};
}

}  // namespace

Result<std::vector<ConfigEntry>> parse_config(std::string_view text) {
  std::vector<ConfigEntry> entries;
  int line = 0;
  for (const std::string_view each : lines_of(text)) {
    ++line;
    const std::string_view content = trimmed(each);
    if (content.empty() || content.front() == '#' || content.front() == ';') continue;
    auto entry = parse_line(content, line);
    if (!entry.ok())
      return usage_error("line " + std::to_string(line) + ": " + entry.error().message);
    entries.push_back(std::move(entry).value());
  }
  return entries;
}

}  // namespace hotpack::cli
