// The first records of a shuffled epoch, in the order of that epoch. They are read by the plain
// loops with which the Loader is compared.
//
// Ownership: borrows uncompressed records from the Dataset, which must outlive the list; keeps
// decompressed copies of compressed records. Thread-safety: any thread may call const members.
// Failure: as Sample's functions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hotpack/dataset.hpp"
#include "hotpack/loader.hpp"

namespace hotpack::bench {

// Returns the numbers of the first `count` samples that a Loader with these options delivers in
// epoch 0 of a data set of `records` records.
[[nodiscard]] std::vector<std::uint64_t> first_samples(std::uint64_t records,
                                                       const LoaderOptions& options,
                                                       std::uint64_t count);

struct RecordViews {
  ImageView image;
  LabelView label;  // no bytes if the data set is unlabeled
  [[nodiscard]] std::uint64_t bytes() const { return image.bytes.size() + label.bytes.size(); }
  // The memory from the first to the last byte of both.
  [[nodiscard]] std::span<const std::byte> memory() const;
};

class RecordList {
 public:
  // Makes the list. If records are compressed, it keeps decompressed copies of at most
  // `most_unpacked_bytes` bytes, but of at least one record, and may then be shorter than
  // `samples`.
  [[nodiscard]] static Result<RecordList> make(const Dataset& dataset,
                                               std::span<const std::uint64_t> samples,
                                               std::uint64_t most_unpacked_bytes);
  [[nodiscard]] std::size_t size() const { return views_.size(); }
  // Any number is valid: after the last record, the list starts again.
  [[nodiscard]] const RecordViews& operator[](std::uint64_t number) const {
    return views_[number % views_.size()];
  }
  // Returns why the record with this number cannot be read.
  [[nodiscard]] Error unreadable(std::uint64_t number) const;
  [[nodiscard]] std::uint64_t largest_bytes() const { return largest_bytes_; }
  [[nodiscard]] std::uint64_t mean_bytes() const { return all_bytes_ / views_.size(); }
  [[nodiscard]] PixelSize largest_size() const { return largest_size_; }
  [[nodiscard]] bool unpacked() const { return !unpacked_.empty(); }

 private:
  RecordList() = default;
  void add(const RecordViews& views);
  std::vector<RecordViews> views_;
  std::vector<Sample> samples_;  // keep what the views show
  std::vector<std::vector<std::uint8_t>> unpacked_;
  std::uint64_t all_bytes_ = 0;
  std::uint64_t largest_bytes_ = 0;
  PixelSize largest_size_;
};

}  // namespace hotpack::bench
