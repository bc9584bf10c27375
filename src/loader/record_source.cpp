#include "loader/record_source.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>
#include <utility>

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/fault_guard.hpp"
#include "base/try.hpp"
#include "loader/open_files.hpp"
#include "loader/record_reading.hpp"
#include "reader/changed_file.hpp"
#include "reader/dataset_files.hpp"
#include "reader/zstd_frame.hpp"

namespace hotpack::loader {

namespace {

using reader::DatasetFiles;
using reader::RecordFault;
using reader::RecordMarks;
using reader::RecordPlace;
using reader::ShardFile;
using reader::StoredRecord;

// Gives a pin back.
class Pin {
 public:
  Pin(DatasetFiles& files, std::size_t shard) : files_(files), shard_(shard) {}
  ~Pin() { files_.unpin(shard_); }
  Pin(const Pin&) = delete;
  Pin& operator=(const Pin&) = delete;

 private:
  DatasetFiles& files_;
  std::size_t shard_;
};

std::string fingerprint_of(const std::vector<Pack>& packs) {
  if (packs.size() == 1) return packs.front().fingerprint;
  Hasher128 hasher;
  for (const Pack& pack : packs) {
    hasher.add(pack.fingerprint);
    hasher.add(std::string_view("\0", 1));
  }
  return hasher.finish().text();
}

// "" where it cannot be read.
std::string readable_key(const ShardFile& file, std::uint64_t index) {
  std::string_view key;
  RecordFault fault;
  auto find = [&]() noexcept { fault = file.find_key(index, key); };
  if (guarded(file.bytes(), find) || fault) return {};
  std::string copy(key.size(), '\0');
  auto copy_out = [&]() noexcept { std::memcpy(copy.data(), key.data(), key.size()); };
  if (guarded(file.bytes(), copy_out)) return {};
  return copy;
}

Error name_record(Error error, const ShardFile& file, std::uint64_t index) {
  if (error.path.empty()) error.path = file.path();
  return reader::name_record(std::move(error), index, readable_key(file, index));
}

// Where the parts of a record lie, and its shape.
struct RecordLook {
  RecordShape shape;
  StoredRecord image;
  StoredRecord label;
  RecordFault fault;
};

void look_at(const ShardFile& file, std::uint64_t index, RecordLook& look) noexcept {
  look.fault = file.find_image_shape(index, look.shape.image);
  if (!look.fault) look.fault = file.find_label_shape(index, look.shape.label);
}

void find_parts(const ShardFile& file, std::uint64_t index, RecordLook& look) noexcept {
  look.fault = file.find_stored(file.image(), index, look.image);
  if (!look.fault && file.label().payload != nullptr) look.fault = file.find_stored(file.label(), index, look.label);
}

// Asks for pages of a mapping. Advice only: what the system says to it does not matter.
void advise_mapping(std::span<const std::byte> bytes) noexcept {
  static const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
  const std::uintptr_t first = begin - begin % page;
  if (!bytes.empty()) (void)::madvise(reinterpret_cast<void*>(first), begin - first + bytes.size(), MADV_WILLNEED);
}

void advise_file(const File& file, const StoredRecord& record) noexcept {
  if (record.bytes.empty()) return;
  (void)::posix_fadvise(file.descriptor(), static_cast<off_t>(record.offset), static_cast<off_t>(record.bytes.size()), POSIX_FADV_WILLNEED);
}

}  // namespace

struct RecordSource::Impl {
  std::shared_ptr<DatasetFiles> files;
  Check check = Check::first_epoch;
  bool by_calls = false;
  std::string fingerprint;
  mutable OpenFiles open_files;
  mutable DiskWatch disk;

  [[nodiscard]] bool check_due(const RecordMarks& marks, std::uint64_t record) const noexcept;
  [[nodiscard]] Status read(const ShardFile& file, RecordPlace place, RecordScratch& scratch, RecordUser user) const;
  [[nodiscard]] Status run(const ShardFile& file, RecordPlace place, RecordReading& reading) const;
  [[nodiscard]] Status place_of(std::uint64_t number, RecordPlace& place) const;
};

Status RecordSource::Impl::place_of(std::uint64_t number, RecordPlace& place) const {
  const std::uint64_t records = files->contents().records;
  if (number >= records) return usage_error("sample " + std::to_string(number) + " of " + std::to_string(records));
  place = files->place_of(number);
  return {};
}

bool RecordSource::Impl::check_due(const RecordMarks& marks, std::uint64_t record) const noexcept {
  return check == Check::always || (check == Check::first_epoch && !marks.has(RecordMarks::Fact::checked, record));
}

Status RecordSource::Impl::read(const ShardFile& file, RecordPlace place, RecordScratch& scratch, RecordUser user) const {
  RecordMarks& marks = files->marks(place.shard);
  const bool check_now = check_due(marks, place.record);
  RecordReading reading(file, place.record, check_now, by_calls, scratch, user);
  if (Status ran = run(file, place, reading); !ran.ok()) return name_record(ran.error(), file, place.record);
  if (check_now) marks.set(RecordMarks::Fact::checked, place.record);
  marks.set(RecordMarks::Fact::read, place.record);
  disk.add(scratch.disk, reading.stored_bytes());
  return {};
}

// Errors do not name the record.
Status RecordSource::Impl::run(const ShardFile& file, RecordPlace place, RecordReading& reading) const {
  const bool compressed = file.image().compressed || file.label().compressed;
  if (compressed) HOTPACK_TRY(reader::prepare_decompression());
  while (true) {
    if (const auto offset = guarded(file.bytes(), reading)) {
      if (compressed) reader::renew_decompression();
      return reader::unreadable_error(file.path(), file.identity(), *offset);
    }
    if (reading.fault()) return file.error_of(reading.fault());
    if (reading.done()) return {};
    try {
      HOTPACK_TRY(reading.provide(open_files, place.shard));
    } catch (const std::bad_alloc&) {
      return Error{ErrorCode::io, "there is no memory for this record", file.path(), {}};
    }
  }
}

RecordSource::RecordSource(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RecordSource::~RecordSource() = default;

Result<std::unique_ptr<RecordSource>> RecordSource::make(const Dataset& dataset, Check check, Access access) {
  HOTPACK_TRY(install_fault_handler());
  (void)crc32c({});  // makes its tables, which must not happen under the guard
  auto impl = std::make_unique<Impl>();
  impl->files = DatasetFiles::of(dataset);
  impl->check = check;
  impl->by_calls = access == Access::read;
  impl->fingerprint = fingerprint_of(impl->files->contents().packs);
  return std::unique_ptr<RecordSource>(new RecordSource(std::move(impl)));
}

std::uint64_t RecordSource::records() const { return impl_->files->contents().records; }
const Schema& RecordSource::schema() const { return impl_->files->contents().schema; }
const std::string& RecordSource::fingerprint() const { return impl_->fingerprint; }

Result<RecordShape> RecordSource::shape(std::uint64_t number) const {
  RecordPlace place;
  HOTPACK_TRY(impl_->place_of(number, place));
  HOTPACK_ASSIGN(const ShardFile* const file, impl_->files->pin(place.shard));
  const Pin pin(*impl_->files, place.shard);
  RecordLook look;
  auto work = [&]() noexcept { look_at(*file, place.record, look); };
  if (const auto offset = guarded(file->bytes(), work)) {
    return name_record(reader::unreadable_error(file->path(), file->identity(), *offset), *file, place.record);
  }
  if (look.fault) return name_record(file->error_of(look.fault), *file, place.record);
  return look.shape;
}

Status RecordSource::read(std::uint64_t number, RecordScratch& scratch, Use use, void* context) const {
  RecordPlace place;
  HOTPACK_TRY(impl_->place_of(number, place));
  const ShardFile* file = impl_->files->pin_open(place.shard);
  if (file == nullptr) {
    HOTPACK_ASSIGN(file, impl_->files->pin(place.shard));
  }
  const Pin pin(*impl_->files, place.shard);
  return impl_->read(*file, place, scratch, {use, context});
}

void RecordSource::read_ahead(std::uint64_t number) const noexcept {
  if (number >= records()) return;
  const RecordPlace place = impl_->files->place_of(number);
  const ShardFile* const file = impl_->files->pin_open(place.shard);
  if (file == nullptr) return;  // opening it would take a while
  const Pin pin(*impl_->files, place.shard);
  if (impl_->files->marks(place.shard).has(RecordMarks::Fact::read, place.record) && !impl_->disk.busy()) return;
  RecordLook look;
  auto work = [&]() noexcept { find_parts(*file, place.record, look); };
  if (guarded(file->bytes(), work) || look.fault) return;
  if (!impl_->by_calls) {
    advise_mapping(look.image.bytes);
    advise_mapping(look.label.bytes);
  } else if (const auto opened = impl_->open_files.find(place.shard)) {
    advise_file(*opened, look.image);
    advise_file(*opened, look.label);
  }
}

}  // namespace hotpack::loader
