#include "preview/page.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/checksum.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::preview;

namespace {

// The data that a page refers to.
struct Given {
  std::vector<PageCell> cells;
  std::vector<ClassInfo> classes;
  std::vector<RgbColor> colors{{255, 128, 0}, {0, 0, 0}};
};

std::vector<std::byte> bytes(std::string_view text) {
  const auto span = bytes_of(text);
  return {span.begin(), span.end()};
}

Given given(const std::string& name) {
  Given all;
  all.cells.resize(2);
  all.cells[0] = {
      name,         "remark " + name, "", {8, 6}, {8, 6}, bytes("the image"), bytes("its label"),
      {{30, 10}, 8}};
  all.cells[1].key = "broken";
  all.cells[1].problem = "why " + name;
  all.classes.resize(2);
  all.classes[0].name = name;
  all.classes[1].name = "other";
  return all;
}

std::string page_of(const std::string& name) {
  const Given all = given(name);
  Page page;
  page.title = "packed/" + name;
  page.facts = {{"samples", name}};
  page.cells = all.cells;
  page.classes = all.classes;
  page.colors = all.colors;
  page.legend = {"shares",
                 {{0, name, {255, 128, 0}, 0.75},
                  {1, "other", {0, 0, 0}, 0.25},
                  {std::nullopt, "ignored", {}, 0.1}},
                 0};
  page.samples = {7, 3};
  return html_page(page);
}

}  // namespace

TEST_CASE("base64 as RFC 4648 gives it") {
  CHECK(base64(bytes_of("")).empty());
  CHECK(base64(bytes_of("f")) == "Zg==");
  CHECK(base64(bytes_of("fo")) == "Zm8=");
  CHECK(base64(bytes_of("foo")) == "Zm9v");
  CHECK(base64(bytes_of("foob")) == "Zm9vYg==");
  CHECK(base64(bytes_of("fooba")) == "Zm9vYmE=");
  CHECK(base64(bytes_of("foobar")) == "Zm9vYmFy");
}

TEST_CASE("a page holds images, keys, classes and bars, and no external reference") {
  const std::string html = page_of("street");
  CHECK_THAT(html,
             ContainsSubstring("src=\"data:image/png;base64," + base64(bytes_of("the image")) +
                               "\" width=\"8\" height=\"6\""));
  CHECK_THAT(html,
             ContainsSubstring("src=\"data:image/png;base64," + base64(bytes_of("its label"))));
  CHECK_THAT(html, ContainsSubstring("<bdi class=\"key\" dir=\"auto\">street</bdi>"));
  CHECK_THAT(html, ContainsSubstring("data-classes=\"0 1\"") &&
                       ContainsSubstring("<option value=\"1\">other (1)</option>"));
  CHECK_THAT(html, ContainsSubstring("width=\"100.00\" height=\"10\" fill=\"#ff8000\""));
  CHECK_THAT(html, ContainsSubstring("width=\"33.33\" height=\"10\" fill=\"#000000\""));
  CHECK_THAT(html, ContainsSubstring("75.00 %") && ContainsSubstring("why street"));
  CHECK(html.find("http:") == std::string::npos);
  CHECK(html.find("https:") == std::string::npos);
  CHECK(html.find(" style=") == std::string::npos);  // the policy would drop it
}

TEST_CASE("names cannot become markup, nor change the direction of other text") {
  const std::string plain = page_of("street");
  const auto tags = [](const std::string& html) {
    return std::count(html.begin(), html.end(), '<');
  };
  for (const std::string name :
       {"</script><script>\"a&b\"", "' onerror='x", "<!--x", "]]>", "<img src=x>"}) {
    CAPTURE(name);
    CHECK(tags(page_of(name)) == tags(plain));
    CHECK(page_of(name).find(name) == std::string::npos);
  }
  CHECK_THAT(page_of("</script>\"a&b'"), ContainsSubstring("&lt;/script&gt;&quot;a&amp;b&#39;"));
  CHECK_THAT(page_of("a\xE2\x80\xAEgnp.exe"),
             ContainsSubstring("a‹U+202E›gnp.exe") && !ContainsSubstring("\xE2\x80\xAE"));
  CHECK_THAT(page_of("a\x1B[2Jb\xFF"), ContainsSubstring("a‹U+001B›[2Jb‹byte FF›"));
  CHECK_THAT(page_of("кот 猫 قط 😀"), ContainsSubstring("кот 猫 قط 😀"));
}

TEST_CASE("a page without labels has no class filter, views or histogram") {
  Page page;
  PageCell cell;
  cell.key = "a";
  cell.image = bytes("x");
  page.cells = std::span(&cell, 1);
  const std::string html = html_page(page);
  CHECK_THAT(html, !ContainsSubstring("<select") && !ContainsSubstring("name=\"view\"") &&
                       !ContainsSubstring("<table"));
}

TEST_CASE("a page is known again as hotpack's") {
  CHECK(is_page(bytes_of(page_of("a"))));
  CHECK_FALSE(is_page(bytes_of("<!DOCTYPE html>\n<html>somebody's work")));
  CHECK_FALSE(is_page({}));
}

TEST_CASE("the images of a page are bounded together") {
  CHECK(page_side(1).value() == kMostPageSide);
  CHECK(page_side(12).value() == 836);
  CHECK(page_side(kMostPageCells).value() == kLeastPageSide);
  CHECK_THAT(page_side(kMostPageCells + 1).error().message,
             ContainsSubstring("at most 2048 samples"));
}
