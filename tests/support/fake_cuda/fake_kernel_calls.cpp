// Modules and launches.
#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "device/kernels/image_args.hpp"
#include "device/kernels/label_args.hpp"
#include "support/fake_cuda/fake_call.hpp"

namespace hotpack::test {
namespace {

using device::FunctionHandle;
using device::ImageArgs;
using device::LabelArgs;
using device::LaunchSize;
using device::ModuleHandle;
using device::RowEntry;
using device::StreamHandle;
namespace code = device::code;

// The first bytes of all compiled kernels, whose names cannot be read from them.
constexpr std::uint32_t kFatbinMagic = 0xBA55ED50;
constexpr const char* kAnyKernel = "hotpack_";

// The prefix of the names of an image's kernels; null for another image.
const char* prefix_of(const void* image) {
  for (const auto& known : fake_kernel_images()) {
    if (image == known.bytes.data()) return known.prefix.data();
  }
  std::uint32_t magic = 0;
  if (image != nullptr) std::memcpy(&magic, image, sizeof magic);
  return magic == kFatbinMagic ? kAnyKernel : nullptr;
}

int module_load_data(ModuleHandle* handle, const void* image) {
  return enter(CallId::ModuleLoadData, Needs::context, [&](Call& call) {
    const char* const prefix = prefix_of(image);
    if (prefix == nullptr) return image == nullptr ? code::kInvalidValue : code::kInvalidImage;
    auto loaded = std::make_shared<FakeModule>();
    loaded->context = call.context;
    loaded->prefix = prefix;
    *handle = reinterpret_cast<ModuleHandle>(call.state.module_handles.add(
        HandleKind::module, call.state.generation, std::move(loaded)));
    return code::kSuccess;
  });
}

int module_unload(ModuleHandle handle) {
  return enter_to_give_back(CallId::ModuleUnload, [&](Call& call) {
    call.state.wait_before_free(call.lock, *call.context, call.name);
    const auto unloaded = call.state.module_handles.find(handle);
    if (unloaded == nullptr) return call.state.unknown(call.name, "module", handle);
    if (unloaded->pending > 0 && call.context->broken == 0) {
      call.state.note(std::string(call.name) + ": " + std::to_string(unloaded->pending) +
                      " launches of its kernels are in flight");
    }
    call.state.module_handles.erase(handle);
    return code::kSuccess;
  });
}

int module_get_function(FunctionHandle* handle, ModuleHandle module_handle, const char* name) {
  return enter(CallId::ModuleGetFunction, Needs::context, [&](Call& call) {
    const auto loaded = call.state.module_handles.find(module_handle);
    if (loaded == nullptr) return call.state.unknown(call.name, "module", module_handle);
    auto function = std::make_shared<FakeFunction>();
    function->context = loaded->context;
    function->module = loaded;
    function->name = name;
    function->kernel = find_host_kernel(function->name);
    if (function->kernel == nullptr || !function->name.starts_with(loaded->prefix))
      return code::kNotFound;
    *handle = reinterpret_cast<FunctionHandle>(call.state.function_handles.add(
        HandleKind::function, call.state.generation, std::move(function)));
    return code::kSuccess;
  });
}

// Notes that the launch uses the memory of an argument. `bytes` = 0 means unknown: any bytes up
// to the end of the block.
bool add_argument(Call& call, Operation& launch, const char* what, const void* pointer,
                  std::uint64_t bytes, bool writes) {
  if (!add_use(call, launch, what, MemoryKind::device, address(pointer),
               std::max<std::uint64_t>(bytes, 1), writes))
    return false;
  Use& use = launch.uses.back();
  if (bytes == 0) use.bytes = use.block->bytes - (use.begin - use.block->begin);
  if (use.block->context == call.context || use.block->managed) return true;
  call.state.note(std::string(call.name) + ": " + what + " is memory of device " +
                  std::to_string(use.block->context->ordinal) + ", the kernel is of device " +
                  std::to_string(call.context->ordinal));
  return false;
}

template <typename Args>
bool add_arguments(Call& call, Operation& launch, const Args& args) {
  if (args.row_count == 0) return true;
  if (address(args.out) % 16 != 0) {
    call.state.note(std::string(call.name) + ": the output is not aligned to 16 bytes");
    return false;
  }
  return add_argument(call, launch, "args.rows", args.rows,
                      std::uint64_t{args.row_count} * sizeof(RowEntry), false) &&
         add_argument(call, launch, "args.records", args.records, 0, false) &&
         add_argument(call, launch, "args.out", args.out, args.row_count * args.row_bytes, true);
}

bool add_arguments_of_image(Call& call, Operation& launch, const ImageArgs& args) {
  if (!add_arguments(call, launch, args)) return false;
  return args.values == nullptr || add_argument(call, launch, "args.values", args.values, 0, false);
}

bool fits(const LaunchSize& size) {
  constexpr std::uint32_t kMostX = 0x7FFFFFFF, kMostOther = 65535, kMostThreads = 1024;
  return size.grid_x >= 1 && size.grid_x <= kMostX && size.grid_y >= 1 &&
         size.grid_y <= kMostOther && size.grid_z >= 1 && size.grid_z <= kMostOther &&
         size.block_threads >= 1 && size.block_threads <= kMostThreads;
}

// Copies a kernel's arguments now, as the driver does.
bool make_launch(Call& call, const FakeFunction& function, const LaunchSize& size,
                 void** parameters, Operation& launch) {
  const auto kernel = function.kernel;
  if (std::string_view(function.name).starts_with("hotpack_label_")) {
    const LabelArgs args = *static_cast<const LabelArgs*>(parameters[0]);
    launch.work = [=] { kernel(&args, size); };
    return add_arguments(call, launch, args);
  }
  const ImageArgs args = *static_cast<const ImageArgs*>(parameters[0]);
  launch.work = [=] { kernel(&args, size); };
  return add_arguments_of_image(call, launch, args);
}

int check_launch(Call& call, const FakeFunction& function, const FakeStream& stream,
                 const LaunchSize& size, bool plain) {
  if (function.context != call.context || stream.context != call.context) {
    call.state.note(std::string(call.name) + ": device " + std::to_string(call.context->ordinal) +
                    " is current, the kernel is of device " +
                    std::to_string(function.context->ordinal) + ", the stream of device " +
                    std::to_string(stream.context->ordinal));
    return code::kInvalidHandle;
  }
  if (plain && fits(size)) return code::kSuccess;
  call.state.note(
      std::string(call.name) +
      ": a grid or block that no device takes, or parameters in another way than an array");
  return code::kInvalidValue;
}

int launch_kernel(FunctionHandle function_handle, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                  unsigned block_x, unsigned block_y, unsigned block_z, unsigned /*shared_bytes*/,
                  StreamHandle handle, void** parameters, void** extra) {
  return enter_stream(CallId::LaunchKernel, handle, [&](Call& call, FakeStream& stream) {
    const auto function = call.state.function_handles.find(function_handle);
    if (function == nullptr) return call.state.unknown(call.name, "function", function_handle);
    const LaunchSize size{grid_x, grid_y, grid_z, block_x};
    const bool plain = block_y == 1 && block_z == 1 && parameters != nullptr &&
                       parameters[0] != nullptr && extra == nullptr;
    if (const int found = check_launch(call, *function, stream, size, plain);
        found != code::kSuccess)
      return found;
    Operation launch;
    launch.module = function->module;
    if (!make_launch(call, *function, size, parameters, launch)) return code::kInvalidValue;
    give(call, stream, std::move(launch));
    return code::kSuccess;
  });
}

}  // namespace

device::KernelImages fake_kernel_images() {
  static constexpr std::byte kImages[2][16] = {};
  return {{"hotpack_image_", kImages[0]}, {"hotpack_label_", kImages[1]}};
}

void fill_kernel_calls(device::DriverTable& table) {
  table.ModuleLoadData = module_load_data;
  table.ModuleUnload = module_unload;
  table.ModuleGetFunction = module_get_function;
  table.LaunchKernel = launch_kernel;
}

}  // namespace hotpack::test
