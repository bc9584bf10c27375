// What identifies a plan: a digest of its keys, and its numbers of samples and shards. Also
// computes digests over planned samples.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/checksum.hpp"
#include "hotpack/result.hpp"

namespace hotpack::format {

struct PlanIdentity {
  std::uint64_t samples = 0;
  std::uint64_t shards = 1;
  std::string keys;  // "xxh3-128:<hex>" of the keys sorted by bytes, a NUL after each
  bool operator==(const PlanIdentity&) const = default;
};

// {"samples":…,"shards":…,"keys":"…"}
[[nodiscard]] std::string encode_plan(const PlanIdentity& plan);
[[nodiscard]] Result<PlanIdentity> decode_plan(std::string_view text, int minor);

// "xxh3-128:<hex>" of the schema text followed by the plan's text.
[[nodiscard]] std::string fingerprint(std::string_view schema_text, std::string_view plan_text);

// "crc32c:<8 hex>", as the manifest's `check` and messages write a CRC-32C.
[[nodiscard]] std::string crc_text(std::uint32_t crc);

// Computes the digest plan.keys. Add the keys in byte order.
class KeysDigest {
 public:
  void add(std::string_view key);
  [[nodiscard]] std::string text() const { return hasher_.finish().text(); }

 private:
  Hasher128 hasher_;
};

// Computes the digest `hotpack.sources` of one shard. Call add() for all samples planned for the
// shard, in order, including those that are skipped later.
class SourcesDigest {
 public:
  static constexpr std::uint32_t kNoClass = 0xFFFFFFFF;
  // Adds a sample. `image_bytes` and `label_bytes` are the sizes of its files, 0 for a file that it
  // does not have. `class_id` is the class that a folder or a list gives to the sample, or
  // kNoClass.
  void add(std::string_view key, std::uint64_t image_bytes, std::uint64_t label_bytes,
           std::uint32_t class_id);
  [[nodiscard]] std::string text() const { return hasher_.finish().text(); }

 private:
  Hasher128 hasher_;
};

// Returns the number by which --shuffle sorts a key: XXH3-128 of the seed's 8 little-endian bytes
// and the key. If two numbers are equal, the keys are compared.
[[nodiscard]] Hash128 shuffle_rank(std::uint64_t seed, std::string_view key);

// "shard-00003-of-00012.safetensors"; at least five digits.
[[nodiscard]] std::string shard_file_name(std::uint64_t index, std::uint64_t count);
struct ShardName {
  std::uint64_t index = 0;
  std::uint64_t count = 0;
};
// Accepts only names that shard_file_name() returns.
[[nodiscard]] std::optional<ShardName> parse_shard_file_name(std::string_view name);

}  // namespace hotpack::format
