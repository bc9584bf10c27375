#include "device/dlpack.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "device_runs.hpp"
#include "hotpack/dlpack.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::test;
using device::consumer_stream;

TEST_CASE("streams have the numbers of the protocol") {
  const auto handle = [](std::int64_t number) {
    return reinterpret_cast<std::uintptr_t>(consumer_stream(number).value().value());
  };
  CHECK(handle(1) == 1);
  CHECK(handle(2) == 2);
  CHECK(handle(0x7f0012345678) == 0x7f0012345678);
  CHECK_FALSE(consumer_stream(-1).value().has_value());
  for (const std::int64_t refused : {std::int64_t{0}, std::int64_t{-2}, INT64_MIN}) {
    const auto stream = consumer_stream(refused);
    REQUIRE_FALSE(stream.ok());
    CHECK(stream.error().code == ErrorCode::usage);
    CHECK(stream.error().message.find("is " + std::to_string(refused)) != std::string::npos);
    CHECK(stream.error().message.find("1 for the legacy default stream") != std::string::npos);
  }
}

TEST_CASE("a tensor of a device batch shares its output") {
  const TinyPack pack;
  FakeDriver fake({.devices = 2});
  {
    const Streams streams{fake.stream(0), fake.stream(1)};
    DeviceLoaderOptions options = device_options(small_batches(4), {0, 1});
    options.outputs = 1;
    DeviceLoader loader = open_on(fake, pack.open(), options);
    DeviceBatch batch = next_batch(loader, streams);
    auto tensor = to_dlpack(batch, Field::image, 1, 1).value();
    auto label = to_dlpack_legacy(batch, Field::label, -1).value();
    REQUIRE(tensor);
    CHECK(tensor->dl_tensor.data == batch.image(1).data);
    CHECK(tensor->dl_tensor.device.device_type == kDLCUDA);
    CHECK(tensor->dl_tensor.device.device_id == 1);
    CHECK(tensor->dl_tensor.dtype.code == kDLBfloat);
    CHECK(label->dl_tensor.data == batch.label(0).data);
    CHECK_THAT(to_dlpack(batch, Field::image, 1, 2).error().message,
               ContainsSubstring("part 2 does not exist; the batch has 2"));
    CHECK(to_dlpack(batch, Field::image, 0).error().code == ErrorCode::usage);
    batch.release();
    CHECK(to_dlpack(batch, Field::image, 1).error().code == ErrorCode::usage);
    CHECK(next_error(loader, streams).code == ErrorCode::busy);
    label.reset();
    CHECK(next_error(loader, streams).code == ErrorCode::busy);
    tensor.reset();
    CHECK(next_batch(loader, streams).step() == 1);
  }
  check_nothing_left(fake);
}
