#include "settings/option_words.hpp"

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;

namespace {

// As `pack --size 64x48` of color labels makes it.
Schema usual_schema() {
  Schema schema;
  schema.label.emplace();
  schema.geometry = {{{64, 48}}, "stretch", "auto", "nearest", {0, 0, 0}};
  schema.options.more = {{"label_kind", "\"color\""}, {"threshold", "null"},
                         {"unknown", "\"error\""},    {"pad_label", "\"ignore\""},
                         {"exif", "\"auto\""},        {"alpha", "\"drop\""},
                         {"depth16", "\"shift\""}};
  return schema;
}

void set(Schema& schema, const std::string& name, const std::string& text) {
  for (auto& [known, value] : schema.options.more) {
    if (known == name) return void(value = text);
  }
  schema.options.more.emplace_back(name, text);
}

std::string typed(const Schema& schema) {
  std::string text;
  for (const TypedOption& option : typed_options(schema))
    if (!option.usual) text += (text.empty() ? "" : " ") + option.text();
  return text;
}

}  // namespace

TEST_CASE("options are printed as typed, without defaults") {
  Schema schema = usual_schema();
  CHECK(typed(schema) == "--size 64x48 --label-kind color");
  schema.geometry.fit = "cover";
  schema.options.anchor = "top-left";
  schema.geometry.pad_color = {1, 2, 3};
  set(schema, "unknown", "\"nearest:9\"");
  set(schema, "zstd_fields", "[\"image\",\"label\"]");
  set(schema, "zstd_level", "1");
  schema.options.shuffle = 7;
  CHECK(typed(schema) ==
        "--size 64x48 --fit cover --anchor top-left --pad-color 1,2,3 --label-kind color --unknown "
        "nearest:9 --zstd --shuffle 7");
}

TEST_CASE("options of tiles, of own sizes and of compressed fields") {
  Schema schema = usual_schema();
  schema.geometry.fit = "tile";
  set(schema, "tile_overlap", "8");
  set(schema, "tiled_fit", "\"cover\"");
  set(schema, "tiled_size", "[640,480]");
  set(schema, "zstd_fields", "[\"label\"]");
  set(schema, "zstd_level", "3");
  CHECK(typed(schema) ==
        "--size 640x480 --fit cover --tile 64x48+8 --label-kind color --zstd=label:3");
  schema = usual_schema();
  schema.geometry.size.reset();
  schema.geometry.fit = "none";
  set(schema, "pad_multiple", "32");
  set(schema, "max_pixels", "99");
  set(schema, "lenient", "true");
  CHECK(typed(schema) == "--pad-multiple 32 --label-kind color --max-pixels 99 --lenient");
}

TEST_CASE("the first difference is said in options") {
  const Schema there = usual_schema();
  Schema here = there;
  CHECK(option_difference(here, there, {"here", "there"}).empty());
  here.geometry.size = {{120, 90}};
  CHECK(option_difference(here, there, {"here", "there"}) == "--size 120x90 here, 64x48 there");
  here = there;
  set(here, "zstd_fields", "[\"image\",\"label\"]");
  here.options.engines = {"zstd:1.5.4"};
  CHECK(option_difference(here, there, {"here", "there"}) == "--zstd here, without --zstd there");
  CHECK(option_difference(there, here, {"here", "there"}) == "without --zstd here, --zstd there");
  here = there;
  here.classes = {{"a", {}, {}}};
  CHECK_THAT(option_difference(here, there, {"here", "there"}), ContainsSubstring("classes"));
}
