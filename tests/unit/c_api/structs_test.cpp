#include "c_api/structs.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "c_api/text.hpp"
#include "hotpack/hotpack.h"
#include "hotpack/hotpack_device.h"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::c_api;

namespace {

struct Version1 {
  std::size_t struct_size;
  std::uint64_t a;
};

struct Version2 {
  std::size_t struct_size;
  std::uint64_t a;
  std::uint64_t b;
};

struct Version3 {
  std::size_t struct_size;
  std::uint64_t a;
  std::uint64_t b;
  std::uint64_t c;
};

constexpr bool has_whole_fields(const Version2*, std::size_t size) {
  return ends_with_field(size, &Version2::struct_size, &Version2::a, &Version2::b);
}

// The struct that a library of version 2 reads.
Result<Version2> read(const void* from) {
  return read_struct(static_cast<const Version2*>(from), Version2{0, 10, 20}, "options");
}

}  // namespace

TEST_CASE("fields that an older caller lacks get defaults") {
  const Version1 given{sizeof(Version1), 1};
  CHECK(read(&given).value().a == 1);
  CHECK(read(&given).value().b == 20);
}

TEST_CASE("fields of a newer caller are refused unless they are 0") {
  Version3 given{sizeof(Version3), 1, 2, 0};
  CHECK(read(&given).value().b == 2);
  given.c = 3;
  const auto refused = read(&given);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::usage);
  CHECK(refused.error().message.find("newer libhotpack") != std::string::npos);
}

TEST_CASE("a struct size that was never set is refused") {
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}, std::size_t{4097}, SIZE_MAX}) {
    Version2 given{size, 1, 2};
    CHECK(read(&given).error().message.find("sizeof(options)") != std::string::npos);
    CHECK(write_struct(Version2{0, 5, 6}, &given, "info").error().code == ErrorCode::usage);
    CHECK(given.a == 1);
  }
}

TEST_CASE("struct_size must end between two fields, not within one") {
  for (const std::size_t size : {9U, 15U, 17U, 23U}) {
    Version2 given{size, 1, 2};
    CHECK(read(&given).error().code == ErrorCode::usage);
    CHECK(write_struct(Version2{0, 5, 6}, &given, "info").error().code == ErrorCode::usage);
    CHECK(given.a == 1);
  }
  for (const std::size_t size : {8U, 16U, 24U}) {
    Version2 given{size, 1, 2};
    CHECK(read(&given).ok());
  }
}

TEST_CASE("fields of hotpack.h end where the compiler ends them") {
  using Options = hotpack_loader_options;
  const auto options_end = [](std::size_t size) {
    return has_whole_fields(static_cast<const Options*>(nullptr), size);
  };
  CHECK(options_end(offsetof(Options, image_dtype)));
  CHECK(options_end(offsetof(Options, image_layout)));  // fields of four bytes
  CHECK(options_end(offsetof(Options, label_ignore_index)));
  CHECK(options_end(offsetof(Options, crop_width)));
  CHECK(options_end(offsetof(Options, timeout_ms)));
  CHECK(options_end(sizeof(Options)));
  CHECK_FALSE(options_end(offsetof(Options, image_mean) + 4));
  CHECK_FALSE(options_end(offsetof(Options, timeout_ms) + 4));
  CHECK_FALSE(options_end(0));
  const auto info_ends = [](std::size_t size) {
    return has_whole_fields(static_cast<const hotpack_batch_info*>(nullptr), size);
  };
  CHECK(info_ends(offsetof(hotpack_batch_info, label)));
  CHECK_FALSE(info_ends(offsetof(hotpack_batch_info, image) + 8));
}

TEST_CASE("a smaller struct is not overrun, and unknown fields are zero") {
  Version3 room{sizeof(Version1), 1, 2, 3};
  REQUIRE(write_struct(Version2{0, 5, 6}, reinterpret_cast<Version2*>(&room), "info").ok());
  CHECK(room.struct_size == sizeof(Version1));
  CHECK(room.a == 5);
  CHECK(room.b == 2);
  room.struct_size = sizeof(Version3);
  REQUIRE(write_struct(Version2{0, 5, 6}, reinterpret_cast<Version2*>(&room), "info").ok());
  CHECK(room.b == 6);
  CHECK(room.c == 0);
}

TEST_CASE("texts are copied whole or not at all") {
  char room[6] = "-----";
  std::size_t length = 0;
  REQUIRE(copy_text("abcde", room, sizeof room, &length).ok());
  CHECK(std::string(room) == "abcde");
  CHECK(length == 5);
  CHECK(copy_text("abcdef", room, sizeof room, &length).error().code == ErrorCode::usage);
  CHECK(std::string(room) == "abcde");
  CHECK(length == 6);
  CHECK(copy_text("abc", nullptr, 0, &length).ok());
  CHECK(length == 3);
  CHECK(copy_text("abc", nullptr, 0, nullptr).error().code == ErrorCode::usage);
}

// The layout that programs are compiled against: every change except fields at the end needs a
// new HOTPACK_ABI_VERSION.
TEST_CASE("the structs of hotpack.h keep their layout", "[abi]") {
  STATIC_REQUIRE(HOTPACK_ABI_VERSION == 0);
  STATIC_REQUIRE(sizeof(hotpack_field) == 56);
  STATIC_REQUIRE(sizeof(hotpack_crop) == 20);
  STATIC_REQUIRE(offsetof(hotpack_error_info, reserved) == 60);
  STATIC_REQUIRE(offsetof(hotpack_dataset_info, reserved) == 84);
  STATIC_REQUIRE(offsetof(hotpack_sample_info, key_bytes) == 88);
  STATIC_REQUIRE(offsetof(hotpack_class_statistics, weight_median) == 32);
  STATIC_REQUIRE(offsetof(hotpack_batch_info, label) == 96);
  STATIC_REQUIRE(offsetof(hotpack_batch_buffers, crops) == 48);
  STATIC_REQUIRE(offsetof(hotpack_loader_options, image_dtype) == 88);
  STATIC_REQUIRE(offsetof(hotpack_loader_options, horizontal_flip) == 152);
  STATIC_REQUIRE(offsetof(hotpack_loader_options, allocator_user) == 288);
  STATIC_REQUIRE(offsetof(hotpack_build_info, instructions) == 32);
  STATIC_REQUIRE(offsetof(hotpack_label_source, id) == 16);
  STATIC_REQUIRE(offsetof(hotpack_geometry_info, pad_color) == 48);
  STATIC_REQUIRE(sizeof(hotpack_verify_progress) == 48);
  STATIC_REQUIRE(offsetof(hotpack_verify_options, progress_user) == 32);
  STATIC_REQUIRE(offsetof(hotpack_verify_report_info, reserved) == 76);
  STATIC_REQUIRE(offsetof(hotpack_verify_finding_info, reserved) == 60);
  STATIC_REQUIRE(offsetof(hotpack_read_options, label_ignore_index) == 64);
  STATIC_REQUIRE(offsetof(hotpack_read_options, pad_height) == 80);
  STATIC_REQUIRE(sizeof(hotpack_read_options) == 96);
}

TEST_CASE("the structs of hotpack_device.h keep their layout", "[abi]") {
  STATIC_REQUIRE(sizeof(hotpack_device_buffers) == 32);
  STATIC_REQUIRE(offsetof(hotpack_cuda_info, reserved) == 28);
  STATIC_REQUIRE(offsetof(hotpack_cuda_device_info, reserved) == 44);
  STATIC_REQUIRE(offsetof(hotpack_device_loader_options, residency) == 20);
  STATIC_REQUIRE(offsetof(hotpack_device_loader_options, progress) == 32);
  STATIC_REQUIRE(sizeof(hotpack_device_loader_options) == 48);
  STATIC_REQUIRE(offsetof(hotpack_residency_info, reserved) == 28);
  STATIC_REQUIRE(offsetof(hotpack_device_loader_statistics_info, load_seconds) == 48);
  STATIC_REQUIRE(offsetof(hotpack_device_batch_info, label) == 104);
  STATIC_REQUIRE(offsetof(hotpack_device_batch_info, reserved) == 164);
}

TEST_CASE("fields of hotpack_device.h end where the compiler ends them") {
  using Options = hotpack_device_loader_options;
  const auto ends = [](std::size_t size) {
    return has_whole_fields(static_cast<const Options*>(nullptr), size);
  };
  CHECK(ends(offsetof(Options, residency)));
  CHECK(ends(sizeof(Options)));
  CHECK_FALSE(ends(offsetof(Options, residency) + 1));
  const auto batch_ends = [](std::size_t size) {
    return has_whole_fields(static_cast<const hotpack_device_batch_info*>(nullptr), size);
  };
  CHECK(batch_ends(offsetof(hotpack_device_batch_info, label)));
  CHECK_FALSE(batch_ends(offsetof(hotpack_device_batch_info, label) + 8));
}
