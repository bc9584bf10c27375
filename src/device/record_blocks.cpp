#include "device/record_blocks.hpp"

#include <algorithm>
#include <functional>
#include <mutex>
#include <new>

#include "base/checked.hpp"
#include "base/cores.hpp"
#include "base/error.hpp"
#include "device/cargo.hpp"
#include "device/work_threads.hpp"
#include "loader/row_samples.hpp"

namespace hotpack::device {

using loader::BatchForm;
using loader::RecordShape;
using loader::RecordSource;
using loader::RowBytes;

namespace {

constexpr std::uint64_t kShapesAtOnce = 1024;
constexpr unsigned kShapeThreads = 8;

// Calls take(sample, shape) for every record whose shape can be read. Uses `threads` threads, which
// call it at the same time.
template <class Take>
void read_shapes(const RecordSource& source, const BatchForm& form, unsigned threads, Take take) {
  for_ranges(
      source.records(), kShapesAtOnce, threads, [&](std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t sample = first; sample < last; ++sample) {
          try {
            if (const auto record = loader::shape_of_sample(source, form, sample); record.ok())
              take(sample, *record);
          } catch (
              const std::bad_alloc&) {  // from the text of an error: the record then has no block
          }
        }
      });
}

}  // namespace

RecordBlock block_of(const RecordShape& record) {
  const std::uint64_t image = whole_steps(record.image.size_bytes(), kBlockAlignment);
  const std::uint64_t label = record.label.class_count == 0 ? 0 : record.label.size_bytes();
  return {label == 0 ? 0 : image, image + whole_steps(label, kBlockAlignment)};
}

RowEntry entry_of(const RecordShape& record, const expand::Placement& placement, std::uint64_t at) {
  const RecordBlock block = block_of(record);
  const SampleCrop& box = placement.box;
  RowEntry entry;
  entry.image = at;
  entry.label = block.label == 0 ? 0 : at + block.label;
  entry.record_width = static_cast<std::int32_t>(record.image.width);
  entry.record_height = static_cast<std::int32_t>(record.image.height);
  entry.x = box.x;
  entry.y = box.y;
  entry.width = box.width;
  entry.height = box.height;
  entry.flags = kRowValid | (box.flip_horizontal ? kRowFlipHorizontal : 0) |
                (box.flip_vertical ? kRowFlipVertical : 0) |
                (placement.resample ? kRowResample : 0);
  return entry;
}

Error changed_since_opening() {
  return damaged_error(
      "its shard could not be read when the loader was opened, or was replaced since then; open "
      "the loader again");
}

RecordBlocks RecordBlocks::make(const RecordSource& source, const BatchForm& form,
                                unsigned threads) {
  RecordBlocks blocks;
  blocks.records_ = source.records();
  blocks.record_ = form.record();
  if (form.one_size()) {
    blocks.largest_ = block_of(blocks.record_).bytes;
    return blocks;
  }
  blocks.sides_.resize(blocks.records_);
  read_shapes(source, form, threads, [&](std::uint64_t sample, const RecordShape& record) {
    blocks.sides_[sample] = {static_cast<std::int32_t>(record.image.width),
                             static_cast<std::int32_t>(record.image.height)};
  });
  blocks.add_up();
  return blocks;
}

void RecordBlocks::add_up() {
  begins_.reserve(records_ + 1);
  std::uint64_t at = 0;
  for (const Side side : sides_) {
    begins_.push_back(at);
    const std::uint64_t bytes = side.width == 0 ? 0 : block_of(sized(side)).bytes;
    largest_ = std::max(largest_, bytes);
    at += bytes;
  }
  begins_.push_back(at);
}

RecordShape RecordBlocks::sized(Side side) const {
  RecordShape record = record_;
  record.image.width = side.width;
  record.image.height = side.height;
  if (record.label.class_count == 0 || record.label.scope == LabelScope::image) return record;
  record.label.width = side.width;
  record.label.height = side.height;
  return record;
}

std::optional<RecordShape> RecordBlocks::shape(std::uint64_t sample) const {
  if (begins_.empty()) return record_;
  const Side side = sides_[sample];
  return side.width == 0 ? std::nullopt : std::optional(sized(side));
}

std::uint64_t RecordBlocks::bytes(std::uint64_t sample) const {
  return begins_.empty() ? largest_ : begins_[sample + 1] - begins_[sample];
}

std::uint64_t RecordBlocks::begin(std::uint64_t sample) const {
  return begins_.empty() ? sample * largest_ : begins_[sample];
}

std::uint64_t RecordBlocks::total_bytes() const { return begin(records_); }

std::optional<std::uint64_t> RecordBlocks::most_bytes(std::uint64_t rows) const {
  if (begins_.empty()) return checked_mul(rows, largest_);
  std::vector<std::uint64_t> sizes(records_);
  for (std::uint64_t sample = 0; sample < records_; ++sample) sizes[sample] = bytes(sample);
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(rows % records_);
  std::nth_element(sizes.begin(), middle, sizes.end(), std::greater<>());
  std::uint64_t rest = 0;
  for (auto size = sizes.begin(); size != middle; ++size) rest += *size;
  const auto whole = checked_mul(rows / records_, total_bytes());
  return whole ? checked_add(*whole, rest) : std::nullopt;
}

Result<RowBytes> largest_row(const RecordSource& source, const BatchForm& form) {
  if (form.output()) return form.row_bytes(form.record(), *form.output());
  RowBytes largest;
  std::mutex mutex;
  read_shapes(
      source, form, std::min(usable_cores(), kShapeThreads),
      [&](std::uint64_t, const RecordShape& record) {
        const RowBytes row = form.row_bytes(record, {record.image.width, record.image.height});
        const std::lock_guard lock(mutex);
        largest = {std::max(largest.image, row.image), std::max(largest.label, row.label)};
      });
  return largest;
}

}  // namespace hotpack::device
