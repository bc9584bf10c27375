#include "files/path_pattern.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "base/utf8.hpp"

namespace hotpack::pipeline {

namespace {

// The most that one match may cost. Some expressions take time exponential in the length of the
// text; useful ones need far less.
constexpr std::uint32_t kMostSteps = std::uint32_t{1} << 23;
constexpr std::uint32_t kMostKibibytes = 64 * 1024;

// Letters are characters, not bytes. '$' is the end of the text only; an empty class, a group
// without a match and \u0041 mean the same as in ECMAScript.
constexpr std::uint32_t kSyntax = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C |
                                  PCRE2_DOLLAR_ENDONLY | PCRE2_ALLOW_EMPTY_CLASS |
                                  PCRE2_MATCH_UNSET_BACKREF | PCRE2_ALT_BSUX;

constexpr std::size_t kMostOfText = 60;  // bytes of an expression, or a text, in a message

std::string quoted_beginning(std::string_view text) {
  return quoted_text(beginning_of(text, kMostOfText));
}

std::string message_of(int code) {
  std::array<PCRE2_UCHAR, 256> text{};
  ::pcre2_get_error_message(code, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

PCRE2_SPTR bytes_of(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.empty() ? "" : text.data());
}

// Room for the places of a match, which every thread keeps.
pcre2_match_data* match_data(std::uint32_t groups) {
  thread_local std::unique_ptr<pcre2_match_data, decltype(&::pcre2_match_data_free)> data(
      nullptr, &::pcre2_match_data_free);
  if (data == nullptr || ::pcre2_get_ovector_count(data.get()) <= groups)
    data.reset(::pcre2_match_data_create(groups + 1, nullptr));
  return data.get();
}

// Returns what a pair of places encloses.
std::optional<std::string_view> part(std::string_view text, const PCRE2_SIZE* ends) {
  if (ends[0] == PCRE2_UNSET) return std::nullopt;
  return text.substr(ends[0], ends[1] - ends[0]);
}

struct Ways {
  std::string_view text;
  std::size_t groups;
  std::vector<PathPattern::Parts> found;
};

// Keeps a way, and lets PCRE2 search for the next one.
int keep_way(pcre2_callout_block* block, void* data) {
  Ways& ways = *static_cast<Ways*>(data);
  PathPattern::Parts parts(ways.groups + 1);
  parts[0] = ways.text.substr(0, block->current_position);
  for (std::size_t i = 1; i < block->capture_top; ++i)
    parts[i] = part(ways.text, block->offset_vector + 2 * i);
  ways.found.push_back(std::move(parts));
  return 1;
}

}  // namespace

// An expression as PCRE2 needs it for a match.
struct PathPattern::Code {
  explicit Code(pcre2_code* compiled)
      : code(compiled), limits(::pcre2_match_context_create(nullptr)) {
    ::pcre2_set_match_limit(limits, kMostSteps);
    ::pcre2_set_heap_limit(limits, kMostKibibytes);
    ::pcre2_pattern_info(code, PCRE2_INFO_CAPTURECOUNT, &groups);
    // PCRE2 matches without machine code if a system forbids it.
    ::pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
  }
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  ~Code() {
    ::pcre2_match_context_free(limits);
    ::pcre2_code_free(code);
  }

  pcre2_code* code;
  pcre2_match_context* limits;
  std::uint32_t groups = 0;
};

Result<PathPattern> PathPattern::compile(const std::string& text, std::string_view option,
                                         Options options) {
  const std::uint32_t syntax = kSyntax | (options.caseless ? PCRE2_CASELESS : 0) |
                               (options.whole ? PCRE2_ANCHORED | PCRE2_ENDANCHORED : 0);
  std::string name =
      std::string(option) + " " + quoted_beginning(options.shown.empty() ? text : options.shown);
  int error = 0;
  PCRE2_SIZE place = 0;
  pcre2_code* code = ::pcre2_compile(bytes_of(text), text.size(), syntax, &error, &place, nullptr);
  if (code == nullptr)
    return usage_error(name + ": is no regular expression (" + message_of(error) + ", after " +
                       quoted_beginning(std::string_view(text).substr(0, place)) + ")");
  return PathPattern(std::make_shared<const Code>(code), std::move(name));
}

std::size_t PathPattern::groups() const { return code_->groups; }

// Calls `use` with the places of the whole match and of the groups if there is a match.
template <class Use>
Status PathPattern::search(std::string_view text, Use use, void* context) const {
  pcre2_match_data* data = match_data(code_->groups);
  auto* const limits =
      context == nullptr ? code_->limits : static_cast<pcre2_match_context*>(context);
  const auto match = [&](std::uint32_t options) {
    return ::pcre2_match(code_->code, bytes_of(text), text.size(), 0, options, data, limits);
  };
  int found = match(0);
  // Machine code has a small stack; without it, places to return to lie in the heap.
  if (found == PCRE2_ERROR_JIT_STACKLIMIT) found = match(PCRE2_NO_JIT);
  if (found > 0) use(::pcre2_get_ovector_pointer(data));
  if (found > 0 || found == PCRE2_ERROR_NOMATCH) return {};
  return usage_error(name_ + ": is too complex for " + quoted_beginning(text) + " (" +
                     message_of(found) + "); write a simpler one");
}

Result<PathPattern::Parts> PathPattern::match(std::string_view text) const {
  Parts parts;
  HOTPACK_TRY(search(text, [&](const PCRE2_SIZE* ends) {
    for (std::size_t i = 0; i <= groups(); ++i) parts.push_back(part(text, ends + 2 * i));
  }));
  return parts;
}

Result<std::vector<PathPattern::Parts>> PathPattern::ways(std::string_view text) const {
  const std::unique_ptr<pcre2_match_context, decltype(&::pcre2_match_context_free)> context(
      ::pcre2_match_context_copy(code_->limits), &::pcre2_match_context_free);
  Ways ways{text, groups(), {}};
  ::pcre2_set_callout(context.get(), &keep_way, &ways);
  HOTPACK_TRY(search(
      text, [](const PCRE2_SIZE*) {}, context.get()));
  return std::move(ways.found);
}

Result<std::optional<std::string_view>> PathPattern::find(std::string_view text) const {
  std::optional<std::string_view> found;
  HOTPACK_TRY(search(
      text, [&](const PCRE2_SIZE* ends) { found = part(text, groups() > 0 ? ends + 2 : ends); }));
  return found;
}

Result<std::optional<std::string>> PathPattern::find_all(std::string_view text) const {
  std::optional<std::string> all;
  HOTPACK_TRY(search(text, [&](const PCRE2_SIZE* ends) {
    for (std::size_t i = 1; i <= groups(); ++i)
      if (const auto found = part(text, ends + 2 * i))
        all = all ? std::move(*all).append("/").append(*found) : std::string(*found);
  }));
  return all;
}

std::string literal_pattern(std::string_view text) {
  std::string pattern;
  for (const char c : text)
    pattern.append(std::string_view("^$\\.*+?()[]{}|").find(c) == text.npos ? "" : "\\") += c;
  return pattern;
}

std::string placeholder_pattern(std::string_view text, std::span<const Placeholder> placeholders) {
  std::string pattern;
  while (!text.empty()) {
    const auto place =
        std::find_if(placeholders.begin(), placeholders.end(),
                     [&](const Placeholder& each) { return text.starts_with(each.text); });
    const bool literal = place == placeholders.end();
    pattern += literal ? literal_pattern(text.substr(0, 1)) : std::string(place->expression);
    text.remove_prefix(literal ? 1 : place->text.size());
  }
  return pattern;
}

}  // namespace hotpack::pipeline
