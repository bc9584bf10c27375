#include "bench/records.hpp"

#include <algorithm>
#include <utility>

#include "base/try.hpp"
#include "hotpack/order.hpp"

namespace hotpack::bench {

std::vector<std::uint64_t> first_samples(std::uint64_t records, const LoaderOptions& options,
                                         std::uint64_t count) {
  const EpochOrder order(
      records, {options.shuffle, options.seed, options.block_samples, options.window_blocks}, 0);
  std::vector<std::uint64_t> samples;
  samples.reserve(std::min(count, records));
  for (std::uint64_t position = 0; position < std::min(count, records); ++position)
    samples.push_back(order[position]);
  return samples;
}

std::span<const std::byte> RecordViews::memory() const {
  const auto pixels = std::as_bytes(image.bytes), values = std::as_bytes(label.bytes);
  if (values.empty()) return pixels;
  return {std::min(pixels.data(), values.data()),
          std::max(pixels.data() + pixels.size(), values.data() + values.size())};
}

Error RecordList::unreadable(std::uint64_t number) const {
  const Sample& sample = samples_[number % samples_.size()];
  std::vector<std::uint8_t> scratch;
  if (const auto image = sample.copy_image(scratch); !image.ok()) return image.error();
  if (const auto label = sample.copy_label(scratch); sample.has_label() && !label.ok())
    return label.error();
  return {
      ErrorCode::io,
      "a record could not be read at first, but a second attempt succeeded: is the disk failing?",
      {},
      {}};
}

void RecordList::add(const RecordViews& views) {
  views_.push_back(views);
  all_bytes_ += views.bytes();
  largest_bytes_ = std::max(largest_bytes_, views.bytes());
  largest_size_ = {std::max(largest_size_.width, views.image.shape.width),
                   std::max(largest_size_.height, views.image.shape.height)};
}

Result<RecordList> RecordList::make(const Dataset& dataset, std::span<const std::uint64_t> samples,
                                    std::uint64_t most_unpacked_bytes) {
  RecordList list;
  list.views_.reserve(samples.size());
  std::uint64_t unpacked_bytes = 0;
  for (const std::uint64_t number : samples) {
    HOTPACK_ASSIGN(const Sample sample, dataset.sample(number));
    std::vector<std::uint8_t> image, label;  // stay empty for records that are not compressed
    RecordViews views;
    HOTPACK_ASSIGN(views.image, sample.load_image(image, VerifyChecksums::never));
    if (sample.has_label()) {
      HOTPACK_ASSIGN(views.label, sample.load_label(label, VerifyChecksums::never));
    }
    unpacked_bytes += image.size() + label.size();
    if (unpacked_bytes > most_unpacked_bytes && list.size() > 0) break;
    list.add(views);
    list.samples_.push_back(sample);
    for (auto* const bytes : {&image, &label})
      if (!bytes->empty()) list.unpacked_.push_back(std::move(*bytes));
  }
  return list;
}

}  // namespace hotpack::bench
