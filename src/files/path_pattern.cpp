#include "files/path_pattern.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"

namespace hotpack::pipeline {

namespace {

// The most steps that matching an expression may take. Some expressions take time exponential in
// the length of the text; useful ones need far fewer steps than this.
constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 23;
// Returns the most bytes of the stack for <regex>, which calls itself for each character that a
// repeated group matches, and keys may have thousands: three quarters of the main thread's stack,
// but no more than 6 MiB. Only that thread matches; threads of TBB may have smaller stacks.
std::ptrdiff_t most_stack() {
  rlim_t most = rlim_t{6} << 20;
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_STACK, &limit) == 0) most = std::min(most, limit.rlim_cur / 4 * 3);
  return static_cast<std::ptrdiff_t>(most);
}

struct Effort {
  std::uint64_t steps = 0;
  std::ptrdiff_t most_stack_bytes = most_stack();
  const char* stack = static_cast<const char*>(__builtin_frame_address(0));  // where it began
  [[nodiscard]] std::ptrdiff_t stack_bytes() const {
    return stack - static_cast<const char*>(__builtin_frame_address(0));
  }
};

// An iterator over a text, for <regex>. It and its copies together count the characters that they
// read, and throw if there are too many, or if the stack gets too deep.
class CountedPlace {
 public:
  using iterator_category = std::bidirectional_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountedPlace() = default;
  CountedPlace(const char* place, Effort* effort) : place_(place), effort_(effort) {}

  reference operator*() const {
    if (++effort_->steps > kMostSteps)
      throw std::regex_error(std::regex_constants::error_complexity);
    if (effort_->stack_bytes() > effort_->most_stack_bytes)
      throw std::regex_error(std::regex_constants::error_stack);
    return *place_;
  }
  CountedPlace& operator++() { return ++place_, *this; }
  CountedPlace& operator--() { return --place_, *this; }
  CountedPlace operator++(int) { return {place_++, effort_}; }
  CountedPlace operator--(int) { return {place_--, effort_}; }
  bool operator==(const CountedPlace& other) const { return place_ == other.place_; }
  [[nodiscard]] const char* place() const { return place_; }

 private:
  const char* place_ = nullptr;
  Effort* effort_ = nullptr;
};

}  // namespace

Result<PathPattern> PathPattern::compile(const std::string& text, std::string_view option) {
  std::string name = std::string(option) + " '" + text + "'";
  try {
    return PathPattern(std::regex(text, std::regex::ECMAScript | std::regex::optimize), name);
  } catch (const std::regex_error& error) {
    return usage_error(name + ": is no regular expression (" + error.what() + ")");
  }
}

Result<std::vector<std::optional<std::string_view>>> PathPattern::search(
    std::string_view text) const {
  Effort effort;
  std::match_results<CountedPlace> match;
  std::vector<std::optional<std::string_view>> found;
  try {
    if (!std::regex_search(CountedPlace(text.data(), &effort),
                           CountedPlace(text.data() + text.size(), &effort), match, regex_))
      return found;
  } catch (const std::regex_error& error) {
    return usage_error(name_ + ": is too complex for '" + std::string(text) + "' (" + error.what() +
                       "); write a simpler one");
  }
  for (const auto& part : match) {
    const std::string_view matched = part.matched
                                         ? std::string_view(part.first.place(), part.second.place())
                                         : std::string_view();
    found.push_back(part.matched ? std::optional(matched) : std::nullopt);
  }
  return found;
}

Result<std::optional<std::string_view>> PathPattern::find(std::string_view text) const {
  HOTPACK_ASSIGN(const auto found, search(text));
  return found.empty() ? std::nullopt : found[groups() > 0 ? 1 : 0];
}

Result<std::optional<std::string>> PathPattern::find_all(std::string_view text) const {
  HOTPACK_ASSIGN(const auto found, search(text));
  std::optional<std::string> all;
  for (std::size_t i = 1; i < found.size(); ++i)
    if (found[i]) all = all ? *all + "/" + std::string(*found[i]) : std::string(*found[i]);
  return all;
}

std::string literal_pattern(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    if (std::string_view("^$\\.*+?()[]{}|").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

}  // namespace hotpack::pipeline
