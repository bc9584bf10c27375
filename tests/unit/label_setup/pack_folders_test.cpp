#include "label_setup/pack_folders.hpp"

#include "label_setup/packed_labels.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_shard.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

using Names = std::vector<std::string>;

void put_pack(const TempFolder& folder, const std::string& name, const TinyForm& form = {}) {
  std::filesystem::create_directories(folder / name);
  (void)write_pack(folder / name, form, tiny_records(form, 3), 2);
}

}  // namespace

TEST_CASE("packs next to folders of packs are named, however deep they lie") {
  const TempFolder folder;
  put_pack(folder, "all/city/fine/train");
  put_pack(folder, "all/city/fine/val");
  put_pack(folder, "all/faces/train");
  put_pack(folder, "all/fruit");
  put_pack(folder, "all/raw/begun");
  std::filesystem::remove(folder / "all/raw/begun/dataset.json");
  CHECK(packs_at(folder / "all") == Names{folder / "all/city/fine/train",
                                          folder / "all/city/fine/val", folder / "all/faces/train",
                                          folder / "all/fruit", folder / "all/raw/begun"});
  CHECK(packs_at(folder / "all/city") ==
        Names{folder / "all/city/fine/train", folder / "all/city/fine/val"});
  CHECK(packs_at(folder / "all/raw").empty());
  CHECK(packs_at(folder / "all", 1) == Names{folder / "all/fruit"});
}

TEST_CASE("a pack that links name as well is named once, by its own name") {
  const TempFolder folder;
  put_pack(folder, "all/v2");
  std::filesystem::create_directory_symlink("v2", folder / "all/latest");
  std::filesystem::create_directory_symlink(".", folder / "all/self");
  CHECK(packs_at(folder / "all") == Names{folder / "all/v2"});
  CHECK(packs_at(folder / "all/latest") == Names{folder / "all/latest"});
}

TEST_CASE("a path names a pack, or the packs in it by name") {
  const TempFolder folder;
  put_pack(folder, "out/val");
  put_pack(folder, "out/train");
  put_pack(folder, "out/unfinished");
  std::filesystem::remove(folder / "out/unfinished/dataset.json");
  folder.write("out/notes.txt", "mine");
  folder.write("out/images/a.png", "an image");
  CHECK(packs_at(folder / "out/val") == Names{folder / "out/val"});
  CHECK(packs_at(folder / "out") ==
        Names{folder / "out/train", folder / "out/unfinished", folder / "out/val"});
  CHECK(packs_at(folder / "out/images").empty());
  CHECK(packs_at(folder / "absent").empty());
  const Names several{folder / "out/val", folder / "absent", folder / "out"};
  CHECK(packs_at(several) == Names{folder / "out/val", folder / "absent", folder / "out/train",
                                   folder / "out/unfinished", folder / "out/val"});
}

TEST_CASE("an unreadable folder next to packs is not silently left out") {
  const TempFolder folder;
  put_pack(folder, "out/train");
  folder.write("out/val/notes.txt", "mine");
  CHECK(packs_at(folder / "out") == Names{folder / "out/train"});
  std::filesystem::create_symlink("dataset.json",
                                  folder / "out/val/dataset.json");  // a link to itself
  CHECK(packs_at(folder / "out") == Names{folder / "out/train", folder / "out/val"});
}

TEST_CASE("folders that hold shards, and whether all are there") {
  const TempFolder folder;
  put_pack(folder, "parts/0");
  put_pack(folder, "parts/1");
  std::filesystem::remove(folder / "parts/1/shard-00000-of-00002.safetensors");
  CHECK(folders_with_shards(folder / "parts") == Names{"0", "1"});
  CHECK(folders_with_shards(folder / "parts/0").empty());
  CHECK(has_all_shards(folder / "parts/0"));
  CHECK_FALSE(has_all_shards(folder / "parts/1"));
  CHECK_FALSE(has_all_shards(folder / "parts"));
}

TEST_CASE("the path of a pack from the folder on that names it") {
  CHECK(name_within("packed", "packed/val") == "val");
  CHECK(name_within("./packed/", "./packed/city/val") == "city/val");
}

TEST_CASE("labels of a parent folder are those of its splits if they agree") {
  const TempFolder folder;
  TinyForm unlabeled, other;
  unlabeled.labeled = false;
  other.classes = 4;
  put_pack(folder, "packed/test", unlabeled);
  put_pack(folder, "packed/train");
  put_pack(folder, "packed/val");
  CHECK(read_packed_labels(folder / "packed").value().table.classes.size() == 3);
  put_pack(folder, "packed/zoo", other);
  const auto refused = read_packed_labels(folder / "packed");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::usage);
  CHECK_THAT(refused.error().message, ContainsSubstring("packed/train' and ") &&
                                          ContainsSubstring("packed/zoo' are not the same"));
}
