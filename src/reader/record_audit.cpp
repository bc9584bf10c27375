#include "reader/record_audit.hpp"

#include <algorithm>
#include <charconv>
#include <new>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "base/utf8.hpp"
#include "base/words.hpp"
#include "format/json.hpp"
#include "format/schema_json.hpp"
#include "reader/changed_file.hpp"
#include "reader/zstd_frame.hpp"

namespace hotpack::reader {

namespace {

std::string text_of(const std::array<std::int64_t, 4>& region) {
  return std::to_string(region[0]) + "," + std::to_string(region[1]) + " " +
         std::to_string(region[2]) + "x" + std::to_string(region[3]);
}

std::optional<Fit> recomputable_fit(const Schema& schema) {
  // With crop-min the record shows less than the source; the schema does not say how much.
  if (schema.options.size_mismatch == "crop-min") return std::nullopt;
  return value_of<Fit>(schema.geometry.fit);
}

// The step to which --fit none pads a record's sides; 1 if it does not pad, or in an unknown way.
int pad_multiple_of(const Schema& schema) {
  int step = 1;
  for (const auto& [name, text] : schema.options.more)
    if (name == "pad_multiple") std::from_chars(text.data(), text.data() + text.size(), step);
  return step >= 1 ? step : 1;
}

bool fits_int(std::int64_t value) {
  return value >= 1 && value <= std::numeric_limits<std::int32_t>::max();
}

}  // namespace

RecordAuditor::RecordAuditor(const ShardFile& file, const File& opened, std::string file_name,
                             std::span<const FieldTables> later_fields, std::size_t max_findings)
    : file_(file),
      opened_(opened),
      file_name_(std::move(file_name)),
      later_fields_(later_fields),
      fit_(recomputable_fit(file.schema())),
      pad_multiple_(pad_multiple_of(file.schema())),
      anchor_(value_of_packed<Anchor>(file.schema().options.anchor).value_or(Anchor::center)),
      findings_(max_findings),
      sums_(file.schema().image.channels(), file.schema().label ? file.schema().class_count() : 0) {
}

void RecordAuditor::audit(std::uint64_t index) {
  index_ = index;
  try {
    audit_record();
  } catch (const std::bad_alloc&) {
    all_counted_ = false;
    report("there is not enough memory to read it", {}, ErrorCode::io);
  }
}

void RecordAuditor::audit_record() {
  audit_key();
  const auto source = file_.source(index_);
  if (!source.ok()) report(source.error());
  if (source.ok()) audit_hashes(*source);
  for (const FieldTables& field : later_fields_) audit_later_field(field);
  const auto image = file_.image_shape(index_);
  const auto label = file_.label_shape(index_);
  if (!image.ok()) report(image.error());
  if (!label.ok()) report(label.error());
  if (!source.ok() || !image.ok() || !label.ok()) {
    all_counted_ = false;
    return;
  }
  audit_source(*source, *image);
  audit_image(*image, *source);
  if (file_.schema().label) audit_label(*image, *label);
}

void RecordAuditor::audit_key() {
  const auto key = file_.key(index_);
  key_.clear();
  if (!key.ok()) return report(key.error());
  if (is_utf8(*key)) key_ = *key;  // check_tables has reported invalid keys
}

void RecordAuditor::audit_hashes(const SampleSource& source) {
  const auto& label = file_.schema().label;
  const bool has_file = label && label->scope == LabelScope::pixel;
  if (source.image_hash == 0)
    report("source.hash of its image is 0, but it must be the hash of the image file", {});
  if ((source.label_hash != 0) != has_file) {
    report(std::string("source.hash of its label is ") + (has_file ? "0" : "not 0") +
               ", though it has " + (has_file ? "a" : "no") + " label file",
           {});
  }
}

void RecordAuditor::audit_source(const SampleSource& source, const ImageShape& shape) {
  if (!fits_int(source.width) || !fits_int(source.height)) {
    return report("source.size is not the size of an image: " + std::to_string(source.width) + "x" +
                      std::to_string(source.height),
                  {});
  }
  if (!fit_ || !fits_int(shape.width) || !fits_int(shape.height)) return;
  const Extent size{static_cast<int>(source.width), static_cast<int>(source.height)};
  const Extent record{static_cast<int>(shape.width), static_cast<int>(shape.height)};
  const bool own_size = fit_ == Fit::none;
  if (own_size && record != Extent{padded_length(size.width, pad_multiple_),
                                   padded_length(size.height, pad_multiple_)}) {
    report("image.shape is " + std::to_string(shape.width) + "x" + std::to_string(shape.height) +
               " pixels, but source.size is " + std::to_string(source.width) + "x" +
               std::to_string(source.height),
           {});
  }
  const Region wanted = fit_region(own_size ? Fit::crop_or_pad : *fit_, anchor_, size, record);
  const std::array<std::int64_t, 4> expected{wanted.x, wanted.y, wanted.width, wanted.height};
  if (source.region != expected)
    report("source.region is " + text_of(source.region) + ", but the fit in the schema gives " +
               text_of(expected),
           {});
}

Result<StoredRecord> RecordAuditor::read_stored(const FieldTables& field,
                                                std::optional<std::uint64_t> size_bytes) {
  HOTPACK_ASSIGN(StoredRecord record, file_.stored(field, index_));
  const std::size_t size = record.bytes.size();
  if (!field.compressed && size_bytes && size != *size_bytes) {
    return file_.damaged(field.name + ": it has " + std::to_string(size) +
                             " bytes, but its shape needs " + std::to_string(*size_bytes),
                         record.offset);
  }
  const std::span<std::byte> into(stored_.reserve(size), size);
  HOTPACK_TRY(read_exactly(opened_, file_.identity(), record.offset, into));
  record.bytes = into;
  return record;
}

Result<RecordAuditor::Bytes> RecordAuditor::content(const FieldTables& field,
                                                    const StoredRecord& stored,
                                                    std::uint64_t size_bytes) {
  HOTPACK_TRY(file_.check_stored(field, index_, stored));
  if (!field.compressed) return stored.bytes;
  if (Status plausible = check_frame(stored.bytes, size_bytes); !plausible.ok()) {
    return file_.damaged(field.name + ": " + plausible.error().message, stored.offset);
  }
  const std::span<std::byte> into(scratch_.reserve(size_bytes), size_bytes);
  HOTPACK_TRY(file_.decompress(field, stored, into));
  HOTPACK_TRY(file_.check_content(field, index_, into, stored.offset));
  return Bytes(into);
}

std::optional<RecordAuditor::Bytes> RecordAuditor::checked_content(const FieldTables& field,
                                                                   std::uint64_t size_bytes,
                                                                   std::uint64_t& offset) {
  const auto stored = read_stored(field, size_bytes);
  if (!stored.ok()) {
    report(stored.error());
    all_counted_ = false;
    return std::nullopt;
  }
  offset = stored->offset;
  const auto bytes = content(field, *stored, size_bytes);
  if (bytes.ok()) {
    content_bytes_ += size_bytes;
    return *bytes;
  }
  report(bytes.error());
  all_counted_ = false;
  return std::nullopt;
}

void RecordAuditor::audit_image(const ImageShape& shape, const SampleSource& source) {
  std::uint64_t offset = 0;
  const auto bytes = checked_content(file_.image(), shape.size_bytes(), offset);
  if (!bytes) return;
  count_image({{reinterpret_cast<const std::uint8_t*>(bytes->data()), bytes->size()}, shape},
              source.region, sums_);
}

void RecordAuditor::audit_label(const ImageShape& image, const LabelShape& shape) {
  if (shape.scope == LabelScope::pixel &&
      (shape.height != image.height || shape.width != image.width)) {
    report("label.shape is " + std::to_string(shape.width) + "x" + std::to_string(shape.height) +
               " pixels, but its image has " + std::to_string(image.width) + "x" +
               std::to_string(image.height),
           {});
  }
  std::uint64_t offset = 0;
  const auto bytes = checked_content(file_.label(), shape.size_bytes(), offset);
  if (!bytes) return;
  const LabelFaults faults = labels_.count(
      {{reinterpret_cast<const std::uint8_t*>(bytes->data()), bytes->size()}, shape}, sums_);
  report_faults(faults, shape, offset);
  audit_classes(shape);
}

// Compares the record's rows of label.classes with its label.
void RecordAuditor::audit_classes(const LabelShape& shape) {
  const format::ShardHeader& header = file_.header();
  if (!format::has_class_rows(header.schema)) return;
  const format::Tensor& rows = *header.find("label.classes");
  const format::Tensor& offsets = *header.find("label.classes.offsets");
  std::uint64_t row = format::u64_at(file_.bytes(), header, offsets, index_);
  const std::uint64_t end =
      std::min(format::u64_at(file_.bytes(), header, offsets, index_ + 1), rows.shape[0]);
  for (std::uint32_t id = 0; id < shape.class_count; ++id) {
    const bool stated = row < end && format::u32_at(file_.bytes(), header, rows, 2 * row) == id;
    const std::uint64_t pixels =
        stated ? format::u32_at(file_.bytes(), header, rows, 2 * row++ + 1) : 0;
    if (pixels == labels_.pixels()[id]) continue;
    return report("label.classes says " + std::to_string(pixels) + " pixels of class " +
                      std::to_string(id) + ", but the label has " +
                      std::to_string(labels_.pixels()[id]),
                  file_.table_offset(offsets, index_));
  }
}

void RecordAuditor::report_faults(const LabelFaults& faults, const LabelShape& shape,
                                  std::uint64_t offset) {
  const std::string classes = std::to_string(shape.class_count);
  report_fault(faults.foreign_id, "ids of no class (there are " + classes + " classes)", shape,
               offset);
  report_fault(faults.spare_bit,
               "vectors with bits beyond class " + std::to_string(shape.class_count - 1), shape,
               offset);
  report_fault(faults.wrong_byte, "one-hot bytes other than 0 and 1", shape, offset);
  report_fault(faults.crowded,
               "vectors with more than one class, though the schema says that `multi` is false",
               shape, offset);
}

void RecordAuditor::report_fault(const LabelFault& fault, std::string text, const LabelShape& shape,
                                 std::uint64_t offset) {
  if (fault.count == 0) return;
  const auto width = static_cast<std::uint64_t>(shape.width);
  text = "label: " + std::to_string(fault.count) + " " + text + "; the first at x " +
         std::to_string(fault.first % width) + ", y " + std::to_string(fault.first / width) +
         " has " + std::to_string(fault.value);
  report(std::move(text),
         file_.label().compressed ? offset : offset + fault.first * shape.vector_bytes());
}

void RecordAuditor::audit_later_field(const FieldTables& field) {
  const auto stored = read_stored(field, std::nullopt);
  if (!stored.ok()) return report(stored.error());
  std::uint64_t size_bytes = stored->bytes.size();
  if (field.compressed) {
    const auto stated = frame_content_bytes(stored->bytes);
    if (!stated.ok()) return report(field.name + ": " + stated.error().message, stored->offset);
    size_bytes = *stated;
  }
  if (const auto bytes = content(field, *stored, size_bytes); !bytes.ok()) report(bytes.error());
}

void RecordAuditor::report(std::string text, std::optional<std::uint64_t> offset, ErrorCode code) {
  findings_.add({file_name_, index_, key_, offset, std::move(text), code});
}

}  // namespace hotpack::reader
