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
  CHECK_THAT(bad.error().message,
             ContainsSubstring("--group '(a': is no regular expression (missing closing "
                               "parenthesis, after '(a')"));
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

TEST_CASE("all ways to match are found") {
  const PathPattern pattern = PathPattern::compile("^(.+)_(.+)$(?C)", "--group").value();
  const std::vector<PathPattern::Parts> ways = pattern.ways("a_b_c").value();
  REQUIRE(ways.size() == 2);
  CHECK(ways[0] == PathPattern::Parts{"a_b_c", "a_b", "c"});
  CHECK(ways[1] == PathPattern::Parts{"a_b_c", "a", "b_c"});
  CHECK(pattern.ways("abc").value().empty());
  CHECK(pattern.match("a_b_c").value() == PathPattern::Parts{"a_b_c", "a_b", "c"});
}

TEST_CASE("placeholders of a text become expressions") {
  const std::vector<Placeholder> places{{"{n}", "([0-9]+)"}, {"*", "[^/]*"}};
  CHECK(placeholder_pattern("a.b/{n}_*{m}", places) == "a\\.b/([0-9]+)_[^/]*\\{m\\}");
}

TEST_CASE("a match that would take for ever is an error with short texts") {
  const std::string long_part = "(?:" + std::string(100, 'a') + "|a|aa)";
  const PathPattern pattern =
      PathPattern::compile(long_part + "+" + "(?:a|aa)+$", "--group").value();
  const auto found = pattern.find(std::string(3000, 'a') + "b");
  REQUIRE_FALSE(found.ok());
  CHECK(found.error().code == ErrorCode::usage);
  CHECK(found.error().message == "--group '(?:" + std::string(57, 'a') +
                                     "…': is too complex for '" + std::string(60, 'a') +
                                     "…' (match limit exceeded); write a simpler one");
  CHECK(pattern.find("aaab").value() == std::nullopt);
  CHECK(pattern.find("aaa").value() == "aaa");
}

TEST_CASE("a message cuts texts between characters") {
  std::string accents;
  for (int i = 0; i < 40; ++i) accents += "é";
  const auto bad = PathPattern::compile("x" + accents + "(", "--group");
  REQUIRE_FALSE(bad.ok());
  CHECK_THAT(bad.error().message,
             Catch::Matchers::StartsWith("--group 'x" + accents.substr(0, 58) + "…': is no"));
}

TEST_CASE("nested repetitions match the longest keys without the stack") {
  const PathPattern pattern = PathPattern::compile("((a|/)|b)*$", "--group").value();
  for (const std::size_t length : {std::size_t{200}, std::size_t{3000}, std::size_t{65'000}})
    CHECK(pattern.find(std::string(length, 'a')).value() == "a");
  CHECK(pattern.find(std::string(3000, 'a') + "xb").value() == "b");
}

TEST_CASE("a match that needs too much memory is an error") {
  std::string groups;
  for (int i = 0; i < 200; ++i) groups += "()";
  const PathPattern pattern = PathPattern::compile("^((a|/|" + groups + "b))*$", "--group").value();
  const auto found = pattern.find(std::string(65'000, 'a'));
  REQUIRE_FALSE(found.ok());
  CHECK_THAT(found.error().message, ContainsSubstring("(heap limit exceeded); write a simpler"));
}

TEST_CASE("letters are characters, also beyond ASCII") {
  const PathPattern pattern = PathPattern::compile("^(.[äö])_", "--group").value();
  CHECK(pattern.find("Bä_1").value() == "Bä");
  CHECK(pattern.find("éö_1").value() == "éö");
  CHECK_FALSE(pattern.find("\xC3ä_1").value().has_value());  // no UTF-8: it matches nothing
  CHECK(PathPattern::compile("1$", "--group").value().find("\xFF/1").value() == "1");
}

TEST_CASE("the end is the end of the text, and an empty class matches nothing") {
  CHECK_FALSE(PathPattern::compile("a$", "--group").value().find("a\n").value().has_value());
  CHECK_FALSE(PathPattern::compile("a[]", "--group").value().find("a").value().has_value());
  CHECK(PathPattern::compile("(a)|b\\1c", "--group").value().find_all("bc").value() ==
        std::nullopt);
  CHECK(PathPattern::compile("((a)|b\\2c)", "--group").value().find("bc").value() == "bc");
}

TEST_CASE("a pattern may be the whole text in any case") {
  const PathPattern whole =
      PathPattern::compile("(images?)|(labels?)", "", {.caseless = true, .whole = true}).value();
  const PathPattern::Parts parts = whole.match("Labels").value();
  REQUIRE(parts.size() == 3);
  CHECK(parts[0] == "Labels");
  CHECK(parts[1] == std::nullopt);
  CHECK(parts[2] == "Labels");
  CHECK(whole.match("labels2").value().empty());
  CHECK(whole.groups() == 2);
}

TEST_CASE("a match ends where the expression says, long texts too") {
  CHECK(PathPattern::compile("^(.*?)_", "--group").value().find("a_b_c").value() == "a");
  CHECK(PathPattern::compile("([^/]*)_(x|y)$", "--group")
            .value()
            .find(std::string(1000, 'd') + "/a_x")
            .value() == "a");
}
