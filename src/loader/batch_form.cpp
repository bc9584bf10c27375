#include "loader/batch_form.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/try.hpp"
#include "expand/processor.hpp"

namespace hotpack::loader {

namespace {

using expand::Placement;
using expand::Stores;

// The least bytes of a row that are written past the cache. Nobody reads a row before the whole
// batch is complete, so larger rows would only displace other data.
constexpr std::uint64_t kStreamedBytes = std::uint64_t{64} << 10;

// Limit for pixels of a row and of a crop: crops are reported in 32 bits.
constexpr std::int64_t kMaxSide = std::int64_t{1} << 30;

Stores stores_for(std::uint64_t bytes) {
  return bytes >= kStreamedBytes ? Stores::streaming : Stores::cached;
}

std::string size_text(PixelSize size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

PixelSize size_of(const ImageShape& image) { return {image.width, image.height}; }

// The shape of every record; sizes are 0 if records differ.
RecordShape record_shape(const Schema& schema) {
  const bool chw = schema.image.layout == AxisOrder::channels_first;
  RecordShape record;
  record.image = {0, 0, schema.image.channels(), schema.image.layout};
  if (const auto& stored = schema.image.shape) {
    record.image.height = stored->at(chw ? 1 : 0);
    record.image.width = stored->at(chw ? 2 : 1);
  }
  if (!schema.label) return record;
  record.label = {schema.label->scope, schema.label->storage, schema.label->multi, 1, 1,
                  schema.class_count()};
  if (schema.label->scope == LabelScope::image) return record;
  record.label.height = record.image.height;
  record.label.width = record.image.width;
  return record;
}

Status check_sizes(const LoaderOptions& options) {
  if (!options.pad_to) return {};
  const char* const clash =
      options.content == BatchContent::packed ? "content packed, which leaves records as they are"
      : options.augment.crop || options.augment.resized_crop ? "a crop, which pads by itself"
                                                             : nullptr;
  if (clash != nullptr) return usage_error(std::string("pad_to does not work with ") + clash);
  const auto possible = [](std::int64_t side) { return side >= 1 && side <= kMaxSide; };
  if (possible(options.pad_to->width) && possible(options.pad_to->height)) return {};
  return usage_error("pad_to is " + size_text(*options.pad_to) +
                     "; width and height must be from 1 to " + std::to_string(kMaxSide));
}

Error larger_than_pad_to(PixelSize record, PixelSize pad_to) {
  return data_error("the record is " + size_text(record) + " pixels, larger than pad_to " +
                    size_text(pad_to) + "; use a larger pad_to, or a crop");
}

bool fits(PixelSize record, PixelSize pad_to) {
  return record.width <= pad_to.width && record.height <= pad_to.height;
}

// Refuses a row that no machine can hold. Only options can ask for such a size, no file can.
Status check_row(const BatchForm& form, PixelSize size) {
  const RowBytes pixel = form.row_bytes(form.record(), {1, 1});
  const auto pixels =
      static_cast<std::uint64_t>(size.width) * static_cast<std::uint64_t>(size.height);
  if (checked_mul(pixels, pixel.image + pixel.label)) return {};
  return usage_error(
      "a row of " + size_text(size) +
      " pixels has more bytes than a machine can hold; use a smaller crop or pad_to");
}

Error sizes_differ(bool packed) {
  const std::string ways =
      packed ? "use batches of one row per rank, or content expanded with a crop or pad_to"
             : "use a crop or pad_to, or batches of one row per rank";
  return usage_error("records of different sizes cannot share a batch; " + ways);
}

// Refuses a mean or deviation of pixels in 0 … 255.
Status check_scale(const char* option, const std::vector<float>& values) {
  const auto beyond = std::ranges::find_if(values, [](float value) { return std::abs(value) > 1; });
  if (beyond == values.end()) return {};
  Error error = usage_error(std::string("the image's ") + option + " has the value " +
                            std::to_string(*beyond) +
                            ", but pixels are divided by 255 first; divide mean and std by 255");
  error.option = "image";
  return error;
}

// Refuses options for the expansion if records stay as they are stored.
Status check_packed(const LoaderOptions& options) {
  if (options.content != BatchContent::packed) return {};
  const char* const unused = options.image != ImageOutput{}   ? "image"
                             : options.label != LabelOutput{} ? "label"
                                                              : nullptr;
  if (unused == nullptr) return {};
  return usage_error("content packed leaves records as they are stored, so `" +
                     std::string(unused) +
                     "` has no effect; leave it out, or use content expanded");
}

ElementType stored_type(const LabelShape& label) {
  return label.storage == LabelStorage::index && label.vector_bytes() == 2 ? ElementType::u16
                                                                           : ElementType::u8;
}

void copy_bytes(std::byte* out, std::span<const std::uint8_t> bytes) noexcept {
  if (bytes.size() >= kStreamedBytes) {
    expand::stream_copy(out, bytes.data(), bytes.size());
  } else if (!bytes.empty()) {
    std::memcpy(out, bytes.data(), bytes.size());
  }
}

std::vector<std::int64_t> image_shape(std::size_t rows, PixelSize size, std::int64_t channels,
                                      bool channels_last) {
  const auto n = static_cast<std::int64_t>(rows);
  if (channels_last) return {n, size.height, size.width, channels};
  return {n, channels, size.height, size.width};
}

std::vector<std::int64_t> packed_label_shape(const LabelShape& label, std::size_t rows) {
  std::vector<std::int64_t> shape{static_cast<std::int64_t>(rows)};
  if (label.scope == LabelScope::pixel) shape.insert(shape.end(), {label.height, label.width});
  if (label.storage != LabelStorage::index)
    shape.push_back(static_cast<std::int64_t>(label.vector_bytes()));
  return shape;
}

std::vector<std::int64_t> label_shape(const expand::LabelExpander& labels, bool pixel,
                                      std::size_t rows, PixelSize size) {
  const auto n = static_cast<std::int64_t>(rows);
  const auto channels = static_cast<std::int64_t>(labels.channels());
  if (labels.output().form == LabelForm::ids)
    return pixel ? std::vector{n, size.height, size.width} : std::vector{n};
  if (!pixel) return {n, channels};
  const bool first = labels.output().form == LabelForm::one_hot &&
                     labels.output().layout == AxisOrder::channels_first;
  return image_shape(rows, size, channels, !first);
}

}  // namespace

Result<BatchForm> BatchForm::make(const Schema& schema, const LoaderOptions& options,
                                  std::size_t rows) {
  BatchForm form;
  HOTPACK_TRY(check_augment(options.augment));
  HOTPACK_TRY(check_sizes(options));
  if (!schema.label && options.label != LabelOutput{}) {
    return usage_error(
        "the data set has no labels, but the loader's options ask for some; leave `label` out");
  }
  HOTPACK_TRY(check_packed(options));
  HOTPACK_TRY(check_scale("mean", options.image.mean));
  HOTPACK_TRY(check_scale("std", options.image.std));
  form.packed_ = options.content == BatchContent::packed;
  form.augment_ = options.augment;
  form.pad_to_ = options.pad_to;
  form.labeled_ = schema.label.has_value();
  HOTPACK_TRY(form.set_sizes(schema, rows));
  if (form.packed_) return form;
  HOTPACK_ASSIGN(form.images_, expand::ImageExpander::make(options.image, schema.image.channels()));
  if (schema.label) {
    const expand::LabelSource source{schema.label->scope, schema.label->storage,
                                     schema.label->multi, schema.class_count()};
    HOTPACK_ASSIGN(form.labels_, expand::LabelExpander::make(options.label, source));
  }
  if (form.output_) HOTPACK_TRY(check_row(form, *form.output_));
  return form;
}

Status BatchForm::set_sizes(const Schema& schema, std::size_t rows) {
  record_ = record_shape(schema);
  one_size_ = schema.image.shape.has_value();
  const PixelSize whole = size_of(record_.image);
  if (one_size_) output_ = whole;
  if (!packed_ && augment_.crop) output_ = augment_.crop->size;
  if (!packed_ && augment_.resized_crop) output_ = augment_.resized_crop->size;
  if (pad_to_) output_ = *pad_to_;
  if (!output_ && rows != 1) return sizes_differ(packed_);
  if (pad_to_ && !fits(whole, *pad_to_))
    return usage_error(larger_than_pad_to(whole, *pad_to_).message);
  return {};
}

Result<Placement> BatchForm::place(const RecordShape& record, const SampleCrop& box) const {
  const PixelSize whole = size_of(record.image);
  if (packed_) return expand::identity(whole);
  if (augment_.resized_crop) return Placement{box, augment_.resized_crop->size, true};
  if (augment_.crop) return Placement{box, augment_.crop->size, false};
  if (!pad_to_) return Placement{box, whole, false};
  if (!fits(whole, *pad_to_)) return larger_than_pad_to(whole, *pad_to_);
  return Placement{box, *pad_to_, false};
}

Placement BatchForm::label_placement(const LabelShape& label, const Placement& placement) const {
  return label.scope == LabelScope::pixel ? placement : expand::identity({1, 1});
}

RowBytes BatchForm::row_bytes(const RecordShape& record, PixelSize output) const {
  if (packed_) return {record.image.size_bytes(), labeled_ ? record.label.size_bytes() : 0};
  const PixelSize label_size = record.label.scope == LabelScope::pixel ? output : PixelSize{1, 1};
  return {images_->row_bytes(output), labels_ ? labels_->row_bytes(label_size) : 0};
}

std::size_t BatchForm::scratch_bytes(const RecordShape& record, const Placement& placement) const {
  if (packed_) return 0;
  const std::size_t image = images_->scratch_bytes(size_of(record.image), placement.output);
  if (!labels_) return image;
  const Placement label = label_placement(record.label, placement);
  return std::max(image,
                  labels_->scratch_bytes({record.label.width, record.label.height}, label.output));
}

void BatchForm::describe(const RecordShape& record, PixelSize output, std::size_t rows,
                         BatchField& image, BatchField& label) const {
  const ImageShape& stored = record.image;
  const bool channels_last = packed_ ? stored.layout == AxisOrder::channels_last
                                     : images_->output().layout == AxisOrder::channels_last;
  image.dtype = packed_ ? ElementType::u8 : images_->output().dtype;
  image.shape =
      image_shape(rows, packed_ ? size_of(stored) : output, stored.channels, channels_last);
  if (!labeled_) return;
  label.dtype = packed_ ? stored_type(record.label) : labels_->type();
  label.shape = packed_
                    ? packed_label_shape(record.label, rows)
                    : label_shape(*labels_, record.label.scope == LabelScope::pixel, rows, output);
}

void BatchForm::copy_stored(const Record& record, std::byte* image, std::byte* label) noexcept {
  copy_bytes(image, record.image.bytes);
  copy_bytes(label, record.label.bytes);
}

void BatchForm::write(const Record& record, const Placement& placement, expand::Scratch& scratch,
                      std::byte* image, std::byte* label) const noexcept {
  if (packed_) return copy_stored(record, image, label);
  if (image != nullptr)
    images_->expand(record.image, placement, scratch, image,
                    stores_for(images_->row_bytes(placement.output)));
  if (!labels_ || label == nullptr) return;
  const Placement of_label = label_placement(record.label.shape, placement);
  labels_->expand(record.label, of_label, scratch, label,
                  stores_for(labels_->row_bytes(of_label.output)));
}

void BatchForm::blank(const RecordShape& record, PixelSize output, std::byte* image,
                      std::byte* label) const noexcept {
  if (!packed_) {
    images_->blank(output, image);
    if (labels_)
      labels_->blank(record.label.scope == LabelScope::pixel ? output : PixelSize{1, 1}, label);
    return;
  }
  std::memset(image, 0, record.image.size_bytes());
  // Makes every pixel an ignored one: in storage `index` its id is 255 or 65535, so all bits are
  // set; in other storages all bits are 0.
  if (labeled_)
    std::memset(label, record.label.storage == LabelStorage::index ? 0xFF : 0,
                record.label.size_bytes());
}

}  // namespace hotpack::loader
