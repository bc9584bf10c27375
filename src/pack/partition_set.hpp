// Collects the shards of one plan from several folders and checks that no shard is missing or
// damaged.
//
// Reads the header and tables of each shard once, never the records. Memory is in proportion to the
// number of shards. Functions without state; thread-safe. Results and errors do not depend on the
// number of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/manifest.hpp"
#include "format/schema_json.hpp"
#include "hotpack/result.hpp"
#include "pack/missing_shards.hpp"
#include "pack/output_folder.hpp"
#include "settings/observer.hpp"

namespace hotpack::pipeline {

// All shards of a plan, each found in one folder at least.
struct JoinedSet {
  format::Manifest manifest;         // of the whole data set
  std::vector<std::string> holders;  // by shard: the first folder that has it
  std::uint64_t repeated = 0;        // equal shard files that a later folder has again
};

struct JoinOptions {
  std::vector<std::string> folders;
  int threads = 1;
  std::optional<std::uint64_t> partitions = {};  // how many the pack has, if known: for messages
};

// Reads the folders in the given order, on up to `threads` threads, and returns the shards of the
// whole plan, or nothing if a stop was requested. Files that are not shards are ignored, with a
// message. An empty folder counts as an empty partition. Errors name the file and the difference:
//   data      a shard is missing, or two shards of the same name differ
//   usage     a shard has another plan or schema; the schema includes the names of the engines
//   damaged   a header or table is wrong, a digest differs from the manifest, keys are in the
//             wrong order, the format has another version, or a folder holds something else
//   io        a file cannot be read
// If shards of several plans are found, the error says which plan has most of them, what the others
// are, and what to pack again. If shards must be packed (again), stores them in `missing`, unless
// it is null.
[[nodiscard]] Result<std::optional<JoinedSet>> join_partitions(const JoinOptions& options,
                                                               Observer& observer,
                                                               MissingShards* missing = nullptr);

// Returns true if the folders `names` in `folder` are splits, false if they are partitions of one
// plan. All of them contain shards, and the names of the shard files decide. The folders are splits
// if
//   - there is only one,
//   - one of them alone contains all shards of its plan,
//   - two of them contain a shard of the same number, or
//   - their plans have different numbers of shards.
[[nodiscard]] bool are_splits(const std::string& folder, const std::vector<std::string>& names);

// The plan and schema that a shard or manifest belongs to. Borrows from it.
struct SetIdentity {
  const std::string& schema_text;
  const Schema& schema;
  const std::string& plan_text;
  const format::PlanIdentity& plan;
};
[[nodiscard]] SetIdentity identity_of(const format::Manifest& manifest);
[[nodiscard]] SetIdentity identity_of(const ExistingShard& shard);

// Returns the first difference of two plans and schemas in words, such as "--size 512x512 in the
// first, 256x256 in the second"; "" if there is none. `sides` has the words after the two values.
[[nodiscard]] std::string first_difference(const SetIdentity& here, const SetIdentity& there,
                                           format::Sides sides);

}  // namespace hotpack::pipeline
