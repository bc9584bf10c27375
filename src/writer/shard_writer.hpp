// Writes one shard: records at planned offsets, then tables, then the header, then the rename that
// publishes the file.
//
// Ownership: owns its temporary files and removes them if it is destroyed before commit().
// Thread-safety: many threads may call write_payload() for different records; one thread at a time
// calls add(), skip() and commit(), in planned order and after the record's payload is written.
// Failure: code `io` (`internal` for misuse); after a failure, only the destructor may be called.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/manifest.hpp"
#include "format/shard_layout.hpp"
#include "format/shard_tables.hpp"
#include "format/sums.hpp"
#include "hotpack/result.hpp"
#include "writer/atomic_file.hpp"

namespace hotpack::writer {

// Everything known about a shard before it is written.
struct ShardSpec {
  std::string folder;
  std::uint64_t index = 0;
  std::uint64_t count = 1;
  const Schema* schema = nullptr;  // must outlive the writer
  format::Metadata metadata;
  // the contents if no sample is skipped; stored bytes of compressed fields are ignored
  format::Contents planned;
};

// A record's planned place: offsets from the start of the image payload and of the label payload.
struct PayloadPlace {
  std::uint64_t image_offset = 0, image_bytes = 0;
  std::uint64_t label_offset = 0, label_bytes = 0;
};

// A finished shard: its row in the manifest and its share of the statistics.
struct FinishedShard {
  format::ShardRow row;
  format::Sums sums;
};

class ShardWriter {
 public:
  [[nodiscard]] static Result<std::unique_ptr<ShardWriter>> create(ShardSpec spec);

  // Returns true if no field is compressed. Then write_payload() writes records to their planned
  // places; otherwise pass the bytes of each record to add().
  [[nodiscard]] bool places_payload() const {
    return !spec_.planned.image_zstd && !spec_.planned.label_zstd;
  }

  // Writes a record at its planned place. Precondition: places_payload().
  // Labels of a few bytes are kept in memory until commit(), because writing each by itself is
  // slow.
  [[nodiscard]] Status write_payload(const PayloadPlace& place, std::span<const std::byte> image,
                                     std::span<const std::byte> label);

  // Adds the next sample. `image` and `label` are its stored bytes; they are ignored if
  // places_payload() is true, because write_payload() has written them.
  [[nodiscard]] Status add(const PayloadPlace& place, const format::RecordEntry& entry,
                           const format::Sums& sums, std::span<const std::byte> image = {},
                           std::span<const std::byte> label = {});
  // Skips the next sample.
  void skip() { ++sums_.skipped; }

  [[nodiscard]] Result<FinishedShard> commit();

 private:
  explicit ShardWriter(ShardSpec spec, AtomicFile file);
  [[nodiscard]] Status append(std::span<const std::byte> image, std::span<const std::byte> label);
  [[nodiscard]] Status settle_payload(const format::Layout& layout);
  void extend_runs(const PayloadPlace& place);
  [[nodiscard]] Status close_gaps(const format::Layout& layout);
  [[nodiscard]] Status move_spooled_labels(const format::Layout& layout);
  [[nodiscard]] Status zero_fillers(const format::Layout& layout);
  [[nodiscard]] format::Contents packed_contents() const;

  ShardSpec spec_;
  AtomicFile file_;
  // holds labels until the total size of the images is known
  std::unique_ptr<AtomicFile> label_spool_;
  format::Layout planned_layout_;
  std::optional<format::TableBuilder> tables_;  // of the packed samples; set by create()
  // Labels that are not written yet, at their offsets from the start of the label payload. Empty if
  // write_payload() writes labels.
  std::vector<std::byte> kept_labels_;
  std::vector<PayloadPlace> runs_;  // packed records whose planned places touch each other
  format::Sums sums_;
  std::uint64_t image_bytes_ = 0;  // stored bytes of the packed records
  std::uint64_t label_bytes_ = 0;
};

}  // namespace hotpack::writer
