#include "samples/input_check.hpp"

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;

namespace {

template <class Change>
std::string refusal(Change change) {
  InputOptions input;
  change(input);
  const Status status = check_inputs(input);
  if (status.ok()) return "";
  CHECK(status.error().code == ErrorCode::usage);
  return status.error().message;
}

void folders(InputOptions& i) { i.images = {"a"}, i.labels = {"b"}; }

}  // namespace

TEST_CASE("input options that go together are accepted") {
  CHECK(refusal(folders).empty());
  CHECK(refusal([](InputOptions& i) {
          i.root = "x", i.label_suffix = "_L", i.mask_per_class.clear();
        }).empty());
  CHECK(refusal([](InputOptions& i) { i.image_folders = {"x"}, i.allow_empty = true; }).empty());
  CHECK(refusal([](InputOptions& i) {
          i.pairs = "x", i.list_root = "y", i.strip_prefix = "z";
        }).empty());
  CHECK(refusal([](InputOptions& i) { i.list = "x"; }).empty());
  CHECK(refusal([](InputOptions& i) {
          folders(i), i.list = "x", i.image_regex = "(a)", i.label_regex = "(?:b)(a)";
        }).empty());
}

TEST_CASE("exactly one source of samples") {
  CHECK_THAT(refusal([](InputOptions&) {}), ContainsSubstring("no images are given"));
  CHECK_THAT(refusal([](InputOptions& i) { i.root = "x", i.images = {"y"}; }),
             ContainsSubstring("the folder of a data set and --images both name the samples"));
  CHECK_THAT(refusal([](InputOptions& i) { i.images = {"x"}, i.image_folders = {"y"}; }),
             ContainsSubstring("--images and --image-folders"));
  CHECK_THAT(refusal([](InputOptions& i) { i.images = {"x"}, i.pairs = "y"; }),
             ContainsSubstring("--images and --pairs"));
}

TEST_CASE("options that go with others say with which") {
  CHECK_THAT(refusal([](InputOptions& i) { i.image_folders = {"x"}, i.labels = {"y"}; }),
             ContainsSubstring("--labels needs --images"));
  CHECK_THAT(refusal([](InputOptions& i) { i.root = "x", i.labels = {"y"}; }),
             ContainsSubstring("--labels needs --images"));
  CHECK_THAT(refusal([](InputOptions& i) { i.images = {"x"}, i.label_suffix = "_L"; }),
             ContainsSubstring("--label-suffix needs --labels"));
  CHECK_THAT(refusal([](InputOptions& i) { i.pairs = "x", i.image_suffix = "_L"; }),
             ContainsSubstring("--image-suffix needs"));
  CHECK_THAT(refusal([](InputOptions& i) { i.images = {"x"}, i.mask_per_class = "{key}_{class}"; }),
             ContainsSubstring("give --images and --labels"));
  CHECK_THAT(refusal([](InputOptions& i) { i.root = "x", i.key_prefixes = {"y"}; }),
             ContainsSubstring("--key-prefix needs"));
  CHECK_THAT(refusal([](InputOptions& i) { i.root = "x", i.list_root = "y"; }),
             ContainsSubstring("give the folder of a data set without an option"));
  CHECK_THAT(refusal([](InputOptions& i) { folders(i), i.columns.image = "y"; }),
             ContainsSubstring("--columns names columns of the table of --pairs"));
  CHECK_THAT(refusal([](InputOptions& i) { folders(i), i.strip_prefix = "y"; }),
             ContainsSubstring("--strip-prefix needs"));
  CHECK_THAT(refusal([](InputOptions& i) { folders(i), i.allow_empty = true; }),
             ContainsSubstring("--allow-empty"));
  CHECK_THAT(refusal([](InputOptions& i) { i.pairs = "x", i.list = "y"; }),
             ContainsSubstring("lists the samples already"));
  CHECK_THAT(refusal([](InputOptions& i) { folders(i), i.split.group = "a"; }),
             ContainsSubstring("--group needs --split ratio or --split hash"));
  CHECK_THAT(refusal([](InputOptions& i) {
               i.pairs = "x", i.split.method = SplitOptions::Method::folder;
             }),
             ContainsSubstring("a column 'split' of the table"));
  CHECK_THAT(refusal([](InputOptions& i) {
               folders(i), i.list = "x", i.split.method = SplitOptions::Method::list,
                           i.split.parts = {{"a", "f"}};
             }),
             ContainsSubstring("--list and --split list"));
}

TEST_CASE("option --pair-regex takes two expressions with groups, alone") {
  const auto regex = [](InputOptions& i) {
    folders(i), i.image_regex = "(.*)_img", i.label_regex = "(.*)_gt";
  };
  CHECK(refusal(regex).empty());
  CHECK_THAT(refusal([&](InputOptions& i) { regex(i), i.labels.clear(); }),
             ContainsSubstring("--pair-regex needs --images and --labels"));
  CHECK_THAT(refusal([&](InputOptions& i) { regex(i), i.label_suffix = "x"; }),
             ContainsSubstring("--pair-regex and suffixes"));
  CHECK_THAT(refusal([&](InputOptions& i) { regex(i), i.mask_per_class = "{key}_{class}"; }),
             ContainsSubstring("--mask-per-class exclude"));
  CHECK_THAT(refusal([&](InputOptions& i) { regex(i), i.image_regex = "a"; }),
             ContainsSubstring("--pair-regex 'a' has no capture group; add at least one"));
  CHECK(refusal([&](InputOptions& i) { regex(i), i.image_regex = "(a)(b)"; }).empty());
  CHECK_THAT(refusal([&](InputOptions& i) { regex(i), i.label_regex = "(a"; }),
             ContainsSubstring("is no regular expression"));
}
