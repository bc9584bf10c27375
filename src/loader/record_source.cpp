#include "loader/record_source.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <new>
#include <optional>
#include <utility>

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/fault_guard.hpp"
#include "base/try.hpp"
#include "loader/open_files.hpp"
#include "loader/record_reading.hpp"
#include "reader/changed_file.hpp"
#include "reader/dataset_files.hpp"
#include "reader/record_fault.hpp"
#include "reader/zstd_frame.hpp"

namespace hotpack::loader {

namespace {

using reader::DatasetFiles;
using reader::FieldTables;
using reader::MapMode;
using reader::RecordFault;
using reader::RecordFlags;
using reader::RecordPlace;
using reader::ShardFile;
using reader::StoredRecord;

// Unpins a shard.
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

// Runs `work`, which reads the shard `file`: under the fault guard or, if the shard is read with
// system calls (`by_calls`), without it. Returns the offset of a byte that could not be read, or
// nothing.
template <class Work>
std::optional<std::size_t> run_on(const ShardFile& file, bool by_calls, Work& work) noexcept {
  if (!by_calls) return guarded(file.bytes(), work);
  work();
  return std::nullopt;
}

// Describes a fault; the caller adds the name of the record.
Error damage_of(const ShardFile& file, const RecordFault& fault) {
  Error error = file.error_of(fault);
  error.message += reader::kDamageAdvice;
  return error;
}

// Prefixes the error with file and record.
Error named(Error error, const ShardFile& file, std::uint64_t index) {
  if (error.path.empty()) error.path = file.path();
  return reader::name_record(std::move(error), index, file.readable_key(index));
}

// Where the image and the label of a record are stored, and the shape of the record.
struct RecordLook {
  RecordShape shape;
  StoredRecord image;
  StoredRecord label;
  RecordFault fault;
};

void find_shape(const ShardFile& file, std::uint64_t index, RecordLook& look) noexcept {
  look.fault = file.find_image_shape(index, look.shape.image);
  if (!look.fault) look.fault = file.find_label_shape(index, look.shape.label);
  if (!look.fault)
    look.fault = file.find_record(file.image(), index, look.shape.image.size_bytes(), look.image);
  if (look.fault || file.label().payload == nullptr) return;
  look.fault = file.find_record(file.label(), index, look.shape.label.size_bytes(), look.label);
}

// Checks that a frame, of which `head` is the beginning, has content of `size_bytes`.
RecordFault frame_fault(const FieldTables& field, const StoredRecord& frame,
                        std::span<const std::byte> head, std::uint64_t size_bytes) {
  const reader::FrameFault fault = reader::find_size_fault(head, frame.bytes.size(), size_bytes);
  if (!fault) return {};
  return {RecordFault::Kind::bad_frame, &field, frame.offset, 0, 0, false, fault};
}

void find_parts(const ShardFile& file, std::uint64_t index, RecordLook& look) noexcept {
  look.fault = file.find_stored(file.image(), index, look.image);
  if (!look.fault && file.label().payload != nullptr)
    look.fault = file.find_stored(file.label(), index, look.label);
}

// Requests pages of a mapping. This is only advice, so the result does not matter.
void advise_mapping(std::span<const std::byte> bytes) noexcept {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t into_page = reinterpret_cast<std::uintptr_t>(bytes.data()) % page;
  const std::byte* const first = bytes.data() - into_page;  // a mapping begins on a page
  if (!bytes.empty())
    (void)::madvise(const_cast<std::byte*>(first), into_page + bytes.size(), MADV_WILLNEED);
}

void advise_file(const File& file, const StoredRecord& record) noexcept {
  if (record.bytes.empty()) return;
  (void)::posix_fadvise(file.descriptor(), static_cast<off_t>(record.offset),
                        static_cast<off_t>(record.bytes.size()), POSIX_FADV_WILLNEED);
}

}  // namespace

struct RecordSource::Impl {
  Impl(const Dataset& dataset, VerifyChecksums wanted, FileAccess access)
      : files(DatasetFiles::of(dataset,
                               access == FileAccess::read ? MapMode::tables : MapMode::mapped)),
        verify_checksums(wanted),
        by_calls(access == FileAccess::read),
        open_files(by_calls ? files->contents().shards.size() : 0, open_files_limit()) {}

  std::shared_ptr<DatasetFiles> files;
  VerifyChecksums verify_checksums = VerifyChecksums::first_read;
  bool by_calls = false;
  mutable OpenFiles open_files;  // if records are read with system calls
  mutable DiskWatch disk;

  [[nodiscard]] bool check_due(const RecordFlags& flags, std::uint64_t record) const noexcept;
  [[nodiscard]] Status read(const ShardFile& file, RecordPlace place, RecordScratch& scratch,
                            RecordUser user) const;
  [[nodiscard]] Status run(const ShardFile& file, RecordPlace place, RecordReading& reading) const;
  [[nodiscard]] Status place_of(std::uint64_t number, RecordPlace& place) const;
  [[nodiscard]] Result<const ShardFile*> pin(RecordPlace place) const;
  [[nodiscard]] Status look_at(const ShardFile& file, RecordPlace place, RecordLook& look) const;
  [[nodiscard]] Status check_frame_size(const ShardFile& file, std::size_t shard,
                                        const FieldTables& field, const StoredRecord& frame,
                                        std::uint64_t size_bytes) const;
};

Result<const ShardFile*> RecordSource::Impl::pin(RecordPlace place) const {
  if (const ShardFile* const open_already = files->pin_open(place.shard)) return open_already;
  auto opened = files->pin(place.shard);
  if (opened.ok()) return *opened;
  return reader::name_record(std::move(opened).error(), place.record, {});
}

Status RecordSource::Impl::place_of(std::uint64_t number, RecordPlace& place) const {
  const std::uint64_t records = files->contents().records;
  if (number >= records)
    return usage_error("there is no sample " + std::to_string(number) + "; the data set has " +
                       std::to_string(records) + ", counted from 0");
  place = files->place_of(number);
  return {};
}

bool RecordSource::Impl::check_due(const RecordFlags& flags, std::uint64_t record) const noexcept {
  return verify_checksums == VerifyChecksums::always ||
         (verify_checksums == VerifyChecksums::first_read &&
          !flags.has(RecordFlags::Flag::checked, record));
}

Status RecordSource::Impl::read(const ShardFile& file, RecordPlace place, RecordScratch& scratch,
                                RecordUser user) const {
  RecordFlags& flags = files->flags(place.shard);
  const bool check_now = check_due(flags, place.record);
  RecordReading reading(file, place.record, check_now, by_calls, scratch, user);
  if (Status ran = run(file, place, reading); !ran.ok())
    return named(ran.error(), file, place.record);
  if (check_now) flags.set(RecordFlags::Flag::checked, place.record);
  flags.set(RecordFlags::Flag::read, place.record);
  disk.add(scratch.disk, reading.stored_bytes());
  return {};
}

// Runs `reading` until the record was used. Errors do not name the record.
Status RecordSource::Impl::run(const ShardFile& file, RecordPlace place,
                               RecordReading& reading) const {
  const bool compressed = file.image().compressed || file.label().compressed;
  if (compressed) HOTPACK_TRY(reader::prepare_decompression());
  while (true) {
    if (const auto offset = run_on(file, by_calls, reading)) {
      if (compressed) reader::renew_decompression();
      return reader::unreadable_error(file.path(), file.identity(), *offset);
    }
    if (reading.fault()) return damage_of(file, reading.fault());
    if (reading.done()) return {};
    try {
      HOTPACK_TRY(reading.provide(open_files, place.shard));
    } catch (const std::bad_alloc&) {
      return Error{ErrorCode::io, "there is not enough memory for this record", file.path(), {}};
    }
  }
}

RecordSource::RecordSource(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RecordSource::~RecordSource() = default;

Result<std::unique_ptr<RecordSource>> RecordSource::make(const Dataset& dataset,
                                                         VerifyChecksums verify_checksums,
                                                         FileAccess access) {
  if (access == FileAccess::map) HOTPACK_TRY(install_fault_handler());
  (void)crc32c({});  // makes its tables, which must not happen under the guard
  return std::unique_ptr<RecordSource>(
      new RecordSource(std::make_unique<Impl>(dataset, verify_checksums, access)));
}

std::uint64_t RecordSource::records() const { return impl_->files->contents().records; }
const Schema& RecordSource::schema() const { return impl_->files->contents().schema; }
const std::string& RecordSource::fingerprint() const {
  return impl_->files->contents().fingerprint;
}

Result<RecordShape> RecordSource::shape(std::uint64_t number) const {
  RecordPlace place;
  HOTPACK_TRY(impl_->place_of(number, place));
  HOTPACK_ASSIGN(const ShardFile* const file, impl_->pin(place));
  const Pin pin(*impl_->files, place.shard);
  RecordLook look;
  if (Status looked = impl_->look_at(*file, place, look); !looked.ok())
    return named(looked.error(), *file, place.record);
  return look.shape;
}

Error RecordSource::at_record(Error error, std::uint64_t number) const {
  RecordPlace place;
  if (!impl_->place_of(number, place).ok()) return error;
  const auto file = impl_->pin(place);
  if (!file.ok()) return error;
  const Pin pin(*impl_->files, place.shard);
  if (error.path.empty()) error.path = (*file)->path();
  error.key = (*file)->readable_key(place.record);
  error.record = place.record;
  error.message = reader::record_name(place.record, error.key) + ": " + error.message;
  return error;
}

// Finds and checks a record's shape and its stored bytes. Errors do not name the record.
Status RecordSource::Impl::look_at(const ShardFile& file, RecordPlace place,
                                   RecordLook& look) const {
  auto find = [&]() noexcept { find_shape(file, place.record, look); };
  if (const auto offset = run_on(file, by_calls, find))
    return reader::unreadable_error(file.path(), file.identity(), *offset);
  if (look.fault) return damage_of(file, look.fault);
  HOTPACK_TRY(
      check_frame_size(file, place.shard, file.image(), look.image, look.shape.image.size_bytes()));
  return check_frame_size(file, place.shard, file.label(), look.label,
                          look.shape.label.size_bytes());
}

Status RecordSource::Impl::check_frame_size(const ShardFile& file, std::size_t shard,
                                            const FieldTables& field, const StoredRecord& frame,
                                            std::uint64_t size_bytes) const {
  if (field.payload == nullptr || !field.compressed) return {};
  std::array<std::byte, reader::kFrameHead> copy{};
  std::span<const std::byte> head = frame.bytes.first(std::min(frame.bytes.size(), copy.size()));
  if (by_calls) {
    const std::span into = std::span(copy).first(head.size());
    HOTPACK_ASSIGN(const auto opened, open_files.open(shard, file));
    HOTPACK_TRY(reader::read_exactly(*opened, file.identity(), frame.offset, into));
    head = into;
  }
  RecordFault fault;
  auto look = [&]() noexcept { fault = frame_fault(field, frame, head, size_bytes); };
  if (const auto offset = run_on(file, by_calls, look))
    return reader::unreadable_error(file.path(), file.identity(), *offset);
  if (fault) return damage_of(file, fault);
  return {};
}

Status RecordSource::read(std::uint64_t number, RecordScratch& scratch, Use use,
                          void* context) const {
  RecordPlace place;
  HOTPACK_TRY(impl_->place_of(number, place));
  HOTPACK_ASSIGN(const ShardFile* const file, impl_->pin(place));
  const Pin pin(*impl_->files, place.shard);
  return impl_->read(*file, place, scratch, {use, context});
}

void RecordSource::read_ahead(std::uint64_t number) const noexcept {
  if (number >= records()) return;
  const RecordPlace place = impl_->files->place_of(number);
  const ShardFile* const file = impl_->files->pin_open(place.shard);
  if (file == nullptr) return;  // opening it would take too long
  const Pin pin(*impl_->files, place.shard);
  if (impl_->files->flags(place.shard).has(RecordFlags::Flag::read, place.record) &&
      !impl_->disk.busy())
    return;
  RecordLook look;
  auto work = [&]() noexcept { find_parts(*file, place.record, look); };
  if (run_on(*file, impl_->by_calls, work) || look.fault) return;
  if (!impl_->by_calls) {
    advise_mapping(look.image.bytes);
    advise_mapping(look.label.bytes);
  } else if (const auto opened = impl_->open_files.find(place.shard)) {
    advise_file(*opened, look.image);
    advise_file(*opened, look.label);
  }
}

}  // namespace hotpack::loader
