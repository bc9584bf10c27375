// Makes the label of a record from an array of class ids in one pass: resamples, encodes, counts
// classes and computes the CRC, row by row.
//
// Each worker has its own RecordLabel, which owns the record's bytes; not thread-safe. It throws
// std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/fit.hpp"
#include "base/pixels.hpp"
#include "base/words.hpp"
#include "geometry/nearest.hpp"
#include "hotpack/schema.hpp"
#include "labels/row_runs.hpp"
#include "labels/run_encoder.hpp"

namespace hotpack::pipeline {

class RecordLabel {
 public:
  RecordLabel(LabelStorage storage, std::size_t class_count, LabelFilter filter,
              std::uint16_t pad_id);

  // Makes the label of a record of size `record`. The result is that of NearestPlacer::place(),
  // encode_ids() and crc32c(), called one after the other. The results of the functions below are
  // valid until the next call.
  void make(ConstIds source, Region region, Extent record);

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  [[nodiscard]] std::uint32_t crc() const { return crc_; }
  // Element c is the number of pixels of class c.
  [[nodiscard]] std::span<const std::uint64_t> pixels_of_classes() const { return counts_; }
  [[nodiscard]] std::uint64_t ignored_pixels() const { return ignored_; }

 private:
  // A record row, and how many rows show the same.
  struct Row {
    std::byte* at;
    std::uint64_t times;
  };
  [[nodiscard]] int rows_alike(int y, int height) const;
  void write_row(ConstIds source, int y, int width, const Row& row);
  void write_source(std::span<const std::uint16_t> pixels, const Row& row);
  void write_run(std::uint16_t id, int begin, int end, const Row& row);
  void add_crc(const std::byte* end, bool last);

  LabelStorage storage_;
  std::size_t class_count_;
  LabelFilter filter_;
  std::uint16_t pad_id_;
  labels::RunEncoder encoder_;
  geometry::NearestLayout layout_;
  labels::RowRuns runs_;
  Buffer room_, picked_;

  std::span<const std::byte> bytes_;
  std::size_t crc_bytes_ = 0;  // that crc_ covers
  std::uint32_t crc_ = 0;
  std::vector<std::uint64_t> counts_;
  std::uint64_t ignored_ = 0;
};

}  // namespace hotpack::pipeline
