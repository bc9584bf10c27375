#include "format/manifest_rows.hpp"

#include <string>

#include "base/checksum.hpp"
#include "format/schema_json.hpp"
#include "support/catch.hpp"
#include "support/forms.hpp"
#include "support/sanitizers.hpp"
#include "support/temp_folder.hpp"

using namespace hotpack;
using namespace hotpack::format;
using namespace hotpack::test;

namespace {

Manifest written() {
  const TinyForm form;
  const TempFolder folder;
  return write_pack(folder.path(), form, tiny_records(form, 7), 2);
}

// The text with a correct check.
std::string checked(std::string text) {
  text.erase(text.rfind("\"check\""));
  return text + "\"check\":\"" + crc_text(crc32c(bytes_of(text))) + "\"}\n";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return checked(text.replace(at, from.size(), to));
}

// Both readers accept a text with the same meaning, or refuse it with the same words.
void check_agreement(const std::string& text) {
  const auto fast = decode_manifest(text, ""), general = decode_manifest_generally(text);
  REQUIRE(fast.ok() == general.ok());
  if (!fast.ok()) {
    CHECK(fast.error().describe() == general.error().describe());
    return;
  }
  CHECK(fast->format == general->format);
  CHECK(fast->schema_text == general->schema_text);
  CHECK(fast->schema == general->schema);
  CHECK(fast->fingerprint == general->fingerprint);
  CHECK(fast->plan_text == general->plan_text);
  CHECK(fast->plan == general->plan);
  CHECK(fast->statistics == general->statistics);
  CHECK(fast->skipped == general->skipped);
  CHECK(fast->shards == general->shards);
}

}  // namespace

TEST_CASE("the rows of a written manifest are read without the general parser") {
  const Manifest manifest = written();
  const std::string text = encode_manifest(manifest);
  const auto found = read_canonical_rows(text);
  REQUIRE(found);
  CHECK(found->rows == manifest.shards);
  CHECK_THAT(found->rest, ContainsSubstring("\"shards\":[\n\n],\n\"check\""));
  check_agreement(text);
}

TEST_CASE("manifests of every form are read the same in both ways") {
  for (const auto& [name, form] : all_forms()) {
    INFO(name);
    const TempFolder folder;
    const std::string text =
        encode_manifest(write_pack(folder.path(), form, tiny_records(form, 5), 2));
    CHECK(read_canonical_rows(text));
    check_agreement(text);
  }
}

TEST_CASE("rows that hotpack does not write are left to the general parser") {
  const std::string good = encode_manifest(written());
  const auto check = [&](const std::string& from, const std::string& to) {
    INFO(from << " -> " << to);
    const std::string text = replaced(good, from, to);
    CHECK_FALSE(read_canonical_rows(text));
    check_agreement(text);
  };
  check("\"shards\":[\n", "\"shards\":[");
  check("},\n{\"file\"", "},{\"file\"");
  check("}\n],\n\"check\"", "}],\n\"check\"");
  check(",\"records\":2", ", \"records\":2");
  check(",\"records\":2", ",\"records\":2.0");
  check(",\"records\":2", ",\"records\":-2");
  check(",\"records\":2", ",\"records\":02");
  check(",\"records\":2", ",\"records\":99999");
  check(",\"records\":2", ",\"more\":1,\"records\":2");
  check(",\"records\":2", ",\"records\":2,\"records\":2");
  check("shard-00001", "shard-00002");
  check("shard-00000-of-00004", "shard-00000-of-00005");
  check("shard-00000-of-00004", "shard-00000-of-99999999999999999999");
  check("shard-00000-of-00004.", "shard-00000-of-00004\\u002e");
  check("\"sources\":\"xxh3-128:", "\"sources\":\"XXH3-128:");
  check("}\n],\n\"check\"", "}\n],\n\"later\":1,\n\"check\"");
}

TEST_CASE("what stands beside the rows is judged as ever") {
  const std::string good = encode_manifest(written());
  const auto check = [&](const std::string& from, const std::string& to) {
    INFO(from << " -> " << to);
    check_agreement(replaced(good, from, to));
  };
  check("\"skipped\":0", "\"skipped\":1");
  check("\"skipped\":0", "\"skipped\":0,\"skipped\":0");
  check("\"skipped\":0", "\"shards\":[],\n\"skipped\":0");
  check("\"skipped\":0", "\"shards\":[\n],\n\"skipped\":0");
  check("\"skipped\":0,\n", "\"skipped\":0,\n\"nested\":{\"a\":1,\n");
  check("\"skipped\":0,\n", "\"skipped\":0,\n\"nested\":[1,\n");
  check("\"skipped\":0", "\"skipped\":\"\xFF\"");
  check("\"shards\":[\n", "\"shards\":{},\n\"shards\":[\n");
  check("{\n\"format\"", "[\n\"format\"");
  check("\"format\":\"1.0\"", "\"format\":\"1.7\"");
  check(",\n\"shards\":[\n", ",\n\"shards\":[\n" + good.substr(good.find("{\"file\""), 10));
}

TEST_CASE("a manifest with a changed byte is judged the same in both ways") {
  const std::string good = encode_manifest(written());
  for (std::size_t i = 0; i + 30 < good.size(); i += every(7)) {
    for (const char c : {' ', '"', '\n', '0', '}', '\x80'}) {
      std::string text = good;
      text[i] = c;
      text = checked(text);
      const auto fast = decode_manifest(text, ""), general = decode_manifest_generally(text);
      const bool same =
          fast.ok() ? general.ok() && fast->shards == general->shards
                    : !general.ok() && fast.error().describe() == general.error().describe();
      if (!same) FAIL("byte " << i << " as " << static_cast<int>(c));
    }
  }
}
