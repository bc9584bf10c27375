// Tests of the Loader that need a process of their own: reads that fail with EIO (with the library
// of failing_files.cpp), and the end of a process.
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "hotpack/loader.hpp"
#include "support/catch.hpp"
#include "support/forms.hpp"
#include "support/loader_pack.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

constexpr const char* kFailing = "FAIL_READS_OF";

// Eight shards of two records; no thread of the loader runs while reads start or stop failing.
struct FailingPack {
  TinyPack pack;
  explicit FailingPack(const TinyForm& form) : pack(form, 16, 2) {}
  ~FailingPack() { ::unsetenv(kFailing); }
  FailingPack(const FailingPack&) = delete;
  FailingPack& operator=(const FailingPack&) = delete;
};

LoaderOptions read_options() {
  LoaderOptions options = in_file_order(1);
  options.prefetch_batches = 2;
  options.access = FileAccess::read;
  return options;
}

void check_eio(Loader& loader, const TinyPack& pack, const std::string& record) {
  skip(loader, 8);
  for (int call = 0; call < 3; ++call) {
    const Error error = next_error(loader);
    CHECK(error.code == ErrorCode::io);
    CHECK(error.path == pack.shard_path(4));
    CHECK_THAT(error.message, ContainsSubstring("Input/output error") && ContainsSubstring(record));
  }
  REQUIRE(loader.seek(0, 10).ok());
  CHECK(next_batch(loader).indices()[0] == 10);
  loader.close();
}

// Lives until the process ends.
std::optional<Loader>& lasting_loader() {
  static std::optional<Loader> loader;
  return loader;
}

void close_at_exit() { lasting_loader()->close(); }

// Registered before close_at_exit, so it comes after it.
void check_closed_at_exit() {
  const auto batch = lasting_loader()->next();
  if (batch.ok() || batch.error().message != "the loader is closed; open another one") ::_exit(9);
}

}  // namespace

TEST_CASE("EIO while reading a record fails its step only, naming file and record", "[eio]") {
  for (const char* const form : {"bits", "zstd"}) {
    const FailingPack failing(all_forms().at(form));
    const Dataset dataset = failing.pack.open();
    {
      Loader earlier = open_loader(dataset, read_options());  // opens every shard
      skip(earlier, 16);
    }
    ::setenv(kFailing, "shard-00004", 1);
    Loader loader = open_loader(dataset, read_options());
    check_eio(loader, failing.pack, "record 0 (street/sample 0008)");
    ::unsetenv(kFailing);
    Loader later = open_loader(dataset, read_options());
    skip(later, 16);
    CHECK(at_end_of_epoch(later));
  }
}

TEST_CASE("value() on a failing disk throws code, path and offset", "[eio]") {
  const FailingPack failing({});
  const Dataset dataset = failing.pack.open();
  {
    Loader earlier = open_loader(dataset, read_options());  // opens every shard
    skip(earlier, 16);
  }
  ::setenv(kFailing, "shard-00004", 1);
  Loader loader = open_loader(dataset, read_options());
  skip(loader, 8);
  try {
    static_cast<void>(loader.next().value());
    FAIL("nothing was thrown");
  } catch (const Exception& exception) {
    CHECK(exception.code() == ErrorCode::io);
    CHECK(exception.error().path == failing.pack.shard_path(4));
    CHECK(exception.error().offset.has_value());
    CHECK_THAT(exception.what(), ContainsSubstring("Input/output error"));
  }
}

TEST_CASE("EIO while a shard is opened is an error at its first step", "[eio]") {
  const FailingPack failing({});
  const Dataset dataset = failing.pack.open();
  ::setenv(kFailing, "shard-00004", 1);
  for (const FileAccess access : {FileAccess::map, FileAccess::read}) {
    LoaderOptions options = read_options();
    options.access = access;
    Loader loader = open_loader(dataset, options);
    check_eio(loader, failing.pack, "record 0: ");
  }
}

TEST_CASE("a loader reading ahead survives atexit and destruction after main", "[exit]") {
  static TinyPack pack({}, 16, 2);
  LoaderOptions options = in_file_order(1);
  options.threads = 3;
  SECTION("closed by atexit") {
    lasting_loader() = open_loader(pack.open(), options);
    REQUIRE(std::atexit(check_closed_at_exit) == 0);
    REQUIRE(std::atexit(close_at_exit) == 0);
  }
  SECTION("destroyed behind main, with a batch in hand") {
    static std::optional<Loader> other;
    other = open_loader(pack.open(), options);
    static std::optional<Batch> batch;
    batch = next_batch(*other);
  }
}
