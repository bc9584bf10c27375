#include "device/kernels.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/try.hpp"
#include "device/kernels/image.hpp"
#include "expand/image_expander.hpp"
#include "expand/label_expander.hpp"
#include "expand/label_kernels.hpp"

#if defined(HOTPACK_KERNELS_FATBIN)
// The assembler copies the file into this library. The driver requires an alignment of 8 bytes.
asm(".pushsection .rodata.hotpack_kernels, \"a\"\n.balign 64\n"
    ".global hotpack_kernels_begin\n.hidden hotpack_kernels_begin\nhotpack_kernels_begin:\n"
    ".incbin \"" HOTPACK_KERNELS_FATBIN
    "\"\n"
    ".global hotpack_kernels_end\n.hidden hotpack_kernels_end\nhotpack_kernels_end:\n"
    ".popsection\n");
extern "C" {
__attribute__((visibility("hidden"))) extern const std::byte hotpack_kernels_begin[];
__attribute__((visibility("hidden"))) extern const std::byte hotpack_kernels_end[];
}
#endif

namespace hotpack::device {
namespace {

constexpr std::uint32_t kBlockThreads = 256;
constexpr std::uint64_t kMostGridX = 0x7FFFFFFF, kMostGridY = 65535;

std::uint64_t divided_up(std::uint64_t count, std::uint64_t size) {
  return (count + size - 1) / size;
}

// True if the kernels' arithmetic gives the quotients of IEEE 754 for every byte.
bool is_exact(float mean, float std, float reciprocal) {
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    const float wanted = (static_cast<float>(byte) / 255.0f - mean) / std;
    if (AsF32::of(normalized(byte, mean, std, reciprocal)) != AsF32::of(wanted)) return false;
  }
  return true;
}

const char* order_name(AxisOrder order) {
  return order == AxisOrder::channels_first ? "_first" : "_last";
}

Result<FunctionHandle> find(const Driver& driver, ModuleHandle module, const std::string& name) {
  FunctionHandle function = nullptr;
  HOTPACK_TRY(HOTPACK_DRIVER(driver, ModuleGetFunction, &function, module, name.c_str()));
  return function;
}

}  // namespace

std::span<const std::byte> embedded_kernels() {
#if defined(HOTPACK_KERNELS_FATBIN)
  return {hotpack_kernels_begin, hotpack_kernels_end};
#else
  return {};
#endif
}

std::string embedded_kernels_text() { return HOTPACK_KERNELS_TEXT; }

Result<ModuleHandle> load_kernels(const Context& context, std::span<const std::byte> image) {
  if (image.empty()) {
    return usage_error("hotpack was built without CUDA kernels (" + embedded_kernels_text() +
                       "); build it with HOTPACK_CUDA=ON and nvcc, or use Loader, which needs no "
                       "kernels");
  }
  ModuleHandle module = nullptr;
  const int code = context.api().ModuleLoadData(&module, image.data());
  const Status loaded = context.driver().check("cuModuleLoadData", code);
  if (loaded.ok()) return module;
  const bool fits = code != code::kInvalidImage && code != code::kNoBinaryForGpu &&
                    code != code::kInvalidPtx && code != code::kUnsupportedPtxVersion;
  if (fits) return loaded.error();
  return usage_error(
      "the driver cannot use hotpack's kernels (" + embedded_kernels_text() + ") on device " +
      std::to_string(context.ordinal()) + ": " + loaded.error().message +
      "; they need a GPU of compute capability 7.5 or newer, and a driver for the CUDA version "
      "that "
      "compiled them; update the driver, build hotpack with an older toolkit, or use Loader");
}

Result<FieldLaunch> FieldLaunch::image(const Driver& driver, ModuleHandle module,
                                       const ImageOutput& output, const Schema& schema) {
  const int channels = schema.image.channels();
  HOTPACK_TRY(expand::ImageExpander::make(output, channels));
  FieldLaunch launch;
  KernelArgs& args = launch.args_;
  args.channels = channels;
  args.source_planes = channels > 1 && schema.image.layout == AxisOrder::channels_first ? 1 : 0;
  launch.by_planes_ = output.layout == AxisOrder::channels_first;
  launch.element_bytes_ = element_bytes(output.dtype);
  for (std::size_t c = 0; c < 3; ++c) {
    args.mean[c] = c < output.mean.size() ? output.mean[c] : 0.0f;
    args.std[c] = c < output.std.size() ? output.std[c] : 1.0f;
    args.reciprocal[c] = 1.0f / args.std[c];
    if (!is_exact(args.mean[c], args.std[c], args.reciprocal[c])) {
      Error error = usage_error(
          "the image's mean " + std::to_string(args.mean[c]) + " and std " +
          std::to_string(args.std[c]) +
          " are too small for exact results on a device; use larger numbers, or Loader");
      error.option = "image";
      return error;
    }
  }
  HOTPACK_ASSIGN(launch.function_, find(driver, module,
                                        "hotpack_image_" + std::string(element_name(output.dtype)) +
                                            order_name(output.layout)));
  return launch;
}

Result<FieldLaunch> FieldLaunch::label(const Driver& driver, ModuleHandle module,
                                       const LabelOutput& output, const Schema& schema) {
  const expand::LabelSource source{schema.label->scope, schema.label->storage, schema.label->multi,
                                   schema.class_count()};
  HOTPACK_ASSIGN(const auto expander, expand::LabelExpander::make(output, source));
  const LabelOutput& full = expander.output();
  const LabelShape stored{source.scope, source.storage, source.multi, 1, 1, source.class_count};
  const bool of_image = source.scope == LabelScope::image;
  FieldLaunch launch;
  KernelArgs& args = launch.args_;
  args.channels = static_cast<std::int32_t>(expander.channels());
  args.storage = source.storage == LabelStorage::bits      ? kStoredBits
                 : source.storage == LabelStorage::one_hot ? kStoredOneHot
                                                           : kStoredIndex;
  args.vector_bytes = static_cast<std::int32_t>(stored.vector_bytes());
  args.classes = static_cast<std::int32_t>(source.class_count);
  args.of_image = of_image ? 1 : 0;
  args.ignore_index = full.ignore_index.value_or(0);
  args.one = expand::one_pattern(expander.type());
  launch.element_bytes_ = element_bytes(expander.type());
  // a label of a whole image is one pixel, whose elements are the same in both orders
  const AxisOrder order = of_image ? AxisOrder::channels_last : full.layout;
  launch.by_planes_ = full.form == LabelForm::ids ||
                      (full.form == LabelForm::one_hot && order == AxisOrder::channels_first);
  std::string name = "bits";
  if (full.form == LabelForm::ids) name = "ids_" + std::string(element_name(expander.type()));
  if (full.form == LabelForm::one_hot)
    name = "one_hot_b" + std::to_string(8 * launch.element_bytes_) + order_name(order);
  HOTPACK_ASSIGN(launch.function_, find(driver, module, "hotpack_label_" + name));
  return launch;
}

Status FieldLaunch::launch(const Driver& driver, Pointer table, Pointer records, std::size_t count,
                           PixelSize size, void* out, StreamHandle stream) const {
  KernelArgs args = args_;
  if (args.of_image != 0) size = {1, 1};
  const auto channels = static_cast<std::uint32_t>(args.channels);
  args.rows = device_pointer<const RowEntry>(table);
  args.records = device_pointer<const std::uint8_t>(records);
  args.out = out;
  args.row_count = static_cast<std::uint32_t>(count);
  args.width = static_cast<std::int32_t>(size.width);
  args.height = static_cast<std::int32_t>(size.height);
  const std::uint64_t pixels = pixels_of(args);
  if (count == 0 || pixels == 0) return {};
  args.row_bytes = pixels * channels * element_bytes_;
  args.width_reciprocal = reciprocal_of(static_cast<std::uint32_t>(args.width));
  args.height_reciprocal = reciprocal_of(static_cast<std::uint32_t>(args.height));
  args.channel_reciprocal = reciprocal_of(channels);
  const std::uint64_t items =
      divided_up(by_planes_ ? pixels : pixels * channels, 16 / element_bytes_);
  const auto grid_x = static_cast<unsigned>(std::min(divided_up(items, kBlockThreads), kMostGridX));
  const auto grid_y = static_cast<unsigned>(std::min<std::uint64_t>(count, kMostGridY));
  std::array<void*, 1> parameters{&args};
  return HOTPACK_DRIVER(driver, LaunchKernel, function_, grid_x, grid_y, 1, kBlockThreads, 1, 1, 0,
                        stream, parameters.data(), nullptr);
}

}  // namespace hotpack::device
