// The driver, its devices, and contexts.
#include <algorithm>
#include <string_view>

#include "support/fake_cuda/fake_call.hpp"

namespace hotpack::test {
namespace {

using device::ContextHandle;
using device::Ordinal;
namespace code = device::code;

int init(unsigned flags) {
  return enter(CallId::Init, Needs::nothing, [&](Call& call) {
    if (flags != 0) return code::kInvalidValue;
    if (call.state.options.devices == 0) return code::kNoDevice;
    call.state.initialized = true;
    return code::kSuccess;
  });
}

int driver_get_version(int* version) {
  return enter(CallId::DriverGetVersion, Needs::nothing, [&](Call& call) {
    *version = call.state.options.version;
    return code::kSuccess;
  });
}

struct CodeText {
  int code;
  const char* name;
  const char* text;
};

constexpr CodeText kCodeTexts[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {4, "CUDA_ERROR_DEINITIALIZED", "driver shutting down"},
    {34, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library"},
    {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "CUDA-capable device(s) is/are busy or unavailable"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported toolchain."},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {800, "CUDA_ERROR_NOT_PERMITTED", "operation not permitted"},
    {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
     "system has unsupported display driver / cuda driver combination"},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
    {906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

int code_text(int wanted, const char** text, const char* CodeText::*member) {
  const auto* const found = std::find_if(std::begin(kCodeTexts), std::end(kCodeTexts),
                                         [&](const CodeText& each) { return each.code == wanted; });
  *text = found == std::end(kCodeTexts) ? nullptr : found->*member;
  return *text == nullptr ? code::kInvalidValue : code::kSuccess;
}

int get_error_name(int wanted, const char** text) {
  return enter(CallId::GetErrorName, Needs::nothing,
               [&](Call&) { return code_text(wanted, text, &CodeText::name); });
}

int get_error_string(int wanted, const char** text) {
  return enter(CallId::GetErrorString, Needs::nothing,
               [&](Call&) { return code_text(wanted, text, &CodeText::text); });
}

template <typename Body>
int enter_device(CallId id, Ordinal device, const Body& body) {
  return enter(id, Needs::driver, [&](Call& call) {
    if (device < 0 || device >= call.state.options.devices) return code::kInvalidDevice;
    return body(call, *call.state.contexts[static_cast<std::size_t>(device)]);
  });
}

int device_get_count(int* count) {
  return enter(CallId::DeviceGetCount, Needs::driver, [&](Call& call) {
    *count = call.state.options.devices;
    return code::kSuccess;
  });
}

int device_get(Ordinal* device, int ordinal) {
  return enter_device(CallId::DeviceGet, ordinal, [&](Call&, FakeContext&) {
    *device = ordinal;
    return code::kSuccess;
  });
}

int device_get_name(char* name, int length, Ordinal device) {
  return enter_device(CallId::DeviceGetName, device, [&](Call&, FakeContext&) {
    constexpr std::string_view kName = "hotpack fake device (no GPU)";
    if (length <= 0) return code::kInvalidValue;
    name[kName.copy(name, static_cast<std::size_t>(length) - 1)] = '\0';
    return code::kSuccess;
  });
}

int device_get_attribute(int* value, int attribute, Ordinal device) {
  return enter_device(CallId::DeviceGetAttribute, device, [&](Call&, FakeContext&) {
    switch (attribute) {
      case device::kAttributeMajor:
        *value = 9;
        return code::kSuccess;
      case device::kAttributeMinor:
        *value = 0;
        return code::kSuccess;
      case device::kAttributeMultiprocessors:
        *value = 4;
        return code::kSuccess;
      default:
        return code::kInvalidValue;
    }
  });
}

int device_total_mem(std::size_t* bytes, Ordinal device) {
  return enter_device(CallId::DeviceTotalMem, device, [&](Call& call, FakeContext&) {
    *bytes = call.state.options.device_bytes;
    return code::kSuccess;
  });
}

// ---- Contexts.

int primary_retain(ContextHandle* context, Ordinal device) {
  return enter_device(CallId::DevicePrimaryCtxRetain, device, [&](Call&, FakeContext& primary) {
    ++primary.retained;
    *context = primary.handle;
    return code::kSuccess;
  });
}

// Objects that the last release of a context would destroy under their owners.
std::size_t things_of(const FakeState& state, const FakeContext& context) {
  std::size_t count = 0;
  for (const auto& [begin, block] : state.memory.live()) count += block->context == &context;
  for (const auto& [handle, stream] : state.stream_handles.values())
    count += stream->context == &context;
  for (const auto& [handle, event] : state.event_handles.values())
    count += event->context == &context;
  return count;
}

int primary_release(Ordinal device) {
  return enter_device(
      CallId::DevicePrimaryCtxRelease, device, [&](Call& call, FakeContext& primary) {
        if (primary.retained == 0) {
          call.state.note(std::string(call.name) + ": the context is not retained");
          return code::kInvalidContext;
        }
        if (--primary.retained > 0 || primary.used_by_program || primary.broken != 0)
          return code::kSuccess;
        if (const std::size_t left = things_of(call.state, primary); left > 0) {
          call.state.note(std::string(call.name) + ": the last release, with " +
                          std::to_string(left) + " blocks, streams and events in it");
        }
        return code::kSuccess;
      });
}

int primary_get_state(Ordinal device, unsigned* flags, int* active) {
  return enter_device(CallId::DevicePrimaryCtxGetState, device, [&](Call&, FakeContext& primary) {
    *flags = 0;
    *active = primary.retained > 0 || primary.used_by_program ? 1 : 0;
    return code::kSuccess;
  });
}

int push_current(ContextHandle handle) {
  return enter(CallId::CtxPushCurrent, Needs::driver, [&](Call& call) {
    const auto context = call.state.context_handles.find(handle);
    if (context == nullptr) {
      const int found = call.state.unknown(call.name, "context", handle);
      return found == code::kInvalidHandle ? code::kInvalidContext : found;
    }
    if (context->retained == 0 && !context->used_by_program) {
      call.state.note(std::string(call.name) + ": the context is not retained");
      return code::kInvalidContext;
    }
    call.state.thread().stack.push_back(context.get());
    return code::kSuccess;
  });
}

int pop_current(ContextHandle* handle) {
  return enter(CallId::CtxPopCurrent, Needs::driver, [&](Call& call) {
    auto& stack = call.state.thread().stack;
    if (stack.empty()) {
      call.state.note(std::string(call.name) + ": no context is current");
      return code::kInvalidContext;
    }
    if (handle != nullptr) *handle = stack.back()->handle;
    stack.pop_back();
    return code::kSuccess;
  });
}

int get_current(ContextHandle* handle) {
  return enter(CallId::CtxGetCurrent, Needs::driver, [&](Call& call) {
    const auto& stack = call.state.thread().stack;
    *handle = stack.empty() ? nullptr : stack.back()->handle;
    return code::kSuccess;
  });
}

}  // namespace

void fill_device_calls(device::DriverTable& table) {
  table.Init = init;
  table.DriverGetVersion = driver_get_version;
  table.GetErrorName = get_error_name;
  table.GetErrorString = get_error_string;
  table.DeviceGetCount = device_get_count;
  table.DeviceGet = device_get;
  table.DeviceGetName = device_get_name;
  table.DeviceGetAttribute = device_get_attribute;
  table.DeviceTotalMem = device_total_mem;
  table.DevicePrimaryCtxRetain = primary_retain;
  table.DevicePrimaryCtxRelease = primary_release;
  table.DevicePrimaryCtxGetState = primary_get_state;
  table.CtxPushCurrent = push_current;
  table.CtxPopCurrent = pop_current;
  table.CtxGetCurrent = get_current;
}

}  // namespace hotpack::test
