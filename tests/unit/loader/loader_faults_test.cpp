// Files that are damaged, truncated, replaced or deleted cause an error at exactly the step of
// the record and leave the rest of the run unharmed.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "hotpack/loader.hpp"
#include "support/catch.hpp"
#include "support/forms.hpp"
#include "support/loader_pack.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kSamples = 16;
constexpr std::size_t kPerShard = 2;

// Eight shards of two records. In file order with batches of one, step and sample have the same
// number, and threads that read ahead never reach the shards at the end.
struct FaultyPack {
  TinyPack pack;
  explicit FaultyPack(const TinyForm& form = {}) : pack(form, kSamples, kPerShard) {}
};

LoaderOptions options_of(FileAccess access,
                         VerifyChecksums verify_checksums = VerifyChecksums::first_read) {
  LoaderOptions options = in_file_order(1);
  options.prefetch_batches = 2;
  options.access = access;
  options.verify_checksums = verify_checksums;
  return options;
}

// The loader is at the step of `sample`: its error repeats and has the shard's path and the right
// position; after it, later steps can be reached and close() works.
Error check_error_at(Loader& loader, const TinyPack& pack, std::uint64_t sample) {
  const std::uint64_t epoch = loader.state().epoch;
  const Error error = next_error(loader);
  CHECK(error.path == pack.shard_path(sample / kPerShard));
  CHECK(next_error(loader).describe() == error.describe());
  CHECK(next_error(loader).describe() == error.describe());
  CHECK(loader.state().samples == sample);
  REQUIRE(loader.seek(epoch, sample / kPerShard * kPerShard + kPerShard).ok());
  CHECK(next_batch(loader).indices()[0] ==
        static_cast<std::int64_t>(sample / kPerShard * kPerShard + kPerShard));
  REQUIRE(loader.seek(epoch, sample).ok());
  CHECK(next_error(loader).describe() == error.describe());
  loader.close();
  CHECK(next_error(loader).message == "the loader is closed; open another one");
  return error;
}

void whole_epoch(Loader& loader) {
  skip(loader, kSamples);
  REQUIRE(at_end_of_epoch(loader));
}

// Runs a whole epoch, lets `change` modify the files, and goes to the step of `sample` in the
// next epoch.
template <class Change>
Loader changed_meanwhile(const Dataset& dataset, const LoaderOptions& options, std::uint64_t sample,
                         Change change) {
  Loader loader = open_loader(dataset, options);
  whole_epoch(loader);
  change();
  skip(loader, sample);
  return loader;
}

// Replaces a shard with another pack's, as a program that replaces files atomically.
void replace_by_rename(const TinyPack& pack, std::size_t shard) {
  const TinyPack other({}, kSamples, kPerShard, 500);
  fs::copy_file(other.shard_path(shard), pack.shard_path(shard) + ".new");
  fs::rename(pack.shard_path(shard) + ".new", pack.shard_path(shard));
}

// Maps all shards, so that check_goes_on() has something to compare with.
void map_by_dataset(const Dataset& dataset) {
  for (std::size_t sample = 0; sample < kSamples; ++sample) REQUIRE(dataset.sample(sample).ok());
}

void check_goes_on(Loader& loader, const Dataset& dataset, const LoaderOptions& options,
                   std::int64_t first) {
  for (std::int64_t sample = first; sample < static_cast<std::int64_t>(kSamples); ++sample) {
    CAPTURE(sample);
    REQUIRE(copy_of(next_batch(loader)).rows.at(0) == expected_row(dataset, options, sample));
  }
}

}  // namespace

TEST_CASE("a wrong CRC fails only its step, with file and record") {
  const FaultyPack faulty;
  faulty.pack.damage_image(5);
  for (const FileAccess access : {FileAccess::map, FileAccess::read}) {
    Loader loader = open_loader(faulty.pack.open(), options_of(access));
    skip(loader, 5);
    const Error error = check_error_at(loader, faulty.pack, 5);
    CHECK(error.code == ErrorCode::damaged);
    CHECK_THAT(error.message,
               ContainsSubstring("record 1 (street/sample 0005)") && ContainsSubstring("CRC-32C"));
  }
}

TEST_CASE("a compressed record that is damaged is an error at its step") {
  const FaultyPack faulty(all_forms().at("zstd"));
  faulty.pack.damage_first_frame(2);
  for (const VerifyChecksums verify_checksums :
       {VerifyChecksums::first_read, VerifyChecksums::never}) {
    for (const FileAccess access : {FileAccess::map, FileAccess::read}) {
      Loader loader = open_loader(faulty.pack.open(), options_of(access, verify_checksums));
      skip(loader, 4);
      const Error error = check_error_at(loader, faulty.pack, 4);
      CHECK(error.code == ErrorCode::damaged);
      CHECK_THAT(error.message, ContainsSubstring("record 0 (street/sample 0004)"));
    }
  }
}

TEST_CASE("a shard truncated before opening fails its first step with both sizes") {
  const FaultyPack faulty;
  const auto size = fs::file_size(faulty.pack.shard_path(4));
  fs::resize_file(faulty.pack.shard_path(4), size - 1);
  for (const FileAccess access : {FileAccess::map, FileAccess::read}) {
    Loader loader = open_loader(faulty.pack.open(), options_of(access));
    skip(loader, 8);
    const Error error = check_error_at(loader, faulty.pack, 8);
    CHECK(error.code == ErrorCode::damaged);
    CHECK_THAT(error.message, ContainsSubstring(std::to_string(size - 1)) &&
                                  ContainsSubstring(std::to_string(size)));
  }
}

TEST_CASE("a shard truncated while mapped (SIGBUS) fails its step with both sizes") {
  for (const char* const form : {"bits", "zstd", "mixed", "index"}) {
    for (const FileAccess access : {FileAccess::map, FileAccess::read}) {
      for (const VerifyChecksums verify_checksums :
           {VerifyChecksums::always, VerifyChecksums::first_read, VerifyChecksums::never}) {
        for (const std::uintmax_t left : {std::uintmax_t{0}, std::uintmax_t{4096}}) {
          CAPTURE(form, left, access == FileAccess::map, static_cast<int>(verify_checksums));
          const FaultyPack faulty(all_forms().at(form));
          const Dataset dataset = faulty.pack.open();
          const auto size = fs::file_size(faulty.pack.shard_path(4));
          Loader loader = changed_meanwhile(dataset, options_of(access, verify_checksums), 8, [&] {
            fs::resize_file(faulty.pack.shard_path(4), left);
          });
          const Error error = check_error_at(loader, faulty.pack, 8);
          CHECK(error.code == ErrorCode::damaged);
          CHECK_THAT(error.message, ContainsSubstring("had " + std::to_string(size) + " bytes") &&
                                        ContainsSubstring("has " + std::to_string(left) + " now") &&
                                        ContainsSubstring("record 0"));
        }
      }
    }
  }
}

TEST_CASE("a shard truncated between opening and reading ahead fails its step") {
  for (const char* const form : {"bits", "zstd", "mixed"}) {
    for (const FileAccess access : {FileAccess::map, FileAccess::read}) {
      CAPTURE(form, access == FileAccess::map);
      const FaultyPack faulty(all_forms().at(form));
      const Dataset dataset = faulty.pack.open();
      REQUIRE(dataset.sample(8).ok());
      fs::resize_file(faulty.pack.shard_path(4), 0);
      Loader loader = open_loader(dataset, options_of(access));
      skip(loader, 8);
      // Reading with system calls uses nothing that the Dataset has mapped.
      const char* const told = access == FileAccess::map
                                   ? "record 0: had "
                                   : "record 0: has 0 bytes, the manifest says ";
      CHECK_THAT(check_error_at(loader, faulty.pack, 8).message, ContainsSubstring(told));
    }
  }
}

TEST_CASE("a restored shard can be read after a seek") {
  const FaultyPack faulty;
  const Dataset dataset = faulty.pack.open();
  const LoaderOptions options = options_of(FileAccess::map);
  const std::string path = faulty.pack.shard_path(4), copy = path + ".copy";
  fs::copy_file(path, copy);
  Loader loader = changed_meanwhile(dataset, options, 8, [&] { fs::resize_file(path, 0); });
  CHECK(next_error(loader).code == ErrorCode::damaged);
  {
    std::ifstream from(copy, std::ios::binary);
    // in place: the same file
    std::ofstream(path, std::ios::binary | std::ios::in) << from.rdbuf();
  }
  REQUIRE(loader.seek(1, 8).ok());
  check_goes_on(loader, dataset, options, 8);
}

TEST_CASE("a shard deleted before opening fails, one deleted later is read") {
  for (const FileAccess access : {FileAccess::map, FileAccess::read}) {
    const FaultyPack faulty;
    const Dataset dataset = faulty.pack.open();
    map_by_dataset(dataset);
    const LoaderOptions options = options_of(access);
    Loader reading =
        changed_meanwhile(dataset, options, 8, [&] { fs::remove(faulty.pack.shard_path(4)); });
    check_goes_on(reading, dataset, options, 8);
    // through a Dataset that has not opened it yet
    Loader late = open_loader(faulty.pack.open(), options);
    skip(late, 8);
    const Error error = check_error_at(late, faulty.pack, 8);
    CHECK_THAT(error.message, ContainsSubstring("record 0: ") && ContainsSubstring("missing"));
  }
}

TEST_CASE("after a rename, open readers continue with the old shard") {
  for (const FileAccess access : {FileAccess::map, FileAccess::read}) {
    const FaultyPack faulty;
    const Dataset dataset = faulty.pack.open();
    map_by_dataset(dataset);
    const LoaderOptions options = options_of(access, VerifyChecksums::always);
    Loader loader =
        changed_meanwhile(dataset, options, 8, [&] { replace_by_rename(faulty.pack, 4); });
    check_goes_on(loader, dataset, options, 8);
  }
}

TEST_CASE("a shard replaced between tables and records fails its step with read") {
  const FaultyPack faulty;
  const Dataset dataset = faulty.pack.open();
  {
    Loader earlier = open_loader(dataset, options_of(FileAccess::read));  // reads the tables
    whole_epoch(earlier);
  }
  replace_by_rename(faulty.pack, 4);
  Loader loader = open_loader(dataset, options_of(FileAccess::read));
  skip(loader, 8);
  CHECK_THAT(check_error_at(loader, faulty.pack, 8).message,
             ContainsSubstring("another file has replaced it"));
}

TEST_CASE("a shard replaced by another pack's fails its first step") {
  const FaultyPack faulty;
  const Dataset dataset = faulty.pack.open();
  replace_by_rename(faulty.pack, 4);
  Loader loader = open_loader(dataset, options_of(FileAccess::map));
  skip(loader, 8);
  const Error error = check_error_at(loader, faulty.pack, 8);
  CHECK(error.code == ErrorCode::damaged);
  CHECK_THAT(error.message, ContainsSubstring("record 0: ") && ContainsSubstring("manifest"));
}

TEST_CASE("a shard that cannot be read is an error at its first step") {
  const FaultyPack faulty;
  const std::string path = faulty.pack.shard_path(4);
  if (::geteuid() == 0) {  // root may read everything, so a folder takes its place
    fs::remove(path);
    fs::create_directory(path);
  } else {
    fs::permissions(path, fs::perms::none);
  }
  for (const FileAccess access : {FileAccess::map, FileAccess::read}) {
    Loader loader = open_loader(faulty.pack.open(), options_of(access));
    skip(loader, 8);
    CHECK_THAT(check_error_at(loader, faulty.pack, 8).message, ContainsSubstring("record 0: "));
  }
}

TEST_CASE("checksums: always finds late changes, first_read early ones") {
  for (const FileAccess access : {FileAccess::map, FileAccess::read}) {
    const FaultyPack faulty;
    const Dataset dataset = faulty.pack.open();
    const auto damage = [&] { faulty.pack.damage_image(14); };
    {
      Loader never = open_loader(dataset, options_of(access, VerifyChecksums::never));
      whole_epoch(never);
    }
    Loader always =
        changed_meanwhile(dataset, options_of(access, VerifyChecksums::always), 14, damage);
    CHECK(next_error(always).code == ErrorCode::damaged);
    // Every record was good at its first read, so this process does not check again.
    Loader first = open_loader(dataset, options_of(access));
    whole_epoch(first);
    Loader never = open_loader(faulty.pack.open(), options_of(access, VerifyChecksums::never));
    skip(never, 14);
    CHECK(copy_of(next_batch(never)).rows[0].image[0] !=
          stored_image({}, tiny_records({}, 1, 14)[0])[0]);
    // A Dataset that has not read it yet does.
    Loader again = open_loader(faulty.pack.open(), options_of(access));
    skip(again, 14);
    CHECK(next_error(again).code == ErrorCode::damaged);
  }
}

TEST_CASE("a record counts as checked only after it passed a check") {
  const FaultyPack faulty;
  faulty.pack.damage_image(14);
  const Dataset dataset = faulty.pack.open();
  Loader never = open_loader(dataset, options_of(FileAccess::map, VerifyChecksums::never));
  whole_epoch(never);
  Loader first = open_loader(dataset, options_of(FileAccess::map));
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
    REQUIRE(first.seek(epoch, 14).ok());
    CHECK(next_error(first).code == ErrorCode::damaged);
  }
}

TEST_CASE("the lowest of several faulty rows is reported") {
  const FaultyPack faulty;
  for (const std::size_t sample : {2u, 5u, 6u, 7u}) faulty.pack.damage_image(sample);
  for (const unsigned threads : {1u, 2u, 3u, 8u, 16u}) {
    for (int run = 0; run < 10; ++run) {
      LoaderOptions options = in_file_order(8);
      options.threads = threads;
      Loader loader = open_loader(faulty.pack.open(), options);
      CHECK_THAT(next_error(loader).message, ContainsSubstring("record 0 (street/sample 0002)"));
      CHECK(loader.state().samples == 0);
      REQUIRE(loader.seek(0, 1).ok());
      CHECK(next_batch(loader).indices()[0] == 8);
    }
  }
}

TEST_CASE("ranks without faulty rows continue") {
  const FaultyPack faulty;
  faulty.pack.damage_image(5);
  LoaderOptions options = in_file_order(4);
  options.world_size = 2;
  Loader first = open_loader(faulty.pack.open(), options);  // rows 0 and 1 of four
  options.rank = 1;
  Loader second = open_loader(faulty.pack.open(), options);
  skip(first, 1);
  CHECK(next_error(first).path == faulty.pack.shard_path(2));
  skip(second, 4);
  CHECK(at_end_of_epoch(second));
}

TEST_CASE("next_into gives the error of its step, too") {
  const FaultyPack faulty;
  faulty.pack.damage_image(5);
  Loader loader = open_loader(faulty.pack.open(), options_of(FileAccess::map));
  skip(loader, 5);
  for (int call = 0; call < 2; ++call) {
    const auto info = loader.next_into({});
    REQUIRE_FALSE(info.ok());
    CHECK_THAT(info.error().message, ContainsSubstring("record 1 (street/sample 0005)"));
  }
}

TEST_CASE("resuming at a faulty step fails, after it works") {
  const FaultyPack faulty;
  faulty.pack.damage_image(5);
  const Dataset dataset = faulty.pack.open();
  Loader first = open_loader(dataset, options_of(FileAccess::map));
  skip(first, 5);
  LoaderOptions options = options_of(FileAccess::map);
  options.resume = first.state();
  Loader resumed = open_loader(dataset, options);
  CHECK_THAT(next_error(resumed).message, ContainsSubstring("street/sample 0005"));
  options.resume->samples = 6;
  Loader behind = open_loader(dataset, options);
  CHECK(next_batch(behind).indices()[0] == 6);
}
