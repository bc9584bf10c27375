// Reads the output folder and finds the shards that need not be packed again.
//
// It never writes; pack() decides what to write. Functions without state; thread-safe. Failure:
// `usage` for files that hotpack did not make; `io`.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "format/manifest.hpp"
#include "format/plan_text.hpp"
#include "format/shard_header.hpp"
#include "format/sums.hpp"
#include "hotpack/result.hpp"
#include "pack/partition.hpp"
#include "pack/plan.hpp"
#include "writer/shard_writer.hpp"

namespace hotpack::pipeline {

struct OutputFolder {
  std::string path;
  bool exists = false;
  std::optional<format::Manifest> manifest;   // absent if missing or damaged
  std::string manifest_text;                  // content of its file, if readable
  std::string manifest_fault;                 // why an existing manifest cannot be used; else empty
  std::vector<std::string> shards;            // names of shard files, sorted
  std::map<std::string, FileIdentity> known;  // shard files that were seen to be hotpack's
};

// Which shard files a reading opens to see who made them. A partition leaves most files of the
// folder alone, and opening them all would take S opens in each of N partitions.
struct OriginRules {
  bool repair = false;
  // True for files that the run may replace or remove; unset: all.
  std::function<bool(const format::ShardName&)> may_change;
  const OutputFolder* before = nullptr;  // an earlier reading: unchanged files are not opened again
};

// Reads what the output folder contains. Fails with code `usage` for
//   - a folder inside another pack
//   - a file that is not a manifest, shard or temporary file of hotpack
//   - a file of a later format
// A file that is too short to show who wrote it counts as hotpack's. With `repair`, a file with a
// wrong start counts as hotpack's if another file in the folder is hotpack's. Only files that
// `rules` selects are opened, and the manifest.
[[nodiscard]] Result<OutputFolder> read_output_folder(const std::string& path,
                                                      const OriginRules& rules = {});

// A shard file whose header and tables passed their checks.
struct ExistingShard {
  format::Metadata metadata;
  Schema schema;
  format::PlanIdentity identity;
  writer::FinishedShard finished;
};
// Called with the shard's schema and the key of a record, for every record of a shard in order. The
// function below reads header and tables of the shard once, and nothing of the records. `cache` is
// that of decode_header().
using KeyVisitor = std::function<void(const Schema& schema, std::string_view key)>;
[[nodiscard]] Result<ExistingShard> read_existing_shard(const std::string& folder,
                                                        const std::string& name,
                                                        const KeyVisitor& visit_key = {},
                                                        format::SchemaCache* cache = nullptr);

// Finds the shards of `plan` that can be kept. Such a shard has an equal plan, schema and sources,
// its header and tables pass their checks, and its digest and size agree with the manifest, if
// there is one. Returns one entry per planned shard; it is empty if the shard must be packed. Only
// shards of `range` are read. Adds one line to `damaged` for each damaged shard.
[[nodiscard]] std::vector<std::optional<writer::FinishedShard>> find_kept_shards(
    const OutputFolder& folder, const Plan& plan, ShardRange range,
    std::vector<std::string>& damaged);

// True if the folder already holds the complete pack of this plan, so that nothing is left to do.
[[nodiscard]] bool is_complete(const OutputFolder& folder, const Plan& plan,
                               const std::vector<std::optional<writer::FinishedShard>>& kept);

// Returns an error of code `usage` if the folder was packed with other options (the message names
// the first difference), or from another data set (less than half of the keys are the same). Adds a
// warning if samples were added or removed.
[[nodiscard]] Status check_same_options(const OutputFolder& folder, const Plan& plan,
                                        const SampleList& list, std::vector<std::string>& warnings);

// Returns the keys of the records of a shard, in order.
[[nodiscard]] Result<std::vector<std::string>> read_keys(const std::string& folder,
                                                         const std::string& name);

// The source files of a kept shard that are hashed again.
enum class SourcesToHash {
  newer,  // those that changed after the shard's file; one without a time counts as older
  all,    // --recheck
};

// True if a source file of a shard is not older than the file of the shard.
[[nodiscard]] bool has_newer_source(const std::string& folder, const std::string& name,
                                    const ShardPlan& shard, const SampleList& list);

// The result of hashing source files of a kept shard.
struct SourceCheck {
  bool unchanged = true;  // the files of packed samples still have the hashes stored in the shard
  std::vector<std::uint64_t>
      skipped;  // indices of samples that the shard lacks; it stores nothing about them
};
// Hashes source files of a shard's samples again and compares the hashes with those in the shard.
// Samples with no file to hash are left out. Failure: `io`.
[[nodiscard]] Result<SourceCheck> check_sources(const std::string& folder, const std::string& name,
                                                const ShardPlan& shard, const SampleList& list,
                                                SourcesToHash which = SourcesToHash::all);

}  // namespace hotpack::pipeline
