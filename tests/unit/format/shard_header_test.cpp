#include "format/shard_header.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <random>
#include <string>

#include "altered.hpp"
#include "format/shard_check.hpp"
#include "support/catch.hpp"
#include "support/forms.hpp"
#include "support/sanitizers.hpp"

using namespace hotpack;
using namespace hotpack::format;
using namespace hotpack::test;

namespace {

// The result of opening a shard: the header, then the tables.
std::string refusal(std::span<const std::byte> file) {
  const auto header = decode_header(file);
  if (!header.ok()) {
    CHECK(header.error().code == ErrorCode::damaged);
    return header.error().message;
  }
  const Status tables = check_tables(file, *header);
  if (tables.ok()) return "accepted";
  CHECK(tables.error().code == ErrorCode::damaged);
  return tables.error().message;
}

bool opens(std::span<const std::byte> file) {
  const auto header = decode_header(file);
  return header.ok() && check_tables(file, *header).ok();
}

}  // namespace

TEST_CASE("numbers are read from the tables") {
  const TinyForm form;
  const auto records = tiny_records(form, 3);
  const TinyShard shard = make_shard(form, records, tiny_plan(records));
  const ShardHeader header = decode_header(shard.bytes).value();
  CHECK(header.records == 3);
  CHECK(header.minor == 0);
  CHECK(header.plan == tiny_plan(records));
  CHECK(header.buffer_start() == shard.layout.buffer_start());
  CHECK(u64_at(shard.bytes, header, *header.find("key.offsets"), 2) ==
        records[0].key.size() + records[1].key.size());
  CHECK(i32_at(shard.bytes, header, *header.find("source.region"), 4) == records[1].region.x);
  CHECK(u32_at(shard.bytes, header, *header.find("image.crc32c"), 1) ==
        crc32c(stored_image(form, records[1])));
  CHECK(header.find("no.such.tensor") == nullptr);
}

TEST_CASE("every flipped bit of the header is an error") {
  const TinyShard shard = make_shard({}, 1);
  Bytes file = shard.bytes;
  const std::size_t text_end = 8 + header_text(shard).size();
  for (std::size_t at = 0; at < shard.layout.buffer_start(); ++at) {
    if (at > text_end + 8 && at % 61 != 0) continue;  // a sample of the padding
    for (std::size_t bit = at % every(7); bit < 8; bit += every(7)) {
      file[at] ^= std::byte{1} << bit;
      if (opens(file)) FAIL("byte " << at << " bit " << bit);
      file[at] ^= std::byte{1} << bit;
    }
  }
  CHECK(opens(file));
}

TEST_CASE("every flipped bit of the tables is an error") {
  for (const auto& [name, form] : {std::pair<std::string, TinyForm>{"fixed", {}},
                                   {"mixed", {.size = {}, .image_zstd = true}}}) {
    const TinyShard shard = make_shard(form, 2);
    Bytes file = shard.bytes;
    for (std::size_t at = shard.layout.buffer_start() + shard.layout.tables_begin; at < file.size();
         ++at) {
      for (std::size_t bit = at % every(7); bit < 8; bit += every(7)) {
        file[at] ^= std::byte{1} << bit;
        if (opens(file)) FAIL(name << " byte " << at << " bit " << bit);
        file[at] ^= std::byte{1} << bit;
      }
    }
  }
}

TEST_CASE("a truncated shard is an error at every length") {
  const TinyShard shard = make_shard({}, 2);
  const std::size_t text_end = 8 + header_text(shard).size();
  for (std::size_t size = 0; size < shard.bytes.size();
       size += size <= text_end || size + 512 > shard.bytes.size() ? 1u : 37u) {
    const auto header = decode_header(std::span(shard.bytes).first(size));
    if (header.ok()) FAIL("length " << size);
  }
  Bytes longer = shard.bytes;
  longer.push_back(std::byte{0});
  CHECK_THAT(refusal(longer), ContainsSubstring("1 bytes follow the last tensor"));
}

TEST_CASE("a file that is not a shard is identified") {
  CHECK_THAT(refusal(with_header("{}", {})), ContainsSubstring("not a hotpack shard"));
  CHECK_THAT(refusal(with_header("{\"__metadata__\":{\"format\":\"pt\"}}", {})),
             ContainsSubstring("not a hotpack shard"));
  CHECK_THAT(refusal(Bytes(4096)), ContainsSubstring("unfinished"));
}

TEST_CASE("metadata, version, schema and plan are checked") {
  const TinyShard shard = make_shard({}, 2);
  CHECK_THAT(refusal(edited(shard, "\"1.0\"", "\"2.0\"")),
             ContainsSubstring("version 2.0 is unknown"));
  CHECK_THAT(refusal(edited(shard, "\"1.0\"", "\"1.\"")), ContainsSubstring("1.<minor>"));
  CHECK_THAT(refusal(edited(shard, "hotpack.plan", "hotpack.plam")),
             ContainsSubstring("lacks hotpack.plan"));
  CHECK_THAT(refusal(edited(shard, "\"__metadata__\":{", "\"__metadata__\":{\"x\":\"y\",")),
             ContainsSubstring("\"x\" is unknown"));
  CHECK_THAT(refusal(edited(shard, "\\\"hwc\\\"", "\\\"whc\\\"")),
             ContainsSubstring("hotpack.schema: fields.image.layout"));
  CHECK_THAT(refusal(edited(shard, "{\\\"samples\\\":2", "{\\\"samples\\\":\\\"2\\\"")),
             ContainsSubstring("hotpack.plan: plan.samples"));
  CHECK_THAT(refusal(edited(shard, "{\\\"samples\\\":2", "{\\\"samples\\\":1")),
             ContainsSubstring("more than the 1 samples"));
  CHECK_THAT(refusal(edited(shard, "\"hotpack.sources\":\"xxh3", "\"hotpack.sources\":\"XXH3")),
             ContainsSubstring("hotpack.sources"));
}

TEST_CASE("missing, wrong and surplus tensors are named") {
  const TinyShard shard = make_shard({}, 2);
  CHECK_THAT(refusal(edited(shard, "\"label.crc32c\"", "\"label.crc32d\"")),
             ContainsSubstring("label.crc32c is missing"));
  CHECK_THAT(refusal(edited(shard, "\"key.offsets\"", "\"kay.offsets\"")),
             ContainsSubstring("key.offsets is missing"));
  CHECK_THAT(refusal(edited(shard, "\"image.crc32c\":{\"dtype\":\"U32\"",
                            "\"image.crc32c\":{\"dtype\":\"I32\"")),
             ContainsSubstring("image.crc32c is I32 [2], expected U32 [2]"));
  CHECK_THAT(refusal(edited(shard, "\"source.size\":{\"dtype\":\"I32\",\"shape\":[2,2]",
                            "\"source.size\":{\"dtype\":\"I32\",\"shape\":[4]")),
             ContainsSubstring("source.size is I32 [4], expected I32 [2,2]"));
  CHECK_THAT(refusal(edited(shard, "\"image\":{\"dtype\":\"U8\",\"shape\":[2,5,6,3]",
                            "\"image\":{\"dtype\":\"U8\",\"shape\":[2,6,5,3]")),
             ContainsSubstring("image is U8 [2,6,5,3], expected U8 [2,5,6,3]"));
  CHECK_THAT(refusal(edited(shard, "\"_pad.0\"", "\"depth\"")),
             ContainsSubstring("\"depth\" does not belong"));
  CHECK_THAT(refusal(edited(shard, "\"_pad.0\"", "\"_pad.x\"")),
             ContainsSubstring("\"_pad.x\" does not belong"));
  CHECK_THAT(refusal(edited(shard, ",\"image.crc32c\":",
                            ",\"image.zstd\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]"
                            "},\"image.crc32c\":")),
             ContainsSubstring("image.zstd"));
}

TEST_CASE("a second form of image or label is refused in every version") {
  // `source.later` of a shard of 1.1 gets the name that the shard must not have.
  struct Case {
    const char* form;
    const char* name;
  };
  for (const auto& [form, name] :
       {Case{"later", "image.data"}, Case{"later", "image.offsets"}, Case{"later", "image.shape"},
        Case{"later", "image.zstd.crc32c"}, Case{"later", "label.zstd.offsets"},
        Case{"later", "label.shape"}, Case{"later", "label.data"}, Case{"later-zstd", "image"},
        Case{"later-zstd", "image.data"}, Case{"later-zstd", "label.offsets"},
        Case{"later-unlabeled", "label"}, Case{"later-unlabeled", "label.crc32c"},
        Case{"later-unlabeled", "label.more"}}) {
    INFO(form << " " << name);
    const TinyShard shard = make_shard(all_forms().at(form), 2);
    const std::string message =
        refusal(edited(shard, "\"source.later\"", "\"" + std::string(name) + "\""));
    CHECK_THAT(message, ContainsSubstring("in another form") ||
                            ContainsSubstring("does not belong to a data set without labels"));
  }
  const TinyShard shard = make_shard({.later = true}, 2);
  CHECK_FALSE(decode_header(edited(shard, "\"source.later\"", "\"image.zstd\""))
                  .ok());  // then the zstd tables are missing
}

TEST_CASE("the tables of a field follow from the schema") {
  for (const auto& [name, form] : all_forms()) {
    INFO(name);
    const TinyShard shard = make_shard(form, 2);
    const ShardHeader header = decode_header(shard.bytes).value();
    const FieldTables image = image_tables(header), label = label_tables(header);
    CHECK(image.compressed == form.image_zstd);
    CHECK((image.offsets != nullptr) == (form.image_zstd || !form.size));
    CHECK((image.shapes != nullptr) == !form.size.has_value());
    CHECK((image.frame_crcs != nullptr) == form.image_zstd);
    CHECK((label.payload != nullptr) == form.labeled);
    CHECK((label.crcs != nullptr) == form.labeled);
  }
}

TEST_CASE("fillers hold bytes, and 1.0 has no more of them than its layout can") {
  const TinyShard shard = make_shard({}, 2);
  // The error for the shard with more fillers of these sizes at its end.
  const auto with_fillers = [&](std::initializer_list<std::size_t> sizes) {
    std::string text = header_text(shard);
    Bytes buffer(buffer_of(shard).begin(), buffer_of(shard).end());
    int number = 10;
    for (const std::size_t size : sizes) {
      const std::size_t begin = buffer.size();
      buffer.resize(begin + size);
      text.pop_back();
      text += ",\"_pad." + std::to_string(number++) + "\":{\"dtype\":\"U8\",\"shape\":[" +
              std::to_string(size) + "],\"data_offsets\":[" + std::to_string(begin) + "," +
              std::to_string(buffer.size()) + "]}}";
    }
    return refusal(with_header(text, buffer, shard.layout.header_bytes));
  };
  CHECK_THAT(with_fillers({0}), ContainsSubstring("the filler _pad.10 is empty"));
  CHECK_THAT(with_fillers({1, 1}),
             ContainsSubstring("4 fillers; a shard of version 1.0 has at most 3"));
}

TEST_CASE("a huge record count asks for no memory") {
  const TinyShard shard = make_shard({}, 2);
  for (const auto* count : {"4611686018427387904", "18446744073709551615", "1152921504606846976"}) {
    CHECK_FALSE(
        decode_header(edited(shard, "\"shape\":[3],", std::string("\"shape\":[") + count + "],"))
            .ok());
  }
}

TEST_CASE("a later minor version is read without its additions") {
  TinyForm form;
  form.later = true;
  const auto records = tiny_records(form, 2);
  const TinyShard shard = make_shard(form, records, tiny_plan(records));
  const ShardHeader header = decode_header(shard.bytes).value();
  CHECK(header.minor == 1);
  CHECK(header.metadata.more.size() == 1);
  CHECK(header.schema == tiny_schema(form));
  CHECK(check_tables(shard.bytes, header).ok());
  CHECK(header.find("depth") != nullptr);
  // The same tensors in a shard that claims to be 1.0 are refused.
  CHECK_FALSE(decode_header(edited(shard, "\"1.1\"", "\"1.0\"")).ok());
}

TEST_CASE("the schema is parsed once for equal texts") {
  const TinyShard one = make_shard({}, 1), two = make_shard({}, 2);
  TinyForm other_form;
  other_form.classes = 5;
  const TinyShard other = make_shard(other_form, 1);
  SchemaCache cache;
  CHECK(decode_header(one.bytes, &cache)->schema == tiny_schema({}));
  CHECK(cache.text == one.metadata.schema);
  cache.schema.options.size_mismatch = "marked";  // shows whether the cached one is used
  CHECK(decode_header(two.bytes, &cache)->schema.options.size_mismatch == "marked");
  CHECK(decode_header(other.bytes, &cache)->schema == tiny_schema(other_form));
  CHECK(cache.text == other.metadata.schema);
}

TEST_CASE("alignment is reported, not required") {
  const TinyShard shard = make_shard({}, 2);
  const Bytes shifted =
      with_header(header_text(shard), buffer_of(shard), shard.layout.header_bytes + 1);
  const auto header = decode_header(shifted);
  REQUIRE(header.ok());
  CHECK_FALSE(header->aligned);
  CHECK(u64_at(shifted, *header, *header->find("key.offsets"), 1) == 18);
  CHECK(decode_header(shard.bytes)->aligned);
}

TEST_CASE("a shard saved again by another library is read, but fails its CRC") {
  // Such a library sorts tensors by item size and name, and keeps all of them.
  const TinyShard shard = make_shard({}, 2);
  const ShardHeader before = decode_header(shard.bytes).value();
  std::vector<Tensor> order = before.tensors;
  std::sort(order.begin(), order.end(), [](const Tensor& a, const Tensor& b) {
    return std::pair(item_bytes(b.type), a.name) < std::pair(item_bytes(a.type), b.name);
  });
  Bytes buffer;
  for (Tensor& tensor : order) {
    const auto bytes = buffer_of(shard).subspan(tensor.begin, tensor.bytes());
    tensor.begin = buffer.size();
    buffer.insert(buffer.end(), bytes.begin(), bytes.end());
    tensor.end = buffer.size();
  }
  Layout layout{4096, order, 0, buffer.size()};
  const std::string header_bytes = encode_header(shard.metadata, layout);
  const Bytes saved =
      with_header(header_bytes.substr(8, header_bytes.find_last_not_of(' ') - 7), buffer);
  const auto header = decode_header(saved);
  REQUIRE(header.ok());
  CHECK(header->records == 2);
  CHECK_FALSE(header->aligned);
  CHECK(read_sums(saved, *header) == shard.sums);
  CHECK_THAT(check_region_sums(saved, *header).error().message,
             ContainsSubstring("saved again by another program"));
}

TEST_CASE("sums of the regions tell which one is damaged") {
  const TinyShard shard = make_shard({}, 2);
  Bytes file = shard.bytes;
  file[shard.layout.buffer_start() - 1] = std::byte{'\n'};
  CHECK_THAT(refusal(file), ContainsSubstring("the header has the checksum crc32c:"));
  file = shard.bytes;
  file[shard.layout.file_offset("source.size")] ^= std::byte{1};
  CHECK_THAT(refusal(file), ContainsSubstring("the tables region has the checksum crc32c:"));
}

TEST_CASE("impossible tables are refused although their sums match") {
  const auto max64 = std::numeric_limits<std::uint64_t>::max();
  const TinyShard fixed = make_shard({}, 2);
  CHECK(refusal(with_number<std::int32_t>(fixed, "source.size", 0, 5)) == "accepted");
  CHECK_THAT(refusal(with_number<std::uint64_t>(fixed, "key.offsets", 0, 1)),
             ContainsSubstring("key.offsets does not rise"));
  CHECK_THAT(refusal(with_number<std::uint64_t>(fixed, "key.offsets", 1, max64)),
             ContainsSubstring("key.offsets does not rise"));
  CHECK_THAT(refusal(with_number<std::uint64_t>(fixed, "key.offsets", 2, 35)),
             ContainsSubstring("key.offsets does not rise"));
  CHECK_THAT(refusal(with_number<std::uint64_t>(fixed, "key.offsets", 1, 36)),
             ContainsSubstring("record 1: its key"));
  CHECK_THAT(refusal(with_number<std::uint64_t>(make_shard({}, 3), "key.offsets", 2, 17)),
             ContainsSubstring("key.offsets does not rise from 0 to 54: item 2 is 17"));
  CHECK_THAT(refusal(with_number<char>(fixed, "key.data", 0, '/')),
             ContainsSubstring("record 0: its key"));
  CHECK_THAT(refusal(with_number<char>(fixed, "key.data", 18, '\0')),
             ContainsSubstring("record 1: its key"));
  CHECK_THAT(refusal(with_number<char>(fixed, "key.data", 3, '\xFF')),
             ContainsSubstring("record 0: its key"));
  CHECK_THAT(refusal(with_number<std::uint64_t>(fixed, "shard.sums", 0, max64)),
             ContainsSubstring("shard.sums"));
  CHECK_THAT(refusal(with_number<std::uint64_t>(fixed, "shard.sums", 8, 1)),
             ContainsSubstring("shard.sums"));  // skipped
  CHECK_THAT(refusal(with_number<std::uint64_t>(fixed, "shard.sums", 10, 3)),
             ContainsSubstring("shard.sums"));  // samples of class 0
  CHECK_THAT(refusal(with_number<std::uint64_t>(fixed, "shard.sums", 11, 0)),
             ContainsSubstring("shard.sums"));  // labeled

  const TinyShard mixed = make_shard({.size = {}}, 2);
  CHECK_THAT(refusal(with_number<std::uint64_t>(mixed, "image.offsets", 1, max64)),
             ContainsSubstring("image.offsets does not rise"));
  CHECK_THAT(refusal(with_number<std::uint64_t>(mixed, "label.offsets", 1, 11)),
             ContainsSubstring("record 0: label has 11 bytes"));
  CHECK_THAT(refusal(with_number<std::int32_t>(mixed, "image.shape", 0, -3)),
             ContainsSubstring("record 0: image.shape"));
  CHECK_THAT(refusal(with_number<std::int32_t>(mixed, "image.shape", 2, 4)),
             ContainsSubstring("record 0: image.shape"));
  CHECK_THAT(refusal(with_number<std::int32_t>(mixed, "image.shape", 3, 2147483647)),
             ContainsSubstring("record 1: image has"));
  CHECK_THAT(refusal(with_number<std::int32_t>(mixed, "label.shape", 3, 5)),
             ContainsSubstring("record 1: label.shape"));
  CHECK_THAT(refusal(with_number<std::int32_t>(mixed, "label.shape", 5, 2)),
             ContainsSubstring("record 1: label.shape"));

  const TinyShard zstd = make_shard({.size = {}, .image_zstd = true}, 1);
  Bytes bomb = with_number<std::int32_t>(zstd, "image.shape", 0, 2147483647);
  store_le(bomb.data() + zstd.layout.file_offset("label.shape"), std::int32_t{2147483647});
  reseal(zstd, bomb);
  CHECK_THAT(refusal(bomb), ContainsSubstring("record 0: image has"));
}

TEST_CASE("classes that no label can have are refused") {
  const TinyShard shard = make_shard({.size = Extent{3, 2}}, 2);
  const auto header = decode_header(shard.bytes).value();
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < 8; ++i)
    rows.push_back(u32_at(shard.bytes, header, *header.find("label.classes"), i));
  REQUIRE(rows == std::vector<std::uint32_t>{0, 3, 0, 3, 1, 1, 2, 2});  // id, pixels
  const auto with_item = [&](std::size_t item, std::uint32_t value) {
    return refusal(with_number(shard, "label.classes", item, value));
  };
  CHECK(with_item(1, 2) == "accepted");  // only verification counts pixels
  CHECK_THAT(with_item(0, 3), ContainsSubstring("record 0: label.classes has a row that no label"));
  struct Item {
    std::size_t item;
    std::uint32_t value;
  };
  for (const auto& [item, value] :
       {Item{2, 1}, Item{3, 0}, Item{4, 0}, Item{4, 2}, Item{6, 1}, Item{6, 3}, Item{7, 0}}) {
    INFO(item << " " << value);
    CHECK_THAT(with_item(item, value),
               ContainsSubstring("record 1: label.classes has a row that no label can have"));
  }
  for (const auto& [item, value] : {Item{0, 1}, Item{1, 5}, Item{2, 3}, Item{2, 5}}) {
    INFO(item << " " << value);
    CHECK_THAT(refusal(with_number<std::uint64_t>(shard, "label.classes.offsets", item, value)),
               ContainsSubstring("label.classes.offsets does not rise from 0 to 4: item " +
                                 std::to_string(item)));
  }
}

TEST_CASE("label.classes belongs to pixel labels") {
  const TinyShard pixels = make_shard({}, 2);
  CHECK_THAT(refusal(edited(pixels, "\"label.classes.offsets\"", "\"label.classes.offsett\"")),
             ContainsSubstring("label.classes.offsets is missing"));
  CHECK_THAT(refusal(edited(pixels, "\"label.classes\"", "\"label.clashes\"")),
             ContainsSubstring("label.classes is missing"));
  const TinyShard whole = make_shard({.scope = LabelScope::image, .later = true}, 2);
  Bytes later = edited(whole, "\"source.later\"", "\"label.classes\"");
  reseal(whole, later);
  CHECK(refusal(later) == "accepted");  // as every tensor that only a later version knows
}

TEST_CASE("keys are relative paths that stay inside a folder") {
  const auto with_key = [](const std::string& key) {
    auto records = tiny_records({}, 1);
    records[0].key = key;
    return refusal(make_shard({}, records, tiny_plan(records)).bytes);
  };
  for (const auto* good : {"a", "a/b", "..a", "a..", ".hidden", "日本/é", "-x", "a b"})
    CHECK(with_key(good) == "accepted");
  for (const auto* bad : {"", "/a", "a/", "a//b", ".", "..", "../a", "a/..", "a/./b", "\xC3"}) {
    INFO(bad);
    CHECK_THAT(with_key(bad), ContainsSubstring("its key"));
  }
}

TEST_CASE("random damage to the header never crashes and never opens") {
  std::mt19937 random(7);
  for (const auto& [name, form] : all_forms()) {
    const TinyShard shard = make_shard(form, 2);
    const std::size_t text_end = 8 + header_text(shard).size();
    for (int round = 0; round < 60; ++round) {
      Bytes file = shard.bytes;
      for (int i = 0; i < 1 + round % 4; ++i)
        file[random() % text_end] =
            static_cast<std::byte>("0123456789{}[]\",:. \\aUX"[random() % 23]);
      if (file != shard.bytes && opens(file)) FAIL(name << " round " << round);
    }
  }
}

TEST_CASE("the digest covers header and tables") {
  const TinyShard shard = make_shard({}, 2);
  const ShardHeader header = decode_header(shard.bytes).value();
  const std::uint64_t tables = shard.layout.buffer_start() + shard.layout.tables_begin;
  std::string covered(reinterpret_cast<const char*>(shard.bytes.data()),
                      shard.layout.buffer_start());
  covered.append(reinterpret_cast<const char*>(shard.bytes.data()) + tables,
                 shard.bytes.size() - tables);
  CHECK(digest_of(shard.bytes, header) == xxh3_128(covered).text());
}
