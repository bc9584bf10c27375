#include "device/image_launch.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/try.hpp"
#include "expand/default_floats.hpp"
#include "expand/image_expander.hpp"
#include "expand/value_map.hpp"

namespace hotpack::device {
namespace {

constexpr std::uint32_t kBlockThreads = 256, kWarpThreads = 32, kMostRows = 65535;
// The most blocks that are launched per multiprocessor; if there is more work, each thread works
// several times. With so many blocks, it matters little that they do not end at the same time.
constexpr std::uint64_t kMostBlocks = 128;

std::uint64_t divided_up(std::uint64_t value, std::uint64_t by) { return (value + by - 1) / by; }

// Prepares the conversion of bytes to floats: stores mean, reciprocal and the like in `args`, and
// returns the table of converted values. The kernel computes with the numbers if that gives the
// results of the table; otherwise it uses the table.
std::vector<std::byte> make_values(const ImageOutput& output, int channels, ImageArgs& args) {
  const auto count = static_cast<std::size_t>(channels);
  const std::vector<float> mean =
      output.mean.empty() ? std::vector<float>(count, 0.0f) : output.mean;
  const std::vector<float> std = output.std.empty() ? std::vector<float>(count, 1.0f) : output.std;
  const expand::DefaultFloats floats;
  const expand::ValueMap map = expand::make_value_map(output.dtype, mean, std);
  args.arithmetic = map.arithmetic.exact ? 1 : 0;
  for (std::size_t c = 0; c < count; ++c) {
    args.mean[c] = map.arithmetic.mean[c];
    args.std[c] = map.arithmetic.std[c];
    args.reciprocal[c] = map.arithmetic.reciprocal[c];
  }
  const bool singles = output.dtype == ElementType::f32;
  const void* const table =
      singles ? static_cast<const void*>(map.singles.data()) : map.halves.data();
  std::vector<std::byte> bytes(singles ? sizeof(map.singles) : sizeof(map.halves));
  std::memcpy(bytes.data(), table, bytes.size());
  return bytes;
}

// Copies the bytes to the device, and returns when they are there. Needs the context current.
Result<std::shared_ptr<const DeviceMemory>> put_on_device(
    const std::shared_ptr<const Context>& context, const std::vector<std::byte>& bytes) {
  HOTPACK_ASSIGN(DeviceMemory memory, DeviceMemory::take(context, bytes.size()));
  HOTPACK_ASSIGN(const Stream stream, Stream::create(context));
  const Status copied = HOTPACK_DRIVER(context->driver(), MemcpyHtoDAsync, memory.address(),
                                       bytes.data(), bytes.size(), stream.handle());
  // also after a failed copy: its source and target must live until it ends
  const Status over = stream.synchronize();
  HOTPACK_TRY(copied);
  HOTPACK_TRY(over);
  return std::shared_ptr<const DeviceMemory>(std::make_shared<DeviceMemory>(std::move(memory)));
}

}  // namespace

Result<ImageLaunch> ImageLaunch::make(const std::shared_ptr<const Context>& context,
                                      const std::shared_ptr<const KernelModules>& modules,
                                      const ImageOutput& output, int channels, AxisOrder stored) {
  HOTPACK_TRY(expand::ImageExpander::make(output, channels));
  const CurrentContext current(*context);
  HOTPACK_TRY(current.status());
  ImageLaunch launch;
  launch.context_ = context;
  launch.modules_ = modules;
  launch.output_ = output;
  HOTPACK_ASSIGN(launch.function_, modules->find(image_kernel_name(output.dtype, output.layout)));
  launch.args_.channels = channels;
  launch.args_.source_planes = channels > 1 && stored == AxisOrder::channels_first ? 1 : 0;
  if (output.dtype == ElementType::u8) return launch;
  const std::vector<std::byte> values = make_values(output, channels, launch.args_);
  HOTPACK_ASSIGN(launch.values_, put_on_device(context, values));
  launch.args_.values = device_pointer<void>(launch.values_->address());
  return launch;
}

std::uint64_t ImageLaunch::row_bytes(PixelSize output) const {
  return static_cast<std::uint64_t>(output.width) * static_cast<std::uint64_t>(output.height) *
         static_cast<std::uint64_t>(args_.channels) * element_bytes(output_.dtype);
}

Status ImageLaunch::launch(const PackedRows& rows, Pointer out, StreamHandle stream) const {
  // the only row may be empty if records have no common size
  if (rows.count == 0 || row_bytes(rows.output) == 0) return {};
  ImageArgs args = args_;
  args.rows = device_pointer<const RowEntry>(rows.table);
  args.records = device_pointer<const std::uint8_t>(rows.records);
  args.out = device_pointer<void>(out);
  args.row_bytes = row_bytes(rows.output);
  args.row_count = rows.count;
  args.width = static_cast<std::int32_t>(rows.output.width);
  args.height = static_cast<std::int32_t>(rows.output.height);
  const LaunchSize size =
      image_launch_size(args, output_.dtype, output_.layout, context_->multiprocessors());
  void* parameters[] = {&args};
  return HOTPACK_DRIVER(context_->driver(), LaunchKernel, function_, size.grid_x, size.grid_y,
                        size.grid_z, size.block_threads, 1, 1, 0, stream, parameters, nullptr);
}

// Returns the size of the launch: one thread per vector of pixels if the output is in planes,
// otherwise one thread per vector of elements. Some kernels process two or four vectors per thread;
// then half of the blocks or more have no work, which costs little.
LaunchSize image_launch_size(const ImageArgs& args, ElementType type, AxisOrder order,
                             int processors) {
  const std::uint64_t per_vector = 16 / element_bytes(type);
  const std::uint64_t pixels =
      static_cast<std::uint64_t>(args.width) * static_cast<std::uint64_t>(args.height);
  const bool planes = order == AxisOrder::channels_first && args.channels == 3;
  const std::uint64_t vectors =
      divided_up(planes ? pixels : pixels * static_cast<std::uint64_t>(args.channels), per_vector);
  LaunchSize size;
  size.block_threads = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(divided_up(vectors, kWarpThreads) * kWarpThreads,  //
                                kWarpThreads, kBlockThreads));
  size.grid_y = std::clamp<std::uint32_t>(args.row_count, 1, kMostRows);
  const std::uint64_t most =
      divided_up(static_cast<std::uint64_t>(std::max(processors, 1)) * kMostBlocks, size.grid_y);
  size.grid_x = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(divided_up(vectors, size.block_threads), 1, most));
  return size;
}

const char* image_kernel_name(ElementType type, AxisOrder order) {
  const bool first = order == AxisOrder::channels_first;
  switch (type) {
    case ElementType::f16:
      return first ? "hotpack_image_f16_first" : "hotpack_image_f16_last";
    case ElementType::bf16:
      return first ? "hotpack_image_bf16_first" : "hotpack_image_bf16_last";
    case ElementType::f32:
      return first ? "hotpack_image_f32_first" : "hotpack_image_f32_last";
    default:
      return first ? "hotpack_image_u8_first" : "hotpack_image_u8_last";
  }
}

}  // namespace hotpack::device
