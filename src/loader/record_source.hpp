// Records of a data set by sample number, as threads of the Loader read them: found, checked, decompressed, guarded against files that
// change.
//
// Ownership: shares the data set's files, so the Dataset may go first. Thread-safety: all members from several threads at once, each with a
// RecordScratch of its own.
// Failure: `damaged` and `io`, naming file and record ("record 17 (street/0017): …"), as Sample's functions do, without the key where the
// shard cannot be opened; a file that can no longer be read gives `damaged` where it has shrunk (with both sizes) and `io` where the disk
// failed (with the system's text).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hotpack/dataset.hpp"
#include "hotpack/loader.hpp"
#include "hotpack/result.hpp"
#include "hotpack/shard.hpp"
#include "loader/disk_watch.hpp"

namespace hotpack::loader {

// What a thread keeps between records.
struct RecordScratch {
  std::vector<std::uint8_t> image;  // decompressed, or read by system calls
  std::vector<std::uint8_t> label;
  std::vector<std::uint8_t> frame;  // compressed fields read by system calls
  DiskMeter disk;
};

// One record, ready to be read. Views are valid while `use` runs.
struct Record {
  std::string_view key;
  ImageView image;
  LabelView label;  // no bytes when unlabelled
};

struct RecordShape {
  ImageShape image;
  LabelShape label;  // class_count 0 when unlabelled
};

class RecordSource {
 public:
  // FileAccess::map installs the fault handler; FileAccess::read neither does nor maps a file.
  [[nodiscard]] static Result<std::unique_ptr<RecordSource>> make(const Dataset& dataset, VerifyChecksums verify_checksums,
                                                                  FileAccess access);
  ~RecordSource();

  [[nodiscard]] std::uint64_t records() const;
  [[nodiscard]] const Schema& schema() const;
  // Of the data set: that of its only pack; of several "xxh3-128:<hex>" over their fingerprints, a NUL after each.
  [[nodiscard]] const std::string& fingerprint() const;

  // Opens the sample's shard on first use. Refuses a shape that needs other bytes than are stored, so that nobody makes room for it.
  [[nodiscard]] Result<RecordShape> shape(std::uint64_t number) const;

  // Reads one record and calls use(context, record). `use` runs inside the fault guard: it must neither allocate, lock nor own anything,
  // and may be left half-way, which read() then reports. With a check due, the CRC is compared before `use` is called, and the record
  // counts as checked only once it was good.
  using Use = void (*)(void* context, const Record& record);
  [[nodiscard]] Status read(std::uint64_t number, RecordScratch& scratch, Use use, void* context) const;

  // The error with the file and the record ("record 17 (street/0017): …") of this sample before it, as far as they can be told.
  [[nodiscard]] Error at_record(Error error, std::uint64_t number) const;

  // Asks the system to read a record's pages soon; returns at once. Only where it may help: at a record's first use in this process, and
  // while this source sees that pages must come from the disk.
  void read_ahead(std::uint64_t number) const noexcept;

 private:
  struct Impl;
  explicit RecordSource(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hotpack::loader
