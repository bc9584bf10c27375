#include "c_api/failures.hpp"

#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>

#include "base/error.hpp"
#include "c_api/call.hpp"
#include "c_api/option_error.hpp"
#include "c_api/status.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::c_api;

TEST_CASE("the last error has its path and offset, and is empty before the first") {
  Failures failures;
  CHECK(std::string(failures.latest()).empty());
  CHECK(failures.add(damaged_error("bad magic", "a.safetensors", 8)) == HOTPACK_ERROR_DAMAGED);
  CHECK(std::string(failures.latest()) ==
        damaged_error("bad magic", "a.safetensors", 8).describe());
  CHECK(failures.add(usage_error("no such class")) == HOTPACK_ERROR_USAGE);
  CHECK(std::string(failures.latest()) == "no such class");
}

TEST_CASE("a text stays valid for 64 others, not counting repeats") {
  Failures failures;
  failures.add(usage_error("the first one"));
  const char* const first = failures.latest();
  for (int i = 0; i < 1000; ++i) failures.add(usage_error("always the same"));
  for (int i = 0; i < 63; ++i) failures.add(usage_error("number " + std::to_string(i)));
  CHECK(std::string(first) == "the first one");
  failures.add(usage_error("the first one"));
  CHECK(failures.latest() == first);
}

TEST_CASE("the last error is also given in parts") {
  Failures failures;
  hotpack_error_info info = failures.latest_info();
  CHECK(info.status == HOTPACK_OK);
  CHECK(std::string(info.message).empty());
  CHECK(info.record == -1);
  Error error = damaged_error("bad pixels", "a.safetensors", 8);
  error.record = 3;
  error.key = "street/0003";
  failures.add(error);
  info = failures.latest_info();
  CHECK(info.status == HOTPACK_ERROR_DAMAGED);
  CHECK(std::string(info.message) == "bad pixels");
  CHECK(std::string(info.path) == "a.safetensors");
  CHECK(info.offset == 8);
  CHECK(info.record == 3);
  CHECK(std::string(info.key) == "street/0003");
  CHECK(std::string(info.option).empty());
  failures.add(option_error("threads", "threads is too large"));
  CHECK(std::string(failures.latest_info().option) == "threads");
  CHECK(std::string(failures.latest_info().path).empty());
  CHECK(failures.latest_info().offset == -1);
  CHECK(std::string(info.key) == "street/0003");
  failures.add(error);
  CHECK(failures.latest_info().key == info.key);
}

TEST_CASE("errors of equal texts keep their own records") {
  Failures failures;
  Error error = damaged_error("bad pixels", "a.safetensors", 8);
  for (const std::uint64_t record : {1U, 2U, 1U}) {
    error.record = record;
    failures.add(error);
    CHECK(failures.latest_info().record == static_cast<std::int64_t>(record));
  }
}

TEST_CASE("an exception is an error without a file") {
  Failures failures;
  failures.add(damaged_error("bad pixels", "a.safetensors", 8));
  CHECK(call(failures, []() -> Outcome { throw std::bad_alloc(); }) == HOTPACK_ERROR_IO);
  CHECK(failures.latest_info().status == HOTPACK_ERROR_IO);
  CHECK(failures.latest_info().message == failures.latest());
  CHECK(std::string(failures.latest_info().path).empty());
  CHECK(failures.latest_info().offset == -1);
}

TEST_CASE("reading the parts of an error does not replace it") {
  Failures failures;
  failures.add(usage_error("no such class"));
  hotpack_error_info info{};
  CHECK(describe_error(&failures, nullptr) == HOTPACK_ERROR_USAGE);
  CHECK(describe_error(nullptr, &info) == HOTPACK_ERROR_USAGE);
  CHECK(describe_error(&failures, &info) == HOTPACK_ERROR_USAGE);
  info.struct_size = sizeof info;
  REQUIRE(describe_error(&failures, &info) == HOTPACK_OK);
  CHECK(std::string(info.message) == "no such class");
}

TEST_CASE("every code has a status of its own") {
  CHECK(status_of(ErrorCode::usage) == -1);
  CHECK(status_of(ErrorCode::data) == -2);
  CHECK(status_of(ErrorCode::io) == -3);
  CHECK(status_of(ErrorCode::damaged) == -4);
  CHECK(status_of(ErrorCode::internal) == -5);
  CHECK(status_of(ErrorCode::timeout) == -6);
  CHECK(status_of(ErrorCode::cancelled) == -7);
}

TEST_CASE("statuses have names") {
  CHECK(std::string(hotpack_status_name(HOTPACK_OK)) == "ok");
  CHECK(std::string(hotpack_status_name(HOTPACK_END_OF_EPOCH)) == "end of epoch");
  CHECK(std::string(hotpack_status_name(HOTPACK_ERROR_CANCELLED)) == "cancelled");
  CHECK(std::string(hotpack_status_name(77)) == "unknown status");
}

TEST_CASE("no exception escapes from an entry point") {
  Failures failures;
  CHECK(call(failures, []() -> Outcome { return HOTPACK_NOT_FOUND; }) == HOTPACK_NOT_FOUND);
  CHECK(call(failures, []() -> Outcome { throw std::logic_error("surprise"); }) ==
        HOTPACK_ERROR_INTERNAL);
  CHECK(std::string(failures.latest()).find("surprise") != std::string::npos);
  CHECK(call(failures, []() -> Outcome { throw std::bad_alloc(); }) == HOTPACK_ERROR_IO);
  CHECK(std::string(failures.latest()).find("out of memory") != std::string::npos);
  CHECK(call(failures, []() -> Outcome { throw 7; }) == HOTPACK_ERROR_INTERNAL);
  CHECK(std::string(failures.latest()).find("unknown exception") != std::string::npos);
}
