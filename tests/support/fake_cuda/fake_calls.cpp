// The driver, its devices, contexts, streams, events, modules and launches.
#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "device/kernels/portable.hpp"
#include "support/fake_cuda/fake_state.hpp"

namespace hotpack::test {

using namespace device;

namespace {

struct CodeText {
  int code;
  const char* name;
  const char* text;
};

constexpr CodeText kCodeTexts[] = {
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "the provided PTX is of an unsupported toolchain"},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "not permitted when stream is capturing"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

void code_text(const Call& call, int wanted, const char** text, const char* CodeText::*member) {
  *text = nullptr;
  for (const CodeText& each : kCodeTexts) {
    if (each.code == wanted) *text = each.*member;
  }
  call.require(*text != nullptr, code::kInvalidValue);
}

FakeContext& primary(const Call& call, Ordinal device) {
  call.require(device >= 0 && device < call.state.options.devices, code::kInvalidDevice);
  return *call.state.devices[static_cast<std::size_t>(device)];
}

// Counts what the last release of a context would destroy under its owners.
template <class Objects>
std::ptrdiff_t count_of(const Objects& objects, const FakeContext& context) {
  return std::count_if(objects.begin(), objects.end(),
                       [&](const auto& entry) { return entry.second->context == &context; });
}

}  // namespace

void calls::Init(Call& call, unsigned flags) {
  call.require(flags == 0, code::kInvalidValue);
  call.require(call.state.options.devices > 0, code::kNoDevice);
  call.state.initialized = true;
}

void calls::DriverGetVersion(Call& call, int* version) { *version = call.state.options.version; }

void calls::GetErrorName(Call& call, int wanted, const char** text) {
  code_text(call, wanted, text, &CodeText::name);
}

void calls::GetErrorString(Call& call, int wanted, const char** text) {
  code_text(call, wanted, text, &CodeText::text);
}

void calls::DeviceGetCount(Call& call, int* count) { *count = call.state.options.devices; }

void calls::DeviceGet(Call& call, Ordinal* device, int ordinal) {
  *device = primary(call, ordinal).ordinal;
}

void calls::DeviceGetName(Call& call, char* name, int length, Ordinal device) {
  constexpr std::string_view kName = "hotpack fake device (no GPU)";
  static_cast<void>(primary(call, device));
  name[kName.copy(name, static_cast<std::size_t>(length) - 1)] = '\0';
}

void calls::DeviceGetAttribute(Call& call, int* value, int attribute, Ordinal device) {
  static_cast<void>(primary(call, device));
  const bool pools = attribute == kAttributeMemoryPools;
  call.require(pools || attribute == kAttributeMajor || attribute == kAttributeMinor,
               code::kInvalidValue);
  *value = pools ? int{call.state.options.pools} : attribute == kAttributeMajor ? 9 : 0;
}

void calls::DeviceTotalMem(Call& call, std::size_t* bytes, Ordinal device) {
  static_cast<void>(primary(call, device));
  *bytes = call.state.options.device_bytes;
}

// ---- Contexts.

void calls::DevicePrimaryCtxRetain(Call& call, ContextHandle* context, Ordinal device) {
  FakeContext& retained = primary(call, device);
  ++retained.retained;
  *context = retained.handle;
}

void calls::DevicePrimaryCtxRelease(Call& call, Ordinal device) {
  FakeContext& context = primary(call, device);
  if (context.retained == 0) call.refuse(code::kInvalidContext, "the context is not retained");
  --context.retained;
  if (context.usable() || context.broken != 0) return;
  const FakeState& state = call.state;
  const std::ptrdiff_t left = count_of(state.memory.live, context) +
                              count_of(state.program_streams.all, context) +
                              count_of(state.events.all, context);
  if (left > 0) {
    call.note("the last release, with " + std::to_string(left) +
              " blocks, streams and events in it");
  }
}

void calls::DevicePrimaryCtxGetState(Call& call, Ordinal device, unsigned* flags, int* active) {
  *flags = 0;
  *active = int{primary(call, device).usable()};
}

void calls::CtxPushCurrent(Call& call, ContextHandle handle) {
  const auto context = call.object(call.state.contexts, handle, "context");
  if (!context->usable()) call.refuse(code::kInvalidContext, "the context is not retained");
  call.state.thread().stack.push_back(context.get());
}

void calls::CtxPopCurrent(Call& call, ContextHandle* handle) {
  auto& stack = call.state.thread().stack;
  if (stack.empty()) call.refuse(code::kInvalidContext, "no context is current");
  if (handle != nullptr) *handle = stack.back()->handle;
  stack.pop_back();
}

// ---- Streams.

void calls::StreamCreate(Call& call, StreamHandle* handle, unsigned flags) {
  call.require(flags <= kStreamNonBlocking, code::kInvalidValue);
  call.state.program_streams.add(
      handle, call.state.streams.add(*call.context, flags != kStreamNonBlocking));
}

void calls::StreamDestroy(Call& call, StreamHandle handle) {
  constexpr const char* kWhat = "stream that can be destroyed";
  if (call.object(call.state.program_streams, handle, kWhat)->program) call.unknown(kWhat, handle);
  call.state.program_streams.all.erase(address(handle));
}

void calls::StreamWaitEvent(Call& call, StreamHandle handle, EventHandle event_handle,
                            unsigned flags) {
  const StreamPtr stream = call.open_stream(handle);
  const auto event = call.event(event_handle);
  call.require(flags == 0, code::kInvalidValue);
  Operation wait;
  if (event->record != nullptr && !event->record->done) wait.needs.push_back(event->record);
  call.state.streams.give(*stream, std::move(wait));
}

void calls::StreamSynchronize(Call& call, StreamHandle handle) {
  const StreamPtr stream = call.stream(handle);
  const int capture = call.capture_code(*stream);
  call.require(capture == code::kSuccess, capture);
  call.wait(OperationPtr(stream->last));
}

void calls::StreamIsCapturing(Call& call, StreamHandle handle, int* status) {
  const StreamPtr stream = call.stream(handle);
  const int capture = call.capture_code(*stream);
  call.require(capture != code::kStreamCaptureImplicit, capture);
  const bool spoiled = stream->capture && stream->capture->spoiled;
  *status = spoiled ? kCaptureInvalidated : stream->capturing ? kCaptureActive : kCaptureNone;
}

void calls::ThreadExchangeStreamCaptureMode(Call& call, int* mode) {
  call.require(*mode >= 0 && *mode <= kCaptureModeRelaxed, code::kInvalidValue);
  std::swap(*mode, call.state.thread().capture_mode);
}

void calls::StreamGetCtx(Call& call, StreamHandle handle, ContextHandle* context) {
  *context = call.stream(handle)->context->handle;
}

// ---- Events.

void calls::EventCreate(Call& call, EventHandle* handle, unsigned flags) {
  auto event = std::make_shared<FakeEvent>();
  event->context = call.context;
  event->sleeping = (flags & kEventBlockingSync) != 0;
  call.state.events.add(handle, std::move(event));
}

void calls::EventDestroy(Call& call, EventHandle handle) {
  static_cast<void>(call.object(call.state.events, handle, "event"));
  call.state.events.all.erase(address(handle));
}

void calls::EventRecord(Call& call, EventHandle event_handle, StreamHandle handle) {
  const auto event = call.event(event_handle);
  const StreamPtr stream = call.stream(handle);
  const int capture = call.capture_code(*stream);
  call.require(capture != code::kStreamCaptureImplicit, capture);
  if (stream->context != event->context) {
    call.refuse(code::kInvalidHandle,
                "the event is of device " + std::to_string(event->context->ordinal) +
                    ", the stream of device " + std::to_string(stream->context->ordinal));
  }
  event->record = call.state.streams.give(*stream, Operation{});
  event->stream = stream;
}

// Finds work unfinished that nobody has waited for, and runs it, so that a second query sees its
// end.
void calls::EventQuery(Call& call, EventHandle handle) {
  const auto event = call.event(handle);
  if (event->record == nullptr || event->record->done) return;
  call.require(!event->stream->capturing, code::kStreamCaptureUnsupported);
  const Obstacle obstacle = call.state.streams.obstacle(*event->record);
  call.require(obstacle.broken == 0, obstacle.broken);
  if (!obstacle) call.state.streams.run(OperationPtr(event->record));
  call.require(false, code::kNotReady);
}

void calls::EventSynchronize(Call& call, EventHandle handle) {
  const auto event = call.event(handle);
  if (event->record == nullptr) return;
  if (!event->sleeping) ++call.state.spinning_waits;
  call.wait(OperationPtr(event->record));
}

// ---- Modules and launches.

namespace {

// Adds that the launch uses memory of an argument; `bytes` = 0: to the end of its block.
void use_argument(const Call& call, Operation& launch, const char* what, const void* pointer,
                  std::uint64_t bytes, bool writes = false) {
  Use& use = call.use(launch, what, MemoryKind::device, address(pointer),
                      std::max<std::uint64_t>(bytes, 1), writes);
  if (bytes == 0) use.bytes = use.block->bytes - (use.begin - use.block->begin);
  if (use.block->context == call.context || use.block->managed) return;
  call.refuse(code::kInvalidValue,
              what + (" is memory of device " + std::to_string(use.block->context->ordinal)));
}

}  // namespace

void calls::ModuleLoadData(Call& call, ModuleHandle* handle, const void* image) {
  constexpr std::uint32_t kFatbin = 0xBA55ED50;  // the first bytes of compiled kernels
  std::uint32_t first = 0;
  std::memcpy(&first, image, sizeof first);
  call.require(image == FakeDriver::kernels().data() || first == kFatbin, code::kInvalidImage);
  call.state.modules.add(handle, std::make_shared<FakeModule>(FakeModule{call.context}));
}

void calls::ModuleUnload(Call& call, ModuleHandle handle) {
  const auto unloaded = call.object(call.state.modules, handle, "module");
  call.state.modules.all.erase(address(handle));
  if (unloaded->code->pending == 0 || call.result != 0) return;
  call.note(std::to_string(unloaded->code->pending) + " launches of its kernels are in flight");
}

void calls::ModuleGetFunction(Call& call, FunctionHandle* handle, ModuleHandle module_handle,
                              const char* name) {
  const auto loaded = call.object(call.state.modules, module_handle, "module");
  const HostKernel kernel = find_host_kernel(name);
  call.require(kernel != nullptr, code::kNotFound);
  call.state.functions.add(handle, std::make_shared<FakeFunction>(FakeFunction{loaded, kernel}));
}

void calls::LaunchKernel(Call& call, FunctionHandle function_handle, unsigned grid_x,
                         unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                         unsigned block_z, unsigned /*shared_bytes*/, StreamHandle handle,
                         void** parameters, void** extra) {
  constexpr std::uint32_t kMostX = 0x7FFFFFFF, kMostY = 65535, kMostThreads = 1024;
  const StreamPtr stream = call.open_stream(handle);
  const auto function = call.object(call.state.functions, function_handle, "function");
  const FakeContext& device = *function->module->context;
  if (&device != call.context || stream->context != call.context) {
    call.refuse(code::kInvalidHandle,
                "device " + std::to_string(call.context->ordinal) +
                    " is current, the kernel is of device " + std::to_string(device.ordinal) +
                    ", the stream of device " + std::to_string(stream->context->ordinal));
  }
  const auto within = [](unsigned value, unsigned most) { return value >= 1 && value <= most; };
  if (!within(grid_x, kMostX) || !within(grid_y, kMostY) || !within(block_x, kMostThreads) ||
      grid_z != 1 || block_y != 1 || block_z != 1)
    call.refuse(code::kInvalidValue, "a grid or block that no kernel takes");
  call.require(parameters != nullptr && extra == nullptr, code::kInvalidValue);
  const auto args = *static_cast<const KernelArgs*>(parameters[0]);  // copied at once
  if (address(args.out) % 16 != 0)
    call.refuse(code::kInvalidValue, "the output is not aligned to 16 bytes");
  Operation launch;
  launch.uses.push_back({function->module->code});
  if (args.row_count > 0) {
    use_argument(call, launch, "args.out", args.out, args.row_count * args.row_bytes, true);
    use_argument(call, launch, "args.records", args.records, 0);
    use_argument(call, launch, "args.rows", args.rows, args.row_count * sizeof *args.rows);
  }
  // A poisoned table of rows would lead anywhere.
  launch.work = [args, kernel = function->kernel, size = LaunchSize{grid_x, grid_y, block_x},
                 rows = launch.uses.back().block] {
    if (!rows->poisoned) kernel(&args, size);
  };
  call.give(*stream, std::move(launch));
}

}  // namespace hotpack::test
