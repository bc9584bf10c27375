// Random configurations against a host Loader, and what a run must be in any order of work.
#include <cstdlib>

#include "device_runs.hpp"
#include "support/draw_loader.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

// Takes two epochs by next() or next_into(), and compares them with a host Loader's.
void check_run(FakeDriver& fake, const Dataset& dataset, const DeviceLoaderOptions& options,
               Dice& dice) {
  const auto wanted = host_batches(dataset, options.loader, 2);
  Program program(fake);
  const bool into = dice.one_in(2), one_buffer = dice.one_in(2);
  DeviceLoader loader = open_on(fake, dataset, options);
  REQUIRE(loader.steps_per_epoch() * 2 == wanted.size());
  DeviceBuffers buffers = program.buffers(loader);
  std::vector<device::StreamHandle> streams{fake.stream(), device::kLegacyStream};
  for (std::size_t taken = 0, ends = 0; ends < 2;) {
    const device::StreamHandle stream = one_buffer       ? streams[0]
                                        : dice.one_in(2) ? streams[0]
                                                         : streams[1];
    if (into) {
      if (!one_buffer) buffers = program.buffers(loader);
      const auto info = loader.next_into(buffers, stream, kLong);
      if (!info.ok()) throw std::logic_error(info.error().describe());
      if (*info) program.download(**info);
      (*info ? taken : ends) += 1;
    } else {
      const auto batch = next_or_end(loader, stream);
      if (batch) program.download(batch->info());
      (batch ? taken : ends) += 1;
    }
  }
  for (const device::StreamHandle stream : streams) program.synchronize(stream);
  check_batches(program, wanted);
}

}  // namespace

// HOTPACK_RANDOM_CONFIGURATIONS raises their number.
TEST_CASE("random configurations give the batches of a host loader") {
  const char* const given = std::getenv("HOTPACK_RANDOM_CONFIGURATIONS");
  const std::uint64_t count = given == nullptr ? 2000 : std::strtoull(given, nullptr, 10);
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    Dice dice(seed);
    const TinyForm form = draw_form(dice);
    const TinyPack pack(form, 7 + seed % 7, 4);
    DeviceLoaderOptions options;
    options.loader = draw_options(dice, form);
    options.residency = dice.of({Residency::page, Residency::device});
    const Dataset dataset = pack.open();
    if (!Loader::open(dataset, options.loader).ok()) {
      // what a host loader refuses, a device loader refuses with the same words
      const FakeDriver fake;
      const auto refused = try_open(fake, dataset, options);
      REQUIRE_FALSE(refused.ok());
      REQUIRE(refused.error().message == refusal_of(dataset, options.loader));
      continue;
    }
    CAPTURE(seed);
    FakeDriver fake(
        {.schedule = dice.of({Schedule::eager, Schedule::random, Schedule::late}), .seed = seed});
    check_run(fake, dataset, options, dice);
    check_nothing_left(fake);
  }
}

TEST_CASE("in any order: the caller overwrites its own memory in stream order") {
  const TinyPack pack;
  const Dataset dataset = pack.open();
  const DeviceLoaderOptions options = small_batches(4);
  const auto wanted = host_batches(dataset, options.loader, 2);
  in_all_orders([&](FakeDriver& fake, Program& program) {
    DeviceLoader loader = open_on(fake, dataset, options);
    const DeviceBuffers buffers = program.buffers(loader);
    const device::StreamHandle stream = fake.stream();
    while (program.downloads().size() < wanted.size()) {
      const auto info = loader.next_into(buffers, stream, kLong).value();
      if (info) program.download(*info);
    }
    program.synchronize(stream);
    check_batches(program, wanted);
  });
}

TEST_CASE("in any order: batches are released at once, or read by other streams") {
  const TinyPack pack;
  const Dataset dataset = pack.open();
  for (const Residency residency : {Residency::page, Residency::device}) {
    const DeviceLoaderOptions options = small_batches(3, residency);
    const auto wanted = host_batches(dataset, options.loader, 2);
    in_all_orders(
        [&](FakeDriver& fake, Program& program) {
          const std::vector<device::StreamHandle> streams{
              fake.stream(), fake.stream(0, true), device::kLegacyStream, device::kPerThreadStream};
          DeviceLoader loader = open_on(fake, dataset, options);
          std::size_t number = 0;
          while (program.downloads().size() < wanted.size()) {
            const auto batch =
                next_or_end(loader, streams[number++ % 4]);  // another stream each time
            if (!batch) continue;
            const device::StreamHandle reader = streams[(number + number / 3) % 4];
            REQUIRE(batch->record_stream(reader).ok());
            program.download(batch->info(), reader);
          }
          for (const auto stream : streams) program.synchronize(stream);
          check_batches(program, wanted);
        },
        100);
  }
}

TEST_CASE("in any order: seek and restore with work in flight") {
  const TinyPack pack;
  const Dataset dataset = pack.open();
  const DeviceLoaderOptions options = small_batches(3);
  const auto all = host_batches(dataset, options.loader, 2);  // 4 steps each
  in_all_orders(
      [&](FakeDriver& fake, Program& program) {
        DeviceLoader loader = open_on(fake, dataset, options);
        const device::StreamHandle stream = fake.stream();
        std::vector<BatchCopy> wanted;
        const auto take = [&](std::size_t number) {
          program.download(next_batch(loader, stream).info());
          wanted.push_back(all[number]);
        };
        take(0);
        const LoaderState state = loader.state();
        take(1);
        REQUIRE(loader.seek(1, 2).ok());
        take(6);
        REQUIRE(loader.seek(0, 3).ok());
        REQUIRE(loader.seek(0, 2).ok());
        take(2);
        REQUIRE(loader.restore(state).ok());
        take(1);
        REQUIRE(loader.begin_epoch(1).ok());
        take(4);
        program.synchronize(stream);
        check_batches(program, wanted);
      },
      100);
}
