// Writes one shard: payload at planned places, tables, header last, then the rename that makes it exist.
//
// Ownership: owns the temporary file(s); nothing is left when it is destroyed before commit(). Thread-safety: write_payload() may be
// called from many threads for different records; add(), skip() and commit() from one thread at a time, add()/skip() in planned order,
// after the payload of that record. Failure: code `io` (or `internal` for misuse); after a failure only destruction makes sense.
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

// What is known about a shard before it is written.
struct ShardSpec {
  std::string folder;
  std::uint64_t index = 0;
  std::uint64_t count = 1;
  const Schema* schema = nullptr;  // outlives the writer
  format::Metadata metadata;
  format::Contents planned;  // if no sample is skipped; stored bytes of compressed fields are ignored
};

// Where a record's payload stands among the planned ones: offsets from the start of the image and of the label payload.
struct PayloadPlace {
  std::uint64_t image_offset = 0, image_bytes = 0;
  std::uint64_t label_offset = 0, label_bytes = 0;
};

// One finished shard: its row of the manifest and its part of the statistics.
struct FinishedShard {
  format::ShardRow row;
  format::Sums sums;
};

class ShardWriter {
 public:
  [[nodiscard]] static Result<std::unique_ptr<ShardWriter>> create(ShardSpec spec);

  // Whether records go to their planned places by write_payload (uncompressed); otherwise add() takes their bytes.
  [[nodiscard]] bool places_payload() const { return !spec_.planned.image_zstd && !spec_.planned.label_zstd; }

  // Writes a record to its planned place. Precondition: places_payload().
  [[nodiscard]] Status write_payload(const PayloadPlace& place, std::span<const std::byte> image, std::span<const std::byte> label) const;

  // The next sample is packed. `image` and `label` are its bytes as stored where !places_payload(), else unused.
  [[nodiscard]] Status add(const PayloadPlace& place, const format::RecordEntry& entry, const format::Sums& sums,
                           std::span<const std::byte> image = {}, std::span<const std::byte> label = {});
  // The next sample is not packed.
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
  std::unique_ptr<AtomicFile> label_spool_;  // labels while the images' total size is unknown
  format::Layout planned_layout_;
  std::optional<format::TableBuilder> tables_;  // of the packed samples; there from create() on
  std::vector<PayloadPlace> runs_;              // of packed records whose planned places touch each other
  format::Sums sums_;
  std::uint64_t image_bytes_ = 0;  // of the packed records, as stored
  std::uint64_t label_bytes_ = 0;
};

}  // namespace hotpack::writer
