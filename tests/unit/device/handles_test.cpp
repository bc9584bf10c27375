// Owners of the driver's objects. A program observes what is held, which context is current, and
// error texts.
#include "device/handles.hpp"

#include <string>
#include <thread>
#include <utility>

#include "device/kernel_modules.hpp"
#include "support/catch.hpp"
#include "support/fake_cuda/fake_driver.hpp"

namespace hotpack::device {
namespace {

using test::FakeDriver;

std::shared_ptr<const Context> context_of(const FakeDriver& fake, int ordinal = 0) {
  return Context::retain(fake.driver(), ordinal).value();
}

ContextHandle current_of(const FakeDriver& fake) {
  ContextHandle current = nullptr;
  REQUIRE(fake.table().CtxGetCurrent(&current) == code::kSuccess);
  return current;
}

// Nothing is held, and there are no violations.
void check_clean(const FakeDriver& fake) {
  CHECK(fake.held() == FakeDriver::Held{});
  CHECK(fake.violations() == std::vector<std::string>{});
}

TEST_CASE("a missing ordinal is refused with the existing ones") {
  const FakeDriver one;
  const FakeDriver::Held nothing;
  for (const int ordinal : {-1, 1, 1000}) {
    const auto context = Context::retain(one.driver(), ordinal);
    REQUIRE(!context.ok());
    CHECK(context.error().code == ErrorCode::usage);
    CHECK_THAT(context.error().message,
               ContainsSubstring("no device " + std::to_string(ordinal) + ";") &&
                   ContainsSubstring("device 0") && ContainsSubstring("CUDA_VISIBLE_DEVICES"));
  }
  CHECK(one.held() == nothing);
}

TEST_CASE("an ordinal beyond several devices is refused with their range") {
  const FakeDriver four({.devices = 4});
  CHECK_THAT(Context::retain(four.driver(), 4).error().message, ContainsSubstring("devices 0 … 3"));
  CHECK(Context::retain(four.driver(), 3).ok());
}

TEST_CASE("a context is retained as long as something keeps it") {
  const FakeDriver fake;
  auto context = context_of(fake);
  CHECK(fake.held().retained == 1);
  CHECK(context->multiprocessors() > 0);
  auto memory = DeviceMemory::take(context, 64).value();
  context.reset();
  CHECK(fake.held().retained == 1);
  memory = DeviceMemory();
  check_clean(fake);
}

TEST_CASE("a context that cannot be retained is not released") {
  FakeDriver fake;
  fake.fail("DevicePrimaryCtxRetain", 0, code::kDeviceUnavailable);
  const auto context = Context::retain(fake.driver(), 0);
  REQUIRE(!context.ok());
  CHECK(context.error().code == ErrorCode::io);
  CHECK_THAT(context.error().message, ContainsSubstring("cuDevicePrimaryCtxRetain failed"));
  CHECK(fake.calls("DevicePrimaryCtxRelease") == 0);
  check_clean(fake);
}

TEST_CASE("a scope restores the thread's own context or none") {
  const FakeDriver fake({.devices = 2});
  const auto first = context_of(fake, 0);
  const auto second = context_of(fake, 1);
  CHECK(current_of(fake) == nullptr);
  {
    const CurrentContext outer(*first);
    REQUIRE(outer.status().ok());
    CHECK(current_of(fake) == first->handle());
    {
      const CurrentContext inner(*second);
      CHECK(current_of(fake) == second->handle());
    }
    CHECK(current_of(fake) == first->handle());
  }
  CHECK(current_of(fake) == nullptr);
  CHECK(fake.violations().empty());
}

TEST_CASE("a scope invalidates no other capture and restores the thread's mode") {
  const FakeDriver fake;
  const auto context = context_of(fake);
  const auto exchanged = [&](int mode) {
    REQUIRE(fake.table().ThreadExchangeStreamCaptureMode(&mode) == code::kSuccess);
    return mode;
  };
  for (const int own : {0, 1}) {  // global, of the thread alone
    const int before = exchanged(own);
    {
      const CurrentContext current(*context);
      CHECK(exchanged(kCaptureModeRelaxed) == kCaptureModeRelaxed);
    }
    CHECK(exchanged(before) == own);
  }
}

TEST_CASE("a context that cannot be made current is reported and not popped") {
  FakeDriver fake({.devices = 2});
  const auto first = context_of(fake, 0);
  const auto second = context_of(fake, 1);
  const CurrentContext outer(*first);
  {
    fake.fail("CtxPushCurrent", 0, code::kInvalidContext);
    const CurrentContext inner(*second);
    REQUIRE(!inner.status().ok());
    CHECK_THAT(inner.status().error().message,
               ContainsSubstring("cuCtxPushCurrent failed: CUDA_ERROR_INVALID_CONTEXT (201)"));
  }
  CHECK(current_of(fake) == first->handle());
}

TEST_CASE("objects of an unreachable context are not freed in another one") {
  FakeDriver fake({.devices = 2});
  const auto first = context_of(fake, 0);
  const auto second = context_of(fake, 1);
  const CurrentContext outer(*second);
  {
    const Stream stream = Stream::create(first).value();
    const DeviceMemory memory = DeviceMemory::take(first, 100).value();
    fake.fail("CtxPushCurrent", 0, code::kInvalidContext);
    fake.fail("CtxPushCurrent", 1, code::kInvalidContext);
  }
  CHECK(fake.calls("MemFree") + fake.calls("StreamDestroy") == 0);
  CHECK(fake.held().device_blocks == 1);
}

// Everything at once: created, moved, used and released while another device's context is
// current.
TEST_CASE("handles leave the current context unchanged and release all") {
  const FakeDriver fake({.devices = 2});
  const auto context = context_of(fake, 0);
  const auto other = context_of(fake, 1);
  const CurrentContext mine(*other);
  {
    auto stream = Stream::create(context).value();
    auto event = Event::create(context).value();
    auto device = DeviceMemory::take(context, 1000).value();
    auto pinned = PinnedMemory::take(context, 2000).value();
    CHECK(current_of(fake) == other->handle());
    CHECK(fake.held() == FakeDriver::Held{.device_blocks = 1,
                                          .device_bytes = 1000,
                                          .pinned_blocks = 1,
                                          .pinned_bytes = 2000,
                                          .streams = 1,
                                          .events = 1,
                                          .modules = 0,
                                          .retained = 2});
    CHECK(device.size() == 1000);
    CHECK(pinned.size() == 2000);
    CHECK(stream.synchronize().ok());
    CHECK(event.query().value());
    CHECK(context->memory().value().total == std::uint64_t{256} << 20);
    CHECK(current_of(fake) == other->handle());
  }
  CHECK(current_of(fake) == other->handle());
  CHECK(fake.held() == FakeDriver::Held{.retained = 2});
  CHECK(fake.violations().empty());
}

TEST_CASE("a moved-from handle owns nothing and assignment frees the old one") {
  const FakeDriver fake;
  const auto context = context_of(fake);
  auto first = DeviceMemory::take(context, 100).value();
  const Pointer address = first.address();
  DeviceMemory second(std::move(first));
  CHECK(second.address() == address);
  CHECK(fake.held().device_blocks == 1);
  second = DeviceMemory::take(context, 200).value();
  CHECK(fake.held().device_bytes == 200);
  auto stream = Stream::create(context).value();
  stream = Stream::create(context).value();
  CHECK(fake.held().streams == 1);
  auto event = Event::create(context).value();
  event = Event();
  CHECK(fake.held().events == 0);
  auto pinned = PinnedMemory::take(context, 100).value();
  pinned = PinnedMemory::take(context, 300).value();
  CHECK(fake.held().pinned_bytes == 300);
  auto& same = pinned;
  pinned = std::move(same);
  CHECK(pinned.size() == 300);
  CHECK(fake.violations().empty());
}

TEST_CASE("memory of 0 bytes is empty") {
  const FakeDriver fake;
  const auto context = context_of(fake);
  CHECK(DeviceMemory::take(context, 0).value().address() == 0);
  CHECK(PinnedMemory::take(context, 0).value().data() == nullptr);
  CHECK(fake.calls("MemAlloc") + fake.calls("MemHostAlloc") == 0);
}

TEST_CASE("lack of device memory names bytes, device and free memory") {
  const FakeDriver fake({.devices = 2, .device_bytes = 4 << 20});
  const auto context = context_of(fake, 1);
  const auto held = DeviceMemory::take(context, 1 << 20).value();
  const auto memory = DeviceMemory::take(context, 8 << 20);
  REQUIRE(!memory.ok());
  CHECK(memory.error().code == ErrorCode::io);
  CHECK_THAT(memory.error().message,
             ContainsSubstring("device 1 cannot give 8388608 bytes (8 MiB)") &&
                 ContainsSubstring("CUDA_ERROR_OUT_OF_MEMORY (2)") &&
                 ContainsSubstring("3145728 bytes (3 MiB) of its 4194304 bytes (4 MiB) are free"));
}

TEST_CASE("lack of pinned memory names bytes and advice") {
  const FakeDriver fake({.pinned_bytes = 1 << 20});
  const auto memory = PinnedMemory::take(context_of(fake), 2 << 20);
  REQUIRE(!memory.ok());
  CHECK(memory.error().code == ErrorCode::io);
  CHECK_THAT(memory.error().message, ContainsSubstring("2097152 bytes (2 MiB) of pinned") &&
                                         ContainsSubstring("device 0") &&
                                         ContainsSubstring("CUDA_ERROR_OUT_OF_MEMORY (2)") &&
                                         ContainsSubstring("a smaller prefetch_batches"));
}

TEST_CASE("the pinned allocator returns pinned memory on any thread") {
  const FakeDriver fake;
  const auto allocator = pinned_allocator(context_of(fake));
  std::byte* memory = nullptr;
  std::thread([&] { memory = allocator->allocate(4096).value(); }).join();
  CHECK(reinterpret_cast<std::uintptr_t>(memory) % 64 == 0);
  CHECK(fake.held().pinned_bytes == 4096);
  allocator->release(memory, 4096);
  CHECK(fake.held().pinned_blocks == 0);
  CHECK(fake.violations().empty());
}

TEST_CASE("pinned memory works on all devices, and streams are independent") {
  const FakeDriver fake;
  static DriverTable real;
  static unsigned memory_flags, stream_flags;
  real = fake.table();
  DriverTable table = real;
  table.MemHostAlloc = [](void** memory, std::size_t bytes, unsigned flags) {
    memory_flags = flags;
    return real.MemHostAlloc(memory, bytes, flags);
  };
  table.StreamCreate = [](StreamHandle* stream, unsigned flags) {
    stream_flags = flags;
    return real.StreamCreate(stream, flags);
  };
  const auto context = Context::retain(Driver::make(table).value(), 0).value();
  CHECK(PinnedMemory::take(context, 4096).ok());
  CHECK(Stream::create(context).ok());
  CHECK((memory_flags & kHostAllocPortable) != 0);
  CHECK(stream_flags == kStreamNonBlocking);
}

TEST_CASE("an event is complete once the recorded work has run") {
  FakeDriver fake;
  const auto context = context_of(fake);
  const CurrentContext current(*context);
  const auto event = Event::create(context).value();
  CHECK(event.query().value());
  const auto stream = fake.stream();
  fake.block(stream);
  REQUIRE(event.record(stream).ok());
  CHECK(!event.query().value());
  fake.unblock(stream);
  fake.synchronize(stream);
  CHECK(event.query().value());
}

TEST_CASE("an event makes a stream wait") {
  FakeDriver fake;
  const auto context = context_of(fake);
  const CurrentContext current(*context);
  const auto event = Event::create(context).value();
  const auto first = fake.stream();
  const auto second = fake.stream();
  std::string order;
  fake.block(first);
  fake.enqueue(first, [&] { order += "first "; });
  REQUIRE(event.record(first).ok());
  REQUIRE(event.make_wait(second).ok());
  fake.enqueue(second, [&] { order += "second"; });
  fake.run_all();
  CHECK(order.empty());
  fake.unblock(first);
  fake.run_all();
  CHECK(order == "first second");
}

TEST_CASE("the query of an event reports an error of the context") {
  FakeDriver fake;
  const auto context = context_of(fake);
  const auto event = Event::create(context).value();
  fake.break_context(0, code::kIllegalAddress);
  const auto over = event.query();
  REQUIRE(!over.ok());
  CHECK(over.error().code == ErrorCode::io);
  CHECK_THAT(over.error().message,
             ContainsSubstring("cuEventQuery failed: CUDA_ERROR_ILLEGAL_ADDRESS (700)"));
}

TEST_CASE("an event that a capture hides is not complete") {
  FakeDriver fake;
  const auto context = Context::retain(fake.driver(), 0).value();
  const auto event = Event::create(context).value();
  for (int code = code::kStreamCaptureUnsupported; code <= code::kLastOfCapture; ++code) {
    fake.fail("EventQuery", 0, code);
    const auto over = event.query();
    REQUIRE(over.ok());
    CHECK_FALSE(*over);
  }
  CHECK(*event.query());
}

TEST_CASE("a handle that cannot be created is empty") {
  FakeDriver fake;
  const auto context = context_of(fake);
  fake.fail("StreamCreate", 0, code::kOutOfMemory);
  fake.fail("EventCreate", 0, code::kOutOfMemory);
  CHECK(!Stream::create(context).ok());
  CHECK(!Event::create(context).ok());
  CHECK(fake.calls("StreamDestroy") + fake.calls("EventDestroy") == 0);
  CHECK(current_of(fake) == nullptr);
  CHECK(fake.held() == FakeDriver::Held{.retained = 1});
}

TEST_CASE("handles may outlive the driver or a failed context") {
  FakeDriver broken;
  {
    const auto context = context_of(broken);
    const auto memory = DeviceMemory::take(context, 100).value();
    const auto stream = Stream::create(context).value();
    broken.break_context(0, code::kLaunchFailed);
  }
  CHECK(broken.held() == FakeDriver::Held{});
}

TEST_CASE("handles may outlive the driver as at process exit") {
  auto fake = std::make_unique<FakeDriver>();
  const auto context = context_of(*fake);
  auto memory = DeviceMemory::take(context, 100).value();
  auto event = Event::create(context).value();
  fake.reset();
  memory = DeviceMemory();
  event = Event();
  CHECK(context.use_count() == 1);
}

// ----------------------------------------------------------------------------------------------------
// kernels

TEST_CASE("modules are loaded into a context and unloaded with their last owner") {
  const FakeDriver fake;
  auto modules = KernelModules::load(context_of(fake), fake.kernels()).value();
  CHECK(fake.held().modules == fake.kernels().size());
  modules.reset();
  check_clean(fake);
}

TEST_CASE("a kernel that no module has is an internal error") {
  const FakeDriver fake;
  const auto context = context_of(fake);
  const auto modules = KernelModules::load(context, fake.kernels()).value();
  const CurrentContext current(*context);
  for (const std::string name : {"hotpack_no_such_kernel", "hotpack_label_no_such"}) {
    const auto missing = modules->find(name);
    REQUIRE(!missing.ok());
    CHECK(missing.error().code == ErrorCode::internal);
    CHECK_THAT(missing.error().message, ContainsSubstring(name));
  }
}

TEST_CASE("a kernel is looked up only in its module") {
  const FakeDriver fake;
  const auto context = context_of(fake);
  const auto modules = KernelModules::load(context, fake.kernels()).value();
  const CurrentContext current(*context);
  CHECK(modules->find("hotpack_label_bits").ok());
  CHECK(fake.calls("ModuleGetFunction") == 1);
  CHECK(modules->find("hotpack_image_u8_last").ok());
  CHECK(fake.calls("ModuleGetFunction") == 2);
}

TEST_CASE("loaded modules are not loaded again") {
  const FakeDriver fake({.devices = 2});
  const auto images = fake.kernels();
  auto first = KernelModules::load(context_of(fake), images).value();
  REQUIRE(fake.calls("ModuleLoadData") == images.size());
  auto second = KernelModules::load(context_of(fake), images).value();
  CHECK(fake.calls("ModuleLoadData") == images.size());
  const auto other_images = KernelModules::load(context_of(fake), {images[0]}).value();
  CHECK(fake.calls("ModuleLoadData") == images.size() + 1);
  const auto other_device =
      KernelModules::load(Context::retain(fake.driver(), 1).value(), images).value();
  CHECK(fake.calls("ModuleLoadData") == 2 * images.size() + 1);

  first.reset();
  CHECK(fake.calls("ModuleUnload") == 0);
  const auto context = context_of(fake);
  const CurrentContext current(*context);
  CHECK(second->find("hotpack_label_bits").ok());
  second.reset();
  CHECK(fake.calls("ModuleUnload") == images.size());
  const auto again = KernelModules::load(context_of(fake), images).value();
  CHECK(fake.calls("ModuleLoadData") == 3 * images.size() + 1);
}

TEST_CASE("modules that could not be loaded are tried again") {
  FakeDriver fake;
  fake.fail("ModuleLoadData", 1, code::kOutOfMemory);
  CHECK(!KernelModules::load(context_of(fake), fake.kernels()).ok());
  CHECK(KernelModules::load(context_of(fake), fake.kernels()).ok());
  check_clean(fake);
}

TEST_CASE("a build without kernels says how to get them") {
  const FakeDriver fake;
  const auto modules = KernelModules::load(context_of(fake), {});
  REQUIRE(!modules.ok());
  CHECK(modules.error().code == ErrorCode::usage);
  CHECK_THAT(modules.error().message, ContainsSubstring("hotpack was built without CUDA kernels") &&
                                          ContainsSubstring("HOTPACK_CUDA=ON and nvcc"));
}

TEST_CASE("kernels that the driver cannot use say so with both versions") {
  for (const int failure : {code::kInvalidImage, code::kNoBinaryForGpu, code::kInvalidPtx,
                            code::kUnsupportedPtxVersion}) {
    FakeDriver fake({.version = 12020});
    fake.fail("ModuleLoadData", 0, failure);
    const auto modules = KernelModules::load(context_of(fake), fake.kernels());
    REQUIRE(!modules.ok());
    CHECK(modules.error().code == ErrorCode::usage);
    CHECK_THAT(modules.error().message, ContainsSubstring("supports CUDA 12.2") &&
                                            ContainsSubstring(embedded_kernels_text()) &&
                                            ContainsSubstring("device 0 (compute capability ") &&
                                            ContainsSubstring("update the driver"));
    check_clean(fake);
  }
}

TEST_CASE("a module that fails unloads those before it") {
  FakeDriver fake;
  auto images = fake.kernels();
  images.insert(images.end(), images.begin(), images.end());
  fake.fail("ModuleLoadData", images.size() - 1, code::kOutOfMemory);
  const auto modules = KernelModules::load(context_of(fake), images);
  REQUIRE(!modules.ok());
  CHECK(modules.error().code == ErrorCode::io);
  CHECK_THAT(modules.error().message,
             ContainsSubstring("cuModuleLoadData failed: CUDA_ERROR_OUT_OF_MEMORY"));
  check_clean(fake);
}

// A device older than the kernels, whatever the driver reports.
int old_attribute(int* value, int attribute, Ordinal /*device*/) {
  *value = attribute == kAttributeMajor ? 6 : 1;
  return code::kSuccess;
}

TEST_CASE("a device too old for the kernels is named with its compute capability") {
  FakeDriver fake;
  DriverTable table = fake.table();
  table.DeviceGetAttribute = &old_attribute;
  fake.fail("ModuleLoadData", 0, code::kNoBinaryForGpu);
  const auto context = Context::retain(Driver::make(table).value(), 0).value();
  const auto modules = KernelModules::load(context, fake.kernels());
  REQUIRE(!modules.ok());
  CHECK(modules.error().code == ErrorCode::usage);
  CHECK_THAT(modules.error().message,
             ContainsSubstring("device 0 (compute capability 6.1) is too old") &&
                 ContainsSubstring("7.5"));
}

TEST_CASE("the embedded kernels and their description agree") {
  const bool none = embedded_kernels().empty();
  CHECK(none == (embedded_kernels_text().rfind("none: ", 0) == 0));
  for (const auto& image : embedded_kernels()) {
    REQUIRE(image.bytes.size() > 16);
    CHECK(reinterpret_cast<std::uintptr_t>(image.bytes.data()) % 8 == 0);
    CHECK(std::to_integer<int>(image.bytes[0]) == 0x50);  // of a fatbin: 0xBA55ED50, little-endian
    CHECK(std::to_integer<int>(image.bytes[3]) == 0xBA);
    CHECK((image.prefix == "hotpack_image_" || image.prefix == "hotpack_label_"));
  }
}

}  // namespace
}  // namespace hotpack::device
