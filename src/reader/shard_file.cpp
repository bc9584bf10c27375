#include "reader/shard_file.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <utility>

#include "base/checked.hpp"
#include "base/checksum.hpp"
#include "base/endian.hpp"
#include "base/error.hpp"
#include "base/fault_guard.hpp"
#include "base/try.hpp"
#include "format/schema_json.hpp"
#include "format/shard_check.hpp"
#include "reader/changed_file.hpp"
#include "reader/zstd_frame.hpp"

namespace hotpack::reader {

namespace {

Error with_path(Error error, const std::string& path) {
  if (error.path.empty()) error.path = path;
  return error;
}

// height · width · depth as bytes, or nothing if a size is not positive or the product overflows.
std::optional<std::uint64_t> product(std::int64_t height, std::int64_t width, std::uint64_t depth) {
  if (height < 1 || width < 1 || depth < 1) return std::nullopt;
  const auto area =
      checked_mul(static_cast<std::uint64_t>(height), static_cast<std::uint64_t>(width));
  return area ? checked_mul(*area, depth) : std::nullopt;
}

constexpr std::size_t kPage = 4096;  // the smallest of any system, and the alignment of payloads

// Reads a byte of each page.
void touch(std::span<const std::byte> bytes) noexcept {
  const volatile std::byte* const first = bytes.data();
  for (std::size_t at = 0; at < bytes.size(); at += kPage) static_cast<void>(first[at]);
  if (!bytes.empty()) static_cast<void>(first[bytes.size() - 1]);
}

std::span<const std::uint8_t> as_u8(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

// The bytes before the payload, as far as they may be a header. `start` has the first bytes of a
// file of `file_bytes` bytes, at least 8 unless the file is shorter.
std::uint64_t head_bytes(std::span<const std::byte> start, std::uint64_t file_bytes) {
  constexpr std::uint64_t kLength = sizeof(std::uint64_t);
  if (file_bytes < kLength) return file_bytes;
  const auto header_bytes = load_le<std::uint64_t>(start.data());
  if (header_bytes > format::kMaxHeaderBytes || header_bytes > file_bytes - kLength) return kLength;
  return kLength + header_bytes;
}

}  // namespace

Status ShardFile::fetch(const File& opened, std::uint64_t offset, std::uint64_t size_bytes) {
  HOTPACK_ASSIGN(const auto into, mapping_.writable(offset, size_bytes));
  return read_exactly(opened, identity_, offset, into);
}

// The first read takes as much as most headers have, so that they need no second one.
Status ShardFile::fetch_head(const File& opened) {
  std::array<std::byte, 4096> buffer;
  const std::uint64_t size = identity_.size_bytes;
  const std::span<std::byte> start = std::span(buffer).first(
      static_cast<std::size_t>(std::min<std::uint64_t>(size, buffer.size())));
  HOTPACK_TRY(read_exactly(opened, identity_, 0, start));
  const std::uint64_t head = head_bytes(start, size);
  HOTPACK_ASSIGN(const auto into, mapping_.writable(0, head));
  const std::size_t read = std::min(start.size(), into.size());
  std::copy_n(start.begin(), read, into.begin());
  return read_exactly(opened, identity_, read, into.subspan(read));
}

Result<std::unique_ptr<ShardFile>> ShardFile::read_tables(const File& opened, bool briefly,
                                                          format::SchemaCache* cache) {
  std::unique_ptr<ShardFile> file(new ShardFile());
  file->path_ = opened.path();
  HOTPACK_ASSIGN(file->identity_, opened.identity());
  const std::uint64_t size = file->identity_.size_bytes;
  HOTPACK_ASSIGN(file->mapping_, briefly ? Mapping::reserve_briefly(size) : Mapping::reserve(size));
  HOTPACK_TRY(file->fetch_head(opened));
  HOTPACK_ASSIGN(file->header_, format::decode_header(file->bytes(), cache));
  const std::uint64_t tables = file->header_.buffer_start() + file->header_.tables_begin;
  HOTPACK_TRY(file->fetch(opened, tables, size - tables));
  file->image_ = format::image_tables(file->header_);
  file->label_ = format::label_tables(file->header_);
  file->key_data_ = file->header_.find("key.data");
  file->key_offsets_ = file->header_.find("key.offsets");
  file->source_hash_ = file->header_.find("source.hash");
  file->source_size_ = file->header_.find("source.size");
  file->source_region_ = file->header_.find("source.region");
  return file;
}

Status ShardFile::map(const File& opened) {
  HOTPACK_TRY(install_fault_handler());
  HOTPACK_ASSIGN(mapping_, Mapping::of(opened, identity_.size_bytes));
  return {};
}

Result<std::unique_ptr<ShardFile>> ShardFile::examine(const File& opened,
                                                      format::SchemaCache* cache) {
  auto file = read_tables(opened, true, cache);
  if (!file.ok()) return with_path(std::move(file).error(), opened.path());
  return file;
}

Status ShardFile::read_between(const File& opened) {
  HOTPACK_ASSIGN(const format::TensorList expected, format::expected_tensors(header_));
  for (const format::Tensor& tensor : header_.tensors) {
    if (tensor.begin >= header_.tables_begin) break;
    // In version 1.0, check_form() refuses a filler of a page, so that it needs no memory here.
    if (header_.minor == 0 && format::is_filler(tensor) && tensor.bytes() >= kPage) continue;
    const auto is_it = [&](const format::Tensor& table) { return table.name == tensor.name; };
    if (format::is_filler(tensor) || std::ranges::any_of(expected.tables, is_it))
      HOTPACK_TRY(fetch(opened, header_.buffer_start() + tensor.begin, tensor.bytes()));
  }
  return {};
}

Result<std::unique_ptr<const ShardFile>> ShardFile::open_checked(const std::string& path,
                                                                 MapMode mode,
                                                                 format::SchemaCache* cache) {
  HOTPACK_ASSIGN(const File opened, File::open_read(path));
  auto file = read_tables(opened, mode != MapMode::tables, cache);
  if (!file.ok()) return with_path(std::move(file).error(), path);
  HOTPACK_TRY((*file)->check_tables());
  if (mode == MapMode::mapped) HOTPACK_TRY((*file)->map(opened));
  return std::unique_ptr<const ShardFile>(std::move(file).value());
}

template <class Work>
Status ShardFile::run(Work work) const {
  RecordFault fault;
  auto step = [&]() noexcept { fault = work(); };
  if (const auto offset = guarded(bytes(), step))
    return unreadable_error(path_, identity_, *offset);
  return status_of(fault);
}

Status ShardFile::check_tables() const {
  Status status = format::check_tables(bytes(), header_);
  if (!status.ok()) return with_path(std::move(status).error(), path_);
  return {};
}

RecordFault ShardFile::find_key(std::uint64_t index, std::string_view& key) const noexcept {
  const std::uint64_t begin = u64(*key_offsets_, index);
  const std::uint64_t end = u64(*key_offsets_, index + 1);
  if (begin > end || end > key_data_->bytes())
    return {RecordFault::Kind::key_outside, nullptr, table_offset(*key_offsets_, index)};
  const std::byte* const first = bytes().data() + header_.buffer_start() + key_data_->begin + begin;
  key = {reinterpret_cast<const char*>(first), end - begin};
  return {};
}

Result<std::string_view> ShardFile::key(std::uint64_t index) const {
  std::string_view key;
  HOTPACK_TRY(run([&]() noexcept {
    const RecordFault fault = find_key(index, key);
    if (!fault) touch(std::as_bytes(std::span(key)));
    return fault;
  }));
  return key;
}

Status ShardFile::copy_key(std::uint64_t index, std::string& into) const {
  HOTPACK_ASSIGN(const std::string_view key, this->key(index));
  into.resize(key.size());
  return run([&]() noexcept {
    std::memcpy(into.data(), key.data(), key.size());
    return RecordFault();
  });
}

std::string ShardFile::readable_key(std::uint64_t index) const {
  std::string copy;
  return copy_key(index, copy).ok() ? copy : std::string();
}

Result<SampleSource> ShardFile::source(std::uint64_t index) const {
  SampleSource source;
  HOTPACK_TRY(run([&]() noexcept {
    source.width = i32(*source_size_, 2 * index);
    source.height = i32(*source_size_, 2 * index + 1);
    source.image_hash = u64(*source_hash_, 2 * index);
    source.label_hash = u64(*source_hash_, 2 * index + 1);
    for (std::size_t i = 0; i < 4; ++i) source.region[i] = i32(*source_region_, 4 * index + i);
    return RecordFault();
  }));
  return source;
}

Result<format::Sums> ShardFile::sums() const {
  const format::Tensor& table = *header_.find("shard.sums");
  std::vector<std::uint64_t> numbers(static_cast<std::size_t>(table.shape[0]));
  HOTPACK_TRY(run([&]() noexcept {
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = u64(table, i);
    return RecordFault();
  }));
  return format::Sums::from_numbers(numbers, schema().image.channels(),
                                    format::counted_classes(schema()));
}

std::array<std::int64_t, 3> ShardFile::mixed_shape(const FieldTables& field,
                                                   std::uint64_t index) const {
  return {i32(*field.shapes, 3 * index), i32(*field.shapes, 3 * index + 1),
          i32(*field.shapes, 3 * index + 2)};
}

RecordFault ShardFile::find_image_shape(std::uint64_t index, ImageShape& shape) const noexcept {
  const ImageField& form = schema().image;
  const auto stored = form.shape ? *form.shape : mixed_shape(image_, index);
  const bool chw = form.layout == AxisOrder::channels_first;
  shape = {stored[chw ? 1 : 0], stored[chw ? 2 : 1], stored[chw ? 0 : 2], form.layout};
  if (shape.channels == form.channels() &&
      product(shape.height, shape.width, static_cast<std::uint64_t>(form.channels())))
    return {};
  return {RecordFault::Kind::impossible_shape, &image_,
          image_.shapes != nullptr ? table_offset(*image_.shapes, 3 * index) : 8};
}

Result<ImageShape> ShardFile::image_shape(std::uint64_t index) const {
  ImageShape shape;
  HOTPACK_TRY(run([&]() noexcept { return find_image_shape(index, shape); }));
  return shape;
}

RecordFault ShardFile::find_label_shape(std::uint64_t index, LabelShape& shape) const noexcept {
  shape = {};
  if (!schema().label) return {};
  const LabelField& form = *schema().label;
  shape = {form.scope, form.storage, form.multi, 1, 1, schema().class_count()};
  if (form.scope == LabelScope::pixel) {
    const auto mixed = form.shape ? std::array<std::int64_t, 3>{} : mixed_shape(label_, index);
    shape.height = form.shape ? form.shape->at(0) : mixed[0];
    shape.width = form.shape ? form.shape->at(1) : mixed[1];
  }
  if (product(shape.height, shape.width, shape.vector_bytes())) return {};
  return {RecordFault::Kind::impossible_shape, &label_,
          label_.shapes != nullptr ? table_offset(*label_.shapes, 3 * index) : 8};
}

Result<LabelShape> ShardFile::label_shape(std::uint64_t index) const {
  LabelShape shape;
  HOTPACK_TRY(run([&]() noexcept { return find_label_shape(index, shape); }));
  return shape;
}

RecordFault ShardFile::find_stored(const FieldTables& field, std::uint64_t index,
                                   StoredRecord& record) const noexcept {
  std::uint64_t begin = 0, end = 0;
  if (field.offsets != nullptr) {
    begin = u64(*field.offsets, index);
    end = u64(*field.offsets, index + 1);
  } else {
    const std::uint64_t record_bytes = field.payload->bytes() / records();
    begin = index * record_bytes;
    end = begin + record_bytes;
  }
  if (begin > end || end > field.payload->bytes())
    return {RecordFault::Kind::outside, &field, table_offset(*field.offsets, index)};
  const std::uint64_t offset = header_.buffer_start() + field.payload->begin + begin;
  record = {bytes().subspan(offset, end - begin), offset};
  return {};
}

Result<StoredRecord> ShardFile::stored(const FieldTables& field, std::uint64_t index) const {
  StoredRecord record;
  HOTPACK_TRY(run([&]() noexcept { return find_stored(field, index, record); }));
  return record;
}

RecordFault ShardFile::find_record(const FieldTables& field, std::uint64_t index,
                                   std::uint64_t size_bytes, StoredRecord& record) const noexcept {
  if (const RecordFault fault = find_stored(field, index, record)) return fault;
  if (field.compressed || record.bytes.size() == size_bytes) return {};
  return {RecordFault::Kind::other_size, &field, record.offset, record.bytes.size(), size_bytes};
}

RecordFault ShardFile::compare_stored(const FieldTables& field, std::uint64_t index,
                                      const StoredRecord& record) const noexcept {
  if (!field.compressed) return compare_content(field, index, record.bytes, record.offset);
  if (field.frame_crcs == nullptr)
    return {RecordFault::Kind::no_crc, &field, record.offset, 0, 0, true};
  const std::uint32_t wanted = u32(*field.frame_crcs, index);
  const std::uint32_t found = crc32c(record.bytes);
  if (wanted == found) return {};
  return {RecordFault::Kind::other_crc, &field, record.offset, found, wanted, true};
}

RecordFault ShardFile::compare_content(const FieldTables& field, std::uint64_t index,
                                       std::span<const std::byte> content,
                                       std::uint64_t offset) const noexcept {
  if (field.crcs == nullptr) return {RecordFault::Kind::no_crc, &field, offset};
  const std::uint32_t wanted = u32(*field.crcs, index);
  const std::uint32_t found = crc32c(content);
  if (wanted == found) return {};
  return {RecordFault::Kind::other_crc, &field, offset, found, wanted};
}

Status ShardFile::check_stored(const FieldTables& field, std::uint64_t index,
                               const StoredRecord& record) const {
  return status_of(compare_stored(field, index, record));
}

Status ShardFile::check_content(const FieldTables& field, std::uint64_t index,
                                std::span<const std::byte> content, std::uint64_t offset) const {
  return status_of(compare_content(field, index, content, offset));
}

Status ShardFile::decompress(const FieldTables& field, const StoredRecord& record,
                             std::span<std::byte> into) const {
  Status status = decompress_frame(record.bytes, into);
  if (status.ok()) return {};
  Error error = std::move(status).error();
  error.message = field.name + ": " + error.message;
  error.path = path_;
  error.offset = record.offset;
  return error;
}

Result<std::span<const std::uint8_t>> ShardFile::view(const FieldTables& field, std::uint64_t index,
                                                      std::uint64_t size_bytes,
                                                      VerifyChecksums crc) const {
  if (field.payload == nullptr) return usage_error("this data set has no " + field.name);
  if (field.compressed)
    return usage_error("the " + field.name + " is stored compressed; use read_" + field.name +
                       "(), which decompresses it");
  StoredRecord record;
  HOTPACK_TRY(run([&]() noexcept {
    const RecordFault fault = find_record(field, index, size_bytes, record);
    if (fault) return fault;
    if (crc != VerifyChecksums::never)
      return compare_content(field, index, record.bytes, record.offset);
    touch(record.bytes);
    return RecordFault();
  }));
  return as_u8(record.bytes);
}

Result<std::span<const std::uint8_t>> ShardFile::read(const FieldTables& field, std::uint64_t index,
                                                      std::uint64_t size_bytes,
                                                      std::span<std::uint8_t> into,
                                                      VerifyChecksums crc) const {
  if (field.payload == nullptr) return usage_error("this data set has no " + field.name);
  if (into.size() < size_bytes) {
    return usage_error("the buffer has " + std::to_string(into.size()) + " bytes, the " +
                       field.name + " needs " + std::to_string(size_bytes));
  }
  const std::span<std::uint8_t> target = into.first(size_bytes);
  if (field.compressed) {
    HOTPACK_TRY(read_frame(field, index, target, crc));
    return std::span<const std::uint8_t>(target);
  }
  HOTPACK_TRY(run([&]() noexcept {
    StoredRecord record;
    if (const RecordFault fault = find_record(field, index, size_bytes, record)) return fault;
    std::memcpy(target.data(), record.bytes.data(), record.bytes.size());
    return crc == VerifyChecksums::never
               ? RecordFault()
               : compare_content(field, index, std::as_bytes(target), record.offset);
  }));
  return std::span<const std::uint8_t>(target);
}

Status ShardFile::read_frame(const FieldTables& field, std::uint64_t index,
                             std::span<std::uint8_t> into, VerifyChecksums crc) const {
  if (Status ready = prepare_decompression(); !ready.ok())
    return with_path(std::move(ready).error(), path_);
  bool left_half_way = true;
  Status status = run([&]() noexcept {
    StoredRecord frame;
    RecordFault fault = find_frame(field, index, into.size(), crc, frame);
    if (!fault) fault = unpack(field, index, frame, into, crc);
    left_half_way = false;
    return fault;
  });
  if (left_half_way) renew_decompression();
  return status;
}

RecordFault ShardFile::find_frame(const FieldTables& field, std::uint64_t index,
                                  std::uint64_t size_bytes, VerifyChecksums crc,
                                  StoredRecord& frame) const noexcept {
  if (const RecordFault fault = find_stored(field, index, frame)) return fault;
  if (crc == VerifyChecksums::always) {
    if (const RecordFault fault = compare_stored(field, index, frame)) return fault;
  }
  if (const FrameFault fault = find_frame_fault(frame.bytes, size_bytes)) {
    return {RecordFault::Kind::bad_frame, &field, frame.offset, 0, 0, false, fault};
  }
  return {};
}

RecordFault ShardFile::unpack(const FieldTables& field, std::uint64_t index,
                              const StoredRecord& frame, std::span<std::uint8_t> into,
                              VerifyChecksums crc) const noexcept {
  if (const FrameFault fault = unpack_frame(frame.bytes, std::as_writable_bytes(into))) {
    return {RecordFault::Kind::bad_frame, &field, frame.offset, 0, 0, false, fault};
  }
  return crc == VerifyChecksums::always
             ? compare_content(field, index, std::as_bytes(into), frame.offset)
             : RecordFault();
}

Result<std::span<const std::uint8_t>> ShardFile::copy(const FieldTables& field, std::uint64_t index,
                                                      std::uint64_t size_bytes,
                                                      std::vector<std::uint8_t>& scratch,
                                                      VerifyChecksums crc) const {
  if (field.payload == nullptr) return usage_error("this data set has no " + field.name);
  if (scratch.size() < size_bytes) {
    StoredRecord record;
    HOTPACK_TRY(run([&]() noexcept {
      return field.compressed ? find_frame(field, index, size_bytes, crc, record)
                              : find_record(field, index, size_bytes, record);
    }));
    try {
      scratch.resize(size_bytes);
    } catch (const std::exception&) {
      return Error{
          ErrorCode::io,
          "there is not enough memory for a record of " + std::to_string(size_bytes) + " bytes",
          path_,
          {}};
    }
  }
  return read(field, index, size_bytes, scratch, crc);
}

Result<std::span<const std::uint8_t>> ShardFile::load(const FieldTables& field, std::uint64_t index,
                                                      std::uint64_t size_bytes,
                                                      std::vector<std::uint8_t>& scratch,
                                                      VerifyChecksums crc) const {
  return field.compressed ? copy(field, index, size_bytes, scratch, crc)
                          : view(field, index, size_bytes, crc);
}

Error ShardFile::damaged(std::string text, std::uint64_t offset) const {
  return damaged_error(std::move(text), path_, offset);
}

Error ShardFile::error_of(const RecordFault& fault) const {
  return damaged(fault.text(), fault.offset);
}

Status ShardFile::status_of(const RecordFault& fault) const {
  if (fault) return error_of(fault);
  return {};
}

std::uint64_t ShardFile::table_offset(const format::Tensor& table, std::uint64_t index) const {
  return header_.buffer_start() + table.begin + index * format::item_bytes(table.type);
}

std::uint64_t ShardFile::u64(const format::Tensor& table, std::uint64_t index) const {
  return format::u64_at(bytes(), header_, table, index);
}
std::uint32_t ShardFile::u32(const format::Tensor& table, std::uint64_t index) const {
  return format::u32_at(bytes(), header_, table, index);
}
std::int32_t ShardFile::i32(const format::Tensor& table, std::uint64_t index) const {
  return format::i32_at(bytes(), header_, table, index);
}

}  // namespace hotpack::reader
