// The layout of records in slots, on devices and in resident memory: each record is a block of
// image and label. Also gives the sizes of the blocks of all samples.
//
// A RecordBlocks is an immutable value; thread-safe. It needs 16 bytes per record if records differ
// in size.
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

// The block of one record: image, padding to kBlockAlignment, label, padding.
struct RecordBlock {
  std::uint64_t label = 0;  // offset of the label in the block; 0 without a label
  std::uint64_t bytes = 0;  // a multiple of kBlockAlignment
};

[[nodiscard]] RecordBlock block_of(const loader::RecordShape& record);
// Returns the table entry of a batch row with a sample. `at` is the offset of the sample's block
// from the base address of the records.
[[nodiscard]] RowEntry entry_of(const loader::RecordShape& record,
                                const expand::Placement& placement, std::uint64_t at);

// Returns the error for a record that is not what it was when the loader was opened: it could not
// be read then, or it had another size.
[[nodiscard]] Error changed_since_opening();

class RecordBlocks {
 public:
  // Computes the sizes of all blocks. If records differ in size, reads the shapes of all records
  // for this, with `threads` threads. A record that cannot be read gets no block.
  [[nodiscard]] static RecordBlocks make(const loader::RecordSource& source,
                                         const loader::BatchForm& form, unsigned threads);

  [[nodiscard]] std::uint64_t records() const { return records_; }
  [[nodiscard]] bool one_size() const { return begins_.empty(); }  // all blocks have the same size
  // returns empty if the record could not be read
  [[nodiscard]] std::optional<loader::RecordShape> shape(std::uint64_t sample) const;
  // returns the bytes of the record's block; 0 if the record could not be read
  [[nodiscard]] std::uint64_t bytes(std::uint64_t sample) const;
  // Returns the offset of a sample's block in resident memory, where the blocks of all samples
  // follow one another without gaps.
  [[nodiscard]] std::uint64_t begin(std::uint64_t sample) const;
  [[nodiscard]] std::uint64_t total_bytes() const;
  [[nodiscard]] std::uint64_t largest() const { return largest_; }
  // Returns the most bytes that the blocks of `rows` samples at consecutive positions of an epoch
  // can have together. After the last position, the first ones follow. Returns nothing if the sum
  // does not fit into 64 bits.
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
  loader::RecordShape record_;  // of every record; valid except for the sizes if these differ
  std::uint64_t largest_ = 0;
  std::vector<Side> sides_;            // one per record, if they differ
  std::vector<std::uint64_t> begins_;  // likewise, plus the end
};

}  // namespace hotpack::device
