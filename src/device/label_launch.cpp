#include "device/label_launch.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/try.hpp"
#include "device/kernels/label_body.hpp"
#include "expand/label_kernels.hpp"
#include "hotpack/shard.hpp"

namespace hotpack::device {

namespace {

constexpr std::uint32_t kBlockThreads = 256;
constexpr std::uint64_t kMostGridY = 65535;
// The number of blocks that are launched per multiprocessor if there is enough work. It is a few
// times as many as a multiprocessor holds at once, so that few threads are idle at the end. It is
// not larger, so that what a thread computes once per batch row serves for many stores.
constexpr std::uint64_t kBlocksPerProcessor = 24;
// This many blocks keep a multiprocessor busy.
constexpr std::uint64_t kLeastBlocksPerProcessor = 6;

std::int32_t storage_code(LabelStorage storage) {
  if (storage == LabelStorage::bits) return kStoredBits;
  return storage == LabelStorage::one_hot ? kStoredOneHot : kStoredIndex;
}

std::int32_t channels_of(const LabelOutput& output, std::size_t classes) {
  if (output.form == LabelForm::ids) return 1;
  const std::size_t channels = output.form == LabelForm::bits
                                   ? (classes + 7) / 8
                                   : classes + (output.ignore_channel ? 1 : 0);
  return static_cast<std::int32_t>(channels);
}

bool by_planes(const LabelOutput& output) {
  return output.form == LabelForm::one_hot && output.layout == AxisOrder::channels_first;
}

std::uint64_t groups_of(std::uint64_t count, std::uint64_t size) {
  return (count + size - 1) / size;
}

// Returns the number of items that the threads of one batch row share: pixels of a plane, or blocks
// of 16 bytes.
std::uint64_t items_of(const LabelArgs& args, const LabelOutput& output) {
  // a row may begin and end within a block
  if (!by_planes(output)) return args.row_bytes / kBlockBytes + 2;
  const std::uint64_t per_block = kBlockBytes / element_bytes(*output.dtype);
  return pixels_of(args) % per_block == 0 ? pixels_of(args) / per_block : pixels_of(args);
}

}  // namespace

const char* label_kernel_name(const LabelOutput& output) {
  if (output.form == LabelForm::bits) return "hotpack_label_bits";
  const std::size_t bytes = element_bytes(*output.dtype);
  if (output.form == LabelForm::ids) {
    if (bytes == 1) return "hotpack_label_index_u8";
    if (bytes == 2) return "hotpack_label_index_u16";
    return bytes == 4 ? "hotpack_label_index_i32" : "hotpack_label_index_i64";
  }
  const bool first = output.layout == AxisOrder::channels_first;
  if (bytes == 1) return first ? "hotpack_label_one_hot_u8_first" : "hotpack_label_one_hot_u8_last";
  if (bytes == 2)
    return first ? "hotpack_label_one_hot_b16_first" : "hotpack_label_one_hot_b16_last";
  return first ? "hotpack_label_one_hot_b32_first" : "hotpack_label_one_hot_b32_last";
}

LabelArgs label_args(const LabelOutput& output, const expand::LabelSource& source) {
  LabelArgs args;
  const LabelShape stored{source.scope, source.storage, source.multi, 1, 1, source.class_count};
  args.sample_kind = source.scope == LabelScope::image ? 1 : 0;
  args.storage = storage_code(source.storage);
  args.vector_bytes = static_cast<std::int32_t>(stored.vector_bytes());
  args.classes = static_cast<std::int32_t>(source.class_count);
  args.channels = channels_of(output, source.class_count);
  args.ignore_channel = output.ignore_channel ? 1 : 0;
  args.ignore_index = output.ignore_index.value_or(0);
  args.one = expand::one_pattern(*output.dtype);
  return args;
}

void set_size(LabelArgs& args, const LabelOutput& output, PixelSize size) {
  if (args.sample_kind != 0) size = {1, 1};
  args.width = static_cast<std::int32_t>(size.width);
  args.height = static_cast<std::int32_t>(size.height);
  args.row_bytes =
      pixels_of(args) * static_cast<std::uint64_t>(args.channels) * element_bytes(*output.dtype);
  if (args.row_bytes != 0) set_reciprocals(args);
}

LaunchSize label_launch_size(const LabelArgs& args, const LabelOutput& output, int processors) {
  const auto wanted = static_cast<std::uint64_t>(std::max(processors, 1));
  LaunchSize size;
  size.block_threads = kBlockThreads;
  size.grid_y =
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(args.row_count, 1, kMostGridY));
  const std::uint64_t share =
      std::max<std::uint64_t>(1, wanted * kBlocksPerProcessor / size.grid_y);
  size.grid_x =
      static_cast<std::uint32_t>(std::min(groups_of(items_of(args, output), kBlockThreads), share));
  if (!by_planes(output)) return size;
  // If there are too few pixels to keep threads busy, they also share the classes.
  const std::uint64_t blocks = std::uint64_t{size.grid_x} * size.grid_y,
                      least = wanted * kLeastBlocksPerProcessor;
  const auto class_groups = groups_of(static_cast<std::uint64_t>(args.classes), 8);
  size.grid_z = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(groups_of(least, blocks), 1, class_groups));
  return size;
}

Result<LabelLaunch> LabelLaunch::make(const std::shared_ptr<const Context>& context,
                                      const std::shared_ptr<const KernelModules>& modules,
                                      const LabelOutput& output,
                                      const expand::LabelSource& source) {
  HOTPACK_ASSIGN(const expand::LabelExpander expander, expand::LabelExpander::make(output, source));
  LabelLaunch launch;
  launch.context_ = context;
  launch.modules_ = modules;
  launch.output_ = expander.output();
  // A label of a whole image is one pixel, whose elements are the same in both orders. With
  // channels_last, the kernel divides them among threads.
  if (source.scope == LabelScope::image) launch.output_.layout = AxisOrder::channels_last;
  launch.args_ = label_args(launch.output_, source);
  const CurrentContext current(*context);
  HOTPACK_TRY(current.status());
  HOTPACK_ASSIGN(launch.function_, modules->find(label_kernel_name(launch.output_)));
  return launch;
}

LabelArgs LabelLaunch::sized(PixelSize output) const {
  LabelArgs args = args_;
  set_size(args, output_, output);
  return args;
}

std::uint64_t LabelLaunch::row_bytes(PixelSize output) const { return sized(output).row_bytes; }

Status LabelLaunch::launch(const PackedRows& rows, Pointer out, StreamHandle stream) const {
  if (rows.count == 0) return {};
  LabelArgs args = sized(rows.output);
  if (args.row_bytes == 0) return {};  // if records have no common size, the only row may be empty
  args.rows = device_pointer<const RowEntry>(rows.table);
  args.records = device_pointer<const std::uint8_t>(rows.records);
  args.out = device_pointer<void>(out);
  args.row_count = rows.count;
  const LaunchSize size = label_launch_size(args, output_, context_->multiprocessors());
  std::array<void*, 1> parameters{&args};
  return HOTPACK_DRIVER(context_->driver(), LaunchKernel, function_, size.grid_x, size.grid_y,
                        size.grid_z, size.block_threads, 1, 1, 0, stream, parameters.data(),
                        nullptr);
}

}  // namespace hotpack::device
