// The fast reader of the manifest's rows, which are nearly all of its text.
//
// Pure; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/manifest.hpp"
#include "hotpack/result.hpp"

namespace hotpack::format {

// The most records that a shard of this size can have, since each record adds to its tables: an
// offset and one byte for the key, then hashes, size, region and CRCs.
[[nodiscard]] constexpr std::uint64_t most_records(std::uint64_t bytes) {
  return bytes / (8 + 1 + 16 + 8 + 16 + 4);
}

struct ManifestRows {
  std::vector<ShardRow> rows;
  std::string rest;  // the manifest's text with an empty list in place of the rows
};

// Returns the rows of a manifest, checked by every rule for a row (FORMAT.md, section 9), if they
// are exactly as hotpack writes them and only `check` follows. Else returns nothing; the general
// parser then reads the whole text. If the rest is a JSON object, the rows are the member `shards`
// of that object. Memory is in proportion to the text.
[[nodiscard]] std::optional<ManifestRows> read_canonical_rows(std::string_view text);

// decode_manifest() without the fast reader. Tests and the fuzzer compare the two.
[[nodiscard]] Result<Manifest> decode_manifest_generally(std::string_view text,
                                                         std::string_view advice = {});

}  // namespace hotpack::format
