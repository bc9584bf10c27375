// The plan of a pack: which sample goes to which slot of which shard, and how many bytes it all takes. Made before a byte is written,
// and a pure function of inputs and options: never of threads, of files that turn out to be bad, or of what is in the output folder.
//
// Immutable after it is made; thread-safe to read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/plan_text.hpp"
#include "format/shard_layout.hpp"
#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"
#include "pipeline/label_setup.hpp"
#include "pipeline/options.hpp"
#include "pipeline/sample_list.hpp"

namespace hotpack::pipeline {

struct ShardPlan {
  std::uint64_t first = 0;  // index of its first sample
  std::uint64_t samples = 0;
  std::uint64_t key_bytes = 0;
  std::string sources;  // hotpack.sources
};

struct Plan {
  Schema schema;
  std::string schema_text;
  format::PlanIdentity identity;
  std::string plan_text;
  std::vector<ShardPlan> shards;
  std::uint64_t image_bytes = 0;  // of one record, uncompressed
  std::uint64_t label_bytes = 0;  // 0 when unlabelled

  [[nodiscard]] format::Metadata metadata(std::size_t shard) const;
  [[nodiscard]] format::Contents contents(const ShardPlan& shard) const;
  [[nodiscard]] bool compressed() const;                                          // then sizes are upper bounds
  [[nodiscard]] Result<std::uint64_t> shard_file_bytes(std::size_t shard) const;  // exact, or with --zstd an upper bound
};

// Sorts the samples into write order (key bytes, or --shuffle).
void order_samples(std::optional<std::uint64_t> shuffle_seed, SampleList& list);

// `list` is in key order for the digest, then brought into write order. Errors: `usage` where sizes overflow or the schema is too large.
[[nodiscard]] Result<Plan> make_plan(const PackOptions& options, const LabelSetup& setup, SampleList& list);

// Plan.schema alone.
[[nodiscard]] Schema make_schema(const PackOptions& options, const LabelSetup& setup);

}  // namespace hotpack::pipeline
