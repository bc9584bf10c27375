#include "files/path_pattern.hpp"

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;

TEST_CASE("the first group is found or, without groups, the whole match") {
  const PathPattern group = PathPattern::compile("(.*)_img", "--pair-regex").value();
  CHECK(group.groups() == 1);
  CHECK(group.find("a/b_img.png").value() == "a/b");
  CHECK_FALSE(group.find("a/b.png").value().has_value());
  const PathPattern whole = PathPattern::compile("[0-9]+", "--group").value();
  CHECK(whole.find("seq12/0001").value() == "12");
}

TEST_CASE("an invalid expression is a usage error with option and expression") {
  const auto bad = PathPattern::compile("(a", "--group");
  REQUIRE_FALSE(bad.ok());
  CHECK(bad.error().code == ErrorCode::usage);
  CHECK_THAT(bad.error().message, ContainsSubstring("--group '(a': is no regular expression"));
}

TEST_CASE("a group that takes no part in the match finds nothing") {
  const PathPattern pattern = PathPattern::compile("a(b)?", "--group").value();
  CHECK_FALSE(pattern.find("ac").value().has_value());
}

TEST_CASE("the captures of several groups are joined") {
  const PathPattern pattern =
      PathPattern::compile("^(.*)/rgb_([0-9]+)(_far)?\\.", "--pair-regex").value();
  CHECK(pattern.find_all("creek/rgb_0001.jpg").value() == "creek/0001");
  CHECK(pattern.find_all("creek/rgb_0001_far.jpg").value() == "creek/0001/_far");
  CHECK_FALSE(pattern.find_all("creek/cls_0001.png").value().has_value());
  CHECK(pattern.find("creek/rgb_0001.jpg").value() == "creek");  // --group keeps to the first
}

TEST_CASE("an expression that would take for ever is refused with the text") {
  const PathPattern pattern = PathPattern::compile("^((?:a+)+)b", "--pair-regex").value();
  const auto found = pattern.find(std::string(200, 'a'));
  REQUIRE_FALSE(found.ok());
  CHECK(found.error().code == ErrorCode::usage);
  CHECK_THAT(found.error().message,
             ContainsSubstring("--pair-regex '^((?:a+)+)b': is too complex for 'aaa"));
  CHECK(pattern.find("aaab").value() == "aaa");
}

TEST_CASE("an expression that would overflow the stack is refused") {
  const PathPattern pattern = PathPattern::compile("((a|/)|b)*$", "--group").value();
  CHECK(pattern.find(std::string(200, 'a')).ok());
  const auto found = pattern.find(std::string(50'000, 'a'));
  REQUIRE_FALSE(found.ok());
  CHECK(found.error().code == ErrorCode::usage);
  CHECK_THAT(found.error().message, ContainsSubstring("--group '((a|/)|b)*$': is too complex"));
}

TEST_CASE("a match ends where the expression says, long texts too") {
  CHECK(PathPattern::compile("^(.*?)_", "--group").value().find("a_b_c").value() == "a");
  CHECK(PathPattern::compile("([^/]*)_(x|y)$", "--group")
            .value()
            .find(std::string(1000, 'd') + "/a_x")
            .value() == "a");
}
