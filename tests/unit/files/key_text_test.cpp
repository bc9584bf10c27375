#include "files/key_text.hpp"

#include "support/catch.hpp"

using namespace hotpack::pipeline;

TEST_CASE("keys are relative paths in UTF-8") {
  for (const std::string good : {"a", "a/b", "a b/ü.x", "-a", "..a/b."}) CHECK(valid_key(good));
  for (const std::string bad : {"", "/a", "a/", "a//b", ".", "a/../b", "a\xFF"})
    CHECK_FALSE(valid_key(bad));
  CHECK_FALSE(valid_key(std::string("a\0b", 3)));
  CHECK(valid_key_prefix(""));
  CHECK(valid_key_prefix("a/b/"));
  CHECK_FALSE(valid_key_prefix("a/b"));
  CHECK_FALSE(valid_key_prefix("/"));
}

TEST_CASE("any path has a key, without roots, dots and empty parts") {
  CHECK(key_of_path("/SegNet/train/1") == "SegNet/train/1");
  CHECK(key_of_path("./a//b/./c") == "a/b/c");
  CHECK(key_of_path("../images/a") == "images/a");
  CHECK(key_of_path("a/x/../b") == "a/b");
  CHECK(key_of_path("../..").empty());
}

TEST_CASE("common split names are recognized in any case and with a year") {
  for (const std::string name :
       {"train", "Val", "valid", "validation", "TEST", "testing", "training", "dev", "trainval",
        "train2017", "test2", "trn", "tst", "Tra"})
    CHECK(usual_split_name(name));
  for (const std::string name :
       {"trains", "images", "cat", "2017", "", "train_labels", "train|val", "|", "rain", "tr"})
    CHECK_FALSE(usual_split_name(name));
}

TEST_CASE("a split is one folder that is not hidden") {
  CHECK(valid_split_name("train"));
  for (const std::string bad : {"", ".", "..", "a/b", ".hidden"})
    CHECK_FALSE(valid_split_name(bad));
}
