// Checks that a manifest and its shards agree. Call these functions after the shards were examined.
//
// Pure functions. Failure: none; problems become findings, most of them about dataset.json.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "format/manifest.hpp"
#include "reader/findings.hpp"
#include "reader/shard_audit.hpp"
#include "reader/shard_file.hpp"

namespace hotpack::reader {

// Compares one shard with its row in the manifest, and the texts that every shard shares with the
// manifest (schema and plan).
void audit_row(const format::Manifest& manifest, const format::ShardRow& row, const ShardFile& file,
               Findings& findings);

// Checks what the manifest says about all shards together: skipped samples, statistics and shard
// boundaries. `shards` has every shard of the manifest.
void audit_totals(const format::Manifest& manifest, std::span<const ShardSummary> shards,
                  Findings& findings);

// Checks that the text is byte for byte what a writer of 1.0 produces.
void audit_manifest_text(const format::Manifest& manifest, std::string_view text,
                         Findings& findings);

}  // namespace hotpack::reader
