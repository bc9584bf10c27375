#include "samples/sample_list.hpp"

#include "files/scan.hpp"
#include "samples/mask_pattern.hpp"
#include "support/discover_inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

struct Paired {
  SampleList list;
  ProblemLog problems;
  std::uint64_t left_out = 0;
};

FileList found(const TempFolder& folder, const std::string& root, std::string_view suffix = "",
               const std::string& prefix = "") {
  ProblemLog problems;
  FileList list = scan_images({{folder / root, prefix}}, problems).value();
  strip_suffix(list, suffix);
  return list;
}

// Images below `images`, labels below `labels`.
Paired paired(const TempFolder& folder, bool skip_orphans = false,
              std::string_view image_suffix = "", std::string_view label_suffix = "") {
  Paired result;
  result.list =
      pair_files(found(folder, "images", image_suffix), found(folder, "labels", label_suffix),
                 {.skip_orphans = skip_orphans}, result.problems, result.left_out);
  return result;
}

Names pairs_of(const TempFolder& folder, const SampleList& list) {
  Names pairs;
  for (const Sample& sample : list.samples)
    pairs.push_back(std::string(list.key(sample)) + ": " +
                    std::filesystem::relative(list.image_path(sample), folder.path()).string() +
                    " " +
                    std::filesystem::relative(list.label_path(sample), folder.path()).string());
  return pairs;
}

}  // namespace

TEST_CASE("a file that folding would pair has the option as a value") {
  const TempFolder folder;
  touch(folder, {"images/A.png", "images/b.png", "labels/a.png", "labels/c.png"});
  const Paired result = paired(folder);
  const auto& images = result.problems.group(ProblemKind::orphan_image).examples;
  REQUIRE(images.size() == 2);
  CHECK(images[0].option == "--fold case");
  CHECK_THAT(images[0].detail, ContainsSubstring("upper and lower case only"));
  CHECK(images[1].option.empty());
}

TEST_CASE("images and labels are paired by key, whatever their extensions") {
  const TempFolder folder;
  touch(folder, {"images/b.jpg", "images/a.PNG", "images/deep/a.jpeg", "labels/deep/a.png",
                 "labels/a.png", "labels/b.PNG"});
  const Paired result = paired(folder);
  CHECK(result.problems.text() == "");
  CHECK(pairs_of(folder, result.list) == Names{"a: images/a.PNG labels/a.png",
                                               "b: images/b.jpg labels/b.PNG",
                                               "deep/a: images/deep/a.jpeg labels/deep/a.png"});
  CHECK(result.list.has_label_files);
}

TEST_CASE("a missing label does not shift the pairs after it") {
  const TempFolder folder;
  touch(folder, {"images/1.png", "images/2.png", "images/3.png", "labels/1.png", "labels/3.png",
                 "labels/4.png"});
  const Paired result = paired(folder, true);
  CHECK(pairs_of(folder, result.list) ==
        Names{"1: images/1.png labels/1.png", "3: images/3.png labels/3.png"});
}

TEST_CASE("each side has its suffix") {
  const TempFolder folder;
  touch(folder, {"images/ulm/1_leftImg8bit.png", "labels/ulm/1_gtFine_labelIds.png",
                 "labels/ulm/1_gtFine_color.png", "labels/ulm/1_gtFine_instanceIds.png"});
  const Paired result = paired(folder, false, "_leftImg8bit", "_gtFine_labelIds");
  CHECK(result.problems.text() == "");
  CHECK(pairs_of(folder, result.list) ==
        Names{"ulm/1: images/ulm/1_leftImg8bit.png labels/ulm/1_gtFine_labelIds.png"});
}

TEST_CASE("order is that of bytes, of the whole key") {
  const TempFolder folder;
  touch(folder, {"images/b.png", "images/a/z.png", "images/a-b.png", "images/B.png", "images/é.png",
                 "images/10.png", "images/9.png"});
  ProblemLog problems;
  const SampleList list = images_alone(found(folder, "images"), problems);
  Names keys;
  for (const Sample& sample : list.samples) keys.emplace_back(list.key(sample));
  CHECK(keys == Names{"10", "9", "B", "a-b", "a/z", "b", "é"});
}

TEST_CASE("orphans on both sides are problems with file and key") {
  const TempFolder folder;
  touch(folder, {"images/a.png", "images/b.png", "labels/b.png", "labels/c.png", "labels/d.png"});
  const Paired result = paired(folder);
  CHECK(pairs_of(folder, result.list) == Names{"b: images/b.png labels/b.png"});
  CHECK(result.problems.group(ProblemKind::orphan_image).count == 1);
  CHECK(result.problems.group(ProblemKind::orphan_label).count == 2);
  CHECK(result.problems.group(ProblemKind::orphan_image).examples[0].text() ==
        folder / "images/a.png: no label has its key 'a'");
  CHECK(result.problems.group(ProblemKind::orphan_label).examples[0].text() ==
        folder / "labels/c.png: no image has its key 'c'");
  CHECK(result.left_out == 0);
}

TEST_CASE("orphans may be left out and are counted") {
  const TempFolder folder;
  touch(folder, {"images/a.png", "images/b.png", "labels/b.png", "labels/c.png", "labels/d.png"});
  const Paired result = paired(folder, true);
  CHECK(result.problems.count() == 0);
  CHECK(result.left_out == 3);
  CHECK(result.list.samples.size() == 1);
}

TEST_CASE("two files with one key are a problem on either side") {
  const TempFolder folder;
  touch(folder, {"images/a.png", "images/a.jpg", "images/b.png", "labels/a.png", "labels/b.png",
                 "labels/b.PNG", "labels/b.jpg"});
  for (const bool skip : {false, true}) {
    const Paired result = paired(folder, skip);
    CHECK(result.problems.group(ProblemKind::twin_file).count == 3);
    CHECK(result.problems.count() == 3);
    CHECK_THAT(result.problems.text(),
               ContainsSubstring(folder / "images/a.png: has the same key 'a' as the image '" +
                                 folder / "images/a.jpg'"));
    CHECK_THAT(result.problems.text(),
               ContainsSubstring("as the label '" + folder / "labels/b.PNG'"));
  }
}

TEST_CASE("key prefixes keep equal names of several roots apart") {
  const TempFolder folder;
  touch(folder, {"one/a.png", "two/a.png"});
  ProblemLog clash;
  FileList both = scan_images({{folder / "one", ""}, {folder / "two", ""}}, clash).value();
  (void)images_alone(std::move(both), clash);
  CHECK(clash.group(ProblemKind::duplicate_key).count == 1);
  CHECK_THAT(clash.text(), ContainsSubstring("--key-prefix"));

  ProblemLog none;
  FileList apart = scan_images({{folder / "one", "one/"}, {folder / "two", "two/"}}, none).value();
  const SampleList list = images_alone(std::move(apart), none);
  CHECK(none.count() == 0);
  REQUIRE(list.samples.size() == 2);
  CHECK(list.key(list.samples[1]) == "two/a");
  CHECK(list.image_path(list.samples[1]) == folder / "two/a.png");
}

TEST_CASE("an image alone has no label and no class") {
  const TempFolder folder;
  touch(folder, {"images/a.png"});
  ProblemLog problems;
  const SampleList list = images_alone(found(folder, "images"), problems);
  REQUIRE(list.samples.size() == 1);
  CHECK_FALSE(list.has_label_files);
  CHECK(list.samples[0].label.bytes == 0);
  CHECK(list.samples[0].class_id == kNoClass);
}

TEST_CASE("the class is the first folder of the path, empty ones stay classes") {
  const TempFolder folder;
  touch(folder, {"images/cat/deep/1.png", "images/ant/1.png"});
  std::filesystem::create_directory(folder / "images/bee");
  ProblemLog problems;
  FileList files = scan_class_folders({{folder / "images", "a/b/"}}, problems).value();
  const SampleList list = images_by_folder(std::move(files), problems);
  CHECK(list.class_names == Names{"ant", "bee", "cat"});
  REQUIRE(list.samples.size() == 2);
  CHECK(list.key(list.samples[1]) == "a/b/cat/deep/1");
  CHECK(list.samples[0].class_name == 0);
  CHECK(list.samples[1].class_name == 2);
  CHECK_FALSE(list.has_label_files);
}

TEST_CASE("each image has its masks sorted by name") {
  const TempFolder folder;
  touch(folder,
        {"images/1.jpg", "images/2.jpg", "images/3.jpg", "labels/2_car.png", "labels/1_road.png",
         "labels/1_car.png", "labels/4_car.png", "labels/1_road.jpg", "labels/legend.png"});
  const NamePattern pattern = NamePattern::of_masks("{key}_{class}").value();
  FileList images = found(folder, "images");
  FileList masks = found(folder, "labels");
  sort_by_key(images);
  REQUIRE(key_masks(masks, images, std::span(&pattern, 1), {}).ok());
  const auto keyless = std::count_if(masks.files.begin(), masks.files.end(),
                                     [](const FoundFile& mask) { return mask.key_length == 0; });
  CHECK(keyless == 1);
  drop_keyless(masks);
  ProblemLog problems;
  std::uint64_t left_out = 0;
  const SampleList list =
      pair_files(std::move(images), std::move(masks), {&pattern}, problems, left_out);
  CHECK(list.mask_names == Names{"car", "road"});
  REQUIRE(list.samples.size() == 2);
  Names paths;
  for (const Sample& sample : list.samples)
    for (const Mask& mask : list.masks_of(sample))
      paths.push_back(list.mask_names[mask.name] + " " + list.mask_path(mask));
  CHECK(paths == Names{"car " + folder / "labels/1_car.png", "road " + folder / "labels/1_road.jpg",
                       "car " + folder / "labels/2_car.png"});
  CHECK(problems.group(ProblemKind::orphan_image).count == 1);
  CHECK(problems.group(ProblemKind::orphan_label).count == 1);
  CHECK_THAT(
      problems.text(),
      ContainsSubstring("labels/1_road.png: is a mask of class 'road' for the same image as '" +
                        folder / "labels/1_road.jpg"));
}

TEST_CASE("a divided list has the samples, text and masks of its part alone") {
  const TempFolder folder;
  touch(folder, {"images/1.jpg", "images/2.jpg", "images/3.jpg", "labels/1_a.png", "labels/2_a.png",
                 "labels/2_b.png", "labels/3_b.png"});
  const NamePattern pattern = NamePattern::of_masks("{key}_{class}").value();
  FileList images = found(folder, "images");
  FileList masks = found(folder, "labels");
  sort_by_key(images);
  REQUIRE(key_masks(masks, images, std::span(&pattern, 1), {}).ok());
  ProblemLog problems;
  std::uint64_t left_out = 0;
  const SampleList all =
      pair_files(std::move(images), std::move(masks), {&pattern}, problems, left_out);
  const std::vector<SampleList> parts = divide_samples(all, {1, 0, 1}, 2);
  REQUIRE(parts[0].samples.size() == 1);
  REQUIRE(parts[1].samples.size() == 2);
  CHECK(parts[0].key(parts[0].samples[0]) == "2");
  CHECK(parts[0].image_path(parts[0].samples[0]) == folder / "images/2.jpg");
  REQUIRE(parts[0].masks_of(parts[0].samples[0]).size() == 2);
  CHECK(parts[0].mask_path(parts[0].masks[1]) == folder / "labels/2_b.png");
  CHECK(parts[1].mask_path(parts[1].masks[0]) == folder / "labels/1_a.png");
  CHECK(parts[1].images.arena.memory_bytes() < all.images.arena.memory_bytes() + 16);
}

TEST_CASE("a sample of a plan costs at most 80 bytes and its paths twice") {
  FileList images, labels;
  images.roots = labels.roots = {{"/data", ""}};
  constexpr std::size_t kSamples = 100000;
  std::uint64_t text_bytes = 0;
  for (std::size_t i = 0; i < kSamples; ++i) {
    for (FileList* list : {&images, &labels}) {
      FoundFile file;
      const std::string name = "some/folder/" + std::to_string(i) + ".png";
      file.text = file.key = list->arena.add(name);
      file.text_length = static_cast<std::uint16_t>(name.size());
      file.key_length = static_cast<std::uint16_t>(name.size() - 4);
      file.bytes = 1;
      list->files.push_back(file);
      text_bytes += name.size();
    }
  }
  ProblemLog problems;
  std::uint64_t left_out = 0;
  const SampleList list = pair_files(std::move(images), std::move(labels), {}, problems, left_out);
  REQUIRE(list.samples.size() == kSamples);
  CHECK(list.memory_bytes() <= 80 * kSamples + 2 * text_bytes);
}

TEST_CASE("appended samples have keys with a prefix, and joined classes") {
  const TempFolder folder;
  touch(folder, {"a/x/1.png", "a/z/2.png", "b/y/1.png", "b/z/3.png"});
  ProblemLog problems;
  const auto classes = [&](const std::string& root) {
    return images_by_folder(scan_class_folders({{folder / root, ""}}, problems).value(), problems);
  };
  SampleList list;
  append_samples(classes("b"), "b/", list);
  append_samples(classes("a"), "a/", list);
  Names all;
  for (const Sample& sample : list.samples)
    all.push_back(std::string(list.key(sample)) + " " + list.class_names[sample.class_name] + " " +
                  std::filesystem::relative(list.image_path(sample), folder.path()).string());
  CHECK(all ==
        Names{"a/x/1 x a/x/1.png", "a/z/2 z a/z/2.png", "b/y/1 y b/y/1.png", "b/z/3 z b/z/3.png"});
}

TEST_CASE("appended masks stay with their images") {
  const TempFolder folder;
  touch(folder, {"a/images/1.jpg", "a/labels/1_u.png", "a/labels/1_v.png", "b/images/1.jpg",
                 "b/labels/1_t.png", "b/labels/1_v.png"});
  const NamePattern pattern = NamePattern::of_masks("{key}_{class}").value();
  SampleList list;
  for (const std::string root : {"b", "a"}) {
    FileList images = found(folder, root + "/images"), masks = found(folder, root + "/labels");
    sort_by_key(images);
    REQUIRE(key_masks(masks, images, std::span(&pattern, 1), {}).ok());
    ProblemLog problems;
    std::uint64_t left_out = 0;
    append_samples(pair_files(std::move(images), std::move(masks), {&pattern}, problems, left_out),
                   root + "/", list);
  }
  Names all;
  for (const Sample& sample : list.samples)
    for (const Mask& mask : list.masks_of(sample))
      all.push_back(std::string(list.key(sample)) + " " + list.mask_names[mask.name] + " " +
                    std::filesystem::relative(list.mask_path(mask), folder.path()).string());
  CHECK(all == Names{"a/1 u a/labels/1_u.png", "a/1 v a/labels/1_v.png", "b/1 t b/labels/1_t.png",
                     "b/1 v b/labels/1_v.png"});
}

TEST_CASE("a pattern with * in the name unites the masks of a class") {
  const TempFolder folder;
  touch(folder, {"images/1.jpg", "labels/1_t_1.png", "labels/1_t_2.png", "labels/1_v_1.png",
                 "labels/x/1_t_3.png"});
  const auto masks_by = [&](const std::string& text, ProblemLog& problems) {
    const NamePattern pattern = NamePattern::of_masks(text).value();
    FileList images = found(folder, "images"), masks = found(folder, "labels");
    sort_by_key(images);
    REQUIRE(key_masks(masks, images, std::span(&pattern, 1), {}).ok());
    drop_keyless(masks);
    std::uint64_t left_out = 0;
    const SampleList list = pair_files(std::move(images), std::move(masks), {&pattern, false, true},
                                       problems, left_out);
    Names all;
    for (const Mask& mask : list.masks) all.push_back(list.mask_names[mask.name]);
    return all;
  };
  ProblemLog united, apart;
  CHECK(masks_by("{key}_{class}_*", united) == Names{"t", "t", "v"});
  CHECK(united.text() == "");
  touch(folder, {"labels/y/1_t_3.png"});
  CHECK(masks_by("*/{key}_{class}", apart) == Names{"t_3"});
  CHECK_THAT(apart.text(), ContainsSubstring("is a mask of class 't_3' for the same image as"));
}
