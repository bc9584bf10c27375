// The plan of a pack: to which shard and which place in it every sample goes, and all sizes in
// bytes. The plan is made before the first byte is written. It depends only on inputs and options,
// not on threads, bad files or the content of the output folder.
//
// Immutable, so thread-safe to read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/plan_text.hpp"
#include "format/shard_layout.hpp"
#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"
#include "label_setup/label_setup.hpp"
#include "samples/sample_list.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// Bytes of one or more records, of image and label separately.
struct RecordBytes {
  std::uint64_t image = 0, label = 0;
  [[nodiscard]] std::uint64_t total() const { return image + label; }
};

struct ShardPlan {
  std::uint64_t first = 0;  // index of the shard's first sample
  std::uint64_t samples = 0;
  std::uint64_t key_bytes = 0;
  RecordBytes bytes;    // of all its records, uncompressed
  RecordBytes bounds;   // the most bytes that they can take if compressed
  std::string sources;  // value of hotpack.sources in the shard's metadata
};

struct Plan {
  Schema schema;
  std::string schema_text;
  format::PlanIdentity identity;
  std::string plan_text;
  std::vector<ShardPlan> shards;
  RecordOptions record;
  RecordBytes largest;        // the largest record, uncompressed; without mixed sizes, every record
  bool scales_jpegs = false;  // large JPEGs are decoded at a fraction of their size
  bool is_fixed = false;      // from a plan file: another run of the command makes no other plan

  [[nodiscard]] bool mixed() const { return !schema.image.shape; }
  // Uncompressed bytes of a record; 0 if sizes differ and this sample's size is unknown.
  [[nodiscard]] RecordBytes bytes_of(const Sample& sample) const;

  [[nodiscard]] format::Metadata metadata(std::size_t shard) const;
  [[nodiscard]] format::Contents contents(const ShardPlan& shard) const;
  [[nodiscard]] bool compressed() const;
  // True if sizes of shards are known, not only bounded: without compression and pixel labels.
  [[nodiscard]] bool exact() const;
  [[nodiscard]] Result<std::uint64_t> shard_file_bytes(
      std::size_t shard) const;  // an upper bound unless exact()
};

// Sorts the samples into write order (key bytes, or --shuffle).
void order_samples(std::optional<std::uint64_t> shuffle_seed, SampleList& list);

// For --tile: replaces each sample by its tiles, each of which has its own key. Uses the sizes that
// headers give; an image whose header is unusable has no size and becomes one sample.
void cut_into_tiles(const RecordOptions& options, SampleList& list);

// Sorts `list` into write order. Errors: `usage` if sizes overflow or the schema is too large.
[[nodiscard]] Result<Plan> make_plan(const PackOptions& options, const LabelSetup& setup,
                                     SampleList& list);

// Makes only Plan::schema, without what depends on the samples.
[[nodiscard]] Schema make_schema(const PackOptions& options, const LabelSetup& setup);

}  // namespace hotpack::pipeline
