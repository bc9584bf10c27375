// Checks single records of a shard: key, source, position of the image in the record, checksums,
// label values. Each worker has its own auditor. Reads records with system calls, so that what
// cannot be read is an error of this record.
//
// Ownership: borrows the ShardFile and the open file. Not thread-safe. Failure: none; problems
// become findings. Never throws.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/fit.hpp"
#include "base/pixels.hpp"
#include "format/sums.hpp"
#include "reader/findings.hpp"
#include "reader/record_counts.hpp"
#include "reader/shard_file.hpp"

namespace hotpack::reader {

class RecordAuditor {
 public:
  // Prepares to check the records of `file`, which `opened` contains; keeps at most `max_findings`
  // findings. `later_fields` are payload fields that a later version 1.x has added; only their
  // checksums are checked. They, `file` and `opened` must outlive the auditor.
  RecordAuditor(const ShardFile& file, const File& opened, std::string file_name,
                std::span<const FieldTables> later_fields, std::size_t max_findings);

  void audit(std::uint64_t index);

  // of the records that could be counted
  [[nodiscard]] const format::Sums& sums() const { return sums_; }
  [[nodiscard]] bool all_counted() const { return all_counted_; }
  // uncompressed size of the records that could be read
  [[nodiscard]] std::uint64_t content_bytes() const { return content_bytes_; }
  [[nodiscard]] Findings take_findings() { return std::move(findings_); }
  [[nodiscard]] std::uint64_t finding_count() const { return findings_.count(); }

 private:
  using Bytes = std::span<const std::byte>;
  void audit_record();
  void audit_key();
  void audit_source(const SampleSource& source, const ImageShape& shape);
  void audit_hashes(const SampleSource& source);
  void audit_image(const ImageShape& shape, const SampleSource& source);
  void audit_label(const ImageShape& image, const LabelShape& shape);
  void audit_classes(const LabelShape& shape);
  void audit_later_field(const FieldTables& field);
  // Reads the bytes of the current record's field as they are stored; they are valid until the next
  // call. Before it takes memory, it refuses an uncompressed record that has another size than its
  // shape needs, if that is known.
  [[nodiscard]] Result<StoredRecord> read_stored(const FieldTables& field,
                                                 std::optional<std::uint64_t> size_bytes);
  // Returns the uncompressed record of a field, after checking its checksum.
  [[nodiscard]] Result<Bytes> content(const FieldTables& field, const StoredRecord& stored,
                                      std::uint64_t size_bytes);
  // Returns the content of the current record's field after checking its checksums. On failure,
  // adds a finding and returns nothing. Sets `offset` to the record's offset in the file.
  [[nodiscard]] std::optional<Bytes> checked_content(const FieldTables& field,
                                                     std::uint64_t size_bytes,
                                                     std::uint64_t& offset);
  void report_faults(const LabelFaults& faults, const LabelShape& shape, std::uint64_t offset);
  void report_fault(const LabelFault& fault, std::string text, const LabelShape& shape,
                    std::uint64_t offset);

  void report(std::string text, std::optional<std::uint64_t> offset,
              ErrorCode code = ErrorCode::damaged);
  void report(const Error& error) { report(error.message, error.offset, error.code); }

  const ShardFile& file_;
  const File& opened_;
  std::string file_name_;
  std::span<const FieldTables> later_fields_;
  // absent if regions cannot be recomputed (a later fit, or sources cropped to their labels)
  std::optional<Fit> fit_;
  int pad_multiple_ = 1;
  Anchor anchor_ = Anchor::center;
  std::uint64_t index_ = 0;  // the current record
  std::string key_;
  Findings findings_;
  format::Sums sums_;
  LabelCounter labels_;
  Buffer stored_, scratch_;
  bool all_counted_ = true;
  std::uint64_t content_bytes_ = 0;
};

}  // namespace hotpack::reader
