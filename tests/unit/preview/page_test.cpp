#include "preview/page.hpp"

#include <string>

#include "base/checksum.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::preview;

namespace {

Page page_of(const std::string& name) {
  Page page;
  page.title = "packed/" + name;
  page.png = bytes_of("the picture");
  page.facts = {{"samples", name}};
  page.legend = {"shares", {{0, name, {255, 128, 0}, 0.75}, {1, "other", {0, 0, 0}, 0.25}, {std::nullopt, "ignored", {}, 0.1}}, 0};
  page.samples = {7, 3};
  return page;
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

TEST_CASE("a page holds the picture and a bar for each class, and refers to nothing outside") {
  const std::string html = html_page(page_of("street"));
  CHECK_THAT(html, ContainsSubstring("data:image/png;base64," + base64(bytes_of("the picture"))));
  CHECK_THAT(html, ContainsSubstring("width:100.00%;background:#ff8000"));
  CHECK_THAT(html, ContainsSubstring("width:33.33%;background:#000000"));
  CHECK_THAT(html, ContainsSubstring("75.00 %") && ContainsSubstring("class=\"ignored\""));
  CHECK(html.find("http") == std::string::npos);
  CHECK(html.find("src=\"data:") != std::string::npos);
  CHECK(html.find("<script") == std::string::npos);
}

TEST_CASE("names cannot become markup") {
  const std::string html = html_page(page_of("<script>\"a&b\"</script>"));
  CHECK(html.find("<script") == std::string::npos);
  CHECK_THAT(html, ContainsSubstring("&lt;script&gt;&quot;a&amp;b&quot;"));
}

TEST_CASE("a page is known again as hotpack's") {
  CHECK(is_page(bytes_of(html_page(page_of("a")))));
  CHECK_FALSE(is_page(bytes_of("<!DOCTYPE html>\n<html>somebody's work")));
  CHECK_FALSE(is_page({}));
}
