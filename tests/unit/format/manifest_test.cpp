#include "format/manifest.hpp"

#include <fstream>
#include <sstream>
#include <string>

#include "base/checksum.hpp"
#include "format/schema_json.hpp"
#include "support/catch.hpp"
#include "support/forms.hpp"
#include "support/temp_folder.hpp"

using namespace hotpack;
using namespace hotpack::format;
using namespace hotpack::test;

namespace {

std::string digest(char digit) { return "xxh3-128:" + std::string(32, digit); }

Manifest small_manifest() {
  Manifest manifest;
  manifest.schema = tiny_schema({});
  manifest.schema_text = encode_schema(manifest.schema).value();
  manifest.plan = {5, 2, digest('a')};
  manifest.plan_text = encode_plan(manifest.plan);
  manifest.fingerprint = fingerprint(manifest.schema_text, manifest.plan_text);
  manifest.statistics.mean = {0.25, 0.5, {}};
  manifest.statistics.std = {1.0, 0.1, {}};
  manifest.statistics.pixels = {7, 0, 2};
  manifest.statistics.samples = {3, 0, 1};
  manifest.statistics.ignored = 9;
  manifest.statistics.weights_inverse = {0.5, {}, 1.5};
  manifest.statistics.weights_median = {1.0, {}, 3.0};
  manifest.skipped = 1;
  manifest.shards = {{shard_file_name(0, 2), 3, 8192, digest('b'), digest('c')},
                     {shard_file_name(1, 2), 1, 4200, digest('d'), digest('e')}};
  return manifest;
}

// The manifest's text with one part replaced and a correct check.
std::string changed(const std::string& from, const std::string& to) {
  std::string text = encode_manifest(small_manifest());
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
  const auto check = text.rfind("\"check\"");
  return text.substr(0, check) + "\"check\":\"" +
         crc_text(crc32c(bytes_of(text.substr(0, check)))) + "\"}\n";
}

std::string refusal(const std::string& text) {
  const auto manifest = decode_manifest(text);
  if (manifest.ok()) return "accepted";
  CHECK(manifest.error().code == ErrorCode::damaged);
  return manifest.error().message;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("the manifest's text is canonical, line by line") {
  const Manifest manifest = small_manifest();
  const std::string before =
      "{\n\"format\":\"1.0\",\n\"schema\":" + manifest.schema_text + ",\n\"fingerprint\":\"" +
      manifest.fingerprint + "\",\n\"plan\":{\"samples\":5,\"shards\":2,\"keys\":\"" + digest('a') +
      "\"},\n\"statistics\":{\"mean\":[0.25,0.5,null],\"std\":[1,0.1,null],\"pixels\":[7,0,2],"
      "\"samples\":[3,0,1],"
      "\"ignored\":9,\"weights\":{\"inverse\":[0.5,null,1.5],\"median\":[1,null,3]}},\n\"skipped\":"
      "1,\n\"shards\":[\n"
      "{\"file\":\"shard-00000-of-00002.safetensors\",\"records\":3,\"bytes\":8192,\"sources\":\"" +
      digest('b') + "\",\"digest\":\"" + digest('c') +
      "\"},\n{\"file\":\"shard-00001-of-00002.safetensors\",\"records\":1,\"bytes\":4200,"
      "\"sources\":\"" +
      digest('d') + "\",\"digest\":\"" + digest('e') + "\"}\n],\n";
  CHECK(encode_manifest(manifest) ==
        before + "\"check\":\"" + crc_text(crc32c(bytes_of(before))) + "\"}\n");
}

TEST_CASE("a manifest survives the way to text and back") {
  const Manifest manifest = small_manifest();
  const Manifest read = decode_manifest(encode_manifest(manifest)).value();
  CHECK(read.schema == manifest.schema);
  CHECK(read.schema_text == manifest.schema_text);
  CHECK(read.plan == manifest.plan);
  CHECK(read.plan_text == manifest.plan_text);
  CHECK(read.fingerprint == manifest.fingerprint);
  CHECK(read.statistics == manifest.statistics);
  CHECK(read.skipped == 1);
  CHECK(read.shards == manifest.shards);
  CHECK(read.records() == 4);
  CHECK(encode_manifest(read) == encode_manifest(manifest));
}

TEST_CASE("packs of every form have a manifest that reads back") {
  for (const auto& [name, form] : all_forms()) {
    INFO(name);
    const TempFolder folder;
    const Manifest written = write_pack(folder.path(), form, tiny_records(form, 5), 2);
    const auto read = decode_manifest(read_text(folder / kManifestName));
    REQUIRE((read.ok() ? "" : read.error().describe()) == "");
    CHECK(read->schema == written.schema);
    CHECK(read->statistics == written.statistics);
    CHECK(read->shards == written.shards);
    CHECK(read->shards.size() == 3);
  }
}

TEST_CASE("every changed byte of a manifest is an error") {
  const std::string good = encode_manifest(small_manifest());
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string text = good;
    text[i] = static_cast<char>(text[i] ^ (1 << i % 7));
    if (decode_manifest(text).ok()) FAIL("byte " << i);
  }
  for (std::size_t size = 0; size < good.size(); ++size) {
    if (decode_manifest(good.substr(0, size)).ok()) FAIL("length " << size);
  }
  CHECK_THAT(refusal(good + " "), ContainsSubstring("the checksum at its end is missing"));
}

TEST_CASE("invalid manifest values are named even with a correct check") {
  const auto check = [](const std::string& from, const std::string& to, const std::string& what) {
    INFO(to);
    CHECK_THAT(refusal(changed(from, to)), ContainsSubstring(what));
  };
  check("\"format\":\"1.0\"", "\"format\":\"2.0\"", "version 2.0 is unknown");
  check("\"format\":\"1.0\"", "\"farmat\":\"1.0\"", "lacks the key \"format\"");
  check("\"fingerprint\":\"xxh3", "\"fingerprint\":\"xxh4", "fingerprint");
  check("\"fingerprint\":\"xxh3-128:", "\"more\":1,\"fingerprint\":\"xxh3-128:",
        "\"more\" is unknown");
  check("\"samples\":5", "\"samples\":6", "fingerprint");
  check("\"hwc\"", "\"chw\"", "fields.image.shape");
  check("[0.25,0.5,null]", "[0.25,0.5]", "statistics.mean");
  check("[0.25,0.5,null]", "[0.25,0.5,\"x\"]", "statistics.mean[2]");
  check("\"pixels\":[7,0,2]", "\"pixels\":[7,0,null]", "statistics.pixels[2]");
  check("\"samples\":[3,0,1]", "\"samples\":[3,0]", "statistics.samples");
  check("\"ignored\":9", "\"ignored\":-9", "statistics.ignored");
  check("\"inverse\"", "\"invers\"", "statistics.weights");
  check("\"skipped\":1", "\"skipped\":2", "do not add up");
  check("\"skipped\":1", "\"skipped\":1.5", "skipped");
  check("shard-00001-of", "shard-00002-of", "shards[1].file");
  check("\"records\":3", "\"records\":4611686018427387904", "shards[0].records");
  check("\"records\":3", "\"records\":155", "shards[0].records");  // 8192 bytes hold tables of 154
  check("\"records\":3", "\"records\":154", "do not add up");
  check("\"bytes\":8192", "\"bytes\":-1", "shards[0].bytes");
  check("\"sources\":\"xxh3-128:bb", "\"sources\":\"xxh3-128:bg", "shards[0].sources");
  check("\"digest\":\"xxh3-128:ee", "\"digest\":\"xxh3-128:e", "shards[1].digest");
  check("\"skipped\":1", "\"skipped\":1,\"skipped\":1", "occurs twice");
  check("\"shards\":[\n", "\"parts\":[],\n\"shards\":[\n",
        "the data set has parts; this version of hotpack reads sets without");
}

TEST_CASE("the manifest has as many rows as the plan has shards") {
  Manifest manifest = small_manifest();
  manifest.plan.shards = 3;
  manifest.plan_text = encode_plan(manifest.plan);
  CHECK_THAT(refusal(encode_manifest(manifest)),
             ContainsSubstring("2 rows, but the number of shards in the plan is 3"));
}

TEST_CASE("a later minor version may have more keys") {
  std::string text = changed("\"format\":\"1.0\"", "\"format\":\"1.3\"");
  CHECK(decode_manifest(text)->format == "1.3");
  const auto at = text.find("\"skipped\"");
  text.insert(at, "\"later\": [ 1 ],\n");
  const auto check = text.rfind("\"check\"");
  text = text.substr(0, check) + "\"check\":\"" +
         crc_text(crc32c(bytes_of(text.substr(0, check)))) + "\"}\n";
  CHECK(decode_manifest(text)->skipped == 1);
}

TEST_CASE("schema and plan of a later version keep their original text") {
  TinyForm form;
  form.later = true;
  const TempFolder folder;
  const Manifest written = write_pack(folder.path(), form, tiny_records(form, 2), 2);
  const Manifest read = decode_manifest(read_text(folder / kManifestName)).value();
  CHECK(read.schema_text == written.schema_text);
  CHECK(read.schema_text != encode_schema(read.schema).value());
  CHECK(read.plan_text == written.plan_text);
}
