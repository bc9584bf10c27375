// The sizes of packed records in memory that holds many of them: image, padding, label, padding.
//
// Immutable values; thread-safe. Nothing here fails.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "loader/batch_form.hpp"
#include "loader/record_source.hpp"

namespace hotpack::loader {

// The layout of one record, with fields that begin at multiples of kRecordAlignment.
struct RecordLayout {
  std::uint64_t label = 0;  // offset of the label; 0 without one
  std::uint64_t bytes = 0;  // a multiple of the alignment
};
[[nodiscard]] RecordLayout layout_of(const RecordShape& record);

// The sizes of all records, and the largest ones.
struct RecordSizes {
  // If records differ in size, reads the shapes of all. A record that cannot be read has 0 bytes.
  RecordSizes(const RecordSource& source, const BatchForm& form);
  [[nodiscard]] std::uint64_t bytes(std::uint64_t sample) const {
    return begins.empty() ? largest : begins[sample + 1] - begins[sample];
  }
  // The offset of a record if all records follow one another.
  [[nodiscard]] std::uint64_t begin(std::uint64_t sample) const {
    return begins.empty() ? sample * largest : begins[sample];
  }
  [[nodiscard]] std::uint64_t all_bytes() const { return begin(records); }
  // The most bytes of `rows` consecutive samples of an order; nothing if that exceeds 64 bits.
  [[nodiscard]] std::optional<std::uint64_t> most_bytes(std::uint64_t rows) const;

  std::uint64_t records;
  std::uint64_t largest = 0;
  PixelSize largest_record;  // the largest width and the largest height
  RowBytes largest_row;
  std::vector<std::uint64_t> begins;  // if records differ: one per record, and the end
};

}  // namespace hotpack::loader
