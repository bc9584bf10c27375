// JSON that the strict parser accepts must survive its canonical text, and raw_members() must
// split it correctly.
#include <string>
#include <string_view>

#include "base/utf8.hpp"
#include "format/json.hpp"
#include "fuzz/fuzz.hpp"

using hotpack::format::Json;
using hotpack::fuzz::require;

namespace {

void compare_members(std::string_view text, const Json& value) {
  const auto members = hotpack::format::raw_members(text);
  require(members.size() == value.size(), "raw_members finds as many members as the parser");
  auto parsed = value.begin();
  for (const auto& [key, member] : members) {
    const auto again = hotpack::format::parse_json(member);
    require(again.ok() && again.value() == *parsed,
            "a raw member is the value that the parser found");
    ++parsed;
  }
}

void check_text_functions(std::string_view text) {
  const std::string mended = hotpack::format::with_valid_utf8(text);
  require(hotpack::is_utf8(mended), "with_valid_utf8 gives valid UTF-8");
  require(!hotpack::is_utf8(text) || mended == text, "with_valid_utf8 leaves valid text alone");
  const auto quoted = hotpack::format::parse_json(hotpack::format::canonical_string(mended));
  require(quoted.ok() && quoted.value() == mended,
          "a canonical string is read as what it was made of");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = hotpack::fuzz::text_of(data, size);
  (void)hotpack::format::parse_json(text, {.depth = 4, .elements = 3});
  const auto parsed = hotpack::format::parse_json(text);
  if (!parsed.ok()) {
    require(!parsed.error().message.empty(), "an error has words");
    check_text_functions(text);
    return 0;
  }
  const std::string canonical = hotpack::format::canonical_json(parsed.value());
  const auto again = hotpack::format::parse_json(canonical);
  require(again.ok(), "canonical JSON is read");
  // Once more: the first text may contain "-0", whose sign integers do not have.
  const std::string settled = hotpack::format::canonical_json(again.value());
  require(hotpack::format::canonical_json(hotpack::format::parse_json(settled).value()) == settled,
          "canonical JSON stays as it is");
  if (parsed.value().is_object()) compare_members(text, parsed.value());
  return 0;
}
