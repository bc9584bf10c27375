#include "format/schema_json.hpp"

#include <string>

#include "format/json.hpp"
#include "support/catch.hpp"
#include "support/forms.hpp"

using namespace hotpack;
using namespace hotpack::format;
using namespace hotpack::test;

namespace {

std::string tiny_text() { return encode_schema(tiny_schema({})).value(); }

// The text of the default form with one part replaced.
std::string changed(const std::string& from, const std::string& to) {
  std::string text = tiny_text();
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string refusal(const std::string& text, int minor = 0) {
  const auto schema = decode_schema(text, minor);
  if (schema.ok()) return "accepted";
  CHECK(schema.error().code == ErrorCode::damaged);
  return schema.error().message;
}

}  // namespace

TEST_CASE("the schema's text is canonical and complete") {
  CHECK(tiny_text() ==
        "{\"fields\":{\"image\":{\"layout\":\"hwc\",\"shape\":[5,6,3],\"dtype\":\"u8\","
        "\"channels\":3,\"color\":\"rgb\"},"
        "\"label\":{\"kind\":\"pixel\",\"storage\":\"bits\",\"shape\":[5,6,1],\"multi\":false}},"
        "\"classes\":[{\"name\":\"class 0\",\"color\":[0,255,0],\"sources\":[0]},{\"name\":\"class "
        "1\",\"color\":null,\"sources\":[1]},"
        "{\"name\":\"class "
        "2\",\"color\":[160,255,0],\"sources\":[2]}],\"ignore\":{\"sources\":[255]},"
        "\"geometry\":{\"size\":[6,5],\"fit\":\"crop-or-pad\",\"image_filter\":\"auto\",\"label_"
        "filter\":\"nearest\",\"pad_color\":[0,0,0]},"
        "\"options\":{\"shuffle\":null,\"anchor\":\"center\",\"size_mismatch\":\"error\","
        "\"engines\":[],\"label_kind\":\"index\","
        "\"threshold\":null,\"unknown\":\"error\",\"pad_label\":\"ignore\",\"exif\":\"auto\","
        "\"alpha\":\"drop\",\"depth16\":\"shift\"}}");
}

TEST_CASE("every form of schema survives the way to text and back") {
  for (const auto& [name, form] : all_forms()) {
    INFO(name);
    const Schema schema = tiny_schema(form);
    CHECK(decode_schema(encode_schema(schema).value(), 0).value() == schema);
  }
}

TEST_CASE("names, string sources, seeds and engines survive") {
  Schema schema = tiny_schema({});
  schema.classes[0] = {"Straße \"5\"\n\\",
                       RgbColor{128, 0, 64},
                       {std::string("#800040"), std::string("dir ü"), std::int64_t{70000}}};
  schema.options.shuffle = 18446744073709551615u;
  schema.options.anchor = "top-left";
  schema.options.engines = {"resize:opencv-4.10.0", "zstd:1.5.4"};
  schema.options.more.emplace_back("later", "{\"a\":[1,2.5,\"x\"]}");
  CHECK(decode_schema(encode_schema(schema).value(), 0).value() == schema);
}

TEST_CASE("a schema that cannot be written gives the reason") {
  Schema schema = tiny_schema({});
  schema.classes[1].name = "\xC3";
  CHECK(encode_schema(schema).error().code == ErrorCode::usage);
  CHECK_THAT(encode_schema(schema).error().message, ContainsSubstring("UTF-8"));
  schema.classes[1].name = std::string(kMaxSchemaBytes, 'x');
  CHECK_THAT(encode_schema(schema).error().message,
             ContainsSubstring(std::to_string(kMaxSchemaBytes)));
}

TEST_CASE("each wrong value is refused by the name of its key") {
  const auto check = [](const std::string& from, const std::string& to, const std::string& key) {
    INFO(to);
    CHECK_THAT(refusal(changed(from, to)), ContainsSubstring(key));
  };
  check("\"hwc\"", "\"hcw\"", "fields.image.layout");
  check("\"rgb\"", "\"bgr\"", "fields.image.color");
  check("\"rgb\"", "\"gray\"", "fields.image.channels: must be 1 for \"gray\"");
  check("\"channels\":3,\"color\":\"rgb\"", "\"channels\":1,\"color\":\"gray\"",
        "fields.image.shape");
  check("\"channels\":3", "\"channels\":4", "fields.image.channels: must be 3 for \"rgb\"");
  check("\"channels\":3", "\"channels\":0",
        "fields.image.channels: 0 is not an integer from 1 to 64");
  check("\"channels\":3", "\"channels\":65",
        "fields.image.channels: 65 is not an integer from 1 to 64");
  check("\"channels\":3", "\"channels\":\"3\"", "fields.image.channels");
  check("\"u8\"", "\"i16\"", "fields.image.dtype: \"i16\" is none of u8");
  check("\"u8\"", "8", "fields.image.dtype");
  check("\"dtype\":\"u8\",", "", "fields.image: lacks the key \"dtype\"");
  check("\"channels\":3,", "", "fields.image: lacks the key \"channels\"");
  check("[5,6,3]", "[6,5,3]", "fields.image.shape");
  check("[5,6,3]", "null", "fields.image.shape");
  check("[5,6,3]", "[5,6]", "fields.image.shape");
  check("[5,6,3]", "[5,6,0]", "fields.image.shape[2]");
  check("\"pixel\"", "\"pixels\"", "fields.label.kind");
  check("\"pixel\"", "\"sample\"", "fields.label.shape");
  check("\"bits\"", "\"bit\"", "fields.label.storage");
  check("\"bits\"", "\"onehot\"", "fields.label.shape");
  check("[5,6,1]", "[5,6,1,1]", "fields.label.shape");
  check("[5,6,1]", "null", "fields.label.shape");
  check("\"multi\":false", "\"multi\":0", "fields.label.multi");
  check("\"name\":\"class 1\"", "\"name\":1", "classes[1].name");
  check("[160,255,0]", "[160,256,0]", "classes[2].color[1]");
  check("[160,255,0]", "[160,255]", "classes[2].color");
  check("[160,255,0]", "\"red\"", "classes[2].color");
  check("\"sources\":[2]", "\"sources\":[\"\"]", "classes[2].sources[0]");
  check("\"sources\":[2]", "\"sources\":[-2]", "classes[2].sources[0]");
  check("\"sources\":[2]", "\"sources\":2", "classes[2].sources");
  check("\"sources\":[255]", "\"source\":[255]", "ignore");
  check("\"size\":[6,5]", "\"size\":[6,0]", "geometry.size[1]");
  check("\"size\":[6,5]", "\"size\":[6,5,4]", "geometry.size");
  check("\"size\":[6,5]", "\"size\":null", "geometry.size");
  check("\"crop-or-pad\"", "\"none\"", "geometry.size");
  check("\"crop-or-pad\"", "7", "geometry.fit");
  check("\"pad_color\":[0,0,0]", "\"pad_color\":[0,0]", "geometry.pad_color");
  check("\"pad_color\":[0,0,0]", "\"pad_color\":[0,0,300]", "geometry.pad_color[2]");
  check("\"shuffle\":null", "\"shuffle\":-1", "options.shuffle");
  check("\"center\"", "\"centre\"", "options.anchor");
  check("\"size_mismatch\":\"error\"", "\"size_mismatch\":\"\"", "options.size_mismatch");
  check("\"engines\":[]", "\"engines\":[\"zstd\"]", "options.engines[0]");
  check("\"engines\":[]", "\"engines\":[\"zstd:1\",\"resize:2\"]", "options.engines");
  check("\"engines\":[]", "\"engines\":[\"zstd:1\",\"zstd:2\"]", "options.engines");
  check("\"engines\":[]", "\"engines\":[\"zstd:1 2\"]", "options.engines[0]");
}

TEST_CASE("images that this version does not read are refused by name") {
  const std::string advice = "; this version of hotpack reads u8 RGB and gray pixels";
  struct Case {
    const char *from, *to, *reason;
  };
  for (const auto& [from, to, reason] :
       {Case{"\"u8\"", "\"u16\"", "the images have the element type u16"},
        Case{"\"u8\"", "\"f32\"", "the images have the element type f32"},
        Case{"\"channels\":3,\"color\":\"rgb\"",
             "\"channels\":13,\"color\":\"bands\",\"bands\":null", "the images have bands"},
        Case{"\"color\":\"rgb\"", "\"color\":\"rgb\",\"codec\":\"jpeg\"",
             "the images are coded by \"jpeg\""}}) {
    INFO(to);
    CHECK(refusal(changed(from, to), 0) == reason + advice);
    CHECK(refusal(changed(from, to), 7) == reason + advice);
  }
}

TEST_CASE("missing keys are refused, unknown ones only in version 1.0") {
  CHECK_THAT(refusal("[]"), ContainsSubstring("not an object"));
  CHECK_THAT(refusal(changed("\"ignore\":{\"sources\":[255]},", "")),
             ContainsSubstring("lacks the key \"ignore\""));
  CHECK_THAT(refusal(changed("\"multi\":false", "\"multi\":false,\"multi\":false")),
             ContainsSubstring("occurs twice"));
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{"{\"fields\":", "{\"x\":1,\"fields\":"},
        {"{\"image\":", "{\"depth\":{},\"image\":"},
        {"{\"layout\":", "{\"x\":1,\"layout\":"},
        {"{\"kind\":", "{\"x\":1,\"kind\":"},
        {"{\"name\":\"class 1\"", "{\"x\":1,\"name\":\"class 1\""},
        {"\"ignore\":{", "\"ignore\":{\"x\":1,"},
        {"\"geometry\":{", "\"geometry\":{\"x\":1,"}}) {
    INFO(to);
    CHECK_THAT(refusal(changed(from, to)), ContainsSubstring("unknown in version 1.0"));
    CHECK(decode_schema(changed(from, to), 1).value() == tiny_schema({}));
  }
  CHECK(decode_schema(changed("\"exif\":\"auto\"", "\"exif\":\"auto\",\"new\":7"), 0)
            .value()
            .options.more.size() == 8);
}

TEST_CASE("rules between classes and storage hold") {
  TinyForm ids;
  ids.storage = LabelStorage::index;
  Schema schema = tiny_schema(ids);
  schema.label->multi = true;
  CHECK_THAT(refusal(encode_schema(schema).value()), ContainsSubstring("multi"));
  schema = tiny_schema(ids);
  schema.classes.clear();
  CHECK_THAT(refusal(encode_schema(schema).value()), ContainsSubstring("classes"));
  schema = tiny_schema(ids);
  schema.classes.assign(65536, {"c", {}, {}});
  CHECK_THAT(refusal(encode_schema(schema).value()), ContainsSubstring("65535"));
  schema.classes.pop_back();
  CHECK(refusal(encode_schema(schema).value()) == "accepted");
  for (const LabelStorage storage : {LabelStorage::bits, LabelStorage::one_hot}) {
    Schema many = tiny_schema({.storage = storage});
    many.classes.assign(65536, {"c", {}, {}});
    fill_shapes(many);
    CHECK_THAT(refusal(encode_schema(many).value()), ContainsSubstring("65535"));
  }
}

TEST_CASE("records too large to count are refused") {
  Schema schema = tiny_schema({});
  schema.geometry.size = {2147483647, 2147483647};
  fill_shapes(schema);
  CHECK_THAT(refusal(encode_schema(schema).value()), ContainsSubstring("too large"));
}

TEST_CASE("shapes and sizes of records follow from the schema") {
  TinyForm form;
  form.classes = 12;
  CHECK(image_record_bytes(tiny_schema(form)) == 90);
  CHECK(label_record_bytes(tiny_schema(form)) == 60);
  CHECK(label_depth(tiny_schema(form)) == 2);
  form.storage = LabelStorage::one_hot;
  CHECK(label_record_bytes(tiny_schema(form)) == 360);
  CHECK(label_depth(tiny_schema(form)) == 12);
  form.storage = LabelStorage::index;
  form.classes = 300;
  CHECK(label_record_bytes(tiny_schema(form)) == 60);
  CHECK(label_depth(tiny_schema(form)) == 1);
  form.scope = LabelScope::image;
  CHECK(tiny_schema(form).label->shape->empty());
  CHECK(label_record_bytes(tiny_schema(form)) == 2);
  form.labeled = false;
  CHECK(label_record_bytes(tiny_schema(form)) == 0);
  CHECK(counted_classes(tiny_schema(form)) == 0);
  form.layout = AxisOrder::channels_first;
  CHECK(tiny_schema(form).image.shape == std::array<std::int64_t, 3>{3, 5, 6});
}

TEST_CASE("the first difference names the option before the shapes it implies") {
  const Schema here = tiny_schema({});
  Schema there = here;
  CHECK(first_difference(here, there, {"here", "there"}).empty());
  there.label.reset();
  CHECK_THAT(first_difference(here, there, {"here", "there"}),
             ContainsSubstring("fields.label: {") && ContainsSubstring("here, absent there"));
  CHECK_THAT(first_difference(there, here, {"here", "there"}),
             ContainsSubstring("fields.label: absent here, {"));
  there.label = here.label;
  there.classes[1].name = "Car";
  CHECK(first_difference(here, there, {"here", "there"}) ==
        "classes[1].name: \"class 1\" here, \"Car\" there");
  there.classes.pop_back();
  there.classes[1].name = "class 1";
  CHECK(first_difference(here, there, {"here", "there"}) == "classes: 3 entries here, 2 there");
  there.options.more[0].second = "\"color\"";
  CHECK(first_difference(here, there, {"here", "there"}) ==
        "options.label_kind: \"index\" here, \"color\" there");
  there.geometry.size = {8, 9};
  there.image.shape = {9, 8, 3};
  CHECK(first_difference(here, there, {"here", "there"}) ==
        "geometry.size: [6,5] here, [8,9] there");
}
