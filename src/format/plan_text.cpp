#include "format/plan_text.hpp"

#include <array>
#include <charconv>
#include <cstddef>

#include "base/endian.hpp"
#include "base/try.hpp"
#include "format/json.hpp"
#include "format/json_document.hpp"
#include "format/json_node.hpp"

namespace hotpack::format {
namespace {

constexpr std::string_view kSuffix = ".safetensors";

std::string five_digits(std::uint64_t number) {
  std::string digits = std::to_string(number);
  return std::string(digits.size() < 5 ? 5 - digits.size() : 0, '0') + digits;
}

// Removes `expected` from the start of `text`; returns false if the text starts differently.
bool take(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

bool take_number(std::string_view& text, std::uint64_t& number) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace

std::string encode_plan(const PlanIdentity& plan) {
  return "{\"samples\":" + std::to_string(plan.samples) +
         ",\"shards\":" + std::to_string(plan.shards) + ",\"keys\":" + canonical_string(plan.keys) +
         "}";
}

Result<PlanIdentity> decode_plan(std::string_view text, int minor) {
  HOTPACK_ASSIGN(const JsonDocument document, parse_document(text));
  const Json& json = document.root();
  const JsonNode node(json, "plan");
  HOTPACK_TRY(node.require_keys({"samples", "shards", "keys"}, minor));
  PlanIdentity plan;
  HOTPACK_ASSIGN(plan.samples, node.at("samples").count());
  HOTPACK_ASSIGN(plan.shards, node.at("shards").count(1));
  HOTPACK_ASSIGN(plan.keys, node.at("keys").digest());
  return plan;
}

std::string fingerprint(std::string_view schema_text, std::string_view plan_text) {
  Hasher128 hasher;
  hasher.add(schema_text);
  hasher.add(plan_text);
  return hasher.finish().text();
}

std::string crc_text(std::uint32_t crc) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text = "crc32c:";
  for (int shift = 28; shift >= 0; shift -= 4) text += kHex[crc >> shift & 15];
  return text;
}

void KeysDigest::add(std::string_view key) {
  hasher_.add(key);
  hasher_.add(std::string_view("\0", 1));
}

void SourcesDigest::add(std::string_view key, std::uint64_t image_bytes, std::uint64_t label_bytes,
                        std::uint32_t class_id) {
  std::array<std::byte, 1 + 8 + 8 + 4> tail{};  // the NUL that ends the key, then three numbers
  store_le(tail.data() + 1, image_bytes);
  store_le(tail.data() + 9, label_bytes);
  store_le(tail.data() + 17, class_id);
  hasher_.add(key);
  hasher_.add(std::span<const std::byte>(tail));
}

Hash128 shuffle_rank(std::uint64_t seed, std::string_view key) {
  std::array<std::byte, sizeof seed> bytes{};
  store_le(bytes.data(), seed);
  Hasher128 hasher;
  hasher.add(bytes);
  hasher.add(key);
  return hasher.finish();
}

std::string shard_file_name(std::uint64_t index, std::uint64_t count) {
  return "shard-" + five_digits(index) + "-of-" + five_digits(count) + std::string(kSuffix);
}

std::optional<ShardName> parse_shard_file_name(std::string_view name) {
  ShardName parsed;
  std::string_view rest = name;
  const bool matches = take(rest, "shard-") && take_number(rest, parsed.index) &&
                       take(rest, "-of-") && take_number(rest, parsed.count);
  if (!matches || parsed.index >= parsed.count ||
      shard_file_name(parsed.index, parsed.count) != name)
    return {};
  return parsed;
}

}  // namespace hotpack::format
