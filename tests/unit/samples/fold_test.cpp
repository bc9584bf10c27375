#include "samples/fold.hpp"

#include "support/catch.hpp"

using namespace hotpack::pipeline;

namespace {

constexpr KeyFolding kCase{true, false}, kUnicode{false, true}, kBoth{true, true},
    kNumbers{false, false, true};

}  // namespace

TEST_CASE("case folds beyond ASCII, and nothing else does") {
  CHECK(folded("Stra\xC3\x9F"
               "E_01",
               kCase) == folded("STRASSe_01", kCase));
  CHECK(folded("\xD0\x9F\xD1\x83", kCase) == folded("\xD0\xBF\xD0\xA3", kCase));
  CHECK(folded("A", kUnicode) != folded("a", kUnicode));
  CHECK(folded("A", {}) == "A");
}

TEST_CASE("composed and decomposed characters are one in the Unicode form") {
  const std::string composed = "caf\xC3\xA9", decomposed = "cafe\xCC\x81";
  CHECK(folded(composed, kUnicode) == folded(decomposed, kUnicode));
  CHECK(folded(composed, kCase) != folded(decomposed, kCase));
  CHECK(folded("CAF\xC3\x89", kBoth) == folded(decomposed, kBoth));
}

TEST_CASE("text that is not UTF-8 stays unchanged") {
  CHECK(folded("a\xFF\xFE", kBoth) == "a\xFF\xFE");
}

TEST_CASE("leading zeros of numbers fold, other zeros do not") {
  CHECK(folded("00012", kNumbers) == "12");
  CHECK(folded("000", kNumbers) == "0");
  CHECK(folded("100_007x00", kNumbers) == "100_7x0");
  CHECK(folded("v01.05", kNumbers) == "v1.05");  // zeros after "1." are decimals
  CHECK(folded("A\xFF"
               "01",
               kNumbers) ==
        "A\xFF"
        "1");
  CHECK(folding_advice("0", "00000", {})->option == "--fold numbers");
  CHECK(folding_advice("A1", "a01", {})->option == "--fold case,numbers");
  CHECK(folding_advice("A1", "a01", {})->difference == "case and leading zeros only");
}

TEST_CASE("the advice names the smallest folding that makes two keys one") {
  CHECK(folding_advice("a/B", "a/b", {})->option == "--fold case");
  CHECK(folding_advice("\xC3\xA9", "e\xCC\x81", {})->option == "--fold unicode");
  CHECK(folding_advice("\xC3\x89", "e\xCC\x81", {})->option == "--fold case,unicode");
  CHECK(folding_advice("\xC3\xA9"
                       "1",
                       "e\xCC\x81"
                       "01",
                       {})
            ->option == "--fold unicode,numbers");
  CHECK(folding_advice("\xC3\x89"
                       "1",
                       "e\xCC\x81"
                       "01",
                       {})
            ->option == "--fold case,unicode,numbers");
  CHECK_FALSE(folding_advice("a", "b", {}));
}

TEST_CASE("the advice keeps the folding that is already given") {
  CHECK(folding_advice("\xC3\xA9", "e\xCC\x81", {true, false})->option == "--fold case,unicode");
  CHECK(folding_advice("a/B", "a/b", {false, true})->option == "--fold case,unicode");
}

TEST_CASE("names that are probably one are found, with their difference") {
  using Names = std::vector<std::string>;
  const auto difference = [](const Names& names) {
    const auto similar = similar_names(names);
    return similar ? similar->first + "|" + similar->second + "|" + similar->difference : "";
  };
  CHECK(difference({"Cat", "dog", "cat"}) == "Cat|cat|upper and lower case only");
  CHECK_THAT(difference({"caf\u00E9", "cafe\u0301"}), ContainsSubstring("Unicode form"));
  CHECK(difference({"traffic light", "traffic  light"}) ==
        "traffic light|traffic  light|blanks (and perhaps case) only");
  CHECK_THAT(difference({"cat", " Cat"}), ContainsSubstring("blanks"));
  CHECK_THAT(difference({"a b", "a\u00A0b"}), ContainsSubstring("blanks"));
  CHECK(difference({"cat", "dog", "cat", "cats", "c-at"}).empty());
}
