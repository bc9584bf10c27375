#include "format/json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <new>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "format/json_document.hpp"

namespace hotpack::format {
namespace {

// An iterator over the text for nlohmann's lexer. It stores in *mark the position that the lexer
// has reached, because the parser's (SAX) events have no position.
class TextCursor {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  TextCursor(const char* at, const char** mark) : at_(at), mark_(mark) {}
  reference operator*() const { return *at_; }
  TextCursor& operator++() {
    *mark_ = ++at_;
    return *this;
  }
  TextCursor operator++(int) {
    TextCursor before = *this;
    ++*this;
    return before;
  }
  bool operator==(const TextCursor& other) const { return at_ == other.at_; }
  bool operator!=(const TextCursor& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** mark_;
};

// Empties a value: first the innermost values, then those that contain them. nlohmann's destructor
// would allocate memory for a value that has members. The recursion is as deep as the value, which
// the parser limits.
void take_apart(Json& value) noexcept {
  if (auto* const elements = value.get_ptr<Json::array_t*>()) {
    for (Json& element : *elements) take_apart(element);
    elements->clear();
  } else if (auto* const members = value.get_ptr<Json::object_t*>()) {
    for (auto& [name, member] : *members) take_apart(member);
    members->clear();
  }
}

// Reserves room for more members. If the vector grew by itself, it would copy every value, because
// its constant keys cannot be moved, and would then destroy the originals, which allocates memory.
void grow(Json::object_t& members) {
  Json::object_t larger;
  larger.reserve(std::max<std::size_t>(4, 2 * members.size()));
  for (const auto& member : members) larger.emplace_back(member.first, nullptr);
  for (std::size_t i = 0; i < members.size(); ++i)
    larger.data()[i].second = std::move(members.data()[i].second);
  members.swap(larger);
}

// Builds the JSON value from the parser's (SAX) events. Appends keys without searching for
// duplicates. At the end of an object it sorts the keys to find duplicates, so that the cost is O(n
// log n) for any keys.
class DomBuilder final : public nlohmann::json_sax<Json> {
 public:
  DomBuilder(std::string_view text, JsonLimits limits)
      : begin_(text.data()), mark_(text.data()), limits_(limits) {}

  DomBuilder(const DomBuilder&) = delete;
  DomBuilder& operator=(const DomBuilder&) = delete;
  ~DomBuilder() override { take_apart(root_); }

  const char** mark() { return &mark_; }
  JsonDocument take() { return JsonDocument(std::move(root_)); }
  Error error() const { return damaged_error(message_, {}, offset_); }

  bool null() override { return put(Json(nullptr)) != nullptr; }
  bool boolean(bool value) override { return put(Json(value)) != nullptr; }
  bool number_integer(number_integer_t value) override { return put(Json(value)) != nullptr; }
  bool number_unsigned(number_unsigned_t value) override { return put(Json(value)) != nullptr; }
  bool number_float(number_float_t value, const string_t&) override {
    return put(Json(value)) != nullptr;
  }
  bool string(string_t& value) override { return put(Json(std::move(value))) != nullptr; }
  bool binary(binary_t&) override { return fail("binary data is not JSON", read_so_far()); }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    levels_.back().key_offsets.push_back(read_so_far());
    key_ = std::move(name);
    return true;
  }

  bool end_object() override { return keys_differ(levels_.back()) && close(); }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    return fail("not valid JSON", position == 0 ? 0 : position - 1);
  }

 private:
  struct Level {
    Json* node;  // its address is stable: the parent grows only after this level has ended
    std::vector<std::size_t> key_offsets;  // where each key ends in the text
  };

  std::size_t read_so_far() const { return static_cast<std::size_t>(mark_ - begin_); }

  bool fail(std::string message, std::size_t offset) {
    message_ = std::move(message);
    offset_ = offset;
    return false;
  }

  Json* put(Json value) {
    if (levels_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Json& parent = *levels_.back().node;
    if (parent.is_array()) return put_element(parent.get_ref<Json::array_t&>(), std::move(value));
    auto& members = parent.get_ref<Json::object_t&>();
    if (members.size() == members.capacity()) grow(members);
    return &members.emplace_back(std::move(key_), std::move(value)).second;
  }

  Json* put_element(Json::array_t& list, Json value) {
    if (list.size() < limits_.elements) return &list.emplace_back(std::move(value));
    fail("a JSON list of more than " + std::to_string(limits_.elements) + " elements",
         read_so_far());
    return nullptr;
  }

  bool open(Json empty) {
    if (levels_.size() >= limits_.depth)
      return fail("JSON nested deeper than " + std::to_string(limits_.depth) + " levels",
                  read_so_far());
    Json* node = put(std::move(empty));
    if (node == nullptr) return false;
    levels_.push_back({node, {}});
    return true;
  }

  bool close() {
    levels_.pop_back();
    return true;
  }

  bool keys_differ(const Level& level) {
    const auto& members = level.node->get_ref<const Json::object_t&>();
    std::vector<std::pair<std::string_view, std::size_t>> keys;
    keys.reserve(members.size());
    for (const auto& [name, value] : members)
      keys.emplace_back(name, level.key_offsets[keys.size()]);
    std::sort(keys.begin(), keys.end());
    const auto duplicate = std::adjacent_find(
        keys.begin(), keys.end(), [](const auto& a, const auto& b) { return a.first == b.first; });
    if (duplicate == keys.end()) return true;
    return fail("JSON key " + canonical_string(duplicate->first.substr(0, 80)) +
                    " occurs twice in one object",
                std::next(duplicate)->second);
  }

  const char* begin_;
  const char* mark_;
  JsonLimits limits_;
  Json root_;
  std::string key_;
  std::vector<Level> levels_;
  std::string message_;
  std::size_t offset_ = 0;
};

template <class Number>
void append_number(std::string& out, Number value) {
  std::array<char, 40> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

void append_escaped(std::string& out, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  constexpr std::string_view kShort =
      "\"\"\\\\\bb\tt\nn\ff\rr";  // pairs: character, letter after the backslash
  for (std::size_t at = 0; at < kShort.size(); at += 2) {
    if (kShort[at] != c) continue;
    out += '\\';
    out += kShort[at + 1];
    return;
  }
  const auto code = static_cast<unsigned char>(c);
  out += "\\u00";
  out += kHex[code >> 4];
  out += kHex[code & 15];
}

void append_string(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\') {
      append_escaped(out, c);
    } else {
      out += c;
    }
  }
  out += '"';
}

void append(std::string& out, const Json& value);

void append_array(std::string& out, const Json& value) {
  out += '[';
  bool first = true;
  for (const auto& element : value) {
    if (!std::exchange(first, false)) out += ',';
    append(out, element);
  }
  out += ']';
}

void append_object(std::string& out, const Json& value) {
  out += '{';
  bool first = true;
  for (const auto& [name, element] : value.get_ref<const Json::object_t&>()) {
    if (!std::exchange(first, false)) out += ',';
    append_string(out, name);
    out += ':';
    append(out, element);
  }
  out += '}';
}

void append(std::string& out, const Json& value) {
  switch (value.type()) {
    case Json::value_t::object:
      return append_object(out, value);
    case Json::value_t::array:
      return append_array(out, value);
    case Json::value_t::string:
      return append_string(out, value.get_ref<const std::string&>());
    case Json::value_t::boolean:
      out += value.get<bool>() ? "true" : "false";
      return;
    case Json::value_t::number_integer:
      return append_number(out, value.get<std::int64_t>());
    case Json::value_t::number_unsigned:
      return append_number(out, value.get<std::uint64_t>());
    case Json::value_t::number_float:
      return append_number(out, value.get<double>());
    case Json::value_t::null:
    case Json::value_t::binary:
    case Json::value_t::discarded:
      out += "null";
      return;
  }
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// The end of the string that starts at `at`, after its closing quote.
std::size_t skip_string(std::string_view text, std::size_t at) {
  for (++at; text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at + 1;
}

// The end of the value that starts at `at`: the comma or bracket that follows on its own level.
std::size_t skip_value(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (true) {
    const char c = text[at];
    if (c == '"') {
      at = skip_string(text, at);
      continue;
    }
    if (depth == 0 && (c == ',' || c == '}' || c == ']')) return at;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    ++at;
  }
}

}  // namespace

Result<JsonDocument> parse_document(std::string_view text, JsonLimits limits) try {
  // The lexer would skip a byte order mark and treat a NUL as the end of the text.
  if (text.starts_with("\xEF\xBB\xBF"))
    return damaged_error("not valid JSON: it starts with a byte order mark", {}, 0);
  if (const auto nul = text.find('\0'); nul != std::string_view::npos)
    return damaged_error("not valid JSON: a NUL byte", {}, nul);
  DomBuilder builder(text, limits);
  const TextCursor first(text.data(), builder.mark());
  const TextCursor last(text.data() + text.size(), builder.mark());
  if (!Json::sax_parse(first, last, &builder)) return builder.error();
  return builder.take();
} catch (const std::bad_alloc&) {
  throw;
} catch (const std::exception& problem) {
  return internal_error(std::string("parsing JSON: ") + problem.what());
}

Result<Json> parse_json(std::string_view text, JsonLimits limits) {
  auto document = parse_document(text, limits);
  if (!document.ok()) return std::move(document).error();
  return std::move(document).value().take();
}

JsonDocument::~JsonDocument() { take_apart(root_); }

std::vector<std::pair<std::string_view, std::string_view>> raw_members(std::string_view text) {
  std::vector<std::pair<std::string_view, std::string_view>> members;
  const auto skip_blanks = [&](std::size_t at) {
    while (is_blank(text[at])) ++at;
    return at;
  };
  std::size_t at = skip_blanks(skip_blanks(0) + 1);
  while (text[at] != '}') {
    const std::size_t key_end = skip_string(text, at);
    const std::string_view key = text.substr(at + 1, key_end - at - 2);
    const std::size_t begin = skip_blanks(skip_blanks(key_end) + 1);
    const std::size_t stop = skip_value(text, begin);
    std::size_t end = stop;
    while (is_blank(text[end - 1])) --end;
    members.emplace_back(key, text.substr(begin, end - begin));
    at = text[stop] == ',' ? skip_blanks(stop + 1) : stop;
  }
  return members;
}

std::string canonical_json(const Json& value) {
  std::string out;
  append(out, value);
  return out;
}

std::string canonical_string(std::string_view text) {
  std::string out;
  append_string(out, text);
  return out;
}

std::string canonical_double(double value) {
  std::string out;
  append_number(out, value);
  return out;
}

std::string with_valid_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character character = first_character(text);
    out += character.is_faulty() ? std::string_view("\uFFFD") : text.substr(0, character.bytes);
    text.remove_prefix(character.bytes);
  }
  return out;
}

}  // namespace hotpack::format
