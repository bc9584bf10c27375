#include "format/plan_text.hpp"

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::format;

namespace {

const std::string kDigest = "xxh3-128:0123456789abcdef0123456789abcdef";

}  // namespace

TEST_CASE("a plan survives the way to text and back") {
  const PlanIdentity plan{367, 12, kDigest};
  const std::string text = encode_plan(plan);
  CHECK(text == "{\"samples\":367,\"shards\":12,\"keys\":\"" + kDigest + "\"}");
  CHECK(decode_plan(text, 0).value() == plan);
}

TEST_CASE("a plan that breaks a rule is refused by the name of its key") {
  const auto refusal = [](const std::string& text, int minor = 0) {
    const auto plan = decode_plan(text, minor);
    return plan.ok() ? std::string("accepted") : plan.error().message;
  };
  const std::string keys = ",\"keys\":\"" + kDigest + "\"";
  CHECK_THAT(refusal("[]"), ContainsSubstring("not an object"));
  CHECK_THAT(refusal("{\"samples\":1" + keys + "}"), ContainsSubstring("lacks the key \"shards\""));
  CHECK_THAT(refusal("{\"samples\":-1,\"shards\":1" + keys + "}"),
             ContainsSubstring("plan.samples"));
  CHECK_THAT(refusal("{\"samples\":1.0,\"shards\":1" + keys + "}"),
             ContainsSubstring("plan.samples"));
  CHECK_THAT(refusal("{\"samples\":9223372036854775807,\"shards\":1" + keys + "}"),
             ContainsSubstring("plan.samples"));
  CHECK_THAT(refusal("{\"samples\":1,\"shards\":0" + keys + "}"), ContainsSubstring("plan.shards"));
  CHECK_THAT(refusal("{\"samples\":1,\"shards\":1,\"keys\":\"xxh3-128:00\"}"),
             ContainsSubstring("plan.keys"));
  CHECK_THAT(
      refusal(
          "{\"samples\":1,\"shards\":1,\"keys\":\"xxh3-128:0123456789ABCDEF0123456789abcdef\"}"),
      ContainsSubstring("plan.keys"));
  CHECK_THAT(refusal("{\"samples\":1,\"shards\":1" + keys + ",\"more\":0}"),
             ContainsSubstring("\"more\" is unknown"));
  CHECK(refusal("{\"samples\":1,\"shards\":1" + keys + ",\"more\":0}", 1) == "accepted");
}

TEST_CASE("digests are those of the concatenated bytes") {
  KeysDigest keys;
  keys.add("a");
  keys.add("b/c");
  CHECK(keys.text() == xxh3_128(std::string_view("a\0b/c\0", 6)).text());

  SourcesDigest sources;
  sources.add("k", 0x0102, 3, SourcesDigest::kNoClass);
  sources.add("l", 1, 0, 7);
  const std::string_view bytes(
      "k\0\x02\x01\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\xFF\xFF\xFF\xFF"
      "l\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x07\0\0\0",
      44);
  CHECK(sources.text() == xxh3_128(bytes).text());
  CHECK(fingerprint("schema", "plan") == xxh3_128("schemaplan").text());
  CHECK(crc_text(0xE306928) == "crc32c:0e306928");
}

TEST_CASE("shard names have at least five digits") {
  CHECK(shard_file_name(3, 12) == "shard-00003-of-00012.safetensors");
  CHECK(shard_file_name(123456, 1234567) == "shard-123456-of-1234567.safetensors");
  const auto name = parse_shard_file_name("shard-00003-of-00012.safetensors");
  REQUIRE(name.has_value());
  CHECK(name->index == 3);
  CHECK(name->count == 12);
  CHECK(parse_shard_file_name("shard-123456-of-1234567.safetensors").has_value());
}

TEST_CASE("names that shard_file_name never returns are not shard names") {
  for (const auto* name :
       {"", "shard-3-of-12.safetensors", "shard-00012-of-00012.safetensors",
        "shard-000003-of-00012.safetensors", "shard-00003-of-00012.safetensor",
        "shard-00003-of-00012.safetensors2", "xshard-00003-of-00012.safetensors",
        "shard--0003-of-00012.safetensors", "shard-+0003-of-00012.safetensors",
        "shard-00000-of-00000.safetensors",
        "shard-99999999999999999999-of-99999999999999999999.safetensors", "dataset.json"}) {
    INFO(name);
    CHECK_FALSE(parse_shard_file_name(name).has_value());
  }
}
