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
#include "inputs/sample_list.hpp"
#include "label_setup/label_setup.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// Bytes of one or of many records, image and label apart.
struct RecordBytes {
  std::uint64_t image = 0, label = 0;
  [[nodiscard]] std::uint64_t total() const { return image + label; }
};

struct ShardPlan {
  std::uint64_t first = 0;  // index of its first sample
  std::uint64_t samples = 0;
  std::uint64_t key_bytes = 0;
  RecordBytes bytes;    // of all its records, uncompressed
  RecordBytes bounds;   // the most that they take compressed
  std::string sources;  // hotpack.sources
};

struct Plan {
  Schema schema;
  std::string schema_text;
  format::PlanIdentity identity;
  std::string plan_text;
  std::vector<ShardPlan> shards;
  RecordOptions record;
  RecordBytes largest;  // of one record, uncompressed; every record's where all have one size

  [[nodiscard]] bool mixed() const { return !schema.image.shape; }
  // Uncompressed; nothing where records have different sizes and this one's is not known.
  [[nodiscard]] RecordBytes bytes_of(const Sample& sample) const;

  [[nodiscard]] format::Metadata metadata(std::size_t shard) const;
  [[nodiscard]] format::Contents contents(const ShardPlan& shard) const;
  [[nodiscard]] bool compressed() const;                                          // then sizes are upper bounds
  [[nodiscard]] Result<std::uint64_t> shard_file_bytes(std::size_t shard) const;  // exact, or with --zstd an upper bound
};

// Sorts the samples into write order (key bytes, or --shuffle).
void order_samples(std::optional<std::uint64_t> shuffle_seed, SampleList& list);

// --tile: puts the tiles of each image in its place, each with a key of its own. Needs the samples' sizes; an image without one becomes
// one sample.
void cut_into_tiles(const RecordOptions& options, SampleList& list);

// `list` is in key order for the digest, then brought into write order. Errors: `usage` where sizes overflow or the schema is too large.
[[nodiscard]] Result<Plan> make_plan(const PackOptions& options, const LabelSetup& setup, SampleList& list);

// Plan.schema alone.
[[nodiscard]] Schema make_schema(const PackOptions& options, const LabelSetup& setup);

}  // namespace hotpack::pipeline
