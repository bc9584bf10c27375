// The files of a data set: what its manifests say, and its shards, opened on first use. Behind Dataset, and shared by Loaders, which may
// outlive it. A Dataset has one for shards that are mapped, and one for Loaders that read by system calls alone.
//
// Ownership: shared. Two ways to a shard: kept (Dataset hands out views of it, so it stays mapped) and pinned (a Loader reads a record and
// lets go). Where there are more shards than the budget of mappings, opening one unmaps another that is neither kept nor pinned, the least
// recently used by second chance; else pins cost nothing. Which records were read and checked stays known for unmapped shards, so another
// file that has taken the place of one that was open is refused.
// Thread-safety: all members from several threads at once, but for limit_mappings().
// After fork() a child leaves its parent's alone, for their locks may be held by threads that it does not have: of() gives its own.
// Failure: as Dataset's; code `io` where there is no memory.
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
#include "reader/record_marks.hpp"
#include "reader/shard_file.hpp"

namespace hotpack::reader {

// What shards of one pack are held against.
struct PackTexts {
  format::SchemaCache schema;  // parsed once; each opening works on a copy
  std::string plan;
};

// What the manifests say.
struct Contents {
  std::vector<PackInfo> packs;
  std::vector<PackTexts> texts;  // as packs
  Schema schema;                 // of all packs together
  std::vector<ShardInfo> shards;
  std::uint64_t records = 0;
};

// A sample's shard, and its record there.
struct RecordPlace {
  std::size_t shard = 0;
  std::uint64_t record = 0;
};

class DatasetFiles {
 public:
  DatasetFiles(std::shared_ptr<const Contents> contents, Holding holding);
  // Those of a Dataset in this process. keep() is for Holding::mapped.
  [[nodiscard]] static std::shared_ptr<DatasetFiles> of(const Dataset& dataset, Holding holding = Holding::mapped);

  [[nodiscard]] const Contents& contents() const { return *contents_; }
  // Precondition: number < contents().records. O(log shards).
  [[nodiscard]] RecordPlace place_of(std::uint64_t number) const noexcept;

  // The shard, which then stays mapped as long as this object.
  [[nodiscard]] Result<const Shard*> keep(std::size_t shard);

  // The shard, mapped until unpin(); opened where it is not.
  [[nodiscard]] Result<const ShardFile*> pin(std::size_t shard);
  // The same where it is open already, else null and no pin. Takes no lock.
  [[nodiscard]] const ShardFile* pin_open(std::size_t shard) noexcept;
  void unpin(std::size_t shard) noexcept;
  // Precondition: the shard was pinned once.
  [[nodiscard]] RecordMarks& marks(std::size_t shard) noexcept { return *slots_[shard].marks; }

  // Sets how many shards may be mapped, by default the smaller of 16,384 and half of vm.max_map_count (a twelfth for Holding::tables). For
  // tests; before the first shard is opened.
  void limit_mappings(std::size_t budget);
  [[nodiscard]] std::size_t mappings() const;  // at present

 private:
  // A shard's place.
  struct Slot {
    std::mutex opening;                            // held while the file is opened
    std::unique_ptr<const Shard> shard;            // guarded by mapping_
    std::unique_ptr<RecordMarks> marks;            // made with the first opening
    std::optional<FileIdentity> first_opened;      // guarded by opening
    std::atomic<const ShardFile*> ready{nullptr};  // of `shard`
    std::atomic<const Shard*> kept{nullptr};       // `shard`, once it may not be unmapped any more
    std::atomic<std::uint32_t> pins{0};            // counted only where shards are unmapped
    std::atomic<bool> used{false};                 // since it was examined for unmapping
  };

  [[nodiscard]] Result<std::unique_ptr<const ShardFile>> open(const ShardInfo& row) const;
  [[nodiscard]] Result<const ShardFile*> open_pinned(std::size_t shard);
  [[nodiscard]] const ShardFile* publish(std::size_t shard, std::unique_ptr<const ShardFile> file);
  [[nodiscard]] std::unique_ptr<const Shard> unmap_one(std::size_t but);
  [[nodiscard]] bool try_retire(Slot& slot) const;

  std::shared_ptr<const Contents> contents_;
  Holding holding_;
  std::vector<std::uint64_t> firsts_;  // number of each shard's first sample
  std::unique_ptr<Slot[]> slots_;      // as shards
  std::size_t budget_;
  bool unmaps_;  // there are more shards than the budget
  std::size_t mappings_ = 0;
  mutable std::mutex mapping_;          // guards which shards are mapped
  std::deque<std::size_t> candidates_;  // in the order in which they are examined for unmapping
};

}  // namespace hotpack::reader
