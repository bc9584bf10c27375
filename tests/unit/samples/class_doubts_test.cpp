#include "samples/class_doubts.hpp"

#include "support/discover_inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

// The doubts about class folders of these files.
Names doubts(const TempFolder& folder, const Names& files, bool splits = false) {
  touch(folder, files);
  PackOptions options;
  options.input.image_folders = {folder / "set"};
  if (splits) options.input.split.method = SplitOptions::Method::folder;
  DiscoveredInput input = discovered_clean(options);
  std::vector<SampleList*> lists;
  for (Split& split : input.discovery.splits) lists.push_back(&split.list);
  return class_doubts(lists);
}

}  // namespace

TEST_CASE("class folders that hold the same folders are a doubt") {
  const TempFolder folder;
  const Names found = doubts(folder, {"set/A/nok/1.jpg", "set/A/ok/2.jpg", "set/A/ok/3.jpg",
                                      "set/B/NOK/4.jpg", "set/B/Ok/5.jpg", "set/B/sheet.jpg"});
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0], ContainsSubstring("the class folders 'A', 'B' hold the same folders ('nok', "
                                         "'ok'): if these are the classes, give each class "
                                         "folder with --image-folders"));
}

TEST_CASE("class folders of several splits count together") {
  const TempFolder folder;
  CHECK(doubts(folder,
               {"set/train/A/x/1.jpg", "set/train/A/y/2.jpg", "set/train/B/x/3.jpg",
                "set/val/B/y/4.jpg", "set/val/A/x/5.jpg"},
               true)
            .size() == 1);
}

TEST_CASE("folders in class folders are no doubt if they differ or are splits") {
  const TempFolder one, splits, mixed;
  CHECK(doubts(one, {"set/A/x/1.jpg", "set/A/y/2.jpg", "set/B/x/3.jpg", "set/B/z/4.jpg"}).empty());
  CHECK(doubts(splits,
               {"set/A/train/1.jpg", "set/A/test/2.jpg", "set/B/train/3.jpg", "set/B/test/4.jpg"})
            .empty());
  CHECK(doubts(mixed, {"set/A/x/1.jpg", "set/A/y/2.jpg", "set/A/3.jpg", "set/B/x/4.jpg",
                       "set/B/y/5.jpg", "set/B/6.jpg"})
            .empty());
}

TEST_CASE("images named as labels of others are a doubt") {
  const TempFolder folder;
  CHECK(doubts(folder, {"set/a/a (1).png", "set/a/a (1)_mask.png", "set/a/a (1)_mask_1.png",
                        "set/b/b.png", "set/b/b-GT.png"}) ==
        Names{"3 images look like labels of others, such as '" + folder / "set/a/a (1)_mask.png" +
              "': leave them out with --exclude '*-GT.*' --exclude '*_mask.*' --exclude "
              "'*_mask_*'"});
}

TEST_CASE("names with a word for labels but no partner are no doubt") {
  const TempFolder folder, few;
  CHECK(doubts(folder, {"set/a/1_mask.png", "set/a/2_mask.png", "set/b/3.png"}).empty());
  CHECK(doubts(few, {"set/a/1.png", "set/a/1_mask.png", "set/a/2.png", "set/b/3.png"}).empty());
}
