#include "reader/key_audit.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/checksum.hpp"
#include "base/endian.hpp"
#include "format/plan_text.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using reader::Findings;
using reader::KeyAuditor;

namespace {

std::vector<VerifyFinding> audit(KeyAuditor& auditor,
                                 const std::vector<std::vector<std::string>>& shards) {
  Findings findings(100);
  for (std::size_t s = 0; s < shards.size(); ++s) {
    auditor.begin_shard("shard " + std::to_string(s));
    for (std::size_t r = 0; r < shards[s].size(); ++r) auditor.add(r, shards[s][r], findings);
  }
  auditor.finish(findings);
  return findings.take();
}

}  // namespace

TEST_CASE("keys in byte order are valid and have the plan's digest") {
  KeyAuditor auditor(std::nullopt);
  CHECK(audit(auditor, {{"a", "a/b", "b"}, {}, {"b!", "\xC3\xA4"}}).empty());
  format::KeysDigest digest;
  for (const char* key : {"a", "a/b", "b", "b!", "\xC3\xA4"}) digest.add(key);
  CHECK(auditor.digest() == digest.text());
}

TEST_CASE("a key out of order is named") {
  KeyAuditor auditor(std::nullopt);
  const auto findings = audit(auditor, {{"a", "c"}, {"b"}});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].file == "shard 1");
  CHECK(findings[0].record == 0u);
  CHECK(findings[0].key == "b");
}

TEST_CASE("a duplicate key is named with both places") {
  KeyAuditor auditor(std::nullopt);
  const auto findings = audit(auditor, {{"a", "b"}, {"b", "c"}});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].file == "shard 1");
  CHECK_THAT(findings[0].text, ContainsSubstring("shard 0, record 1"));
}

TEST_CASE("the order of a shuffled pack is that of hashes of seed and key") {
  constexpr std::uint64_t kSeed = 7;
  std::vector<std::string> keys{"a", "b", "c", "d", "e", "f"};
  const auto rank = [](const std::string& key) {
    std::string text(8, '\0');
    store_le(reinterpret_cast<std::byte*>(text.data()), kSeed);
    return xxh3_128(text + key);
  };
  std::sort(keys.begin(), keys.end(),
            [&](const auto& x, const auto& y) { return rank(x) < rank(y); });
  KeyAuditor shuffled(kSeed);
  CHECK(audit(shuffled, {keys}).empty());
  std::swap(keys[2], keys[3]);
  KeyAuditor swapped(kSeed);
  CHECK(audit(swapped, {keys}).size() == 1);
}
