// The layout of records in slots, on devices and in resident memory: blocks of image and label,
// and their sizes for a data set.
//
// A RecordBlocks is an immutable value; thread-safe. If records differ, it needs 16 bytes per
// record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "device/row_entry.hpp"
#include "expand/placement.hpp"
#include "hotpack/result.hpp"
#include "loader/batch_form.hpp"
#include "loader/record_source.hpp"

namespace hotpack::device {

// `bytes`, rounded up to a multiple of `step`.
[[nodiscard]] constexpr std::uint64_t whole_steps(std::uint64_t bytes, std::uint64_t step) {
  return (bytes + step - 1) / step * step;
}

// One record: image, padding to kBlockAlignment, label, padding.
struct RecordBlock {
  std::uint64_t label = 0;  // offset of the label in the block; 0 without a label
  std::uint64_t bytes = 0;  // a multiple of kBlockAlignment
};

[[nodiscard]] RecordBlock block_of(const loader::RecordShape& record);
// The entry of a valid row whose block lies `at` bytes from the base address of the records.
[[nodiscard]] RowEntry entry_of(const loader::RecordShape& record,
                                const expand::Placement& placement, std::uint64_t at);

// The error for a record that could not be read, or had another size, when blocks were measured.
[[nodiscard]] Error changed_since_opening();

class RecordBlocks {
 public:
  // If records differ, reads the shapes of all of them on this many threads. A record that cannot
  // be read has no block.
  [[nodiscard]] static RecordBlocks make(const loader::RecordSource& source,
                                         const loader::BatchForm& form, unsigned threads);

  [[nodiscard]] std::uint64_t records() const { return records_; }
  [[nodiscard]] bool one_size() const { return begins_.empty(); }  // all blocks have the same size
  // empty: the record could not be read
  [[nodiscard]] std::optional<loader::RecordShape> shape(std::uint64_t sample) const;
  // of its block; 0 if the record could not be read
  [[nodiscard]] std::uint64_t bytes(std::uint64_t sample) const;
  // The offset of the sample's block if all blocks lie in the order of samples without gaps.
  [[nodiscard]] std::uint64_t begin(std::uint64_t sample) const;
  [[nodiscard]] std::uint64_t total_bytes() const;
  [[nodiscard]] std::uint64_t largest() const { return largest_; }
  // The most bytes that the blocks of so many consecutive positions of an epoch have; the first
  // positions follow the last one. Empty on overflow.
  [[nodiscard]] std::optional<std::uint64_t> most_bytes(std::uint64_t rows) const;

 private:
  struct Side {
    std::int32_t width = 0;  // 0: the record could not be read
    std::int32_t height = 0;
  };
  RecordBlocks() = default;
  [[nodiscard]] loader::RecordShape sized(Side side) const;
  void add_up();

  std::uint64_t records_ = 0;
  loader::RecordShape record_;  // of every record; if they differ, everything but the sizes
  std::uint64_t largest_ = 0;
  std::vector<Side> sides_;            // one per record, if they differ
  std::vector<std::uint64_t> begins_;  // likewise, plus the end
};

}  // namespace hotpack::device
