#include "format/shard_layout.hpp"

#include <string>

#include "format/plan_text.hpp"
#include "format/schema_json.hpp"
#include "support/catch.hpp"
#include "support/forms.hpp"

using namespace hotpack;
using namespace hotpack::format;
using namespace hotpack::test;

namespace {

Metadata metadata_of(const TinyForm& form) {
  return {"1.0", "plan", encode_schema(tiny_schema(form)).value(), "sources", {}};
}

std::string names_of(const std::vector<Tensor>& tensors) {
  std::string names;
  for (const Tensor& tensor : tensors) names += (names.empty() ? "" : " ") + tensor.name;
  return names;
}

}  // namespace

TEST_CASE("a labeled shard of fixed records is laid out on pages") {
  const TinyForm form;
  const auto layout =
      plan_layout(metadata_of(form), tiny_schema(form), {100, 1234, false, false, 0, 0, 250});
  REQUIRE(layout.ok());
  CHECK(names_of(layout->tensors) ==
        "image _pad.0 label _pad.1 label.classes.offsets key.offsets source.hash shard.sums "
        "source.size source.region label.classes image.crc32c label.crc32c key.data _pad.2 "
        "shard.crc32c");
  CHECK(layout->buffer_start() % kPage == 0);
  CHECK(*layout->find("image") == Tensor{"image", DType::u8, {100, 5, 6, 3}, 0, 9000});
  CHECK(*layout->find("_pad.0") == Tensor{"_pad.0", DType::u8, {3288}, 9000, 12288});
  CHECK(*layout->find("label") == Tensor{"label", DType::u8, {100, 5, 6, 1}, 12288, 15288});
  CHECK(layout->tables_begin == 16384);
  CHECK(*layout->find("label.classes.offsets") ==
        Tensor{"label.classes.offsets", DType::u64, {101}, 16384, 17192});
  CHECK(*layout->find("key.offsets") == Tensor{"key.offsets", DType::u64, {101}, 17192, 18000});
  CHECK(layout->find("label.classes")->type == DType::u32);
  CHECK(layout->find("label.classes")->shape == std::vector<std::uint64_t>{250, 2});
  CHECK(layout->find("shard.sums")->shape == std::vector<std::uint64_t>{18});
  CHECK(layout->find("shard.crc32c")->begin % 4 == 0);
  CHECK(layout->find("shard.crc32c")->end == layout->buffer_bytes);
  CHECK(layout->file_bytes() == layout->buffer_start() + layout->buffer_bytes);
  CHECK(layout->file_offset("label") == layout->buffer_start() + 12288);
  CHECK(layout->find("image.zstd") == nullptr);
}

TEST_CASE("tables of every form have the order of FORMAT.md") {
  const auto names = [](const TinyForm& form, const Contents& contents) {
    return names_of(list_tensors(tiny_schema(form), contents)->payload) + " | " +
           names_of(list_tensors(tiny_schema(form), contents)->tables);
  };
  TinyForm mixed{.size = {}};
  CHECK(names(mixed, {2, 4, false, false, 10, 20}) ==
        "image.data label.data | image.offsets label.offsets label.classes.offsets key.offsets "
        "source.hash shard.sums source.size source.region image.shape "
        "label.shape label.classes image.crc32c label.crc32c key.data shard.crc32c");
  CHECK(names(mixed, {2, 4, true, true, 10, 20}) ==
        "image.zstd label.zstd | image.zstd.offsets label.zstd.offsets label.classes.offsets "
        "key.offsets source.hash shard.sums source.size source.region "
        "image.shape label.shape label.classes image.crc32c label.crc32c image.zstd.crc32c "
        "label.zstd.crc32c "
        "key.data shard.crc32c");
  CHECK(
      names(mixed, {2, 4, true, false, 10, 20}) ==
      "image.zstd label.data | label.offsets image.zstd.offsets label.classes.offsets key.offsets "
      "source.hash shard.sums source.size source.region image.shape "
      "label.shape label.classes image.crc32c label.crc32c image.zstd.crc32c key.data "
      "shard.crc32c");
  CHECK(names({.labeled = false}, {2, 4, false, false, 0, 0}) ==
        "image | key.offsets source.hash shard.sums source.size source.region image.crc32c "
        "key.data shard.crc32c");
  TinyForm sample{.scope = LabelScope::image, .size = {}};
  CHECK(names(sample, {2, 4, false, false, 10, 0}) ==
        "image.data label | image.offsets key.offsets source.hash shard.sums source.size "
        "source.region image.shape image.crc32c label.crc32c "
        "key.data shard.crc32c");
}

TEST_CASE("ids above 255 classes are U16") {
  TinyForm form;
  form.storage = LabelStorage::index;
  form.classes = 255;
  CHECK(list_tensors(tiny_schema(form), {})->payload[1].type == DType::u8);
  form.classes = 256;
  CHECK(list_tensors(tiny_schema(form), {})->payload[1].type == DType::u16);
}

TEST_CASE("an empty shard has no fillers in its payload") {
  const auto layout = plan_layout(metadata_of({}), tiny_schema({}), {});
  CHECK(layout->tables_begin == 0);
  CHECK(layout->find("_pad.0") == nullptr);
  CHECK(layout->find("image")->bytes() == 0);
}

TEST_CASE("a payload that ends on a page needs no filler") {
  TinyForm form;
  form.size = Extent{64, 64};
  form.color = ImageColor::gray;
  const auto layout = plan_layout(metadata_of(form), tiny_schema(form), {1, 4, false, false, 0, 0});
  CHECK(layout->find("_pad.0") == nullptr);
  CHECK(layout->find("label")->begin == 4096);
  CHECK(layout->tables_begin == 8192);
}

TEST_CASE("the header's length is known before the counts") {
  const Metadata metadata = metadata_of({});
  const auto small = plan_layout(metadata, tiny_schema({}), {0, 0, false, false, 0, 0});
  const auto large =
      plan_layout(metadata, tiny_schema({}), {123456789, 9876543210, false, false, 0, 0});
  CHECK(small->header_bytes == large->header_bytes);
  CHECK((8 + small->header_bytes) % kPage == 0);
}

TEST_CASE("the header has room for 20-digit numbers and three fillers, no more") {
  constexpr std::uint64_t kTwentyDigits = 10000000000000000000u;
  Metadata metadata = metadata_of({});
  const TensorList list = list_tensors(tiny_schema({}), {}).value();
  Layout wide;
  wide.header_bytes = 1u << 16;
  wide.tensors = list.payload;
  wide.tensors.insert(wide.tensors.end(), list.tables.begin(), list.tables.end());
  for (const auto* filler : {"_pad.0", "_pad.1", "_pad.2"})
    wide.tensors.push_back({filler, DType::u8, {0}, 0, 0});
  for (Tensor& tensor : wide.tensors) {
    tensor.begin = tensor.end = kTwentyDigits;
    tensor.shape.assign(tensor.shape.size(), kTwentyDigits);
  }
  for (int i = 0; i < 4200; i += 7) {
    metadata.sources.assign(static_cast<std::size_t>(i), 'x');
    const std::uint64_t needed =
        encode_header(metadata, wide).find_last_not_of(' ') + 1;  // with the 8 bytes of length
    CHECK(place_tensors(metadata, list)->buffer_start() == (needed + kPage - 1) / kPage * kPage);
  }
}

TEST_CASE("the encoded header is canonical, padded and states its length") {
  const Metadata metadata{"1.0", "p\"q", "s", "t", {}};
  TinyForm form;
  form.labeled = false;
  const auto layout = plan_layout(metadata, tiny_schema(form), {2, 3, false, false, 0, 0});
  const std::string header = encode_header(metadata, *layout);
  CHECK(header.size() == layout->buffer_start());
  CHECK(header.substr(0, 8) == std::string("\xF8\x0F\0\0\0\0\0\0", 8));
  CHECK(header.substr(8, header.find_last_not_of(' ') - 7) ==
        "{\"__metadata__\":{\"hotpack.format\":\"1.0\",\"hotpack.plan\":\"p\\\"q\",\"hotpack."
        "schema\":\"s\",\"hotpack.sources\":\"t\"},"
        "\"image\":{\"dtype\":\"U8\",\"shape\":[2,5,6,3],\"data_offsets\":[0,180]},"
        "\"_pad.0\":{\"dtype\":\"U8\",\"shape\":[3916],\"data_offsets\":[180,4096]},"
        "\"key.offsets\":{\"dtype\":\"U64\",\"shape\":[3],\"data_offsets\":[4096,4120]},"
        "\"source.hash\":{\"dtype\":\"U64\",\"shape\":[2,2],\"data_offsets\":[4120,4152]},"
        "\"shard.sums\":{\"dtype\":\"U64\",\"shape\":[9],\"data_offsets\":[4152,4224]},"
        "\"source.size\":{\"dtype\":\"I32\",\"shape\":[2,2],\"data_offsets\":[4224,4240]},"
        "\"source.region\":{\"dtype\":\"I32\",\"shape\":[2,4],\"data_offsets\":[4240,4272]},"
        "\"image.crc32c\":{\"dtype\":\"U32\",\"shape\":[2],\"data_offsets\":[4272,4280]},"
        "\"key.data\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[4280,4283]},"
        "\"_pad.1\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[4283,4284]},"
        "\"shard.crc32c\":{\"dtype\":\"U32\",\"shape\":[2],\"data_offsets\":[4284,4292]}}");
}

TEST_CASE("impossible sizes are refused") {
  const std::uint64_t huge = std::uint64_t{1} << 63;
  for (const Contents& contents :
       {Contents{huge, 0, false, false, 0, 0}, Contents{~std::uint64_t{0}, 0, false, false, 0, 0},
        Contents{1, huge, false, false, 0, 0}, Contents{1, 1, true, false, huge, 0},
        Contents{1, 1, true, true, huge - 1, huge - 1}}) {
    const auto layout = plan_layout(metadata_of({}), tiny_schema({}), contents);
    REQUIRE_FALSE(layout.ok());
    CHECK(layout.error().code == ErrorCode::usage);
  }
}

TEST_CASE("a header above the limit of safetensors is refused") {
  Metadata metadata = metadata_of({});
  metadata.schema.assign(kMaxHeaderBytes, 'x');
  CHECK_THAT(plan_layout(metadata, tiny_schema({}), {}).error().message,
             ContainsSubstring("100000000"));
}
