// Every legal order of a device's work gives the correct bytes: each scenario runs with all work
// as late as possible, and in 1,000 random orders.
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "device_runs.hpp"
#include "hotpack/device_loader.hpp"
#include "support/catch.hpp"
#include "support/forms.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

using device::kLegacyStream;
using device::kPerThreadStream;
using device::StreamHandle;

// The setting of every scenario: a small pack, options, and the batches of two epochs from a host
// Loader.
struct Setting {
  TinyPack pack;
  Dataset dataset;
  DeviceLoaderOptions options;
  std::vector<BatchCopy> wanted;

  Setting(const TinyForm& form, std::size_t records, DeviceLoaderOptions chosen,
          std::uint64_t epochs = 2)
      : pack(form, records, 4),
        dataset(pack.open()),
        options(std::move(chosen)),
        wanted(host_batches(dataset, options.loader, epochs)) {}
  explicit Setting(DeviceLoaderOptions chosen = device_options(small_batches(3)),
                   std::size_t records = 10)
      : Setting(square_form(), records, std::move(chosen)) {}

  [[nodiscard]] DeviceLoader open(const FakeDriver& fake) const {
    return open_on(fake, dataset, options);
  }
};

// Two epochs of next(); each batch is copied on the stream `stream_of(number)` and released at
// once.
template <class StreamOf>
void run_epochs(const Setting& setting, const FakeDriver& fake, Program& program,
                const StreamOf& streams_of) {
  DeviceLoader loader = setting.open(fake);
  for (std::size_t number = 0; number < setting.wanted.size(); ++number) {
    if (number * 2 == setting.wanted.size()) REQUIRE(at_end_of_epoch(loader, streams_of(number)));
    const DeviceBatch batch = next_batch(loader, streams_of(number));
    program.download(batch, streams_of(number));
  }
}

void check_epochs_in_all_orders(const Setting& setting, FakeOptions fakes = {}) {
  fakes.devices = static_cast<int>(setting.options.devices.size());
  in_all_orders(fakes, [&](FakeDriver& fake, Program& program) {
    Streams streams;
    for (int device = 0; device < fakes.devices; ++device) streams.push_back(fake.stream(device));
    run_epochs(setting, fake, program, [&](std::size_t) { return streams; });
    program.synchronize(streams);
    check_batches(program, setting.wanted);
  });
}

Setting of_residency(Residency residency) {
  return Setting(device_options(small_batches(3), {0}, residency));
}

}  // namespace

TEST_CASE("in any order: leases that are released at once") {
  check_epochs_in_all_orders(Setting());
}

TEST_CASE("in any order: batches are released once the stream is done") {
  const Setting setting;
  in_all_orders({}, [&](FakeDriver& fake, Program& program) {
    DeviceLoader loader = setting.open(fake);
    const StreamHandle stream = fake.stream();
    for (std::size_t number = 0; number < 3; ++number) {
      const DeviceBatch batch = next_batch(loader, {stream});
      program.download(batch, {stream});
      program.synchronize(stream);
      REQUIRE(difference(copy_of(program.downloads().back()), setting.wanted[number]) == "");
    }
  });
}

TEST_CASE("in any order: a stream is blocked with the loader ten batches ahead") {
  DeviceLoaderOptions options = device_options(small_batches(2));
  options.loader.prefetch_batches = 10;
  const Setting setting(options, 24);
  in_all_orders({}, [&](FakeDriver& fake, Program& program) {
    DeviceLoader loader = setting.open(fake);
    const StreamHandle stream = fake.stream();
    fake.block(stream);
    for (std::size_t number = 0; number < 10; ++number) {
      const auto info = loader.next_into(program.buffers(loader), Streams{stream});
      REQUIRE(info.ok());
      program.download(info->value(), {stream});
    }
    // All batches that the loader can have on the device wait for the stream.
    REQUIRE(next_error(loader, {stream}, kReadyOnly).code == ErrorCode::timeout);
    for (const Download& download : program.downloads()) REQUIRE(download.ran == 0);
    fake.unblock(stream);
    program.download(next_batch(loader, {stream}), {stream});
    program.synchronize(stream);
    check_batches(program, {setting.wanted.begin(), setting.wanted.begin() + 11});
  });
}

TEST_CASE("in any order: a blocked stream delays releases and nothing is lost") {
  DeviceLoaderOptions options = device_options(small_batches(3));
  options.outputs = 4;
  const Setting setting(options);
  in_all_orders({}, [&](FakeDriver& fake, Program& program) {
    DeviceLoader loader = setting.open(fake);
    const StreamHandle stream = fake.stream();
    fake.block(stream);
    for (int number = 0; number < 2; ++number)
      program.download(next_batch(loader, {stream}), {stream});
    const Error late = next_error(loader, {stream}, kReadyOnly);
    REQUIRE(late.code == ErrorCode::timeout);
    REQUIRE(loader.state().samples == 6);
    fake.unblock(stream);
    program.download(next_batch(loader, {stream}), {stream});
    program.synchronize(stream);
    check_batches(program, {setting.wanted.begin(), setting.wanted.begin() + 3});
  });
}

TEST_CASE("in any order: another stream for every batch") {
  const Setting setting;
  in_all_orders({}, [&](FakeDriver& fake, Program& program) {
    std::array<StreamHandle, 4> streams{};
    for (StreamHandle& stream : streams) stream = fake.stream();
    run_epochs(setting, fake, program,
               [&](std::size_t number) { return Streams{streams[number % 4]}; });
    for (std::size_t number = 4; number-- > 0;)
      program.synchronize(streams[number]);  // the last one first
    check_batches(program, setting.wanted);
  });
}

TEST_CASE("in any order: the legacy and per-thread and other streams") {
  const Setting setting;
  in_all_orders({}, [&](FakeDriver& fake, Program& program) {
    const std::array<StreamHandle, 5> streams{nullptr, fake.stream(), kLegacyStream,
                                              kPerThreadStream, fake.stream(0, true)};
    run_epochs(setting, fake, program,
               [&](std::size_t number) { return Streams{streams[number % 5]}; });
    for (std::size_t number = 5; number-- > 0;) program.synchronize(streams[number]);
    check_batches(program, setting.wanted);
  });
}

TEST_CASE("in any order: work on the legacy stream does not block the loader") {
  const Setting setting;
  in_all_orders({}, [&](FakeDriver& fake, Program& program) {
    DeviceLoader loader = setting.open(fake);
    const StreamHandle stream = fake.stream();
    fake.block(nullptr);
    for (int number = 0; number < 3; ++number)
      program.download(next_batch(loader, {stream}), {stream});
    program.synchronize(stream);
    check_batches(program, {setting.wanted.begin(), setting.wanted.begin() + 3});
    fake.unblock(nullptr);
  });
}

TEST_CASE("in any order: a second stream reads after the release") {
  DeviceLoaderOptions options = device_options(small_batches(3));
  options.outputs = 1;
  const Setting setting(options);
  in_all_orders({}, [&](FakeDriver& fake, Program& program) {
    DeviceLoader loader = setting.open(fake);
    const StreamHandle stream = fake.stream(), reader = fake.stream();
    for (std::size_t number = 0; number < 3; ++number) {
      const DeviceBatch batch = next_batch(loader, {stream});
      REQUIRE(batch.record_stream(reader).ok());
      program.download(batch, {reader});
    }
    program.synchronize(stream);
    program.synchronize(reader);
    check_batches(program, {setting.wanted.begin(), setting.wanted.begin() + 3});
  });
}

TEST_CASE("in any order: memory of a lease goes to another stream") {
  DeviceLoaderOptions options = device_options(small_batches(3));
  options.outputs = 1;
  const Setting setting(options);
  in_all_orders({}, [&](FakeDriver& fake, Program& program) {
    const std::array<StreamHandle, 2> streams{fake.stream(), fake.stream()};
    run_epochs(setting, fake, program,
               [&](std::size_t number) { return Streams{streams[number % 2]}; });
    program.synchronize(streams[1]);
    program.synchronize(streams[0]);
    check_batches(program, setting.wanted);
  });
}

TEST_CASE("in any order: several readers of one lease and copies of it") {
  DeviceLoaderOptions options = device_options(small_batches(3));
  options.outputs = 1;
  const Setting setting(options);
  in_all_orders({}, [&](FakeDriver& fake, Program& program) {
    DeviceLoader loader = setting.open(fake);
    const StreamHandle stream = fake.stream();
    const std::array<StreamHandle, 3> readers{fake.stream(), fake.stream(0, true), nullptr};
    std::vector<BatchCopy> wanted;
    for (std::size_t number = 0; number < 3; ++number) {
      DeviceBatch batch = next_batch(loader, {stream});
      const DeviceBatch shared = batch;
      batch.release();
      for (const StreamHandle reader : readers) {
        REQUIRE(shared.record_stream(reader).ok());
        program.download(shared, {reader});
        wanted.push_back(setting.wanted[number]);
      }
    }
    program.synchronize(stream);
    for (const StreamHandle reader : readers) program.synchronize(reader);
    check_batches(program, wanted);
  });
}

TEST_CASE("in any order: two devices") {
  check_epochs_in_all_orders(Setting(device_options(small_batches(3), {0, 1})));
}

TEST_CASE("in any order: two devices of which one is blocked") {
  const Setting setting(device_options(small_batches(4), {1, 0}));
  in_all_orders({.devices = 2}, [&](FakeDriver& fake, Program& program) {
    DeviceLoader loader = setting.open(fake);
    const Streams streams{fake.stream(1), fake.stream(0)};
    fake.block(streams[0]);
    for (int number = 0; number < 2; ++number)
      program.download(next_batch(loader, streams), streams);
    REQUIRE(next_error(loader, streams, kReadyOnly).code == ErrorCode::timeout);
    fake.unblock(streams[0]);
    program.synchronize(streams[0], 1);
    program.synchronize(streams[1], 0);
    check_batches(program, {setting.wanted.begin(), setting.wanted.begin() + 2});
  });
}

TEST_CASE("in any order: the caller overwrites its own memory in stream order") {
  const Setting setting;
  in_all_orders({}, [&](FakeDriver& fake, Program& program) {
    DeviceLoader loader = setting.open(fake);
    const StreamHandle stream = fake.stream();
    const auto buffers = program.buffers(loader);
    for (std::size_t number = 0; number < 3; ++number) {
      const auto info = loader.next_into(buffers, Streams{stream});
      REQUIRE(info.ok());
      program.download(info->value(), {stream});
      program.scribble(buffers[0].image, buffers[0].image_bytes, stream);
      program.scribble(buffers[0].label, buffers[0].label_bytes, stream);
    }
    program.synchronize(stream);
    check_batches(program, {setting.wanted.begin(), setting.wanted.begin() + 3});
  });
}

TEST_CASE("in any order: seek and restore and cancel with work in flight") {
  DeviceLoaderOptions options = device_options(small_batches(2));
  options.loader.prefetch_batches = 4;
  options.outputs = 3;
  const Setting setting(options, 12);  // six steps
  in_all_orders({}, [&](FakeDriver& fake, Program& program) {
    DeviceLoader loader = setting.open(fake);
    const StreamHandle stream = fake.stream(), other = fake.stream();
    fake.block(stream);
    std::vector<DeviceBatch> held;  // otherwise their memory is reused after the blocked stream
    for (int number = 0; number < 2; ++number) {
      held.push_back(next_batch(loader, {stream}));
      program.download(held.back(), {stream});
    }
    REQUIRE(loader.seek(1, 3).ok());
    program.download(next_batch(loader, {other}), {other});
    loader.cancel();
    REQUIRE(next_error(loader, {other}).code == ErrorCode::cancelled);
    const LoaderState state = loader.state();
    REQUIRE(state.samples == 8);
    REQUIRE(loader.restore(state).ok());
    program.download(next_batch(loader, {other}), {other});
    REQUIRE(loader.seek(0, 5).ok());
    program.download(next_batch(loader, {other}), {other});
    REQUIRE(at_end_of_epoch(loader, {other}));
    fake.unblock(stream);
    program.download(next_batch(loader, {other}), {other});
    program.synchronize(other);
    program.synchronize(stream);
    const auto& all = setting.wanted;
    check_batches(program, {all[0], all[1], all[9], all[10], all[5], all[6]});
  });
}

TEST_CASE("in any order: seeks follow each other without a batch in between") {
  const Setting setting(device_options(small_batches(2)), 12);
  in_all_orders({}, [&](FakeDriver& fake, Program& program) {
    DeviceLoader loader = setting.open(fake);
    const StreamHandle stream = fake.stream();
    for (const std::uint64_t step : {4u, 0u, 5u, 2u}) REQUIRE(loader.seek(0, step).ok());
    for (int number = 0; number < 3; ++number)
      program.download(next_batch(loader, {stream}), {stream});
    program.synchronize(stream);
    check_batches(program, {setting.wanted.begin() + 2, setting.wanted.begin() + 5});
  });
}

TEST_CASE("in any order: records in device memory") {
  check_epochs_in_all_orders(of_residency(Residency::device));
}

TEST_CASE("in any order: residency chosen automatically") {
  check_epochs_in_all_orders(of_residency(Residency::automatic));
}

TEST_CASE("in any order: records in device memory with augmentation") {
  DeviceLoaderOptions options = device_options(small_batches(3), {0}, Residency::device);
  options.loader.augment.horizontal_flip = options.loader.augment.vertical_flip = 0.5;
  options.loader.augment.resized_crop = ResizedCrop{{6, 5}};
  check_epochs_in_all_orders(Setting(options));
}

TEST_CASE("in any order: records of different sizes with a crop") {
  DeviceLoaderOptions options = device_options(small_batches(3));
  options.loader.augment.crop = Crop{{5, 4}, true};
  check_epochs_in_all_orders(Setting(all_forms().at("mixed"), 10, options));
}

TEST_CASE("in any order: records of mixed sizes in batches of one row") {
  check_epochs_in_all_orders(Setting(all_forms().at("mixed"), 4, device_options(small_batches(1))));
}

TEST_CASE("in any order: a last batch with empty rows") {
  DeviceLoaderOptions options = device_options(small_batches(4));
  options.loader.last_batch = LastBatch::pad;
  check_epochs_in_all_orders(Setting(options, 9));
}

TEST_CASE("in any order: the loader is destroyed before the work of its batches") {
  const Setting setting;
  for (const bool blocked : {false, true}) {
    const auto scenario = [&](FakeDriver& fake, Program& program) {
      const StreamHandle stream = fake.stream();
      if (blocked) fake.block(stream);
      {
        DeviceLoader loader = setting.open(fake);
        for (int number = 0; number < 2; ++number)
          program.download(next_batch(loader, {stream}), {stream});
      }
      if (blocked) fake.unblock(stream);
      program.synchronize(stream);
      check_batches(program, {setting.wanted.begin(), setting.wanted.begin() + 2});
    };
    in_all_orders({}, scenario, blocked ? 50 : 1000);  // close() waits 0.1 s for a blocked stream
  }
}
