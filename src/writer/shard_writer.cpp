#include "writer/shard_writer.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "format/schema_json.hpp"

namespace hotpack::writer {

namespace {

constexpr std::size_t kCopyBlock = 1 << 20;

std::string_view payload_name(bool image, bool zstd) {
  if (image) return zstd ? "image.zstd" : "image";
  return zstd ? "label.zstd" : "label";
}

// Copies `size` bytes; the target lies before the source when both are one file, so going upwards is safe.
Status copy_bytes(const File& from, std::uint64_t source, const File& to, std::uint64_t target, std::uint64_t size,
                  std::vector<std::byte>& block) {
  block.resize(kCopyBlock);
  for (std::uint64_t done = 0; done < size;) {
    const auto part = std::span(block).first(static_cast<std::size_t>(std::min<std::uint64_t>(kCopyBlock, size - done)));
    HOTPACK_TRY(from.read_at(source + done, part));
    HOTPACK_TRY(to.write_at(target + done, part));
    done += part.size();
  }
  return {};
}

}  // namespace

ShardWriter::ShardWriter(ShardSpec spec, AtomicFile file)
    : spec_(std::move(spec)),
      file_(std::move(file)),
      sums_(spec_.schema->image.channels(), spec_.schema->label ? spec_.schema->class_count() : 0) {}

Result<std::unique_ptr<ShardWriter>> ShardWriter::create(ShardSpec spec) {
  const std::string name = format::shard_file_name(spec.index, spec.count);
  HOTPACK_ASSIGN(AtomicFile file, AtomicFile::create(spec.folder, name));
  std::unique_ptr<ShardWriter> writer(new ShardWriter(std::move(spec), std::move(file)));
  HOTPACK_ASSIGN(writer->planned_layout_, format::plan_layout(writer->spec_.metadata, *writer->spec_.schema, writer->spec_.planned));
  writer->tables_.emplace(writer->planned_layout_);
  if (!writer->places_payload() && writer->spec_.schema->label) {
    HOTPACK_ASSIGN(AtomicFile spool, AtomicFile::create(writer->spec_.folder, name));
    writer->label_spool_ = std::make_unique<AtomicFile>(std::move(spool));
  }
  return writer;
}

Status ShardWriter::write_payload(std::uint64_t slot, std::span<const std::byte> image, std::span<const std::byte> label) const {
  HOTPACK_TRY(file_.file().write_at(planned_layout_.file_offset("image") + slot * image.size(), image));
  if (label.empty()) return {};
  return file_.file().write_at(planned_layout_.file_offset("label") + slot * label.size(), label);
}

Status ShardWriter::append(std::span<const std::byte> image, std::span<const std::byte> label) {
  HOTPACK_TRY(file_.file().write_at(planned_layout_.buffer_start() + image_bytes_, image));
  image_bytes_ += image.size();
  if (!label_spool_) return {};
  HOTPACK_TRY(label_spool_->file().write_at(label_bytes_, label));
  label_bytes_ += label.size();
  return {};
}

Status ShardWriter::add(std::uint64_t slot, const format::RecordEntry& entry, const format::Sums& sums, std::span<const std::byte> image,
                        std::span<const std::byte> label) {
  if (!places_payload()) HOTPACK_TRY(append(image, label));
  if (sums_.skipped > 0) slots_.push_back(slot);
  HOTPACK_TRY(tables_->add(entry));
  sums_.add(sums);
  return {};
}

void ShardWriter::skip() {
  if (sums_.skipped == 0)  // until here every sample stood in its own slot
    for (std::uint64_t slot = 0; slot < tables_->records(); ++slot) slots_.push_back(slot);
  ++sums_.skipped;
}

format::Contents ShardWriter::packed_contents() const {
  format::Contents contents = spec_.planned;
  contents.records = tables_->records();
  contents.key_bytes = tables_->key_bytes();
  contents.image_stored_bytes = image_bytes_;
  contents.label_stored_bytes = label_bytes_;
  return contents;
}

// Moves records down over the places of skipped samples. Images first, then labels: a target is never above its source.
Status ShardWriter::close_gaps(const format::Layout& layout) {
  std::vector<std::byte> block;
  for (const bool image : {true, false}) {
    const format::Tensor* const tensor = layout.find(payload_name(image, false));
    if (tensor == nullptr || tables_->records() == 0) continue;
    const std::uint64_t record = tensor->bytes() / tables_->records();
    const std::uint64_t from = planned_layout_.file_offset(tensor->name), to = layout.file_offset(tensor->name);
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (from + slots_[i] * record == to + i * record) continue;
      HOTPACK_TRY(copy_bytes(file_.file(), from + slots_[i] * record, file_.file(), to + i * record, record, block));
    }
  }
  return {};
}

Status ShardWriter::move_spooled_labels(const format::Layout& layout) {
  if (!label_spool_) return {};
  std::vector<std::byte> block;
  const std::uint64_t target = layout.file_offset(payload_name(false, spec_.planned.label_zstd));
  HOTPACK_TRY(copy_bytes(label_spool_->file(), 0, file_.file(), target, label_bytes_, block));
  label_spool_.reset();
  return {};
}

Status ShardWriter::zero_fillers(const format::Layout& layout) {
  const std::vector<std::byte> zeros(format::kPage);
  for (const format::Tensor& tensor : layout.tensors) {
    if (!tensor.name.starts_with("_pad.") || tensor.begin >= layout.tables_begin) continue;
    HOTPACK_TRY(
        file_.file().write_at(layout.buffer_start() + tensor.begin, std::span(zeros).first(static_cast<std::size_t>(tensor.bytes()))));
  }
  return {};
}

// Brings the payload to where `layout` wants it.
Status ShardWriter::settle_payload(const format::Layout& layout) {
  if (places_payload() && sums_.skipped > 0) HOTPACK_TRY(close_gaps(layout));
  HOTPACK_TRY(move_spooled_labels(layout));
  return zero_fillers(layout);
}

Result<FinishedShard> ShardWriter::commit() {
  HOTPACK_ASSIGN(const format::Layout layout, format::plan_layout(spec_.metadata, *spec_.schema, packed_contents()));
  HOTPACK_TRY(settle_payload(layout));
  const std::string header = format::encode_header(spec_.metadata, layout);
  const std::vector<std::byte> tables = tables_->finish(layout, sums_, header);
  HOTPACK_TRY(file_.file().write_at(layout.buffer_start() + layout.tables_begin, tables));
  HOTPACK_TRY(file_.file().resize(layout.file_bytes()));
  HOTPACK_TRY(file_.file().write_at(0, bytes_of(header)));
  HOTPACK_TRY(file_.commit());
  return FinishedShard{{format::shard_file_name(spec_.index, spec_.count), tables_->records(), layout.file_bytes(), spec_.metadata.sources,
                        format::shard_digest(bytes_of(header), tables)},
                       sums_};
}

}  // namespace hotpack::writer
