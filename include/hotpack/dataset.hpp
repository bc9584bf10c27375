// A packed data set: the folder with dataset.json and its shards; or several such folders with one class table, read as one.
//
// Opening reads the manifests alone, O(shards). A shard is mapped and checked when a sample in it is first asked for, and stays mapped.
// Ownership: a Dataset owns its shards; Samples and their views borrow from it and must not outlive it. Moving it leaves them valid.
// Loaders share the shards, and may outlive it. Thread-safety: all const members may be called from several threads at once. Failure: `io`
// for what cannot be read, `damaged` for a folder that is not a data set (foreign, unfinished, of a newer major version) and for shards
// that are missing or differ from the manifest, `usage` for packs that cannot be read as one and samples that do not exist.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"
#include "hotpack/shard.hpp"
#include "hotpack/statistics.hpp"

namespace hotpack {

namespace reader {
class DatasetFiles;
}

/// What was planned before the first byte was written.
struct PlanInfo {
  std::uint64_t samples = 0;  ///< records and skipped samples
  std::uint64_t shards = 0;
  std::string keys;  ///< digest of all keys, "xxh3-128:<hex>"
};

/// One folder, as its manifest tells it.
struct PackInfo {
  std::string folder;
  std::string format;       ///< "1.0"
  std::string fingerprint;  ///< digest of schema and plan
  Schema schema;
  PlanInfo plan;
  Statistics statistics;
  std::uint64_t skipped = 0;  ///< planned samples that were not packed
  std::uint64_t records = 0;
};

/// One row of a manifest.
struct ShardInfo {
  std::string path;
  std::size_t pack = 0;     ///< index into Dataset::packs()
  std::uint64_t first = 0;  ///< number of its first sample in the Dataset
  std::uint64_t records = 0;
  std::uint64_t size_bytes = 0;
  std::string sources;
  std::string digest;
};

class Dataset {
 public:
  [[nodiscard]] static Result<Dataset> open(const std::string& folder);
  /// Several packs in this order. Refused where their samples could not be read alike: class names or colors, label scope, storage,
  /// `multi`, image layout or channels differ. Record sizes may differ. At least one folder.
  [[nodiscard]] static Result<Dataset> open(std::span<const std::string> folders);
  [[nodiscard]] static Result<Dataset> open(std::initializer_list<std::string_view> folders);
  ~Dataset();
  Dataset(Dataset&&) noexcept;
  Dataset& operator=(Dataset&&) noexcept;

  /// What every record looks like. Of several packs the first one's; where their record sizes differ the shapes and `geometry.size` are
  /// absent. Geometry's other members and the options are those of the first pack; packs() has each.
  [[nodiscard]] const Schema& schema() const;
  [[nodiscard]] const std::vector<ClassInfo>& classes() const { return schema().classes; }
  [[nodiscard]] std::uint64_t size() const { return records(); }  ///< samples
  [[nodiscard]] std::uint64_t records() const;
  [[nodiscard]] std::uint64_t skipped() const;
  [[nodiscard]] std::span<const PackInfo> packs() const;
  [[nodiscard]] std::span<const ShardInfo> shards() const;

  /// One pack: the manifest's. Several: computed from the integer sums of every shard, which opens them all.
  [[nodiscard]] Result<Statistics> statistics() const;

  /// Sample number 0 … records() − 1, in the order of packs, shards and records. Opens its shard on first use; finding it is O(log shards).
  [[nodiscard]] Result<Sample> sample(std::uint64_t number) const;
  /// Shard number 0 … shards().size() − 1, opened on first use and checked against the manifest.
  [[nodiscard]] Result<const Shard*> shard(std::size_t number) const;

  /// The number of the sample with this key; absent when there is none. The first call opens every shard and builds an index of 16 bytes a
  /// sample; later ones are O(log N). Of several packs with the same key the first wins.
  [[nodiscard]] Result<std::optional<std::uint64_t>> find(std::string_view key) const;

 private:
  friend class reader::DatasetFiles;
  struct Impl;
  explicit Dataset(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hotpack
