// Reads records of a data set, by the numbers of their samples, for the Loader's threads: finds,
// checks and decompresses them, and returns errors for files that change.
//
// Ownership: shares the data set's files and may outlive the Dataset. Thread-safety: several
// threads may call all members at once, each with its own RecordScratch. Failure: `damaged` and
// `io`, naming file and record ("record 17 (street/0017): …"), as Sample's functions; without the
// key if the shard cannot be opened. A file that becomes unreadable gives `damaged` with both sizes
// if it has shrunk, or `io` with the system's text if the disk failed.
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

// Memory that a thread reuses between records.
struct RecordScratch {
  std::vector<std::uint8_t> image;  // decompressed, or read with system calls
  std::vector<std::uint8_t> label;
  std::vector<std::uint8_t> frame;  // compressed fields, read with system calls
  DiskMeter disk;
};

// One record, ready to read. Its views are valid while `use` runs.
struct Record {
  std::string_view key;
  ImageView image;
  LabelView label;  // no bytes without a label
};

struct RecordShape {
  ImageShape image;
  LabelShape label;  // class_count 0 without a label
};

class RecordSource {
 public:
  // Makes a source. With FileAccess::map, installs the fault handler; with FileAccess::read,
  // neither installs it nor maps any file.
  [[nodiscard]] static Result<std::unique_ptr<RecordSource>> make(const Dataset& dataset,
                                                                  VerifyChecksums verify_checksums,
                                                                  FileAccess access);
  ~RecordSource();

  [[nodiscard]] std::uint64_t records() const;
  [[nodiscard]] const Schema& schema() const;
  // Returns the data set's fingerprint. For one pack it is that of the pack; for several packs it
  // is "xxh3-128:<hex>" over the packs' fingerprints, each followed by a NUL.
  [[nodiscard]] const std::string& fingerprint() const;

  // Returns the shape of a sample's record. Opens its shard at first use. Fails if the shape does
  // not agree with the number of stored bytes, so that no memory is allocated for it.
  [[nodiscard]] Result<RecordShape> shape(std::uint64_t number) const;

  // The function that read() calls with a record that it has read: use(context, record). It runs
  // inside the fault guard. So it must not allocate, lock or own anything, and it may be left
  // half-way; read() then returns an error. If the record's checksum must be checked, this happens
  // before the call, and the record counts as checked only if the checksum is right.
  using Use = void (*)(void* context, const Record& record);
  [[nodiscard]] Status read(std::uint64_t number, RecordScratch& scratch, Use use,
                            void* context) const;

  // Returns the error with the sample's file and record ("record 17 (street/0017): …") before its
  // text, as far as they are known.
  [[nodiscard]] Error at_record(Error error, std::uint64_t number) const;

  // Asks the system to read a record's pages soon, and returns at once. Does so only if it may
  // help: if the record was not used in this process yet, and pages currently come from the disk.
  void read_ahead(std::uint64_t number) const noexcept;

 private:
  struct Impl;
  explicit RecordSource(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hotpack::loader
