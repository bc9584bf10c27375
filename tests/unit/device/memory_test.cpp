// Lack of the host's memory at any allocation between the calls of the driver.
#include <cstdlib>
#include <new>

#include "device_runs.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

constexpr int kNever = -1;
thread_local int allocations_left = kNever;  // of this thread, until one fails

device::DriverTable of_fake;

// The functions of a stand-in, in which no allocation fails.
device::DriverTable without_failures(const device::DriverTable& table) {
  of_fake = table;
  device::DriverTable wrapped;
#define HOTPACK_WRAP(name, version, parameters)               \
  wrapped.name = [](auto... arguments) {                      \
    const int left = std::exchange(allocations_left, kNever); \
    const int code = of_fake.name(arguments...);              \
    allocations_left = left;                                  \
    return code;                                              \
  };
  HOTPACK_DRIVER_CALLS(HOTPACK_WRAP)
#undef HOTPACK_WRAP
  return wrapped;
}

}  // namespace

void* operator new(std::size_t size) {
  if (allocations_left != kNever && allocations_left-- == 0) throw std::bad_alloc();
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

TEST_CASE("no batch is lost or overwritten where the host's memory is lacking") {
  const TinyPack pack(TinyForm{}, 60, 20);
  const Dataset dataset = pack.open();
  const auto wanted = host_batches(dataset, small_batches(4).loader);
  std::uint64_t failures = 0;
  for (int allocation = 0; allocation < 50; ++allocation) {
    FakeDriver fake({.schedule = Schedule::random, .seed = static_cast<std::uint64_t>(allocation)});
    {
      Program program(fake);
      const auto driver = device::Driver::make(without_failures(fake.table())).value();
      DeviceLoader loader =
          device::open_device_loader(dataset, small_batches(4), driver, fake.kernels()).value();
      const device::StreamHandle failing = fake.stream(), reader = fake.stream();
      while (program.downloads().size() < wanted.size()) {
        allocations_left = allocation;
        auto batch = loader.next(failing, kLong);
        Status recorded = batch.ok() ? (*batch)->record_stream(reader) : Status();
        allocations_left = kNever;
        if (!batch.ok()) batch = (++failures, loader.next(reader, kLong));
        if (!recorded.ok()) REQUIRE((*batch)->record_stream(reader).ok());
        program.download(batch.value()->info(), reader);
      }
      program.synchronize(failing);
      program.synchronize(reader);
      check_batches(program, wanted);
    }
    check_nothing_left(fake);
  }
  CHECK(failures > 100);
}
