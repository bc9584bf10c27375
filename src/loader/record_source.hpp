// Reads records of a data set by sample number for the Loader's threads: finds, checks and
// decompresses them, and survives files that change.
//
// Ownership: shares the data set's files and may outlive the Dataset. Thread-safety: several
// threads may call all members at once, each with its own RecordScratch.
// Failure: `damaged` and `io`, naming file and record ("record 17 (street/0017): …"), as Sample's
// functions; without the key if the shard cannot be opened. A file that becomes unreadable gives
// `damaged` with both sizes if it has shrunk, or `io` with the system's text if the disk failed.
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
  // FileAccess::map installs the fault handler; FileAccess::read neither installs it nor maps
  // files.
  [[nodiscard]] static Result<std::unique_ptr<RecordSource>> make(const Dataset& dataset,
                                                                  VerifyChecksums verify_checksums,
                                                                  FileAccess access);
  ~RecordSource();

  [[nodiscard]] std::uint64_t records() const;
  [[nodiscard]] const Schema& schema() const;
  // The data set's fingerprint: that of its only pack; for several packs "xxh3-128:<hex>" over
  // their fingerprints, with a NUL after each.
  [[nodiscard]] const std::string& fingerprint() const;

  // Opens the sample's shard on first use. Refuses a shape whose size differs from the stored
  // bytes, so that no memory is allocated for it.
  [[nodiscard]] Result<RecordShape> shape(std::uint64_t number) const;

  // Reads one record and calls use(context, record). `use` runs inside the fault guard: it must
  // not allocate, lock or own anything, and may be left half-way, which read() then reports. If a
  // check is due, the CRC is compared before `use` is called, and the record counts as checked
  // only if it matches.
  using Use = void (*)(void* context, const Record& record);
  [[nodiscard]] Status read(std::uint64_t number, RecordScratch& scratch, Use use,
                            void* context) const;

  // Prefixes the error with the file and the record ("record 17 (street/0017): …") of this sample,
  // if they are known.
  [[nodiscard]] Error at_record(Error error, std::uint64_t number) const;

  // Asks the system to read a record's pages soon, and returns at once. Acts only if that may
  // help: at a record's first use in this process, and while this source sees that pages come
  // from the disk.
  void read_ahead(std::uint64_t number) const noexcept;

 private:
  struct Impl;
  explicit RecordSource(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hotpack::loader
