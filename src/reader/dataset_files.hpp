// The files of a data set: the contents of its manifests, and its shards, which are opened at first
// use. Dataset uses this object and shares it with Loaders, which may outlive the Dataset. A
// Dataset has one object for mapped shards, and another for Loaders that use system calls only.
//
// Ownership: shared. A shard is kept if a Dataset has handed out the Shard; it then stays mapped. A
// shard is pinned while a Loader reads a record of it, and held while a Sample of it exists. If
// there are more shards than may be mapped, opening one unmaps another that is none of these: the
// least recently used one (second-chance algorithm). If there are not so many, pins and holds cost
// nothing. Record flags survive
// unmapping. If a shard's file was replaced since it was first opened, opening it again is an
// error. Thread-safety: several threads may call all members at once, except limit_mappings(). A
// child after fork() must not touch its parent's object, because the parent's threads may hold its
// locks; of() returns the child's own. Failure: as Dataset's; code `io` if memory is lacking.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "format/shard_header.hpp"
#include "hotpack/dataset.hpp"
#include "reader/record_flags.hpp"
#include "reader/shard_file.hpp"

namespace hotpack::reader {

// The texts that all shards of one pack must match.
struct PackTexts {
  format::SchemaCache schema;  // parsed once; each opening works on a copy
  std::string plan;
};

// The contents of the manifests.
struct Contents {
  std::vector<PackInfo> packs;
  std::vector<PackTexts> texts;  // one per pack
  Schema schema;                 // of all packs together
  std::vector<ShardInfo> shards;
  std::uint64_t records = 0;
  std::string fingerprint;  // by ORDER.md, section 7
  // the number of each sample in the packs; null: all samples, in order
  std::shared_ptr<const std::vector<std::uint64_t>> subset = {};
};

// A sample's shard, and its record in that shard.
struct RecordPlace {
  std::size_t shard = 0;
  std::uint64_t record = 0;
};

// A shard, and what keeps it mapped; null if it stays mapped as long as the DatasetFiles.
struct HeldShard {
  const Shard* shard = nullptr;
  std::shared_ptr<const void> hold;
};

class DatasetFiles : public std::enable_shared_from_this<DatasetFiles> {
 public:
  DatasetFiles(std::shared_ptr<const Contents> contents, MapMode mode);
  // The files of a Dataset in this process. keep() is for MapMode::mapped.
  [[nodiscard]] static std::shared_ptr<DatasetFiles> of(const Dataset& dataset,
                                                        MapMode mode = MapMode::mapped);

  [[nodiscard]] const Contents& contents() const { return *contents_; }
  // Precondition: number < contents().records. O(log shards).
  [[nodiscard]] RecordPlace place_of(std::uint64_t number) const noexcept;

  // Returns the shard, which then stays mapped as long as this object.
  [[nodiscard]] Result<const Shard*> keep(std::size_t shard);

  // Returns the shard, mapped at least until `hold` and its copies have ended. They may outlive
  // every other owner of this object.
  [[nodiscard]] Result<HeldShard> hold(std::size_t shard);
  // True if there are more shards than may be mapped, so that only held, pinned and kept shards
  // stay mapped.
  [[nodiscard]] bool unmaps() const { return unmaps_; }

  // Returns the shard, mapped until unpin(). Opens it if necessary.
  [[nodiscard]] Result<const ShardFile*> pin(std::size_t shard);
  // The same if the shard is open, else null and no pin. Takes no lock.
  [[nodiscard]] const ShardFile* pin_open(std::size_t shard) noexcept;
  void unpin(std::size_t shard) noexcept;
  // Precondition: pin() has returned this shard at least once.
  [[nodiscard]] RecordFlags& flags(std::size_t shard) noexcept { return *slots_[shard].flags; }

  // Sets how many shards may be mapped at once. Default: 16,384 or a quarter of vm.max_map_count (a
  // twelfth for MapMode::tables), whichever is smaller. For tests; call it before the first shard
  // is opened.
  void limit_mappings(std::size_t budget);
  [[nodiscard]] std::size_t mappings() const;  // current number

 private:
  // The state of one shard.
  struct Slot {
    std::mutex opening;                            // held while the file is opened
    std::unique_ptr<const Shard> shard;            // guarded by mapping_
    std::unique_ptr<RecordFlags> flags;            // created with the first opening
    std::optional<FileIdentity> first_opened;      // guarded by opening
    std::atomic<const ShardFile*> ready{nullptr};  // the file of `shard`
    std::atomic<const Shard*> kept{nullptr};       // `shard`, if it must not be unmapped any more
    std::atomic<std::uint32_t> pins{0};            // counted only if shards are unmapped
    std::atomic<bool> used{false};                 // since it was last examined for unmapping
  };

  [[nodiscard]] Result<std::unique_ptr<const ShardFile>> open(const ShardInfo& row) const;
  [[nodiscard]] Result<const ShardFile*> open_pinned(std::size_t shard);
  [[nodiscard]] const ShardFile* publish(std::size_t shard, std::unique_ptr<const ShardFile> file);
  [[nodiscard]] std::unique_ptr<const Shard> unmap_one(std::size_t but);
  [[nodiscard]] bool try_retire(Slot& slot) const;

  std::shared_ptr<const Contents> contents_;
  MapMode map_mode_;
  std::vector<std::uint64_t> firsts_;  // number of each shard's first sample
  std::unique_ptr<Slot[]> slots_;      // one per shard
  std::size_t budget_;
  bool unmaps_;  // true if there are more shards than the limit
  std::size_t mappings_ = 0;
  std::size_t openings_to_skip_ = 0;    // before the next search for a shard to unmap
  mutable std::mutex mapping_;          // guards which shards are mapped
  std::deque<std::size_t> candidates_;  // in the order in which unmap_one() examines them
};

}  // namespace hotpack::reader
