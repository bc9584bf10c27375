#include "reader/key_audit.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "format/plan_text.hpp"

namespace hotpack::reader {

void KeyAuditor::begin_shard(std::string shard) { shards_.push_back(std::move(shard)); }

Hash128 KeyAuditor::rank(std::string_view key) const {
  return seed_ ? format::shuffle_rank(*seed_, key) : Hash128{};
}

void KeyAuditor::add(std::uint64_t record, std::string_view key, Findings& findings) {
  const Hash128 present = rank(key);
  if (!entries_.empty() &&
      std::tie(present, key) < std::make_tuple(last_rank_, std::string_view(entries_.back().key))) {
    findings.add({shards_.back(),
                  record,
                  std::string(key),
                  {},
                  "its key comes after '" + entries_.back().key + "', which is not the order " +
                      (seed_ ? "that the shuffle's seed " + std::to_string(*seed_) + " gives"
                             : std::string("of their bytes")),
                  ErrorCode::damaged});
  }
  last_rank_ = present;
  entries_.push_back({std::string(key), shards_.size() - 1, record});
}

void KeyAuditor::finish(Findings& findings) {
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const Entry& a, const Entry& b) { return a.key < b.key; });
  for (std::size_t i = 1; i < entries_.size(); ++i) {
    const Entry& first = entries_[i - 1];
    const Entry& second = entries_[i];
    if (first.key != second.key) continue;
    findings.add({shards_[second.shard],
                  second.record,
                  second.key,
                  {},
                  "its key is in " + shards_[first.shard] + ", record " +
                      std::to_string(first.record) + ", too",
                  ErrorCode::damaged});
  }
}

std::string KeyAuditor::digest() const {
  format::KeysDigest digest;
  for (const Entry& entry : entries_) digest.add(entry.key);
  return digest.text();
}

}  // namespace hotpack::reader
