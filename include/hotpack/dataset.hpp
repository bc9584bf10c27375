// A packed data set: a folder with dataset.json and shards, or several such folders with the same
// classes, read as one.
//
// To read records in order, loop over sample(0) … sample(size() − 1) and call load_image() and
// load_label() on each (shard.hpp; decode labels with expand_label() of expand.hpp).
// open() reads the manifests only. A shard is mapped and checked when a sample in it is first
// used, and stays mapped. But a process can map only so many files: in a Dataset of more than
// 16,382 shards (fewer if vm.max_map_count is lower), a shard stays mapped only as long as a Sample
// of it exists, and is mapped again when it is needed.
// Ownership: a Dataset owns its shards. Samples and their views borrow from it and must not
// outlive it; moving the Dataset leaves them valid. In a Dataset of so many shards, a view must not
// outlive the last Sample of its shard, either. Loaders share the shards and may outlive it.
// Thread-safety: several threads may call all const members at once.
// Failure: `io` for files that cannot be read; `damaged` for a folder that is not a data set
// (foreign, unfinished, of a newer major version) and for shards that are missing or differ from
// the manifest; `usage` for packs that cannot be read as one and for samples that do not exist.
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

/// The plan of a pack, made before its first byte was written.
struct PlanInfo {
  std::uint64_t samples = 0;  ///< records and skipped samples
  std::uint64_t shards = 0;
  std::string keys;  ///< digest of all keys, "xxh3-128:<hex>"
};

/// One folder, as its manifest describes it.
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

/// One shard, as its manifest describes it.
struct ShardInfo {
  std::string path;
  std::size_t pack = 0;     ///< index into Dataset::packs()
  std::uint64_t first = 0;  ///< the number of its first sample in the Dataset
  std::uint64_t records = 0;
  std::uint64_t size_bytes = 0;
  std::string sources;
  std::string digest;
};

class Dataset {
 public:
  [[nodiscard]] static Result<Dataset> open(const std::string& folder);
  /// Opens one or more packs as one data set. The samples of the first folder come first, then
  /// those of the next. Refuses packs that differ in class names or colors, label scope, storage,
  /// `multi`, image layout or channels. Record sizes may differ.
  [[nodiscard]] static Result<Dataset> open(std::span<const std::string> folders);
  [[nodiscard]] static Result<Dataset> open(std::initializer_list<std::string_view> folders);
  ~Dataset();
  Dataset(Dataset&&) noexcept;
  Dataset& operator=(Dataset&&) noexcept;

  /// The schema of the pack. For several packs it is the first pack's, but if record sizes differ,
  /// shapes and `geometry.size` are absent. The rest of `geometry` and the packing options may
  /// differ from pack to pack; packs() has those of each pack.
  [[nodiscard]] const Schema& schema() const;
  [[nodiscard]] const std::vector<ClassInfo>& classes() const { return schema().classes; }
  [[nodiscard]] std::uint64_t size() const { return records(); }  ///< the number of samples
  [[nodiscard]] std::uint64_t records() const;
  [[nodiscard]] std::uint64_t skipped() const;
  /// Identifies the samples and their order: the pack's fingerprint, or a digest over those of
  /// several packs and the numbers of a subset (src/loader/ORDER.md, section 7). "xxh3-128:<hex>"
  [[nodiscard]] const std::string& fingerprint() const;
  [[nodiscard]] std::span<const PackInfo> packs() const;
  [[nodiscard]] std::span<const ShardInfo> shards() const;

  /// Returns the statistics of one pack from its manifest. Those of several packs are computed from
  /// the integer sums in all shards, so the first call opens every shard.
  [[nodiscard]] Result<Statistics> statistics() const;

  /// Returns sample `number`, from 0 to size() − 1, counted in the order of packs, shards and
  /// records. Opens the shard of that sample if it is not open; it stays open as long as the Sample
  /// or a copy of it exists.
  [[nodiscard]] Result<Sample> sample(std::uint64_t number) const;
  /// Shard 0 … shards().size() − 1. Opens it at first use and checks it against the manifest. It
  /// stays mapped as long as the Dataset, so this is not for loops over very many shards.
  [[nodiscard]] Result<const Shard*> shard(std::size_t number) const;

  /// Returns the number of the sample with this key, or an empty optional if no sample has it. The
  /// first call opens every shard and builds an index of 16 bytes per sample. If several packs
  /// contain the key, the sample of the first of them is returned.
  [[nodiscard]] Result<std::optional<std::uint64_t>> find(std::string_view key) const;

  /// The keys of samples first … first + count − 1, faster than one by one. The views live as long
  /// as the Dataset; a Dataset of very many shards keeps copies for that, so use copied_keys() to
  /// go through all its keys. Opens the shards of these samples.
  [[nodiscard]] Result<std::vector<std::string_view>> keys(std::uint64_t first,
                                                           std::uint64_t count) const;
  /// The same as copies, which need not end with the Dataset.
  [[nodiscard]] Result<std::vector<std::string>> copied_keys(std::uint64_t first,
                                                             std::uint64_t count) const;

  /// Returns the data set of these samples, in this order; a sample may occur several times. Its
  /// samples count from 0, also in batches of its Loaders. Schema, packs, shards and statistics
  /// stay those of the whole packs. A Loader's state belongs to exactly these samples
  /// (Loader::fingerprint()). Maps shards of its own. `usage` for numbers that do not exist.
  [[nodiscard]] Result<Dataset> subset(std::span<const std::uint64_t> numbers) const;

 private:
  friend class reader::DatasetFiles;
  struct Impl;
  explicit Dataset(std::unique_ptr<Impl> impl);
  [[nodiscard]] Result<Statistics> joined_statistics() const;
  [[nodiscard]] Status check_range(std::uint64_t first, std::uint64_t count) const;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hotpack
