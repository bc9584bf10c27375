#include "files/name_pattern.hpp"

#include <filesystem>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/temp_folder.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;

namespace {

std::string ways(const std::string& pattern, const std::string& stem) {
  const NamePattern parsed = NamePattern::of_masks(pattern).value();
  std::string text;
  for (const NamePattern::Match& match : parsed.matches(stem).value())
    text += (text.empty() ? "" : " | ") + std::string(match.key) + ": " + std::string(match.name);
  return text;
}

}  // namespace

TEST_CASE("the pattern says where key and class are") {
  CHECK(ways("{key}_{class}", "town/1_car") == "town/1: car");
  CHECK(ways("{class}/{key}", "car/town/1") == "town/1: car");
  CHECK(ways("{key}/{class}", "town/1/car") == "town/1: car");
  CHECK(ways("masks/{key}-{class}_m", "masks/1-car_m") == "1: car");
  CHECK(ways("masks/{key}-{class}_m", "other/1-car_m").empty());
  CHECK(ways("{key}_{class}", "nothing").empty());
  CHECK(ways("{key}_{class}", "_car").empty());
  CHECK(ways("{key}_{class}", "1_").empty());
}

TEST_CASE("several matches are tried, the longest key first") {
  CHECK(ways("{key}_{class}", "a_b_c") == "a_b: c | a: b_c");
  CHECK(ways("{class}_{key}", "a_b_c") == "b_c: a | c: a_b");
}

TEST_CASE("a pattern needs both words once with text between them") {
  for (const std::string bad :
       {"{key}", "{class}", "x", "{key}{class}", "{key}_{key}_{class}", "{class}_{key}_{class}"}) {
    const auto pattern = NamePattern::of_masks(bad);
    REQUIRE_FALSE(pattern.ok());
    CHECK(pattern.error().code == ErrorCode::usage);
    CHECK_THAT(pattern.error().message, ContainsSubstring("--mask-per-class '" + bad + "'"));
  }
}

TEST_CASE("a star stands for text within one part of a path") {
  CHECK(ways("*/{key}_{class}", "0/00001_hair") == "00001: hair");
  CHECK(ways("*/{key}_{class}", "0/1/2_hair") == "1/2: hair");
  CHECK(ways("*/{key}_{class}", "2_hair").empty());
}

TEST_CASE("a pattern of files is for names with their extension") {
  const auto keys = [](const std::string& pattern, const std::string& path) {
    const NamePattern parsed =
        NamePattern::of_files(pattern, "--labels '" + pattern + "': ").value();
    std::string text;
    for (const NamePattern::Match& match : parsed.matches(path).value())
      text += (text.empty() ? "" : " | ") + std::string(match.key);
    return text;
  };
  CHECK(keys("{key}/masks/*", "a/masks/1.png") == "a");
  CHECK(keys("{key}/masks/*", "a/masks/b/1.png").empty());
  CHECK(keys("{key}_*.png", "a_b_c.png") == "a_b | a");
  CHECK(keys("{key}_mask*.png", "benign (4)_mask.png") == "benign (4)");
  CHECK(keys("{key}_mask*.png", "benign (4)_mask_1.png") == "benign (4)");
  CHECK(keys("{key}.jpg", "deep/a.jpg") == "deep/a");
  CHECK(keys("{key}.jpg", "a.png").empty());
  CHECK(keys("{key}/{key}.png", "a/a.png") == "a");
  CHECK(keys("{key}/{key}.png", "a/b.png").empty());
  CHECK(keys("*_{key}.png", "x_y_1.png") == "y_1 | 1");
}

TEST_CASE("text that cannot be a key is no match") {
  const NamePattern pattern = NamePattern::of_files("x{key}.png", "").value();
  CHECK(pattern.matches("x/a.png").value().empty());
  CHECK(pattern.matches("x...png").value().empty());
  CHECK(pattern.matches("xa.png").value().size() == 1);
  CHECK(pattern.fits("x/a.png"));
}

TEST_CASE("characters with a meaning in expressions are literal") {
  CHECK(ways("({key})+[{class}]", "(a)+[car]") == "a: car");
  CHECK(ways("({key})+[{class}]", "(a)[car]").empty());
  CHECK(ways("{key}\n_{class}", "1\n2\n_car") == "1\n2: car");
}

TEST_CASE("a pattern with too many ways to match is refused") {
  std::string pattern = "{key}", name(200, '_');
  for (int i = 0; i < 9; ++i) pattern += "_*";
  const NamePattern parsed = NamePattern::of_files(pattern + "x.png", "--labels 'P': ").value();
  const auto found = parsed.matches(name + ".png");
  REQUIRE_FALSE(found.ok());
  CHECK_THAT(found.error().message, ContainsSubstring("--labels '" + pattern + "x.png'") &&
                                        ContainsSubstring("is too complex for"));
  CHECK(parsed.fits(name + ".png"));
}

TEST_CASE("a pattern of files that leaves the key open is refused") {
  const std::vector<std::pair<std::string, std::string>> bad{
      {"*.png", "needs {key}"},
      {"{key}*.png", "must show where one ends"},
      {"{key}_{class}.png", "{class} is a placeholder of --mask-per-class"},
      {"masks/{key}", "write an extension behind {key}"},
  };
  for (const auto& [pattern, why] : bad) {
    const auto parsed = NamePattern::of_files(pattern, "--labels '" + pattern + "': ");
    REQUIRE_FALSE(parsed.ok());
    CHECK(parsed.error().code == ErrorCode::usage);
    CHECK_THAT(parsed.error().message,
               ContainsSubstring("--labels '" + pattern + "'") && ContainsSubstring(why));
  }
}

TEST_CASE("the folder of a pattern is what stands before placeholders") {
  const auto folder = [](const std::string& value) {
    const PlacedPattern placed = parse_placed_pattern(value, "--images").value();
    return placed.folder + (placed.pattern.given() ? " +" : "");
  };
  CHECK(folder("train/{key}/images/*") == "train +");
  CHECK(folder("a/b_{key}.png") == "a +");
  CHECK(folder("{key}.png") == ". +");
  CHECK(folder("/{key}.png") == "/ +");
  CHECK(folder("a/b") == "a/b");
}

TEST_CASE("placeholders in the names of folders are text") {
  const TempFolder root;
  std::filesystem::create_directories(root / "K{key}/left*");
  const auto folder = [&](const std::string& value) {
    const PlacedPattern placed = parse_placed_pattern(root / value, "--images").value();
    return placed.folder.substr(root.path().size()) + (placed.pattern.given() ? " +" : "");
  };
  CHECK(folder("K{key}") == "/K{key}");
  CHECK(folder("K{key}/left*/") == "/K{key}/left*/");
  CHECK(folder("K{key}/left*/{key}_gt.png") == "/K{key}/left* +");
  CHECK(folder("K{key}/{key}_gt.png") == "/K{key} +");
  CHECK(folder("L{key}/a_{key}.png") == " +");
}

TEST_CASE("a placeholder without meaning is refused") {
  const Result<PlacedPattern> placed = parse_placed_pattern("in/{a}/{b}", "--images");
  REQUIRE_FALSE(placed.ok());
  CHECK(placed.error().code == ErrorCode::usage);
  CHECK_THAT(
      placed.error().message,
      ContainsSubstring("--images 'in/{a}/{b}': {a} is no placeholder: the only one is {key}"));
  CHECK(parse_placed_pattern("in/{}", "--images").ok());
}
