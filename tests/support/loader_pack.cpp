#include "support/loader_pack.hpp"
#include "expand/class_ids.hpp"
#include "hotpack/order.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "format/plan_text.hpp"
#include "support/one_hot.hpp"

namespace hotpack::test {

namespace {

template <class T>
T require(Result<T> result) {
  if (!result.ok()) throw std::logic_error(result.error().describe());
  return std::move(result).value();
}

void require(const Status& status) {
  if (!status.ok()) throw std::logic_error(status.error().describe());
}

template <class T>
void append(Bytes& out, T value) {
  const auto bytes = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
  out.insert(out.end(), bytes.begin(), bytes.end());
}

// The upper half of an f32, rounded to nearest even.
std::uint16_t bf16_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

void append_pixel(Bytes& out, const ImageOutput& output, std::uint8_t stored, std::size_t channel) {
  if (output.dtype == ElementType::u8) return append(out, stored);
  float value = static_cast<float>(stored) / 255.0f;
  if (!output.mean.empty()) value = (value - output.mean[channel]) / output.std[channel];
  if (output.dtype == ElementType::f32) return append(out, value);
  if (output.dtype == ElementType::bf16) return append(out, bf16_of(value));
  throw std::logic_error("no formula for this type here");
}

// Calls visit(channel, place in [H,W]) in the order of the output.
template <class Visit>
void each_element(std::size_t pixels, std::size_t channels, AxisOrder order, Visit visit) {
  if (order == AxisOrder::channels_last) {
    for (std::size_t i = 0; i < pixels; ++i) {
      for (std::size_t c = 0; c < channels; ++c) visit(c, i);
    }
  } else {
    for (std::size_t c = 0; c < channels; ++c) {
      for (std::size_t i = 0; i < pixels; ++i) visit(c, i);
    }
  }
}

Bytes image_of(const Sample& sample, const LoaderOptions& options) {
  std::vector<std::uint8_t> stored(sample.image_shape().size_bytes());
  const ImageView view = require(sample.read_image(stored));
  Bytes out;
  if (options.content == BatchContent::packed) {
    for (const std::uint8_t byte : view.bytes) append(out, byte);
    return out;
  }
  const auto pixels = static_cast<std::size_t>(view.shape.height * view.shape.width);
  const auto channels = static_cast<std::size_t>(view.shape.channels);
  const bool chw = view.shape.layout == AxisOrder::channels_first;
  each_element(pixels, channels, options.image.layout, [&](std::size_t c, std::size_t i) {
    append_pixel(out, options.image, view.bytes[chw ? c * pixels + i : i * channels + c], c);
  });
  return out;
}

void append_id(Bytes& out, ElementType type, std::int64_t id) {
  switch (type) {
    case ElementType::u8:
      return append(out, static_cast<std::uint8_t>(id));
    case ElementType::u16:
      return append(out, static_cast<std::uint16_t>(id));
    case ElementType::i32:
      return append(out, static_cast<std::int32_t>(id));
    default:
      return append(out, id);
  }
}

ElementType index_type(const LabelOutput& output, std::size_t classes) {
  return output.dtype.value_or(classes <= 255 ? ElementType::u8 : ElementType::u16);
}

std::int64_t ignored_value(const LabelOutput& output, ElementType type) {
  if (output.ignore_index) return *output.ignore_index;
  return type == ElementType::u8 ? 255 : type == ElementType::u16 ? 65535 : -100;
}

Bytes index_label(const LabelView& label, const LabelOutput& output) {
  std::vector<std::uint16_t> ids(label.shape.vectors());
  require(expand_ids(label, ids));
  const ElementType type = index_type(output, label.shape.class_count);
  Bytes out;
  for (const std::uint16_t id : ids)
    append_id(out, type, id == kIgnoredId ? ignored_value(output, type) : id);
  return out;
}

void append_one(Bytes& out, ElementType type, bool set) {
  switch (type) {
    case ElementType::u8:
      return append(out, static_cast<std::uint8_t>(set));
    case ElementType::f32:
      return append(out, set ? 1.0f : 0.0f);
    case ElementType::bf16:
      return append(out, bf16_of(set ? 1.0f : 0.0f));
    default:
      throw std::logic_error("no formula for this type here");
  }
}

// One byte per class and vector, classes last.
std::vector<std::uint8_t> flags_of(const LabelView& label) {
  std::vector<std::uint8_t> flags(test::one_hot_elements(label.shape));
  require(test::expand_one_hot(label, AxisOrder::channels_last, flags));
  return flags;
}

Bytes one_hot_label(const LabelView& label, const LabelOutput& output) {
  const std::vector<std::uint8_t> flags = flags_of(label);
  const std::size_t classes = label.shape.class_count;
  Bytes out;
  each_element(label.shape.vectors(), classes + (output.ignore_channel ? 1 : 0), output.layout,
               [&](std::size_t c, std::size_t i) {
                 const auto first = flags.begin() + static_cast<std::ptrdiff_t>(i * classes);
                 const bool none = std::all_of(first, first + static_cast<std::ptrdiff_t>(classes),
                                               [](std::uint8_t flag) { return flag == 0; });
                 append_one(out, output.dtype.value_or(ElementType::u8),
                            c == classes ? none : flags[i * classes + c] != 0);
               });
  return out;
}

Bytes bits_label(const LabelView& label) {
  const std::vector<std::uint8_t> flags = flags_of(label);
  const std::size_t classes = label.shape.class_count, width = (classes + 7) / 8;
  Bytes out(label.shape.vectors() * width);
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i] != 0)
      out[i / classes * width + i % classes / 8] |= std::byte{1} << (i % classes % 8);
  }
  return out;
}

Bytes label_of(const LabelView& view, const LoaderOptions& options) {
  if (options.content == BatchContent::packed) {
    Bytes out;
    for (const std::uint8_t byte : view.bytes) append(out, byte);
    return out;
  }
  if (options.label.form == LabelForm::ids) return index_label(view, options.label);
  return options.label.form == LabelForm::bits ? bits_label(view)
                                               : one_hot_label(view, options.label);
}

// The position of these bytes in a file.
std::uint64_t find_in(const std::string& path, std::string_view wanted) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const std::size_t at = bytes.find(wanted);
  if (at == std::string::npos) throw std::logic_error(path + " does not hold these bytes");
  return at;
}

// A row like `row` without a sample: every pixel black, every label ignored.
Row empty_row(const Row& row, const Sample& sample, const LoaderOptions& options) {
  Row empty;
  empty.image.resize(row.image.size());
  if (!sample.has_label()) return empty;
  const LabelShape shape = sample.label_shape();
  const std::byte fill = shape.storage == LabelStorage::index ? std::byte{0xFF} : std::byte{0};
  const Bytes stored(shape.size_bytes(), fill);
  empty.label = label_of(
      {{reinterpret_cast<const std::uint8_t*>(stored.data()), stored.size()}, shape}, options);
  return empty;
}

}  // namespace

TinyPack::TinyPack(const TinyForm& form, std::size_t records, std::size_t per_shard,
                   std::size_t first)
    : form_(form), records_(tiny_records(form, records, first)), per_shard_(per_shard) {
  write_pack(folder_.path(), form_, records_, per_shard_);
}

Dataset TinyPack::open() const { return require(Dataset::open(folder())); }

std::string TinyPack::shard_path(std::size_t shard) const {
  const std::size_t count =
      std::max<std::size_t>(1, (records_.size() + per_shard_ - 1) / per_shard_);
  return folder() + "/" + format::shard_file_name(shard, count);
}

std::uint64_t TinyPack::image_offset(std::size_t number) const {
  const Bytes image = stored_image(form_, records_.at(number));
  return find_in(shard_path(number / per_shard_),
                 {reinterpret_cast<const char*>(image.data()), image.size()});
}

void TinyPack::damage_image(std::size_t number) const {
  change_byte(number / per_shard_, image_offset(number));
}

void TinyPack::damage_first_frame(std::size_t shard) const {
  // the first bytes of every frame
  change_byte(shard, find_in(shard_path(shard), "\x28\xB5\x2F\xFD"));
}

void TinyPack::change_byte(std::size_t shard, std::uint64_t offset) const {
  std::fstream file(shard_path(shard), std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(static_cast<std::streamoff>(offset));
  const int byte = file.get();
  file.seekp(static_cast<std::streamoff>(offset));
  file.put(static_cast<char>(byte ^ 0x5A));
  if (!file.flush()) throw std::logic_error("cannot change " + shard_path(shard));
}

BatchCopy copy_of(const Batch& batch) {
  BatchCopy copy{batch.epoch(),       batch.step(),        batch.num_valid(),
                 batch.image().shape, batch.label().shape, {}};
  const std::size_t rows = batch.batch_size();
  const auto part = [rows](const BatchField& field, std::size_t row) {
    const std::size_t bytes = field.bytes.size() / rows;
    const auto mine = field.bytes.subspan(row * bytes, bytes);
    return Bytes(mine.begin(), mine.end());
  };
  for (std::size_t row = 0; row < rows; ++row) {
    copy.rows.push_back({batch.indices()[row], std::string(batch.key(row)), batch.crops()[row],
                         part(batch.image(), row), part(batch.label(), row)});
  }
  return copy;
}

std::vector<Row> joined(const std::vector<BatchCopy>& ranks) {
  std::vector<Row> rows;
  for (const BatchCopy& rank : ranks) rows.insert(rows.end(), rank.rows.begin(), rank.rows.end());
  return rows;
}

Row expected_row(const Dataset& dataset, const LoaderOptions& options, std::int64_t number) {
  const Sample sample =
      require(dataset.sample(static_cast<std::uint64_t>(std::max<std::int64_t>(0, number))));
  const ImageShape shape = sample.image_shape();
  Row row{number, std::string(sample.key()), {}, image_of(sample, options), {}};
  if (number < 0) return empty_row(row, sample, options);
  row.box.width = static_cast<std::int32_t>(shape.width);
  row.box.height = static_cast<std::int32_t>(shape.height);
  if (!sample.has_label()) return row;
  std::vector<std::uint8_t> stored(sample.label_shape().size_bytes());
  row.label = label_of(require(sample.read_label(stored)), options);
  return row;
}

std::vector<std::int64_t> expected_samples(std::uint64_t records, const LoaderOptions& options,
                                           std::uint64_t epoch, std::uint64_t step) {
  const StepPlan plan =
      require(StepPlan::make(records, options.global_batch_size.value_or(32), options.last_batch,
                             options.rank, options.world_size));
  const EpochOrder order(
      records, {options.shuffle, options.seed, options.block_samples, options.window_blocks},
      epoch);
  std::vector<std::int64_t> samples;
  for (Positions at = plan.positions(step); at.first < at.last; ++at.first) {
    const auto sample = plan.sample(order, at.first);
    samples.push_back(sample ? static_cast<std::int64_t>(*sample) : -1);
  }
  return samples;
}

Loader open_loader(const Dataset& dataset, const LoaderOptions& options) {
  return require(Loader::open(dataset, options));
}

std::string refusal_of(const Dataset& dataset, const LoaderOptions& options) {
  const auto loader = Loader::open(dataset, options);
  if (loader.ok()) throw std::logic_error("the loader opened");
  if (loader.error().code != ErrorCode::usage)
    throw std::logic_error("not a refusal: " + loader.error().describe());
  return loader.error().message;
}

Batch next_batch(Loader& loader, std::chrono::milliseconds timeout) {
  auto batch = require(loader.next(timeout));
  if (!batch) throw std::logic_error("the epoch ended");
  return std::move(*batch);
}

Error next_error(Loader& loader) {
  auto batch = loader.next(kLong);
  if (batch.ok())
    throw std::logic_error(*batch ? "step " + std::to_string((*batch)->step()) + " came"
                                  : "the epoch ended");
  return std::move(batch).error();
}

void skip(Loader& loader, std::uint64_t steps) {
  for (std::uint64_t step = 0; step < steps; ++step) next_batch(loader).release();
}

bool at_end_of_epoch(Loader& loader) { return !require(loader.next(kLong)).has_value(); }

std::vector<BatchCopy> rest_of_epoch(Loader& loader) {
  std::vector<BatchCopy> batches;
  while (auto batch = require(loader.next(kLong))) batches.push_back(copy_of(*batch));
  return batches;
}

LoaderOptions with_fixed_slots(const Dataset& dataset, LoaderOptions options) {
  options.memory_budget_bytes = open_loader(dataset, options).slot_bytes();
  return options;
}

LoaderOptions in_file_order(std::uint64_t global_batch_size) {
  LoaderOptions options;
  options.global_batch_size = global_batch_size;
  options.shuffle = Shuffle::none;
  options.threads = 1;
  return options;
}

}  // namespace hotpack::test
