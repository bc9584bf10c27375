#include "pipeline/path_pattern.hpp"

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;

TEST_CASE("the first group is what is found, or the whole match") {
  const PathPattern group = PathPattern::compile("(.*)_img", "--pair-regex").value();
  CHECK(group.groups() == 1);
  CHECK(group.find("a/b_img.png").value() == "a/b");
  CHECK_FALSE(group.find("a/b.png").value().has_value());
  const PathPattern whole = PathPattern::compile("[0-9]+", "--group").value();
  CHECK(whole.find("seq12/0001").value() == "12");
}

TEST_CASE("an expression that is none is a usage error naming option and expression") {
  const auto bad = PathPattern::compile("(a", "--group");
  REQUIRE_FALSE(bad.ok());
  CHECK(bad.error().code == ErrorCode::usage);
  CHECK_THAT(bad.error().message, ContainsSubstring("--group '(a': is no regular expression"));
}

TEST_CASE("a group that takes no part in the match finds nothing") {
  const PathPattern pattern = PathPattern::compile("a(b)?", "--group").value();
  CHECK_FALSE(pattern.find("ac").value().has_value());
}
