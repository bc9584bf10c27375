// Checks the keys of a whole data set: their order, duplicates, and their digest.
//
// Ownership: has a copy of every key. Not thread-safe. Failure: none; problems become findings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/checksum.hpp"
#include "reader/findings.hpp"

namespace hotpack::reader {

class KeyAuditor {
 public:
  // `seed` is options.shuffle of the schema.
  explicit KeyAuditor(std::optional<std::uint64_t> seed) : seed_(seed) {}

  // Call it before the keys of each shard are added; `shard` is the name of this shard.
  void begin_shard(std::string shard);
  // Adds the key of a record. Precondition: keys are added in the order of shards and records.
  void add(std::uint64_t record, std::string_view key, Findings& findings);
  // Call it after the last key; reports duplicate keys.
  void finish(Findings& findings);
  // The digest of these keys, as `plan.keys` of the manifest has it. Call it after finish().
  [[nodiscard]] std::string digest() const;

 private:
  struct Entry {
    std::string key;
    std::size_t shard = 0;
    std::uint64_t record = 0;
  };
  // Keys are ordered by this number first, then by the key itself; it is 0 without a seed.
  [[nodiscard]] Hash128 rank(std::string_view key) const;

  std::optional<std::uint64_t> seed_;
  std::vector<std::string> shards_;
  std::vector<Entry> entries_;
  Hash128 last_rank_;
};

}  // namespace hotpack::reader
