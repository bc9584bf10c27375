#include "reader/manifest_audit.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "format/json.hpp"

namespace hotpack::reader {

namespace {

const std::string kFile{format::kManifestName};

std::string text_of(std::uint64_t value) { return std::to_string(value); }
std::string text_of(const std::optional<double>& value) {
  return value ? format::canonical_double(*value) : "null";
}

// Compares a list of the manifest's statistics with the one computed from the shards' sums. Adds a
// finding for the first element that differs.
template <class T>
void compare_list(const std::string& name, const std::vector<T>& stated,
                  const std::vector<T>& truth, Findings& findings) {
  if (stated.size() != truth.size()) {
    return findings.add(kFile, "statistics." + name + " has " + std::to_string(stated.size()) +
                                   " entries, expected " + std::to_string(truth.size()));
  }
  for (std::size_t i = 0; i < stated.size(); ++i) {
    if (stated[i] == truth[i]) continue;
    return findings.add(kFile, "statistics." + name + "[" + std::to_string(i) + "] is " +
                                   text_of(stated[i]) + ", the shards' sums are " +
                                   text_of(truth[i]));
  }
}

void audit_statistics(const Statistics& stated, const Statistics& truth, Findings& findings) {
  compare_list("mean", stated.mean, truth.mean, findings);
  compare_list("std", stated.std, truth.std, findings);
  compare_list("pixels", stated.pixels, truth.pixels, findings);
  compare_list("samples", stated.samples, truth.samples, findings);
  compare_list("weights.inverse", stated.weights_inverse, truth.weights_inverse, findings);
  compare_list("weights.median", stated.weights_median, truth.weights_median, findings);
  if (stated.ignored != truth.ignored) {
    findings.add(kFile, "statistics.ignored is " + std::to_string(stated.ignored) +
                            ", but the shards' sums give " + std::to_string(truth.ignored));
  }
}

// Adds a finding unless all shards except the last were planned with the same number of samples,
// and the last with at least one and at most that number.
void audit_equal_boundaries(std::span<const ShardSummary> shards, Findings& findings) {
  const auto planned = [](const ShardSummary& shard) { return shard.records + shard.sums.skipped; };
  const std::uint64_t each = planned(shards.front());
  for (std::size_t i = 1; i < shards.size(); ++i) {
    const bool last = i + 1 == shards.size();
    if (last ? planned(shards[i]) >= 1 && planned(shards[i]) <= each : planned(shards[i]) == each)
      continue;
    return findings.add(kFile, "shard boundaries: " + shards[i].name + " has " +
                                   std::to_string(planned(shards[i])) +
                                   " planned samples, but the first shard has " +
                                   std::to_string(each));
  }
}

// True if all shards except the last have equally many records, as --shard-samples divides them.
bool equally_many(std::span<const ShardSummary> shards) {
  const std::uint64_t each = shards.front().records;
  return shards.back().records <= each &&
         std::all_of(shards.begin(), shards.end() - 1,
                     [&](const ShardSummary& shard) { return shard.records == each; });
}

// For records of different sizes: adds a finding unless there is a shard size with which the plan
// would have these shard boundaries. Cannot check this if samples were skipped, because their sizes
// are unknown.
void audit_mixed_boundaries(std::span<const ShardSummary> shards, Findings& findings) {
  if (std::any_of(shards.begin(), shards.end(),
                  [](const ShardSummary& shard) { return shard.sums.skipped > 0 || !shard.ok; }))
    return;
  if (shards.size() == 1 || equally_many(shards)) return;
  std::uint64_t largest = 0;  // a shard of several records fits the shard size
  // a shard plus the next record exceed it
  std::uint64_t smallest = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t i = 0; i < shards.size(); ++i) {
    if (shards[i].records > 1) largest = std::max(largest, shards[i].content_bytes);
    if (i + 1 < shards.size())
      smallest = std::min(smallest, shards[i].content_bytes + shards[i + 1].first_record_bytes);
  }
  if (largest < smallest) return;
  findings.add(kFile, "shard boundaries: no shard size explains them; one shard has " +
                          std::to_string(largest) + " bytes of records, another would have had " +
                          std::to_string(smallest) + " with the next record");
}

}  // namespace

void audit_row(const format::Manifest& manifest, const format::ShardRow& row, const ShardFile& file,
               Findings& findings) {
  const format::Metadata& metadata = file.header().metadata;
  const auto differ = [&](const std::string& what, const std::string& stated,
                          const std::string& found) {
    if (stated != found)
      findings.add(kFile, row.file + ": " + what + " is " + stated + ", the shard has " + found);
  };
  differ("records", std::to_string(row.records), std::to_string(file.records()));
  differ("bytes", std::to_string(row.bytes), std::to_string(file.bytes().size()));
  differ("sources", row.sources, metadata.sources);
  differ("digest", row.digest, format::digest_of(file.bytes(), file.header()));
  differ("format", manifest.format, metadata.format);
  if (metadata.schema != manifest.schema_text)
    findings.add(row.file, "hotpack.schema differs from the manifest's schema");
  if (metadata.plan != manifest.plan_text)
    findings.add(row.file, "hotpack.plan differs from the manifest's plan");
}

void audit_totals(const format::Manifest& manifest, std::span<const ShardSummary> shards,
                  Findings& findings) {
  if (shards.empty()) return;
  const Schema& schema = manifest.schema;
  format::Sums total(schema.image.channels(), schema.label ? schema.class_count() : 0);
  for (const ShardSummary& shard : shards) {
    // another schema, which was reported before
    if (shard.sums.channels != total.channels || shard.sums.classes.size() != total.classes.size())
      return;
    total.add(shard.sums);
  }
  if (manifest.skipped != total.skipped) {
    findings.add(kFile, "skipped is " + std::to_string(manifest.skipped) +
                            ", but the shards' sums give " + std::to_string(total.skipped));
  }
  audit_statistics(manifest.statistics, format::statistics_of(total), findings);
  if (schema.image.shape) {
    audit_equal_boundaries(shards, findings);
  } else {
    audit_mixed_boundaries(shards, findings);
  }
}

void audit_manifest_text(const format::Manifest& manifest, std::string_view text,
                         Findings& findings) {
  if (manifest.format != format::kVersion) return;
  const std::string wanted = format::encode_manifest(manifest);
  if (text == wanted) return;
  const auto differs = std::mismatch(text.begin(), text.end(), wanted.begin(), wanted.end()).first;
  findings.add(kFile, "its text is not the canonical form of its contents",
               static_cast<std::uint64_t>(differs - text.begin()));
}

}  // namespace hotpack::reader
