#include "samples/split.hpp"

#include <algorithm>
#include <set>

#include "support/discover_inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

using Method = SplitOptions::Method;

// A list of these keys, without files behind it.
SampleList list_of(Names keys) {
  std::sort(keys.begin(), keys.end());
  FileList images;
  images.roots = {{"/data", ""}};
  for (const std::string& key : keys) {
    FoundFile file;
    file.text = file.key = images.arena.add(key, ".png");
    file.text_length = static_cast<std::uint16_t>(key.size() + 4);
    file.key_length = static_cast<std::uint16_t>(key.size());
    images.files.push_back(file);
  }
  ProblemLog problems;
  return images_alone(std::move(images), problems);
}

SampleList numbered(int count) {
  Names keys;
  for (int i = 0; i < count; ++i) keys.push_back(std::to_string(i));
  return list_of(keys);
}

SplitOptions shares(Method method, std::vector<SplitOptions::Part> parts) {
  SplitOptions options;
  options.method = method;
  options.parts = std::move(parts);
  return options;
}

std::vector<Split> divided(const SampleList& list, const SplitOptions& options) {
  std::string about;
  return divide_by_share(list, options, about).value();
}

Names keys_of(const SampleList& list) {
  Names keys;
  for (const Sample& sample : list.samples) keys.emplace_back(list.key(sample));
  return keys;
}

std::vector<std::size_t> counts(const std::vector<Split>& splits) {
  std::vector<std::size_t> counts;
  for (const Split& split : splits) counts.push_back(split.list.samples.size());
  return counts;
}

}  // namespace

TEST_CASE("shares are numbers in any proportion") {
  CHECK(parse_shares({{"a", "80"}, {"b", "20"}}).value() == std::vector<std::uint64_t>{4, 1});
  CHECK(parse_shares({{"a", "0.8"}, {"b", ".2"}}).value() == std::vector<std::uint64_t>{4, 1});
  CHECK(parse_shares({{"a", "70"}, {"b", "15"}, {"c", "15.0"}}).value() ==
        std::vector<std::uint64_t>{14, 3, 3});
  for (const std::string bad : {"0", "", "-1", "x", "1e3", "1.2.3", ".", "99999999999"}) {
    const auto refused_share = parse_shares({{"a", bad}});
    REQUIRE_FALSE(refused_share.ok());
    CHECK(refused_share.error().code == ErrorCode::usage);
    CHECK_THAT(refused_share.error().message, ContainsSubstring("the share of 'a', '" + bad + "'"));
  }
}

TEST_CASE("samples left over go to the largest remainders") {
  const auto of_ten = [](const std::string& a, const std::string& b, const std::string& c) {
    return counts(divided(numbered(10), shares(Method::ratio, {{"a", a}, {"b", b}, {"c", c}})));
  };
  CHECK(of_ten("8", "1", "1") == std::vector<std::size_t>{8, 1, 1});
  CHECK(of_ten("14", "3", "3") == std::vector<std::size_t>{7, 2, 1});
  CHECK(of_ten("1", "1", "1") == std::vector<std::size_t>{4, 3, 3});
}

TEST_CASE("a ratio gives exact counts for a seed, whatever the file order") {
  const SampleList list = numbered(103);
  SplitOptions options = shares(Method::ratio, {{"train", "80"}, {"val", "10"}, {"test", "10"}});
  const std::vector<Split> splits = divided(list, options);
  CHECK(counts(splits) == std::vector<std::size_t>{83, 10, 10});
  CHECK(splits[0].name == "train");
  std::set<std::string> all;
  for (const Split& split : splits) {
    const Names keys = keys_of(split.list);
    CHECK(std::is_sorted(keys.begin(), keys.end()));
    all.insert(keys.begin(), keys.end());
  }
  CHECK(all.size() == 103);
  CHECK(keys_of(divided(list, options)[1].list) == keys_of(splits[1].list));
  options.seed = 1;
  CHECK(keys_of(divided(list, options)[1].list) != keys_of(splits[1].list));
  // Pinned: another machine, another year, the same split.
  options = shares(Method::ratio, {{"train", "3"}, {"val", "2"}});
  CHECK(keys_of(divided(numbered(5), options)[1].list) == Names{"0", "4"});
}

TEST_CASE("a hash keeps every sample in its split when others are added") {
  const SplitOptions options = shares(Method::hash, {{"train", "80"}, {"val", "20"}});
  const std::vector<Split> few = divided(numbered(500), options);
  const std::vector<Split> many = divided(numbered(1000), options);
  for (std::size_t part = 0; part < 2; ++part) {
    const Names before = keys_of(few[part].list);
    const Names after = keys_of(many[part].list);
    CHECK(std::includes(after.begin(), after.end(), before.begin(), before.end()));
  }
  CHECK(many[1].list.samples.size() > 150);
  CHECK(many[1].list.samples.size() < 250);
  CHECK(keys_of(divided(numbered(500), shares(Method::hash, {{"train", "0.8"}, {"val", "0.2"}}))[1]
                    .list) == keys_of(few[1].list));
  CHECK(keys_of(
            divided(numbered(12), shares(Method::hash, {{"train", "1"}, {"val", "1"}}))[1].list) ==
        Names{"0", "4", "6"});
}

TEST_CASE("groups stay together") {
  Names keys;
  for (int drive = 0; drive < 10; ++drive)
    for (int frame = 0; frame < 10; ++frame)
      keys.push_back("drive" + std::to_string(drive) + "_" + std::to_string(frame));
  const SampleList list = list_of(keys);
  for (const Method method : {Method::ratio, Method::hash}) {
    SplitOptions options = shares(method, {{"train", "70"}, {"val", "30"}});
    options.group = "^(drive[0-9]+)_";
    std::string about;
    const std::vector<Split> splits = divide_by_share(list, options, about).value();
    CHECK(about == "groups: 10 by --group\n");
    std::set<std::string> train, val;
    for (const std::string& key : keys_of(splits[0].list)) train.insert(key.substr(0, 6));
    for (const std::string& key : keys_of(splits[1].list)) val.insert(key.substr(0, 6));
    CHECK(train.size() + val.size() == 10);
    if (method == Method::ratio) CHECK(counts(splits) == std::vector<std::size_t>{70, 30});
  }
}

TEST_CASE("augmented copies of Roboflow stay together without --group") {
  Names keys{"plain", "other"};
  for (int original = 0; original < 30; ++original)
    for (const char last : {'a', 'b', 'c'})
      keys.push_back("x/" + std::to_string(original) + "_jpg.rf." + std::string(31, '0') + last);
  const SampleList list = list_of(keys);
  for (const Method method : {Method::ratio, Method::hash}) {
    const std::vector<Split> splits = divided(list, shares(method, {{"train", "2"}, {"val", "1"}}));
    std::set<std::string> train, val;
    for (const std::string& key : keys_of(splits[0].list))
      train.insert(key.substr(0, key.find('.')));
    for (const std::string& key : keys_of(splits[1].list)) val.insert(key.substr(0, key.find('.')));
    CHECK(train.size() + val.size() == 32);
  }
  SplitOptions options = shares(Method::ratio, {{"train", "2"}, {"val", "1"}});
  std::string about;
  CHECK(divide_by_share(list, options, about).ok());
  CHECK(about == "groups: 32 originals; augmented copies (NAME.rf.HASH) stay with theirs\n");
}

TEST_CASE("keys without a match form their own groups, no match at all is refused") {
  SplitOptions options = shares(Method::ratio, {{"train", "1"}, {"val", "1"}});
  options.group = "a[0-9]";
  std::string about;
  CHECK(divide_by_share(list_of({"a1_x", "a1_y", "b", "c"}), options, about).ok());
  CHECK_THAT(about,
             ContainsSubstring("not matched by --group, each a group of its own: 2 samples"));
  options.group = "z";
  const auto none = divide_by_share(list_of({"a", "b"}), options, about);
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().code == ErrorCode::usage);
  CHECK_THAT(none.error().message,
             ContainsSubstring("--group 'z' matches none of the keys, such as 'a'"));
}

TEST_CASE("an empty split is an error") {
  std::string about;
  const auto empty =
      divide_by_share(numbered(3), shares(Method::ratio, {{"train", "99"}, {"val", "1"}}), about);
  REQUIRE_FALSE(empty.ok());
  CHECK(empty.error().code == ErrorCode::data);
  CHECK_THAT(empty.error().message,
             ContainsSubstring("no sample falls to 'val' (there are 3 samples)"));
}

TEST_CASE("split names must be plain folder names, each once") {
  CHECK(check_split_names({{"train", ""}, {"val", ""}}).ok());
  for (const std::string bad : {"../x", "a/b", ".", "", ".x"})
    CHECK_FALSE(check_split_names({{bad, "1"}}).ok());
  CHECK_THAT(check_split_names({{"a", "1"}, {"a", "2"}}).error().message,
             ContainsSubstring("'a' is given twice"));
}

TEST_CASE("option --split folder strips the first part of the key") {
  const TempFolder folder;
  touch(folder, {"images/train/city/1.jpg", "images/val/2.jpg", "images/test/3.jpg",
                 "labels/train/city/1.png", "labels/val/2.png"});
  PackOptions options = folder_options(folder);
  options.input.split.method = Method::folder;
  const DiscoveredInput input = discovered_clean(options);
  CHECK(input.split_names() == Names{"test", "train", "val"});
  CHECK(input.pairs(folder, "train") ==
        Names{"city/1: images/train/city/1.jpg labels/train/city/1.png"});
  CHECK(input.pairs(folder, "test") == Names{"3: images/test/3.jpg"});
  CHECK_THAT(input.discovery.layout, ContainsSubstring("test: no labels: a set of images alone"));

  folder.write("images/4.jpg", "x");
  const Error error = refused(options);
  CHECK(error.code == ErrorCode::data);
  CHECK_THAT(error.describe(),
             ContainsSubstring("images/4.jpg: is in no folder that could be its split"));
}

TEST_CASE("key prefixes of several roots can be the splits") {
  const TempFolder folder;
  touch(folder, {"a/1.jpg", "a_L/1.png", "b/1.jpg", "b_L/1.png"});
  PackOptions options;
  options.input.images = {folder / "a", folder / "b"};
  options.input.labels = {folder / "a_L", folder / "b_L"};
  options.input.key_prefixes = {"train", "val"};
  options.input.split.method = Method::folder;
  const DiscoveredInput input = discovered_clean(options);
  CHECK(input.pairs(folder, "train") == Names{"1: a/1.jpg a_L/1.png"});
  CHECK(input.pairs(folder, "val") == Names{"1: b/1.jpg b_L/1.png"});
}

TEST_CASE("option --split list follows the lists and refuses overlaps with keys") {
  const TempFolder folder;
  touch(folder, {"images/1.jpg", "images/2.jpg", "images/3.jpg", "labels/1.png", "labels/2.png",
                 "labels/3.png"});
  folder.write("train.txt", "1\n2\n");
  folder.write("val.txt", "3\n");
  folder.write("both.txt", "2\n3\n");
  PackOptions options = folder_options(folder);
  options.input.split =
      shares(Method::list, {{"train", folder / "train.txt"}, {"val", folder / "val.txt"}});
  const DiscoveredInput input = discovered_clean(options);
  CHECK(input.keys("train") == Names{"1", "2"});
  CHECK(input.keys("val") == Names{"3"});
  options.input.split.parts[1].value = folder / "both.txt";
  const Error error = refused(options);
  CHECK(error.code == ErrorCode::data);
  CHECK_THAT(error.describe(),
             ContainsSubstring("both.txt: names 1 image that other lists name too: '2' (also in '" +
                               folder / "train.txt')"));
}

TEST_CASE("shares divide pairs with labels and classes") {
  const TempFolder folder;
  for (int i = 0; i < 10; ++i)
    touch(folder,
          {"images/c/" + std::to_string(i) + ".jpg", "labels/c/" + std::to_string(i) + ".png"});
  PackOptions options = folder_options(folder);
  options.input.split = shares(Method::ratio, {{"val", "2"}, {"train", "8"}});
  const DiscoveredInput input = discovered_clean(options);
  CHECK(input.split_names() == Names{"train", "val"});
  CHECK(input.keys("train").size() == 8);
  for (const std::string& pair : input.pairs(folder, "val"))
    CHECK(pair == "c/" + pair.substr(2, 1) + ": images/c/" + pair.substr(2, 1) + ".jpg labels/c/" +
                      pair.substr(2, 1) + ".png");
  touch(folder, {"images/d/x.jpg"});
  options.input.image_folders = std::exchange(options.input.images, {});
  options.input.labels.clear();
  CHECK(discovered_clean(options).list("val").class_names == Names{"c", "d"});
}
