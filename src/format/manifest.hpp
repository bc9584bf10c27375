// dataset.json: the manifest of a packed data set. O(shards).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/plan_text.hpp"
#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"
#include "hotpack/statistics.hpp"

namespace hotpack::format {

inline constexpr std::string_view kManifestName = "dataset.json";

struct ShardRow {
  std::string file;
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;  // size of the file
  std::string sources;
  std::string digest;
  bool operator==(const ShardRow&) const = default;
};

struct Manifest {
  std::string format = "1.0";
  std::string schema_text;  // canonical JSON, byte for byte as in every shard
  Schema schema;
  std::string fingerprint;
  std::string plan_text;
  PlanIdentity plan;
  Statistics statistics;
  std::uint64_t skipped = 0;
  std::vector<ShardRow> shards;
  [[nodiscard]] std::uint64_t records() const;
};

// Returns the content of dataset.json, including the members `fingerprint` and `check`, which it
// computes. `schema` and `plan` are copied from schema_text and plan_text.
[[nodiscard]] std::string encode_manifest(const Manifest& manifest);

// Parses dataset.json and checks everything that its text alone can show: strict JSON, keys and
// types, `check`, fingerprint, order of file names, sums of records and skipped samples. The file
// of a later 1.x may have more keys. Errors have code `damaged`. Keeps the original texts of
// `schema` and `plan`, to compare them byte for byte with those of the shards. `advice` ends the
// error about a wrong or missing `check`; callers that write the manifest again, or do without it,
// pass an empty one.
[[nodiscard]] Result<Manifest> decode_manifest(
    std::string_view text,
    std::string_view advice =
        "Restore the file, or repeat the `hotpack pack` command that made this pack");

}  // namespace hotpack::format
