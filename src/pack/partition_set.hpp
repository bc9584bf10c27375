// The shards that several folders hold of one plan: which lies where, and whether together they are the plan, whole and undamaged.
//
// Reads only: of each shard the header and tables once, never the payload. Memory is O(shards). Thread-safe as plain values are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/manifest.hpp"
#include "hotpack/result.hpp"
#include "pack/output_folder.hpp"
#include "settings/observer.hpp"

namespace hotpack::pipeline {

// All shards of a plan, each found in one folder at least.
struct JoinedSet {
  format::Manifest manifest;         // of the whole data set
  std::vector<std::string> holders;  // of each shard, the first folder that has it
  std::uint64_t repeated = 0;        // shard files that stand in another folder too, equal as far as header and tables tell
};

// Looks at `folders` in the order given. Files that are no shards are ignored and told; an empty folder is an empty partition.
// Absent: a stop was requested. Errors name the file and the difference:
//   data      shards that no folder has; shards of one name that differ
//   usage     shards of another plan or schema (engines included)
//   damaged   header, tables, digest (where a manifest tells it), keys out of order, another version of the format, a folder of other
//   things io        what cannot be read
[[nodiscard]] Result<std::optional<JoinedSet>> join_partitions(const std::vector<std::string>& folders, Observer& observer);

// What a shard or a manifest says that it is a part of. Borrows from it.
struct SetIdentity {
  const std::string& schema_text;
  const Schema& schema;
  const std::string& plan_text;
  const format::PlanIdentity& plan;
};
[[nodiscard]] SetIdentity identity_of(const format::Manifest& manifest);
[[nodiscard]] SetIdentity identity_of(const ExistingShard& shard);

// The first thing in which two differ, as a user would say it ("geometry.size: [512,512] here, [256,256] there"), empty when equal.
[[nodiscard]] std::string first_difference(const SetIdentity& here, const SetIdentity& there);

}  // namespace hotpack::pipeline
