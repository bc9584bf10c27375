#include "writer/shard_writer.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "format/schema_json.hpp"

namespace hotpack::writer {

namespace {

constexpr std::size_t kCopyBlock = 1 << 20;

// Copies `size` bytes from offset `source` of `from` to offset `target` of `to`, in ascending
// order. Both may be the same file if the target lies before the source.
Status copy_bytes(const File& from, std::uint64_t source, const File& to, std::uint64_t target,
                  std::uint64_t size, std::vector<std::byte>& block) {
  block.resize(kCopyBlock);
  for (std::uint64_t done = 0; done < size;) {
    const auto part = std::span(block).first(
        static_cast<std::size_t>(std::min<std::uint64_t>(kCopyBlock, size - done)));
    HOTPACK_TRY(from.read_at(source + done, part));
    HOTPACK_TRY(to.write_at(target + done, part));
    done += part.size();
  }
  return {};
}

constexpr std::string_view kImage = "image";
constexpr std::string_view kLabel = "label";

// Returns the tensor of a field's payload, whichever form the field has; null if it has none.
const format::Tensor* payload_of(const format::Layout& layout, std::string_view field) {
  for (const std::string_view form : {"", ".data", ".zstd"})
    if (const auto* tensor = layout.find(std::string(field) + std::string(form))) return tensor;
  return nullptr;
}

// Returns the offset of a field's payload in the file.
std::uint64_t start_of(const format::Layout& layout, std::string_view field) {
  const format::Tensor* const tensor = payload_of(layout, field);
  return layout.buffer_start() + (tensor != nullptr ? tensor->begin : 0);
}

// Returns the bytes of all labels if they are small enough to be written at once, else 0.
std::size_t small_label_bytes(const format::Layout& layout, std::uint64_t records) {
  constexpr std::uint64_t kFewBytes = 16;  // of a label
  constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 20;
  const format::Tensor* const labels = payload_of(layout, kLabel);
  if (labels == nullptr) return 0;
  const std::uint64_t bytes = labels->bytes();
  return bytes <= kMostBytes && bytes <= kFewBytes * records ? static_cast<std::size_t>(bytes) : 0;
}

// True if the file has these bytes at `offset`.
bool has_bytes(const File& file, std::uint64_t offset, std::span<const std::byte> bytes) {
  std::vector<std::byte> found(bytes.size());
  return file.read_at(offset, found).ok() && std::equal(found.begin(), found.end(), bytes.begin());
}

}  // namespace

ShardWriter::ShardWriter(ShardSpec spec, AtomicFile file)
    : spec_(std::move(spec)),
      file_(std::move(file)),
      sums_(spec_.schema->image.channels(), spec_.schema->label ? spec_.schema->class_count() : 0) {
}

Result<std::unique_ptr<ShardWriter>> ShardWriter::create(ShardSpec spec) {
  const std::string name = format::shard_file_name(spec.index, spec.count);
  HOTPACK_ASSIGN(AtomicFile file, AtomicFile::create(spec.folder, name));
  std::unique_ptr<ShardWriter> writer(new ShardWriter(std::move(spec), std::move(file)));
  HOTPACK_ASSIGN(
      writer->planned_layout_,
      format::plan_layout(writer->spec_.metadata, *writer->spec_.schema, writer->spec_.planned));
  writer->tables_.emplace(writer->planned_layout_);
  if (writer->places_payload())
    writer->kept_labels_.resize(
        small_label_bytes(writer->planned_layout_, writer->spec_.planned.records));
  if (!writer->places_payload() && writer->spec_.schema->label) {
    HOTPACK_ASSIGN(AtomicFile spool, AtomicFile::create(writer->spec_.folder, name));
    writer->label_spool_ = std::make_unique<AtomicFile>(std::move(spool));
  }
  return writer;
}

Status ShardWriter::write_payload(const PayloadPlace& place, std::span<const std::byte> image,
                                  std::span<const std::byte> label) {
  HOTPACK_TRY(file_.file().write_at(start_of(planned_layout_, kImage) + place.image_offset, image));
  if (label.empty()) return {};
  if (!kept_labels_.empty()) {
    std::copy(label.begin(), label.end(),
              kept_labels_.begin() + static_cast<std::ptrdiff_t>(place.label_offset));
    return {};
  }
  return file_.file().write_at(start_of(planned_layout_, kLabel) + place.label_offset, label);
}

Status ShardWriter::append(std::span<const std::byte> image, std::span<const std::byte> label) {
  HOTPACK_TRY(file_.file().write_at(planned_layout_.buffer_start() + image_bytes_, image));
  image_bytes_ += image.size();
  if (!label_spool_) return {};
  HOTPACK_TRY(label_spool_->file().write_at(label_bytes_, label));
  label_bytes_ += label.size();
  return {};
}

void ShardWriter::extend_runs(const PayloadPlace& place) {
  image_bytes_ += place.image_bytes;
  label_bytes_ += place.label_bytes;
  if (!runs_.empty()) {
    PayloadPlace& last = runs_.back();
    if (last.image_offset + last.image_bytes == place.image_offset &&
        last.label_offset + last.label_bytes == place.label_offset) {
      last.image_bytes += place.image_bytes;
      last.label_bytes += place.label_bytes;
      return;
    }
  }
  runs_.push_back(place);
}

Status ShardWriter::add(const PayloadPlace& place, const format::RecordEntry& entry,
                        const format::Sums& sums, std::span<const std::byte> image,
                        std::span<const std::byte> label) {
  if (places_payload()) {
    extend_runs(place);
  } else {
    HOTPACK_TRY(append(image, label));
  }
  HOTPACK_TRY(tables_->add(entry, sums));
  sums_.add(sums);
  return {};
}

format::Contents ShardWriter::packed_contents() const {
  format::Contents contents = spec_.planned;
  contents.records = tables_->records();
  contents.key_bytes = tables_->key_bytes();
  contents.image_stored_bytes = image_bytes_;
  contents.label_stored_bytes = label_bytes_;
  contents.class_rows = tables_->class_rows();
  return contents;
}

// Closes the gaps that skipped samples have left: moves records towards the start of the file,
// first images, then labels. In this order, a record's new place is never after its old one.
Status ShardWriter::close_gaps(const format::Layout& layout) {
  std::vector<std::byte> block;
  const auto move = [&](std::uint64_t from, std::uint64_t to, std::uint64_t size) {
    return from == to ? Status() : copy_bytes(file_.file(), from, file_.file(), to, size, block);
  };
  std::uint64_t target = start_of(layout, kImage);
  for (const PayloadPlace& run : runs_) {
    HOTPACK_TRY(
        move(start_of(planned_layout_, kImage) + run.image_offset, target, run.image_bytes));
    target += run.image_bytes;
  }
  if (!spec_.schema->label) return {};
  target = start_of(layout, kLabel);
  for (const PayloadPlace& run : runs_) {
    HOTPACK_TRY(
        move(start_of(planned_layout_, kLabel) + run.label_offset, target, run.label_bytes));
    target += run.label_bytes;
  }
  return {};
}

Status ShardWriter::move_spooled_labels(const format::Layout& layout) {
  if (!label_spool_) return {};
  std::vector<std::byte> block;
  const std::uint64_t target = start_of(layout, kLabel);
  HOTPACK_TRY(copy_bytes(label_spool_->file(), 0, file_.file(), target, label_bytes_, block));
  label_spool_.reset();
  return {};
}

Status ShardWriter::zero_fillers(const format::Layout& layout) {
  const std::vector<std::byte> zeros(format::kPage);
  for (const format::Tensor& tensor : layout.tensors) {
    if (!tensor.name.starts_with("_pad.") || tensor.begin >= layout.tables_begin) continue;
    HOTPACK_TRY(
        file_.file().write_at(layout.buffer_start() + tensor.begin,
                              std::span(zeros).first(static_cast<std::size_t>(tensor.bytes()))));
  }
  return {};
}

// Moves the payload to its places in `layout`.
Status ShardWriter::settle_payload(const format::Layout& layout) {
  HOTPACK_TRY(file_.file().write_at(start_of(planned_layout_, kLabel), std::span(kept_labels_)));
  if (places_payload() && sums_.skipped > 0) HOTPACK_TRY(close_gaps(layout));
  HOTPACK_TRY(move_spooled_labels(layout));
  return zero_fillers(layout);
}

Result<FinishedShard> ShardWriter::commit() {
  HOTPACK_ASSIGN(const format::Layout layout,
                 format::plan_layout(spec_.metadata, *spec_.schema, packed_contents()));
  HOTPACK_TRY(settle_payload(layout));
  const std::string header = format::encode_header(spec_.metadata, layout);
  const std::vector<std::byte> tables = tables_->finish(layout, sums_, header);
  HOTPACK_TRY(file_.file().write_at(layout.buffer_start() + layout.tables_begin, tables));
  HOTPACK_TRY(file_.file().resize(layout.file_bytes()));
  HOTPACK_TRY(file_.file().write_at(0, bytes_of(header)));
  // Equal headers and tables mean equal records: the tables hold their checksums.
  HOTPACK_TRY(file_.commit([&](const File& finished) {
    const Result<std::uint64_t> size = finished.size();
    return size.ok() && *size == layout.file_bytes() && has_bytes(finished, 0, bytes_of(header)) &&
           has_bytes(finished, layout.buffer_start() + layout.tables_begin, tables);
  }));
  return FinishedShard{
      {format::shard_file_name(spec_.index, spec_.count), tables_->records(), layout.file_bytes(),
       spec_.metadata.sources, format::shard_digest(bytes_of(header), tables)},
      sums_};
}

}  // namespace hotpack::writer
