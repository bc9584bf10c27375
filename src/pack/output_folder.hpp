// What already is in the output folder, and which of its shards can be kept.
//
// Reads only; pack() decides. Thread-safe as plain values are. Failure: `usage` for files that hotpack did not make, `io`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/manifest.hpp"
#include "format/sums.hpp"
#include "hotpack/result.hpp"
#include "pack/partition.hpp"
#include "pack/plan.hpp"
#include "writer/shard_writer.hpp"

namespace hotpack::pipeline {

struct OutputFolder {
  std::string path;
  bool exists = false;
  std::optional<format::Manifest> manifest;  // whole and undamaged
  std::string manifest_text;                 // its file, as far as it could be read
  std::string manifest_fault;                // why a manifest that is there cannot be used, else empty
  std::vector<std::string> shards;           // names of shard files, sorted
};

// Lists the folder. Refuses (code `usage`) any entry that is neither a manifest, a shard of hotpack, nor one of its temporary files,
// and those of a later format. A file that was cut before it could tell counts as hotpack's. With `repair` so does one that begins
// otherwise, where another file of the folder shows whose it is.
[[nodiscard]] Result<OutputFolder> look_at_output(const std::string& path, bool repair = false);

// A shard file that passed its first-touch checks.
struct ExistingShard {
  format::Metadata metadata;
  Schema schema;
  format::PlanIdentity identity;
  writer::FinishedShard finished;
};
// Reads header and tables once; `visit_key` is given the key of every record, in order, with the shard's schema.
using KeyVisitor = std::function<void(const Schema& schema, std::string_view key)>;
[[nodiscard]] Result<ExistingShard> read_existing_shard(const std::string& folder, const std::string& name,
                                                        const KeyVisitor& visit_key = {});

// Shards of `plan` that need no packing: plan, schema and sources equal, first-touch checks and (where a manifest tells it) digest and size
// good. An entry per planned shard. `damaged` gains a line for each shard that is there but broken.
// Only shards of `range` are examined.
[[nodiscard]] std::vector<std::optional<writer::FinishedShard>> find_kept_shards(const OutputFolder& folder, const Plan& plan,
                                                                                 ShardRange range, std::vector<std::string>& damaged);

// Whether the folder already holds this plan, whole: nothing is to be done.
[[nodiscard]] bool is_complete(const OutputFolder& folder, const Plan& plan, const std::vector<std::optional<writer::FinishedShard>>& kept);

// Refuses (code `usage`) a folder that was packed with other options, naming the first that differs, or that holds another data set (less
// than half of the keys in common). A changed set of samples is reported in `remarks`.
[[nodiscard]] Status check_same_options(const OutputFolder& folder, const Plan& plan, const SampleList& list,
                                        std::vector<std::string>& remarks);

// Keys of the records of a shard, in order.
[[nodiscard]] Result<std::vector<std::string>> read_keys(const std::string& folder, const std::string& name);

// What hashing the sources of a kept shard shows (--recheck).
struct SourceCheck {
  bool unchanged = true;               // the packed samples' files have the hashes stored in the shard
  std::vector<std::uint64_t> skipped;  // samples (indices into the list) that the shard lacks: nothing is stored of them
};
// Errors: `io`.
[[nodiscard]] Result<SourceCheck> check_sources(const std::string& folder, const std::string& name, const ShardPlan& shard,
                                                const SampleList& list);

}  // namespace hotpack::pipeline
