#include "loader/open_files.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/loader_pack.hpp"
#include "unit/loader/changed_files.hpp"

using namespace hotpack;
using namespace hotpack::loader;
using namespace hotpack::test;

namespace {

constexpr std::size_t kShards = 6;

// Shards of one record each, and their tables.
struct Shards {
  Shards() {
    for (std::size_t shard = 0; shard < kShards; ++shard) {
      tables.push_back(
          reader::ShardFile::open_checked(pack.shard_path(shard), reader::MapMode::tables).value());
    }
  }
  TinyPack pack{{}, kShards, 1};
  std::vector<std::unique_ptr<const reader::ShardFile>> tables;
};

}  // namespace

TEST_CASE("open files: a quarter of the descriptors, within bounds") {
  CHECK(open_files_limit(0) == 16);
  CHECK(open_files_limit(1024) == 256);
  CHECK(open_files_limit(1'048'576) == 4096);
  CHECK(open_files_limit() >= 16);
}

TEST_CASE("open files: those used last stay open") {
  const Shards shards;
  const std::size_t before = open_descriptors();
  OpenFiles files(kShards, 3);
  const auto use = [&](std::size_t shard) {
    REQUIRE(files.open(shard, *shards.tables[shard]).ok());
  };
  for (const std::size_t shard : {0u, 1u, 2u, 0u, 3u}) use(shard);
  CHECK(open_descriptors() == before + 3);
  CHECK(files.find(1) == nullptr);
  CHECK((files.find(2) != nullptr && files.find(0) != nullptr && files.find(3) != nullptr));
  use(1);
  CHECK(files.find(2) == nullptr);  // looking a file up counts as a use
  CHECK(open_descriptors() == before + 3);
}

TEST_CASE("open files: a file that was handed out stays open") {
  const Shards shards;
  OpenFiles files(kShards, 1);
  const auto first = files.open(0, *shards.tables[0]).value();
  for (std::size_t shard = 1; shard < kShards; ++shard)
    REQUIRE(files.open(shard, *shards.tables[shard]).ok());
  CHECK(first->size().value() == shards.tables[0]->bytes().size());
}

TEST_CASE("open files: threads get the file they asked for") {
  const Shards shards;
  OpenFiles files(kShards, 2);
  std::atomic<int> wrong{0};
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < 3; ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t i = 0; i < 300; ++i) {
          const std::size_t shard = (i * (t + 1)) % kShards;
          const auto file = files.open(shard, *shards.tables[shard]);
          if (!file.ok() || (*file)->path() != shards.pack.shard_path(shard)) ++wrong;
        }
      });
    }
  }
  CHECK(wrong == 0);
}
