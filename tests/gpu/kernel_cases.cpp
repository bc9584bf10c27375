// Compares the kernels alone, on random records, with the host's expanders, bit by bit. No loader
// is involved.

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "device/image_launch.hpp"
#include "device/label_launch.hpp"
#include "device/row_entry.hpp"
#include "expand/image_expander.hpp"
#include "expand/label_expander.hpp"
#include "gpu/machine.hpp"

namespace hotpack::gpu {

namespace {

using device::PackedRows;
using device::RowEntry;
using Bytes = std::vector<std::byte>;

constexpr int kRows = 5;

std::size_t padded(std::size_t bytes) {
  return (bytes + device::kBlockAlignment - 1) / device::kBlockAlignment * device::kBlockAlignment;
}

// Records of one size, with random windows.
struct Batch {
  PixelSize record;
  PixelSize output;
  std::vector<expand::Placement> placements;  // one per row; the last row is empty
  std::vector<std::vector<std::uint8_t>> images;
  std::vector<std::vector<std::uint8_t>> labels;
};

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}
  int below(int limit) { return static_cast<int>(engine_() % static_cast<std::uint32_t>(limit)); }
  bool coin() { return below(2) == 1; }
  std::vector<std::uint8_t> bytes(std::size_t count) {
    std::vector<std::uint8_t> made(count);
    for (std::uint8_t& byte : made) byte = static_cast<std::uint8_t>(engine_());
    return made;
  }

 private:
  std::mt19937 engine_;
};

// Returns a random window as a Loader draws it: the whole record, cropped, padded or resampled.
// Each row is flipped at random.
expand::Placement placement(Dice& dice, PixelSize record, PixelSize output, bool resample) {
  expand::Placement placed{{}, output, resample};
  placed.box.width =
      static_cast<std::int32_t>(resample ? 1 + dice.below(static_cast<int>(record.width))
                                         : std::min(record.width, output.width));
  placed.box.height =
      static_cast<std::int32_t>(resample ? 1 + dice.below(static_cast<int>(record.height))
                                         : std::min(record.height, output.height));
  placed.box.x = dice.below(static_cast<int>(record.width) - placed.box.width + 1);
  placed.box.y = dice.below(static_cast<int>(record.height) - placed.box.height + 1);
  placed.box.flip_horizontal = dice.coin();
  placed.box.flip_vertical = dice.coin();
  return placed;
}

Batch random_batch(Dice& dice, PixelSize record, PixelSize output, bool resample,
                   std::size_t image_bytes, std::size_t label_bytes) {
  Batch batch{record, output, {}, {}, {}};
  for (int row = 0; row < kRows; ++row) {
    batch.placements.push_back(placement(dice, record, output, resample));
    batch.images.push_back(dice.bytes(image_bytes));
    batch.labels.push_back(dice.bytes(label_bytes));
  }
  return batch;
}

RowEntry entry_of(const Batch& batch, std::size_t row, std::uint64_t offset) {
  const expand::Placement& placed = batch.placements[row];
  RowEntry entry;
  entry.image = offset;
  entry.label = offset + padded(batch.images[row].size());
  entry.record_width = static_cast<std::int32_t>(batch.record.width);
  entry.record_height = static_cast<std::int32_t>(batch.record.height);
  entry.x = placed.box.x;
  entry.y = placed.box.y;
  entry.width = placed.box.width;
  entry.height = placed.box.height;
  entry.flags = row + 1 < kRows ? device::kRowValid : 0;
  if (placed.box.flip_horizontal) entry.flags |= device::kRowFlipHorizontal;
  if (placed.box.flip_vertical) entry.flags |= device::kRowFlipVertical;
  if (placed.resample) entry.flags |= device::kRowResample;
  return entry;
}

// Returns the table and the blocks as they lie in staged memory.
Bytes staged(const Batch& batch) {
  const std::size_t block = padded(batch.images[0].size()) + padded(batch.labels[0].size()),
                    table = kRows * sizeof(RowEntry);
  Bytes bytes(table + kRows * block);
  for (std::size_t row = 0; row < kRows; ++row) {
    const RowEntry entry = entry_of(batch, row, table + row * block);
    std::memcpy(bytes.data() + row * sizeof entry, &entry, sizeof entry);
    std::memcpy(bytes.data() + entry.image, batch.images[row].data(), batch.images[row].size());
    if (!batch.labels[row].empty())
      std::memcpy(bytes.data() + entry.label, batch.labels[row].data(), batch.labels[row].size());
  }
  return bytes;
}

// Returns the output of a launch. Checks that the bytes before and after it are not changed.
template <class Launch>
Bytes run(const Machine& machine, const Launch& launch, const Batch& batch) {
  constexpr std::size_t kFence = 4096;
  const device::DeviceMemory memory = machine.upload(staged(batch));
  const std::size_t bytes = kRows * launch.row_bytes(batch.output);
  const device::DeviceMemory out = machine.upload(Bytes(bytes + 2 * kFence, std::byte{0xA5}));
  require(launch.launch(PackedRows{memory.address(), memory.address(), kRows, batch.output},
                        out.address() + kFence, nullptr));
  const Bytes all = machine.download(pointer(out.address()), bytes + 2 * kFence, nullptr);
  for (std::size_t i = 0; i < kFence; ++i)
    check(all[i] == std::byte{0xA5} && all[all.size() - 1 - i] == std::byte{0xA5},
          "nothing beyond the output is written");
  return {all.begin() + kFence, all.end() - kFence};
}

ImageShape image_shape(PixelSize size, int channels, AxisOrder layout) {
  ImageShape shape;
  shape.width = static_cast<decltype(shape.width)>(size.width);
  shape.height = static_cast<decltype(shape.height)>(size.height);
  shape.channels = channels;
  shape.layout = layout;
  return shape;
}

void compare_image(const Machine& machine,
                   const std::shared_ptr<const device::KernelModules>& kernels, Dice& dice,
                   const ImageOutput& output, AxisOrder layout, PixelSize record, PixelSize size,
                   bool resample, int channels) {
  const auto pixels = static_cast<std::size_t>(record.width * record.height);
  const Batch batch =
      random_batch(dice, record, size, resample, pixels * static_cast<std::size_t>(channels), 0);
  const auto launch =
      require(device::ImageLaunch::make(machine.context(), kernels, output, channels, layout));
  const auto expander = require(expand::ImageExpander::make(output, channels));
  check_equal(launch.row_bytes(size), expander.row_bytes(size), "bytes of an image row");
  const Bytes found = run(machine, launch, batch);
  expand::Scratch scratch;
  scratch.reserve(expander.scratch_bytes(record, size));
  Bytes expected(expander.row_bytes(size));
  for (std::size_t row = 0; row < kRows; ++row) {
    if (row + 1 < kRows)
      expander.expand({batch.images[row], image_shape(record, channels, layout)},
                      batch.placements[row], scratch, expected.data(), expand::Stores::cached);
    else
      expander.blank(size, expected.data());
    check(std::equal(expected.begin(), expected.end(),
                     found.begin() + static_cast<std::ptrdiff_t>(row * expected.size())),
          "image " + std::string(element_name(output.dtype)) +
              (output.layout == AxisOrder::channels_first ? " first" : " last") + " of " +
              std::to_string(record.width) + "x" + std::to_string(record.height) + " to " +
              std::to_string(size.width) + "x" + std::to_string(size.height) +
              (resample ? " resampled" : "") + ", " + std::to_string(channels) + " channels, row " +
              std::to_string(row));
  }
}

struct Sizes {
  PixelSize record;
  PixelSize output;
  bool resample;
};

const std::vector<Sizes>& sizes() {
  static const std::vector<Sizes> all = {
      {{1, 1}, {1, 1}, false},        {{17, 13}, {17, 13}, false}, {{64, 48}, {64, 48}, false},
      {{33, 31}, {20, 15}, false},    {{9, 7}, {16, 12}, false},   {{45, 37}, {32, 24}, true},
      {{31, 29}, {63, 61}, true},     {{130, 70}, {1, 1}, true},   {{512, 256}, {512, 256}, false},
      {{515, 259}, {515, 259}, false}};
  return all;
}

LabelShape label_shape(PixelSize size, const expand::LabelSource& source) {
  LabelShape shape;
  shape.width = static_cast<decltype(shape.width)>(size.width);
  shape.height = static_cast<decltype(shape.height)>(size.height);
  shape.class_count = static_cast<decltype(shape.class_count)>(source.class_count);
  shape.scope = source.scope;
  shape.storage = source.storage;
  return shape;
}

std::size_t stored_label_bytes(PixelSize size, const expand::LabelSource& source) {
  const std::size_t each = source.storage == LabelStorage::bits      ? (source.class_count + 7) / 8
                           : source.storage == LabelStorage::one_hot ? source.class_count
                           : source.class_count <= 255               ? 1
                                                                     : 2;
  return static_cast<std::size_t>(size.width * size.height) * each;
}

void compare_label(const Machine& machine,
                   const std::shared_ptr<const device::KernelModules>& kernels, Dice& dice,
                   const LabelOutput& output, const expand::LabelSource& source,
                   const Sizes& size) {
  const auto expander = expand::LabelExpander::make(output, source);
  auto launch = device::LabelLaunch::make(machine.context(), kernels, output, source);
  check_equal(launch.ok(), expander.ok(), "a form is refused by both or none");
  if (!launch.ok()) return;
  const Batch batch = random_batch(dice, size.record, size.output, size.resample, 64,
                                   stored_label_bytes(size.record, source));
  const Bytes found = run(machine, *launch, batch);
  expand::Scratch scratch;
  scratch.reserve(expander->scratch_bytes(size.record, size.output));
  Bytes expected(expander->row_bytes(size.output));
  for (std::size_t row = 0; row < kRows; ++row) {
    if (row + 1 < kRows)
      expander->expand({batch.labels[row], label_shape(size.record, source)}, batch.placements[row],
                       scratch, expected.data(), expand::Stores::cached);
    else
      expander->blank(size.output, expected.data());
    check(std::equal(expected.begin(), expected.end(),
                     found.begin() + static_cast<std::ptrdiff_t>(row * expected.size())),
          "label of " + std::to_string(source.class_count) + " classes, storage " +
              std::to_string(static_cast<int>(source.storage)) + ", form " +
              std::to_string(static_cast<int>(output.form)) + ", " +
              std::to_string(size.output.width) + "x" + std::to_string(size.output.height) +
              ", row " + std::to_string(row));
  }
}

std::vector<LabelOutput> label_outputs() {
  std::vector<LabelOutput> outputs(2);
  outputs[1].form = LabelForm::bits;
  for (const ElementType type : {ElementType::u16, ElementType::i32, ElementType::i64}) {
    outputs.emplace_back();
    outputs.back().dtype = type;
  }
  for (const ElementType type :
       {ElementType::u8, ElementType::f16, ElementType::f32, ElementType::bf16})
    for (const AxisOrder order : {AxisOrder::channels_last, AxisOrder::channels_first})
      for (const bool ignored : {false, true})
        outputs.push_back({LabelForm::one_hot, type, order, ignored, {}});
  return outputs;
}

}  // namespace

GPU_CASE(kernels_image) {
  const Machine machine;
  const auto kernels = machine.kernels();
  Dice dice(1);
  for (const ElementType type :
       {ElementType::u8, ElementType::f16, ElementType::f32, ElementType::bf16}) {
    for (const AxisOrder order : {AxisOrder::channels_last, AxisOrder::channels_first}) {
      for (const int channels : {1, 3}) {
        ImageOutput output{type, order, {}, {}};
        for (const Sizes& size : sizes()) {
          const AxisOrder layout =
              dice.coin() ? AxisOrder::channels_last : AxisOrder::channels_first;
          compare_image(machine, kernels, dice, output, layout, size.record, size.output,
                        size.resample, channels);
          if (type == ElementType::u8) continue;
          output.mean.assign(static_cast<std::size_t>(channels),
                             dice.coin() ? 0.45F : 0.0F);  // 0 and 1: quick ways
          output.std.assign(static_cast<std::size_t>(channels), dice.coin() ? 0.225F : 1.0F);
        }
      }
    }
  }
}

GPU_CASE(kernels_label) {
  const Machine machine;
  const auto kernels = machine.kernels();
  Dice dice(2);
  for (const std::size_t classes : {1U, 2U, 7U, 8U, 9U, 16U, 17U, 255U, 256U}) {
    for (const LabelStorage storage :
         {LabelStorage::bits, LabelStorage::one_hot, LabelStorage::index}) {
      for (const bool multi : {false, true}) {
        if (multi && storage == LabelStorage::index) continue;
        for (const LabelOutput& output : label_outputs()) {
          const Sizes& size = sizes()[static_cast<std::size_t>(
              dice.below(classes > 17 ? 7 : static_cast<int>(sizes().size())))];
          compare_label(machine, kernels, dice, output,
                        {LabelScope::pixel, storage, multi, classes}, size);
        }
      }
    }
  }
}

}  // namespace hotpack::gpu
