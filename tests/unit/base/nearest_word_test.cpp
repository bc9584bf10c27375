#include "base/nearest_word.hpp"

#include "support/catch.hpp"

using namespace hotpack;

TEST_CASE("the nearest word is found and nothing far away is suggested") {
  const std::vector<std::string> options = {"--size", "--shard-size", "--images", "--labels",
                                            "--ignore"};
  CHECK(nearest_word("--sise", options) == "--size");
  CHECK(nearest_word("--szie", options) == "--size");
  CHECK(nearest_word("--image", options) == "--images");
  CHECK(nearest_word("--shardsize", options) == "--shard-size");
  CHECK_FALSE(nearest_word("--verify-everything", options));
  const std::vector<std::string> longer = {"--pairs", "--partition", "--orphans", "--output"};
  CHECK(nearest_word("--part", longer) == "--partition");
  CHECK(nearest_word("--out", longer) == "--output");
  CHECK(nearest_word("--o", longer) == std::nullopt);
  CHECK_FALSE(nearest_word("x", {}));
}
