// Records as they lie in slots, on devices and in resident memory: blocks of image and label, and how large those of a data set are.
//
// A RecordBlocks is a value, fixed once made; thread-safe. Where records differ it has 16 bytes per record.
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

// `bytes` brought up to a multiple of `step`.
[[nodiscard]] constexpr std::uint64_t whole_steps(std::uint64_t bytes, std::uint64_t step) { return (bytes + step - 1) / step * step; }

// One record: image, padding to kBlockAlignment, label, padding again.
struct RecordBlock {
  std::uint64_t label = 0;  // bytes from its beginning to the label; 0: there is none
  std::uint64_t bytes = 0;  // a multiple of kBlockAlignment
};

[[nodiscard]] RecordBlock block_of(const loader::RecordShape& record);
// Of a valid row whose block lies `at` bytes from the base address of the records.
[[nodiscard]] RowEntry entry_of(const loader::RecordShape& record, const expand::Placement& placement, std::uint64_t at);

// Where a record was not what it is now, or could not be read, when blocks were measured.
[[nodiscard]] Error changed_since_opening();

class RecordBlocks {
 public:
  // Where records differ, reads the shapes of all of them, by this many threads. One that cannot be read has no block.
  [[nodiscard]] static RecordBlocks make(const loader::RecordSource& source, const loader::BatchForm& form, unsigned threads);

  [[nodiscard]] std::uint64_t records() const { return records_; }
  [[nodiscard]] bool one_size() const { return begins_.empty(); }                      // of all blocks
  [[nodiscard]] std::optional<loader::RecordShape> shape(std::uint64_t sample) const;  // nothing: could not be read
  [[nodiscard]] std::uint64_t bytes(std::uint64_t sample) const;                       // of its block; 0 likewise
  // All blocks one after the other, in the order of the samples.
  [[nodiscard]] std::uint64_t begin(std::uint64_t sample) const;
  [[nodiscard]] std::uint64_t total_bytes() const;
  [[nodiscard]] std::uint64_t largest() const { return largest_; }
  // The most that the blocks of so many consecutive positions of an epoch have; beyond the last position come the first ones again. Nothing
  // on overflow.
  [[nodiscard]] std::optional<std::uint64_t> most_bytes(std::uint64_t rows) const;

 private:
  struct Side {
    std::int32_t width = 0;  // 0: could not be read
    std::int32_t height = 0;
  };
  RecordBlocks() = default;
  [[nodiscard]] loader::RecordShape sized(Side side) const;
  void add_up();

  std::uint64_t records_ = 0;
  loader::RecordShape record_;  // of every record; where they differ all but the sizes
  std::uint64_t largest_ = 0;
  std::vector<Side> sides_;            // a record each, where they differ
  std::vector<std::uint64_t> begins_;  // likewise, and the end
};

}  // namespace hotpack::device
