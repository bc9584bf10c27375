// Calls that a program may make on a DeviceLoader, and calls that are refused.
#include <array>
#include <cstring>
#include <thread>

#include "device/open.hpp"
#include "device_runs.hpp"
#include "hotpack/dlpack.hpp"
#include "hotpack/order.hpp"

using namespace hotpack;
using namespace hotpack::test;
using std::chrono::milliseconds;

namespace {

constexpr std::array kPlaces{Residency::page, Residency::device};

DeviceLoaderOptions in_order(std::uint64_t batch, Residency residency = Residency::page) {
  DeviceLoaderOptions options;
  options.loader = in_file_order(batch);
  options.loader.prefetch_batches = 2;
  options.residency = residency;
  return options;
}

// Takes what is left of an epoch, and compares it with these batches.
void check_rest(Program& program, DeviceLoader& loader, device::StreamHandle stream,
                const std::vector<BatchCopy>& wanted) {
  program.downloads().clear();
  while (const auto batch = next_or_end(loader, stream)) program.download(batch->info());
  program.synchronize(stream);
  check_batches(program, wanted);
}

Error refusal(const FakeDriver& fake, const Dataset& dataset, const DeviceLoaderOptions& options) {
  auto loader = try_open(fake, dataset, options);
  REQUIRE_FALSE(loader.ok());
  CHECK(loader.error().code == ErrorCode::usage);
  return loader.error();
}

}  // namespace

// ---- order and state

TEST_CASE("every last batch has the rows of the host's for all remainders") {
  for (const std::size_t records : {1U, 7U, 8U, 9U, 11U}) {
    const TinyPack pack(TinyForm{}, records, 4);
    const Dataset dataset = pack.open();
    for (const LastBatch last :
         {LastBatch::drop, LastBatch::pad, LastBatch::wrap, LastBatch::keep}) {
      for (const Residency residency : kPlaces) {
        DeviceLoaderOptions options = small_batches(4, residency);
        options.loader.last_batch = last;
        if (!Loader::open(dataset, options.loader).ok()) continue;  // no step
        FakeDriver fake({.schedule = Schedule::random, .seed = records});
        {
          Program program(fake);
          DeviceLoader loader = open_on(fake, dataset, options);
          check_rest(program, loader, fake.stream(), host_batches(dataset, options.loader));
        }
        check_nothing_left(fake);
      }
    }
  }
}

TEST_CASE("an empty data set is refused as a host loader does") {
  const TinyPack pack(TinyForm{}, 0);
  const FakeDriver fake;
  const DeviceLoaderOptions options = small_batches(4);
  CHECK(refusal(fake, pack.open(), options).message == refusal_of(pack.open(), options.loader));
}

TEST_CASE("a run resumes after any step on another world size, on either loader") {
  const TinyPack pack(TinyForm{}, 13, 5);
  const Dataset dataset = pack.open();
  for (const Residency residency : kPlaces) {
    DeviceLoaderOptions options = small_batches(4, residency);
    options.loader.last_batch = LastBatch::pad;
    const auto all = host_batches(dataset, options.loader, 2);
    const std::uint64_t steps = all.size() / 2;
    for (std::uint64_t taken = 0; taken <= steps; ++taken) {
      const FakeDriver fake;
      DeviceLoader first = open_on(fake, dataset, options);
      const auto stream = device::kLegacyStream;
      for (std::uint64_t step = 0; step < taken; ++step) next_batch(first, stream).release();
      const LoaderState state = LoaderState::parse(first.state().text()).value();
      CHECK(first.position() == LoaderPosition{0, taken});
      LoaderOptions host = options.loader;
      host.resume = state;
      host.world_size = 2;
      const auto rest = host_batches(dataset, host);
      REQUIRE(rest.size() == steps - taken);
      for (std::size_t i = 0; i < rest.size(); ++i)
        CHECK(rest[i].rows.front() == all[taken + i].rows.front());

      Loader on_host = open_loader(dataset, options.loader);
      skip(on_host, taken);
      DeviceLoader second = open_on(fake, dataset, options);
      REQUIRE(second.restore(on_host.state()).ok());
      if (taken == steps) {
        CHECK_FALSE(next_or_end(second, stream));
        CHECK(second.position() == LoaderPosition{1, 0});
      }
      const DeviceBatch batch = next_batch(second, stream);
      CHECK(batch.epoch() * steps + batch.step() == taken);
    }
  }
}

TEST_CASE("begin_epoch keeps what was read ahead, goes back, and on after cancel") {
  const TinyPack pack;  // 3 steps of 4
  const Dataset dataset = pack.open();
  const auto all = host_batches(dataset, small_batches(4).loader, 3);
  FakeDriver fake;
  {
    Program program(fake);
    DeviceLoader loader = open_on(fake, dataset, small_batches(4));
    const auto stream = fake.stream();
    REQUIRE(loader.begin_epoch(0).ok());
    for (int step = 0; step < 3; ++step) program.download(next_batch(loader, stream).info());
    REQUIRE(loader.begin_epoch(1).ok());  // the end was not told
    CHECK(loader.position() == LoaderPosition{1, 0});
    for (int step = 0; step < 3; ++step) program.download(next_batch(loader, stream).info());
    CHECK_FALSE(next_or_end(loader, stream));
    REQUIRE(loader.begin_epoch(2).ok());
    program.download(next_batch(loader, stream).info());
    program.synchronize(stream);
    check_batches(program, {all.begin(), all.begin() + 7});
    CHECK(loader.statistics().batches == 7);
    REQUIRE(loader.begin_epoch(0).ok());
    CHECK(next_batch(loader, stream).epoch() == 0);
    loader.cancel();
    CHECK(next_error(loader, stream).code == ErrorCode::cancelled);
    REQUIRE(loader.begin_epoch(0).ok());
    CHECK(next_batch(loader, stream).step() == 0);
  }
  check_nothing_left(fake);
}

TEST_CASE("the last epoch ends as on the host") {
  const TinyPack pack;
  DeviceLoaderOptions options = small_batches(4);
  options.loader.epoch = kMaxEpoch;
  Loader host = open_loader(pack.open(), options.loader);
  const FakeDriver fake;
  DeviceLoader loader = open_on(fake, pack.open(), options);
  for (int step = 0; step < 3; ++step) {
    CHECK(next_batch(host).step() == next_batch(loader, nullptr).step());
    CHECK_FALSE(loader.begin_epoch(kMaxEpoch + 1).ok());
  }
  CHECK(at_end_of_epoch(host));
  CHECK_FALSE(next_or_end(loader, nullptr));
  CHECK(loader.position() == host.position());
  CHECK(next_error(loader, nullptr).message == next_error(host).message);
  CHECK(loader.restore(loader.state()).ok());
}

// ---- errors in the data

TEST_CASE("a damaged or missing record fails its step each time, as on the host") {
  enum class Fault { checksum, cut, frame };
  for (const Fault fault : {Fault::checksum, Fault::cut, Fault::frame}) {
    TinyForm form;
    form.image_zstd = fault == Fault::frame;
    const TinyPack pack(form, 16, 2);
    if (fault == Fault::checksum) pack.damage_image(6);
    if (fault == Fault::frame) pack.damage_first_frame(3);
    for (const Residency residency : kPlaces) {
      const Dataset dataset = pack.open();
      if (fault == Fault::cut) std::filesystem::resize_file(pack.shard_path(3), 100);
      const DeviceLoaderOptions options = in_order(1, residency);
      Loader host = open_loader(dataset, options.loader);
      skip(host, 6);
      const Error wanted = next_error(host);
      FakeDriver fake;
      {
        DeviceLoader loader = open_on(fake, dataset, options);
        for (int step = 0; step < 6; ++step) next_batch(loader, nullptr).release();
        for (int again = 0; again < 2; ++again) {
          const Error error = next_error(loader, nullptr);
          CHECK(error.code == wanted.code);
          CHECK(error.message == wanted.message);
          CHECK(error.path == wanted.path);
          CHECK(loader.position() == LoaderPosition{0, 6});
        }
        REQUIRE(loader.seek(0, fault == Fault::checksum ? 7 : 8).ok());
        CHECK(next_batch(loader, nullptr).num_valid() == 1);
        REQUIRE(loader.seek(0, 5).ok());
        CHECK(next_batch(loader, nullptr).step() == 5);
        CHECK(next_error(loader, nullptr).message == wanted.message);
      }
      check_nothing_left(fake);
    }
  }
}

TEST_CASE("mixed sizes fail at the first step if no record can be read") {
  TinyForm form;
  form.size.reset();
  const TinyPack pack(form, 3, 4);
  const Dataset dataset = pack.open();
  std::filesystem::resize_file(pack.shard_path(0), 100);
  Loader host = open_loader(dataset, small_batches(1).loader);
  const Error wanted = next_error(host);
  for (const Residency residency : kPlaces) {
    const FakeDriver fake;
    DeviceLoader loader = open_on(fake, dataset, small_batches(1, residency));
    CHECK(next_error(loader, nullptr).message == wanted.message);
  }
}

TEST_CASE("records of mixed sizes are loaded by many threads") {
  TinyForm form;
  form.size.reset();
  const TinyPack pack(form, 500, 100);
  const Dataset dataset = pack.open();
  DeviceLoaderOptions options = small_batches(1, Residency::device);
  options.loader.threads = 8;
  const auto wanted = host_batches(dataset, options.loader);
  FakeDriver fake({.schedule = Schedule::eager});
  Program program(fake);
  DeviceLoader loader = open_on(fake, dataset, options);
  check_rest(program, loader, fake.stream(), wanted);
}

TEST_CASE("resident records do not depend on later changes of files") {
  const TinyPack pack;
  const Dataset dataset = pack.open();
  const DeviceLoaderOptions options = small_batches(4, Residency::device);
  const auto wanted = host_batches(dataset, options.loader);
  FakeDriver fake;
  Program program(fake);
  DeviceLoader loader = open_on(fake, dataset, options);
  for (std::size_t shard = 0; shard < 3; ++shard)
    std::filesystem::resize_file(pack.shard_path(shard), 0);
  check_rest(program, loader, fake.stream(), wanted);
}

// ---- streams and memory

TEST_CASE("a blocked stream holds the loader back and loses nothing") {
  const TinyPack pack(TinyForm{}, 48, 8);
  const Dataset dataset = pack.open();
  const auto wanted = host_batches(dataset, small_batches(4).loader);  // 12 steps
  FakeDriver fake;
  {
    Program program(fake);
    DeviceLoader loader = open_on(fake, dataset, small_batches(4));
    const auto stream = fake.stream();
    const DeviceBuffers buffers = program.buffers(loader);
    fake.block(stream);
    std::atomic<int> taken = 0;
    std::thread consumer([&] {  // waits once the buffers are used up
      for (; taken < 10; ++taken) program.download(*loader.next_into(buffers, stream).value());
    });
    while (taken < 4) std::this_thread::yield();
    std::this_thread::sleep_for(milliseconds(50));
    CHECK(taken < 10);
    CHECK(loader.position().step >= 4);  // is not held back
    CHECK(loader.next(stream, milliseconds(1)).error().code == ErrorCode::timeout);
    fake.unblock(stream);
    consumer.join();
    program.synchronize(stream);
    check_batches(program, {wanted.begin(), wanted.begin() + 10});
    CHECK(fake.spinning_waits() == 0);
    CHECK(fake.pageable_copies() == 0);
  }
  check_nothing_left(fake);
}

TEST_CASE("streams that cannot be used are refused, and no batch is lost") {
  const TinyPack pack;
  FakeDriver fake({.devices = 2});
  {
    Program program(fake);
    DeviceLoader loader = open_on(fake, pack.open(), small_batches(4));
    const DeviceBuffers buffers = program.buffers(loader);
    const auto stream = fake.stream();
    const auto check_refused = [&](device::StreamHandle bad, const char* word) {
      CHECK_THAT(next_error(loader, bad).message, ContainsSubstring(word));
      CHECK_THAT(loader.next_into(buffers, bad).error().message, ContainsSubstring(word));
    };
    const DeviceBatch held = next_batch(loader, stream);
    fake.set_capturing(stream, true);
    check_refused(stream, "is being captured");
    CHECK_THAT(held.record_stream(stream).error().message, ContainsSubstring("captured"));
    fake.set_capturing(stream, false);
    check_refused(fake.stream(1), "another context");
    CHECK(next_batch(loader, stream).step() == 1);
    DeviceBatch kept = next_batch(loader, stream);
    const auto reader = fake.stream();
    REQUIRE(kept.record_stream(reader).ok());
    fake.set_capturing(reader, true);
    kept.release();
    fake.set_capturing(reader, false);
  }
  CHECK(fake.violations() == std::vector<std::string>());
  CHECK(fake.held().device_blocks == 1);  // of the last batch
}

TEST_CASE("buffers of the wrong size, alignment or place are refused without loss") {
  const TinyPack pack;
  FakeDriver fake({.devices = 2});
  {
    Program program(fake), other(fake, 1);
    DeviceLoader loader = open_on(fake, pack.open(), small_batches(4));
    const DeviceBuffers good = program.buffers(loader);
    const auto check_refused = [&](DeviceBuffers bad, const char* word) {
      const auto info = loader.next_into(bad, nullptr);
      REQUIRE_FALSE(info.ok());
      CHECK(info.error().code == ErrorCode::usage);
      CHECK_THAT(info.error().message, ContainsSubstring(word));
    };
    DeviceBuffers bad = good;
    --bad.image_bytes;
    check_refused(bad, "pass a larger buffer");
    bad = good;
    bad.label = static_cast<std::byte*>(good.label) + 8;
    check_refused(bad, "the label buffer is not aligned to 16");
    bad.label = nullptr;
    check_refused(bad, "is null, but its size is not 0");
    std::vector<std::byte> host(good.image_bytes + 16);
    bad = good;
    bad.image = host.data() + (16 - reinterpret_cast<std::uintptr_t>(host.data()) % 16) % 16;
    check_refused(bad, "is in host memory");
    bad.image = other.allocate(good.image_bytes);
    check_refused(bad, "memory of device 1");
    fake.set_managed(reinterpret_cast<std::uintptr_t>(bad.image));
    CHECK(loader.next_into(bad, nullptr).value()->step == 0);
    // a field that is skipped
    const auto info = loader.next_into({good.image, good.image_bytes, nullptr, 0}, nullptr);
    CHECK(info.value()->label.data == nullptr);
    CHECK(info.value()->label.bytes == 0);
    CHECK(info.value()->step == 1);
  }
  check_nothing_left(fake);
}

TEST_CASE("memory that is lacking is an error that passes") {
  const TinyPack pack;
  FakeDriver fake;
  {
    DeviceLoader loader = open_on(fake, pack.open(), small_batches(4));
    fake.fail("MemAllocFromPoolAsync", 0, device::code::kOutOfMemory);
    const Error error = next_error(loader, nullptr);
    CHECK(error.code == ErrorCode::io);
    CHECK_THAT(error.message,
               ContainsSubstring("device 0 cannot give") && ContainsSubstring("bytes are free"));
    CHECK(next_batch(loader, nullptr).step() == 0);
  }
  check_nothing_left(fake);
}

TEST_CASE("tensors of DLPack share the batch and order their consumer's stream") {
  const TinyPack pack;
  const Dataset dataset = pack.open();
  const auto wanted = host_batches(dataset, small_batches(4).loader);
  FakeDriver fake;
  {
    Program program(fake);
    DeviceLoader loader = open_on(fake, dataset, small_batches(4));
    for (const std::int64_t number : {std::int64_t{1}, std::int64_t{2}, std::int64_t{-1}}) {
      DeviceBatch batch = next_batch(loader, fake.stream());
      auto image = to_dlpack(batch, Field::image, number).value();
      auto label = to_dlpack_legacy(batch, Field::label, number).value();
      CHECK(image->dl_tensor.data == batch.image().data);
      CHECK(image->dl_tensor.device.device_type == kDLCUDA);
      CHECK(image->dl_tensor.dtype.code == kDLBfloat);
      CHECK(label->dl_tensor.data == batch.label().data);
      CHECK_THAT(to_dlpack(batch, Field::image, 0).error().message,
                 ContainsSubstring("1 for the legacy default stream"));
      const DeviceBatchInfo info = batch.info();
      batch.release();
      CHECK(to_dlpack(batch, Field::image, 1).error().code == ErrorCode::usage);
      const auto consumer =
          number == -1 ? info.stream : reinterpret_cast<device::StreamHandle>(number);
      program.download(info, consumer);
      image.reset();
      label.reset();
      program.synchronize(consumer);
    }
    check_batches(program, wanted);
  }
  check_nothing_left(fake);
}

TEST_CASE("batches of per-thread streams may be released by other threads") {
  const TinyPack pack;
  const Dataset dataset = pack.open();
  const auto wanted = host_batches(dataset, small_batches(4).loader);
  FakeDriver fake;
  {
    Program program(fake);
    DeviceLoader loader = open_on(fake, dataset, small_batches(4));
    std::optional<DeviceBatch> batch;
    std::thread([&] {  // its stream still has work when another thread releases the batch
      batch = next_batch(loader, device::kPerThreadStream);
      program.download(batch->info());
    })
        .join();
    batch.reset();
    batch = next_batch(loader, fake.stream());
    std::thread([&] {
      REQUIRE(batch->record_stream(device::kPerThreadStream).ok());
      program.download(batch->info(), device::kPerThreadStream);
    }).join();
    batch.reset();
    fake.run_all();
    check_batches(program, {wanted[0], wanted[1]});
  }
  check_nothing_left(fake);
}

// ---- options and facts

TEST_CASE("options that do not fit a device are refused with the way out") {
  const TinyPack pack;
  const Dataset dataset = pack.open();
  const FakeDriver fake;
  DeviceLoaderOptions options = small_batches(4);
  options.device = 3;
  CHECK_THAT(refusal(fake, dataset, options).message, ContainsSubstring("no device 3"));
  CHECK(refusal(fake, dataset, options).option == "device");
  options = small_batches(4);
  options.loader.image = {};
  options.loader.label = {};
  options.loader.content = BatchContent::packed;
  CHECK_THAT(refusal(fake, dataset, options).message, ContainsSubstring("content packed"));
  options = small_batches(4);
  options.loader.allocator =
      device::pinned_allocator(device::Context::retain(fake.driver(), 0).value());
  CHECK_THAT(refusal(fake, dataset, options).message, ContainsSubstring("do not set `allocator`"));
  options = small_batches(4);
  options.loader.image.mean = {0.5f, 0.5f, 0.5f};
  options.loader.image.std = {0.5f, 1e-40f, 0.5f};
  CHECK_THAT(refusal(fake, dataset, options).message, ContainsSubstring("exact results"));
  options = small_batches(4);
  options.loader.memory_budget_bytes = 100;
  CHECK_THAT(refusal(fake, dataset, options).message,
             ContainsSubstring("memory_budget_bytes is 100"));
  options = small_batches(4);
  options.device_budget_bytes = 100;
  CHECK_THAT(refusal(fake, dataset, options).message,
             ContainsSubstring("residency page needs") && ContainsSubstring("smaller batch"));
  options.residency = Residency::device;
  CHECK_THAT(refusal(fake, dataset, options).message,
             ContainsSubstring("residency device needs 10496,"));
  CHECK(refusal(fake, dataset, options).option == "device_budget_bytes");
  CHECK(fake.held() == FakeDriver::Held());
}

TEST_CASE("auto takes the device if the records fit, and says why") {
  const TinyPack pack(TinyForm{}, 100, 50);
  const Dataset dataset = pack.open();
  const FakeDriver fake;
  DeviceLoaderOptions options = small_batches(4, Residency::automatic);
  const DeviceLoader fits = open_on(fake, dataset, options);
  CHECK(fits.residency().residency == Residency::device);
  CHECK_THAT(fits.residency().reason,
             ContainsSubstring("packed records fit the device budget of") &&
                 ContainsSubstring("half of the free memory"));
  const std::uint64_t packed = fits.residency().packed_bytes;
  CHECK(packed == 100 * (128 + 64));  // 90 bytes of image, 30 of label
  options.device_budget_bytes = packed - 1;
  const DeviceLoader exceeds = open_on(fake, dataset, options);
  CHECK(exceeds.residency().residency == Residency::page);
  CHECK_THAT(exceeds.residency().reason, ContainsSubstring("exceed the device budget of"));
  options.residency = Residency::page;
  CHECK(open_on(fake, dataset, options).residency().reason == "asked for");
}

TEST_CASE("budgets limit what is taken, also while records are loaded") {
  for (const bool one_size : {true, false}) {
    TinyForm form;
    if (!one_size) form.size.reset();
    const TinyPack pack(form, 600, 200);
    const FakeDriver fake;
    DeviceLoaderOptions options = small_batches(1, Residency::device);
    options.loader.memory_budget_bytes = std::uint64_t{128} << 10;
    options.device_budget_bytes = std::uint64_t{1} << 30;
    std::uint64_t most = 0;
    options.progress = [&](const LoadProgress&) {
      most = std::max(most, fake.held().pinned_bytes);
      return true;
    };
    options.device_budget_bytes = open_on(fake, pack.open(), options).statistics().device_bytes;
    CHECK(most > 0);
    CHECK(most <= options.loader.memory_budget_bytes);
    CHECK(try_open(fake, pack.open(), options).ok());
    options.device_budget_bytes = *options.device_budget_bytes - 1;
    CHECK_THAT(refusal(fake, pack.open(), options).message, ContainsSubstring("residency device"));
  }
}

TEST_CASE("opening reports how much is loaded, and stops if it is asked to") {
  const TinyPack pack;
  const FakeDriver fake;
  DeviceLoaderOptions options = small_batches(4, Residency::device);
  std::vector<LoadProgress> seen;
  options.progress = [&seen](const LoadProgress& at) {
    seen.push_back(at);
    return true;
  };
  open_on(fake, pack.open(), options).close();
  REQUIRE_FALSE(seen.empty());
  CHECK(seen.back().records_done == 12);
  CHECK(seen.back().bytes_done == seen.back().bytes_total);
  options.progress = [](const LoadProgress&) { return false; };
  CHECK(try_open(fake, pack.open(), options).error().code == ErrorCode::cancelled);
  CHECK(fake.held() == FakeDriver::Held());
}

TEST_CASE("statistics count batches and bytes, and memory is constant until close") {
  const TinyPack pack;
  for (const Residency residency : kPlaces) {
    const FakeDriver fake;
    DeviceLoader loader = open_on(fake, pack.open(), small_batches(4, residency));
    const DeviceLoaderStatistics first = loader.statistics();
    CHECK(first.pinned_bytes == fake.held().pinned_bytes);
    CHECK(first.device_bytes == fake.held().device_bytes);
    for (int step = 0; step < 9; ++step)
      if (auto batch = next_or_end(loader, nullptr)) batch->release();
    const DeviceLoaderStatistics later = loader.statistics();
    CHECK(later.batches == 7);
    CHECK(later.pinned_bytes == first.pinned_bytes);
    CHECK(later.device_bytes == first.device_bytes);
    CHECK(later.copied_bytes > first.copied_bytes);
    loader.close();
    CHECK(loader.statistics().pinned_bytes == 0);
    CHECK(loader.statistics().device_bytes == 0);
    CHECK(fake.held().pinned_bytes == 0);
  }
}

TEST_CASE("facts of batches, which a copy keeps") {
  const TinyPack pack;
  const Dataset dataset = pack.open();
  FakeDriver fake({.devices = 2});
  {
    DeviceLoaderOptions options = small_batches(4);
    options.device = 1;
    DeviceLoader loader = open_on(fake, dataset, options);
    const auto stream = fake.stream(1);
    DeviceBatch batch = next_batch(loader, stream);
    CHECK(batch.device() == 1);
    CHECK(batch.stream() == stream);
    CHECK(batch.image().shape == std::vector<std::int64_t>{4, 3, 5, 6});
    CHECK(batch.image().bytes == loader.image_batch_bytes());
    CHECK(batch.key(4).empty());
    const DeviceBatch copy = batch;
    batch.release();
    CHECK(batch.image().data == nullptr);
    CHECK(batch.batch_size() == 0);
    CHECK(copy.batch_size() == 4);
    CHECK_THAT(batch.record_stream(stream).error().message, ContainsSubstring("released"));
  }
  check_nothing_left(fake);
}
