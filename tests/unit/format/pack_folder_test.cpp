#include "format/pack_folder.hpp"

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::format;

namespace {

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("names distinguish manifest, shards, temporaries and others") {
  const PackFolder folder = describe_pack_folder(
      {"notes.txt", "shard-00001-of-00002.safetensors", "dataset.json",
       ".dataset.json.0123456789abcdef.tmp", "shard-00000-of-00002.safetensors",
       ".notes.txt.0123456789abcdef.tmp", "shard-00002-of-00002.safetensors"});
  CHECK(folder.has_manifest);
  REQUIRE(folder.shards.size() == 2);
  CHECK(folder.shards[0].index == 0);
  CHECK(folder.shards[1].index == 1);
  CHECK(folder.temporaries == Names{".dataset.json.0123456789abcdef.tmp"});
  CHECK(folder.others ==
        Names{"notes.txt", ".notes.txt.0123456789abcdef.tmp", "shard-00002-of-00002.safetensors"});
}

TEST_CASE("shards of several packs come by count, then index") {
  const PackFolder folder =
      describe_pack_folder({"shard-00002-of-00010.safetensors", "shard-00000-of-00010.safetensors",
                            "shard-00001-of-00002.safetensors"});
  REQUIRE(folder.shards.size() == 3);
  CHECK(folder.shards.front().count == 2);
  CHECK(folder.shards[1].index == 0);
  CHECK(folder.shards.back().index == 2);
  CHECK_FALSE(folder.has_manifest);
}

TEST_CASE("an empty folder holds no part of a data set") {
  const PackFolder folder = describe_pack_folder({});
  CHECK_FALSE(folder.has_manifest);
  CHECK((folder.shards.empty() && folder.temporaries.empty() && folder.others.empty()));
}
