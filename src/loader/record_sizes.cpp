#include "loader/record_sizes.hpp"

#include <algorithm>
#include <functional>

#include "base/checked.hpp"
#include "loader/row_entry.hpp"
#include "loader/row_samples.hpp"

namespace hotpack::loader {

RecordLayout layout_of(const RecordShape& record) {
  const auto aligned = [](std::uint64_t bytes) {
    return (bytes + kRecordAlignment - 1) / kRecordAlignment * kRecordAlignment;
  };
  const std::uint64_t image = aligned(record.image.size_bytes());
  const std::uint64_t label =
      record.label.class_count == 0 ? 0 : aligned(record.label.size_bytes());
  return {label == 0 ? 0 : image, image + label};
}

RecordSizes::RecordSizes(const RecordSource& source, const BatchForm& form)
    : records(source.records()) {
  const auto add = [&](const RecordShape& record) {
    const PixelSize size{record.image.width, record.image.height};
    const RowBytes row = form.row_bytes(record, form.output().value_or(size));
    const std::uint64_t bytes = layout_of(record).bytes;
    largest = std::max(largest, bytes);
    largest_record = {std::max(largest_record.width, size.width),
                      std::max(largest_record.height, size.height)};
    largest_row = {std::max(largest_row.image, row.image), std::max(largest_row.label, row.label)};
    return bytes;
  };
  if (form.one_size()) {
    add(form.record());
    return;
  }
  begins.reserve(records + 1);
  begins.push_back(0);
  for (std::uint64_t sample = 0; sample < records; ++sample) {
    const auto record = shape_of_sample(source, form, sample);
    begins.push_back(begins.back() + (record.ok() ? add(*record) : 0));
  }
}

std::optional<std::uint64_t> RecordSizes::most_bytes(std::uint64_t rows) const {
  if (begins.empty()) return checked_mul(rows, largest);
  std::vector<std::uint64_t> sizes(records);
  for (std::uint64_t sample = 0; sample < records; ++sample) sizes[sample] = bytes(sample);
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  std::uint64_t rest = 0;
  for (std::uint64_t row = 0; row < rows % records; ++row) rest += sizes[row];
  const auto whole = checked_mul(rows / records, all_bytes());  // an epoch may be repeated
  return whole ? checked_add(*whole, rest) : std::nullopt;
}

}  // namespace hotpack::loader
