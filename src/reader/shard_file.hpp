// A shard with a validated header, and safe access to its tables and records. Either the whole file
// is mapped, or only its tables are in memory. Shard, Sample, the Loader and verify use this class.
//
// Ownership: owns its mapping; spans and string views borrow from it. It is never moved.
// Thread-safety: any thread may call const members. Every range is checked when it is used, so a
// file whose tables check_tables rejected can still be examined. Failure: code `damaged` with path
// and byte offset; `usage` if the caller asks for something that does not exist. Members that
// return a Result or a Status read the mapping under the fault guard: if a page cannot be read,
// they fail with code `damaged` (the file has shrunk or was replaced) or `io`. They have read every
// page of a view that they return, but a view that is used after its file was cut raises SIGBUS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "base/mapping.hpp"
#include "format/shard_header.hpp"
#include "hotpack/shard.hpp"
#include "reader/record_fault.hpp"

namespace hotpack::reader {

using format::FieldTables;

// A record as it is stored.
struct StoredRecord {
  std::span<const std::byte> bytes;
  std::uint64_t offset = 0;  // of its first byte in the file
};

// Parts of a shard in memory. `mapped`: the whole file is mapped, and the handler of the fault
// guard is installed. `tables`: everything before and
// after the records is copied to memory, and bytes() has zeros in place of the records.
// find_stored() then still says where records are in the file, but their bytes cannot be read from
// bytes(). `tables_briefly`: the same, for a file that is examined and closed.
enum class MapMode { mapped, tables, tables_briefly };

class ShardFile {
 public:
  // Opens a file, and validates its header and, with check_tables(), its tables. `cache` as in
  // decode_header. The header and tables are read with system calls, so that a failing disk or a
  // file that shrinks causes an error, not a SIGBUS.
  [[nodiscard]] static Result<std::unique_ptr<const ShardFile>> open_checked(
      const std::string& path, MapMode mode, format::SchemaCache* cache = nullptr);
  // Validates the header of a file of which nothing else is known, in mode `tables_briefly`.
  [[nodiscard]] static Result<std::unique_ptr<ShardFile>> examine(
      const File& opened, format::SchemaCache* cache = nullptr);
  // Copies to memory what lies among the records of an examined file: fillers, and tables where
  // another program has put them.
  [[nodiscard]] Status read_between(const File& opened);
  // format::check_tables with this file's path in the error.
  [[nodiscard]] Status check_tables() const;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return mapping_.bytes(); }
  [[nodiscard]] const FileIdentity& identity() const { return identity_; }
  [[nodiscard]] const format::ShardHeader& header() const { return header_; }
  [[nodiscard]] const Schema& schema() const { return header_.schema; }
  [[nodiscard]] std::uint64_t records() const { return header_.records; }
  [[nodiscard]] const FieldTables& image() const { return image_; }
  [[nodiscard]] const FieldTables& label() const { return label_; }

  [[nodiscard]] Result<format::Sums> sums() const;

  // For all members below: precondition index < records().
  [[nodiscard]] Result<std::string_view> key(std::uint64_t index) const;
  // A copy for error texts; "" if the key cannot be read.
  [[nodiscard]] std::string readable_key(std::uint64_t index) const;
  [[nodiscard]] Status copy_key(std::uint64_t index, std::string& into) const;
  [[nodiscard]] Result<SampleSource> source(std::uint64_t index) const;
  [[nodiscard]] Result<ImageShape> image_shape(std::uint64_t index) const;
  // class_count 0 without labels
  [[nodiscard]] Result<LabelShape> label_shape(std::uint64_t index) const;

  // The members find_… and compare_… do not allocate, lock or throw, so they may run under the
  // fault guard (base/fault_guard.hpp). A member that finds something stores it in its last
  // argument.
  [[nodiscard]] RecordFault find_key(std::uint64_t index, std::string_view& key) const noexcept;
  [[nodiscard]] RecordFault find_image_shape(std::uint64_t index, ImageShape& shape) const noexcept;
  [[nodiscard]] RecordFault find_label_shape(std::uint64_t index, LabelShape& shape) const noexcept;
  // Precondition of find_stored() and find_record(): field.payload is not null. find_record() also
  // checks that an uncompressed record has `size_bytes` bytes.
  [[nodiscard]] RecordFault find_stored(const FieldTables& field, std::uint64_t index,
                                        StoredRecord& record) const noexcept;
  [[nodiscard]] RecordFault find_record(const FieldTables& field, std::uint64_t index,
                                        std::uint64_t size_bytes,
                                        StoredRecord& record) const noexcept;
  [[nodiscard]] RecordFault compare_stored(const FieldTables& field, std::uint64_t index,
                                           const StoredRecord& record) const noexcept;
  [[nodiscard]] RecordFault compare_content(const FieldTables& field, std::uint64_t index,
                                            std::span<const std::byte> content,
                                            std::uint64_t offset) const noexcept;
  // Describes a fault with the path of this file. The caller adds the record's name.
  [[nodiscard]] Error error_of(const RecordFault& fault) const;

  // Precondition of these: field.payload is set.
  [[nodiscard]] Result<StoredRecord> stored(const FieldTables& field, std::uint64_t index) const;
  // Checks the CRC-32C of the bytes as they are stored: if the field is compressed, of the
  // compressed bytes (the frame), else of the record.
  [[nodiscard]] Status check_stored(const FieldTables& field, std::uint64_t index,
                                    const StoredRecord& record) const;
  // Checks the CRC-32C of the uncompressed record.
  [[nodiscard]] Status check_content(const FieldTables& field, std::uint64_t index,
                                     std::span<const std::byte> content,
                                     std::uint64_t offset) const;
  // Decompresses `record`, which must have exactly into.size() bytes of content.
  [[nodiscard]] Status decompress(const FieldTables& field, const StoredRecord& record,
                                  std::span<std::byte> into) const;
  // Returns the bytes of a record of `size_bytes` bytes, as a view of the mapping. Only for fields
  // that are not compressed.
  [[nodiscard]] Result<std::span<const std::uint8_t>> view(const FieldTables& field,
                                                           std::uint64_t index,
                                                           std::uint64_t size_bytes,
                                                           VerifyChecksums crc) const;
  // Copies the uncompressed record of `size_bytes` to the start of `into`.
  [[nodiscard]] Result<std::span<const std::uint8_t>> read(const FieldTables& field,
                                                           std::uint64_t index,
                                                           std::uint64_t size_bytes,
                                                           std::span<std::uint8_t> into,
                                                           VerifyChecksums crc) const;

  // The same into `scratch`, which is enlarged only after the record's size has passed its checks.
  [[nodiscard]] Result<std::span<const std::uint8_t>> copy(const FieldTables& field,
                                                           std::uint64_t index,
                                                           std::uint64_t size_bytes,
                                                           std::vector<std::uint8_t>& scratch,
                                                           VerifyChecksums crc) const;
  // Returns a view() of an uncompressed record, a copy() of a compressed one.
  [[nodiscard]] Result<std::span<const std::uint8_t>> load(const FieldTables& field,
                                                           std::uint64_t index,
                                                           std::uint64_t size_bytes,
                                                           std::vector<std::uint8_t>& scratch,
                                                           VerifyChecksums crc) const;

  // Returns an error about this file. If it concerns a record, the caller adds the record's name.
  [[nodiscard]] Error damaged(std::string text, std::uint64_t offset) const;
  // Offset in the file of item `index` of a table.
  [[nodiscard]] std::uint64_t table_offset(const format::Tensor& table, std::uint64_t index) const;

 private:
  ShardFile() = default;
  // Reads header and tables with system calls, from a file that stays open for mapping. `briefly`:
  // the file is mapped or closed soon.
  [[nodiscard]] static Result<std::unique_ptr<ShardFile>> read_tables(const File& opened,
                                                                      bool briefly,
                                                                      format::SchemaCache* cache);
  [[nodiscard]] Status fetch_head(const File& opened);
  [[nodiscard]] Status fetch(const File& opened, std::uint64_t offset, std::uint64_t size_bytes);
  [[nodiscard]] Status map(const File& opened);
  [[nodiscard]] Status status_of(const RecordFault& fault) const;
  // Runs `work`, which may read the mapping, under the fault guard, and converts the RecordFault
  // that it returns to a Status. `work` must not allocate, lock, throw or own anything.
  template <class Work>
  [[nodiscard]] Status run(Work work) const;
  // Finds the frame of a compressed record and checks it against its CRC and `size_bytes`.
  [[nodiscard]] RecordFault find_frame(const FieldTables& field, std::uint64_t index,
                                       std::uint64_t size_bytes, VerifyChecksums crc,
                                       StoredRecord& frame) const noexcept;
  [[nodiscard]] RecordFault unpack(const FieldTables& field, std::uint64_t index,
                                   const StoredRecord& frame, std::span<std::uint8_t> into,
                                   VerifyChecksums crc) const noexcept;
  [[nodiscard]] Status read_frame(const FieldTables& field, std::uint64_t index,
                                  std::span<std::uint8_t> into, VerifyChecksums crc) const;
  [[nodiscard]] std::uint64_t u64(const format::Tensor& table, std::uint64_t index) const;
  [[nodiscard]] std::uint32_t u32(const format::Tensor& table, std::uint64_t index) const;
  [[nodiscard]] std::int32_t i32(const format::Tensor& table, std::uint64_t index) const;
  [[nodiscard]] std::array<std::int64_t, 3> mixed_shape(const FieldTables& field,
                                                        std::uint64_t index) const;

  std::string path_;
  FileIdentity identity_;
  Mapping mapping_;
  format::ShardHeader header_;
  FieldTables image_;
  FieldTables label_;
  const format::Tensor* key_data_ = nullptr;
  const format::Tensor* key_offsets_ = nullptr;
  const format::Tensor* source_hash_ = nullptr;
  const format::Tensor* source_size_ = nullptr;
  const format::Tensor* source_region_ = nullptr;
};

}  // namespace hotpack::reader
