#include "format/shard_check.hpp"

#include <string>

#include "altered.hpp"
#include "format/schema_json.hpp"
#include "support/catch.hpp"
#include "support/forms.hpp"

using namespace hotpack;
using namespace hotpack::format;
using namespace hotpack::test;

namespace {

using Check = Status (*)(std::span<const std::byte>, const ShardHeader&);

std::string finding(Check check, std::span<const std::byte> file) {
  const Status status = check(file, decode_header(file).value());
  if (status.ok()) return "none";
  CHECK(status.error().code == ErrorCode::damaged);
  return status.error().message;
}

}  // namespace

TEST_CASE("another form of a shard is reported although it can be read") {
  const TinyShard shard = make_shard({}, 2);
  CHECK(finding(check_form, shard.bytes) == "none");
  const Bytes longer =
      with_header(header_text(shard), buffer_of(shard), shard.layout.header_bytes + 4096);
  CHECK_THAT(finding(check_form, longer), ContainsSubstring("the header has"));
  CHECK_THAT(finding(check_form, edited(shard, "\"shape\":[2,", "\"shape\": [2,")),
             ContainsSubstring("canonical form"));
  CHECK_THAT(finding(check_form, edited(shard, "\"_pad.0\"", "\"_pad.7\"")),
             ContainsSubstring("\"_pad.7\" at 180 is where _pad.0"));
  CHECK_THAT(finding(check_form, edited(shard, "{\\\"samples\\\":2", "{ \\\"samples\\\":2")),
             ContainsSubstring("hotpack.plan differs from its canonical JSON"));
  CHECK_THAT(finding(check_form, edited(shard, "\\\"ignore\\\":{", "\\\"ignore\\\": {")),
             ContainsSubstring("hotpack.schema differs from its canonical JSON"));
  Bytes tab = shard.bytes;
  tab[shard.layout.buffer_start() - 1] = std::byte{'\t'};
  CHECK_THAT(finding(check_form, tab), ContainsSubstring("canonical form"));
}

TEST_CASE("engines name zstd exactly if fields are compressed") {
  const TinyShard plain = make_shard({}, 1);
  CHECK_THAT(
      finding(check_form, edited(plain, "\\\"engines\\\":[]", "\\\"engines\\\":[\\\"zstd:1\\\"]")),
      ContainsSubstring("but no field is"));
  const TinyShard packed = make_shard({.label_zstd = true}, 1);
  const std::string text = header_text(packed);
  const auto at = text.find("\\\"zstd:");
  const std::string token = text.substr(at, text.find(']', at) - at);
  CHECK_THAT(finding(check_form, edited(packed, token, "")),
             ContainsSubstring("the header does not say so"));
}

TEST_CASE("fillers are zero, and another byte is located") {
  const TinyShard shard = make_shard({}, 2);
  for (const auto* filler : {"_pad.0", "_pad.1"}) {
    Bytes file = shard.bytes;
    const std::uint64_t last =
        shard.layout.file_offset(filler) + shard.layout.find(filler)->bytes() - 1;
    file[last] = std::byte{1};
    const Status status = check_fillers(file, decode_header(file).value());
    REQUIRE_FALSE(status.ok());
    CHECK(status.error().offset == last);
    CHECK_THAT(status.error().message, ContainsSubstring(filler));
  }
}

TEST_CASE("fields of a later version are found with their checksums") {
  for (const auto* name : {"later", "later-unlabeled", "later-zstd"}) {
    const TinyShard shard = make_shard(all_forms().at(name), 2);
    const ShardHeader header = decode_header(shard.bytes).value();
    const auto fields = later_fields(header).value();
    REQUIRE(fields.size() == 1);
    CHECK(fields[0].name == "depth");
    CHECK(fields[0].payload == header.find("depth"));
    CHECK(fields[0].crcs == header.find("depth.crc32c"));
    CHECK(fields[0].offsets == nullptr);
  }
  CHECK(later_fields(decode_header(make_shard({}, 2).bytes).value()).value().empty());
  CHECK(later_fields(decode_header(make_shard({.later = true}, 0).bytes).value()).value().empty());
}

TEST_CASE("a later field without checksums is reported") {
  const TinyShard shard = make_shard({.later = true}, 2);
  const Bytes file = edited(shard, "\"depth.crc32c\"", "\"depth.crc33c\"");
  const ShardHeader header = decode_header(file).value();
  const auto fields = later_fields(header);
  REQUIRE_FALSE(fields.ok());
  CHECK_THAT(fields.error().message, ContainsSubstring("\"depth\" has no CRC-32C"));
}

TEST_CASE("compressed and mixed later fields need their offsets") {
  const TinyShard shard = make_shard({.later = true}, 2);
  // Bytes of depth as one list: without offsets, records cannot be told apart.
  const std::string shape = "\"depth\":{\"dtype\":\"U16\",\"shape\":[2,5,6]";
  for (const auto* name : {"depth.data", "depth.zstd"}) {
    const Bytes file =
        edited(shard, shape, "\"" + std::string(name) + "\":{\"dtype\":\"U8\",\"shape\":[120]");
    CHECK_FALSE(later_fields(decode_header(file).value()).ok());
  }
}

TEST_CASE("a later field in two forms is refused wherever its tables are") {
  const TinyShard shard = make_shard({.later = true}, 2);
  for (const auto* other : {"depth.data", "depth.zstd"}) {
    INFO(other);
    const Bytes file = edited(shard, "\"source.later\"", "\"" + std::string(other) + "\"");
    const ShardHeader header = decode_header(file).value();
    const auto fields = later_fields(header);
    REQUIRE_FALSE(fields.ok());
    CHECK_THAT(
        fields.error().message,
        ContainsSubstring("\"depth\" must not exist: another tensor contains the same field"));
  }
}
