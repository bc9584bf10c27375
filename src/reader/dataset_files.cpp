#include "reader/dataset_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <new>
#include <utility>

#include "base/error.hpp"
#include "base/no_memory.hpp"
#include "base/try.hpp"
#include "reader/changed_file.hpp"

namespace hotpack::reader {

namespace {

namespace fs = std::filesystem;

// Returns how many shards may be mapped at once: a share of the mappings that the system allows a
// process, because the process maps other things too, and may read several data sets. A shard with
// only its tables in memory takes three mappings.
std::size_t default_budget(MapMode mode) {
  constexpr std::size_t kMost = 16384, kUsualLimit = 65530;
  std::size_t limit = 0;
  if (!(std::ifstream("/proc/sys/vm/max_map_count") >> limit)) limit = kUsualLimit;
  return std::clamp<std::size_t>(limit / (mode == MapMode::mapped ? 4 : 12), 1, kMost);
}

std::string row_difference(const ShardInfo& row, const PackTexts& texts, const ShardFile& file) {
  const auto& metadata = file.header().metadata;
  if (metadata.schema != texts.schema.text)
    return "its schema differs from the manifest's; is it a shard of another pack?";
  if (metadata.plan != texts.plan)
    return "its plan differs from the manifest's; is it a shard of another pack?";
  if (metadata.sources != row.sources)
    return "its sources are " + metadata.sources + ", the manifest says " + row.sources;
  if (file.records() == row.records) return {};
  return "it has " + std::to_string(file.records()) + " records, the manifest says " +
         std::to_string(row.records);
}

Status check_size(const ShardInfo& row) {
  std::error_code failed;
  const auto size = fs::file_size(row.path, failed);
  if (failed == std::errc::no_such_file_or_directory)
    return damaged_error(
        "the manifest names this shard, but it is missing; restore it, or run the command that "
        "packed it again",
        row.path);
  if (failed) return io_error("cannot get the size of the file", row.path, failed.value());
  if (size == row.size_bytes) return {};
  return damaged_error(
      "has " + std::to_string(size) + " bytes, the manifest says " + std::to_string(row.size_bytes),
      row.path);
}

std::vector<std::uint64_t> firsts_of(const std::vector<ShardInfo>& shards) {
  std::vector<std::uint64_t> firsts;
  firsts.reserve(shards.size());
  for (const ShardInfo& row : shards) firsts.push_back(row.first);
  return firsts;
}

}  // namespace

DatasetFiles::DatasetFiles(std::shared_ptr<const Contents> contents, MapMode mode)
    : contents_(std::move(contents)),
      map_mode_(mode),
      firsts_(firsts_of(contents_->shards)),
      slots_(std::make_unique<Slot[]>(contents_->shards.size())),
      budget_(default_budget(mode)),
      unmaps_(contents_->shards.size() > budget_) {}

void DatasetFiles::limit_mappings(std::size_t budget) {
  budget_ = budget;
  unmaps_ = contents_->shards.size() > budget_;
}

std::size_t DatasetFiles::mappings() const {
  const std::lock_guard lock(mapping_);
  return mappings_;
}

RecordPlace DatasetFiles::place_of(std::uint64_t number) const noexcept {
  if (contents_->subset) number = (*contents_->subset)[number];
  // Finds the last shard that begins at `number` or before. An empty shard begins at the same
  // number as the next shard, so it is never chosen.
  const auto after = std::upper_bound(firsts_.begin(), firsts_.end(), number);
  return {static_cast<std::size_t>(after - firsts_.begin()) - 1, number - *(after - 1)};
}

Result<std::unique_ptr<const ShardFile>> DatasetFiles::open(const ShardInfo& row) const {
  HOTPACK_TRY(check_size(row));
  format::SchemaCache cache = contents_->texts[row.pack].schema;
  HOTPACK_ASSIGN(auto file, ShardFile::open_checked(row.path, map_mode_, &cache));
  if (std::string difference = row_difference(row, contents_->texts[row.pack], *file);
      !difference.empty()) {
    return damaged_error(std::move(difference), row.path);
  }
  return file;
}

// pin_open() first increments the number of pins and then reads the file pointer; unmap_one() first
// clears the file pointer and then reads the number of pins. So at least one of the two notices the
// other.
const ShardFile* DatasetFiles::pin_open(std::size_t shard) noexcept {
  Slot& slot = slots_[shard];
  if (!unmaps_) return slot.ready.load(std::memory_order_acquire);
  slot.pins.fetch_add(1);
  const ShardFile* const file = slot.ready.load();
  if (file == nullptr) {
    slot.pins.fetch_sub(1);
  } else if (!slot.used.load(std::memory_order_relaxed)) {
    slot.used.store(true, std::memory_order_relaxed);
  }
  return file;
}

void DatasetFiles::unpin(std::size_t shard) noexcept {
  if (unmaps_) slots_[shard].pins.fetch_sub(1, std::memory_order_release);
}

Result<const ShardFile*> DatasetFiles::pin(std::size_t shard) {
  if (const ShardFile* const open_already = pin_open(shard)) return open_already;
  try {
    return open_pinned(shard);
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

Result<const ShardFile*> DatasetFiles::open_pinned(std::size_t shard) {
  Slot& slot = slots_[shard];
  const std::lock_guard opening(slot.opening);
  {
    // Checked under the lock: `ready` is also null while unmap_one() examines this shard.
    const std::lock_guard lock(mapping_);
    if (slot.shard != nullptr) {
      slot.pins.fetch_add(1);
      return slot.shard->file_.get();
    }
  }
  HOTPACK_ASSIGN(auto file, open(contents_->shards[shard]));
  if (slot.first_opened && !slot.first_opened->same_file(file->identity()))
    return replaced_error(file->path());
  slot.first_opened = file->identity();
  return publish(shard, std::move(file));
}

const ShardFile* DatasetFiles::publish(std::size_t shard, std::unique_ptr<const ShardFile> file) {
  Slot& slot = slots_[shard];
  const ShardFile* const opened = file.get();
  if (slot.flags == nullptr) slot.flags = std::make_unique<RecordFlags>(file->records());
  std::unique_ptr<const Shard> made(new Shard(std::move(file)));
  // destroyed after the lock is released, because unmapping takes a while
  std::vector<std::unique_ptr<const Shard>> unmapped;
  const std::lock_guard lock(mapping_);
  candidates_.push_back(shard);
  ++mappings_;
  slot.shard = std::move(made);
  slot.pins.fetch_add(1);
  slot.ready.store(opened);
  if (openings_to_skip_ > 0) {
    --openings_to_skip_;
    return opened;
  }
  while (mappings_ > budget_) {
    auto one = unmap_one(shard);
    if (one == nullptr) {
      // Everything is in use. If each opening searched all of it again, many openings would take
      // quadratic time.
      openings_to_skip_ = candidates_.size() / 8;
      break;
    }
    unmapped.push_back(std::move(one));
  }
  return opened;
}

// Removes a shard that nobody uses, but never `but`. Returns null if all others are in use.
std::unique_ptr<const Shard> DatasetFiles::unmap_one(std::size_t but) {
  for (std::size_t looks = 2 * candidates_.size(); looks > 0; --looks) {
    const std::size_t candidate = candidates_.front();
    candidates_.pop_front();
    Slot& slot = slots_[candidate];
    if (slot.kept.load(std::memory_order_relaxed) != nullptr) continue;
    const bool used = slot.used.exchange(false, std::memory_order_relaxed);
    if (candidate != but && !used && try_retire(slot)) {
      --mappings_;
      return std::move(slot.shard);
    }
    candidates_.push_back(candidate);
  }
  return nullptr;
}

// Hides the file of a slot and returns true; returns false if the slot is pinned.
bool DatasetFiles::try_retire(Slot& slot) const {
  const ShardFile* const file = slot.ready.exchange(nullptr);
  if (slot.pins.load() == 0) return true;
  slot.ready.store(file);
  return false;
}

Result<HeldShard> DatasetFiles::hold(std::size_t shard) {
  if (!unmaps_) {
    HOTPACK_ASSIGN(const Shard* const kept, keep(shard));
    return HeldShard{kept, {}};
  }
  HOTPACK_TRY(pin(shard));
  Slot& slot = slots_[shard];
  // If this throws, it has already called the deleter.
  std::shared_ptr<const void> hold(
      &slot, [self = shared_from_this(), shard](const void*) { self->unpin(shard); });
  return HeldShard{slot.shard.get(), std::move(hold)};
}

Result<const Shard*> DatasetFiles::keep(std::size_t shard) {
  Slot& slot = slots_[shard];
  if (const Shard* const kept = slot.kept.load(std::memory_order_acquire)) return kept;
  HOTPACK_TRY(pin(shard));
  const std::lock_guard lock(mapping_);
  // pin() was called above. The first call of keep() for a shard leaves this pin for ever; later
  // calls remove it again.
  if (slot.kept.load(std::memory_order_relaxed) != nullptr) unpin(shard);
  slot.kept.store(slot.shard.get(), std::memory_order_release);
  return static_cast<const Shard*>(slot.shard.get());
}

}  // namespace hotpack::reader
