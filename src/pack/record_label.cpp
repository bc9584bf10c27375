#include "pack/record_label.hpp"

#include <cstring>

#include "base/checksum.hpp"
#include "labels/one_hot.hpp"

namespace hotpack::pipeline {

namespace {

// Small enough to stay in the cache until its CRC is computed. Each call of crc32c() takes about as
// long as 8 KiB, so many small blocks would be slow.
constexpr std::size_t kCrcBlockBytes = std::size_t{1} << 15;

}  // namespace

RecordLabel::RecordLabel(LabelStorage storage, std::size_t class_count, LabelFilter filter,
                         std::uint16_t pad_id)
    : storage_(storage),
      class_count_(class_count),
      filter_(filter),
      pad_id_(pad_id),
      encoder_(storage, class_count) {}

void RecordLabel::make(ConstIds source, Region region, Extent record) {
  layout_.update({source.width, source.height}, region, filter_, record);
  const std::size_t row_bytes = static_cast<std::size_t>(record.width) * encoder_.pixel_bytes();
  const std::size_t bytes = row_bytes * static_cast<std::size_t>(record.height);
  std::byte* row = room_.reserve(bytes);
  bytes_ = {row, bytes};
  crc_ = 0;
  crc_bytes_ = 0;
  counts_.assign(class_count_, 0);
  ignored_ = 0;
  for (int y = 0; y < record.height;) {
    const int alike = rows_alike(y, record.height);
    write_row(source, y, record.width, {row, static_cast<std::uint64_t>(alike)});
    const std::byte* first = row;
    for (int i = 1; i < alike; ++i) std::memcpy(row += row_bytes, first, row_bytes);
    row += row_bytes;
    y += alike;
    add_crc(row, false);
  }
  add_crc(row, true);
}

// Returns the number of rows from y on that are padding, or that show one source row.
int RecordLabel::rows_alike(int y, int height) const {
  if (y < layout_.top()) return layout_.top() - y;
  if (y >= layout_.bottom()) return height - y;
  int end = y + 1;
  while (end < layout_.bottom() && layout_.source_row(end) == layout_.source_row(y)) ++end;
  return end - y;
}

void RecordLabel::write_row(ConstIds source, int y, int width, const Row& row) {
  if (y < layout_.top() || y >= layout_.bottom()) return write_run(pad_id_, 0, width, row);
  write_run(pad_id_, 0, layout_.left(), row);
  const int first = layout_.first_source_column();
  const auto columns = static_cast<std::size_t>(layout_.last_source_column() - first) + 1;
  write_source({source.row(layout_.source_row(y)) + first, columns}, row);
  write_run(pad_id_, layout_.right(), width, row);
}

// Writes the part of a row of the record that the source image covers. `pixels` are those of the
// source row, from the first to the last column that is needed.
void RecordLabel::write_source(std::span<const std::uint16_t> pixels, const Row& row) {
  const int first = layout_.first_source_column();
  if (runs_.find(pixels)) {
    const std::span<const std::uint32_t> begins = runs_.begins();
    int begin = layout_.left();
    for (std::size_t i = 0; i < begins.size(); ++i) {
      const std::size_t source_end = i + 1 < begins.size() ? begins[i + 1] : pixels.size();
      const int end = layout_.record_column(first + static_cast<int>(source_end));
      write_run(pixels[begins[i]], begin, end, row);
      begin = end;
    }
    return;
  }
  const std::size_t count = layout_.source_columns().size();
  const std::size_t pixel_bytes = encoder_.pixel_bytes();
  std::uint16_t* picked = picked_.reserve_as<std::uint16_t>(count);
  geometry::pick_columns(pixels.data() - first, layout_.source_columns(), picked);
  labels::encode_ids(
      {picked, count}, class_count_, storage_,
      {row.at + static_cast<std::size_t>(layout_.left()) * pixel_bytes, count * pixel_bytes});
  ignored_ += labels::count_ids({picked, count}, row.times, counts_);
}

// Writes and counts the record columns [begin, end).
void RecordLabel::write_run(std::uint16_t id, int begin, int end, const Row& row) {
  if (begin == end) return;
  const auto pixels = static_cast<std::size_t>(end - begin);
  encoder_.write(id, pixels, row.at + static_cast<std::size_t>(begin) * encoder_.pixel_bytes());
  (id < class_count_ ? counts_[id] : ignored_) += pixels * row.times;
}

// Adds the bytes before `end` that are not added yet to the CRC, while they are still in the cache.
// Adds whole blocks only, except in the last call.
void RecordLabel::add_crc(const std::byte* end, bool last) {
  std::size_t bytes = static_cast<std::size_t>(end - bytes_.data()) - crc_bytes_;
  if (!last) bytes -= bytes % kCrcBlockBytes;
  if (bytes == 0) return;
  crc_ = crc32c(bytes_.subspan(crc_bytes_, bytes), crc_);
  crc_bytes_ += bytes;
}

}  // namespace hotpack::pipeline
