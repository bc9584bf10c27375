#include "format/shard_tables.hpp"

#include <cstring>

#include "altered.hpp"
#include "format/schema_json.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::format;
using namespace hotpack::test;

namespace {

// The numbers of a table in the region.
template <class T>
std::vector<T> table(const Layout& layout, const std::vector<std::byte>& tables,
                     std::string_view name) {
  const Tensor& tensor = *layout.find(name);
  std::vector<T> numbers(tensor.bytes() / sizeof(T));
  std::memcpy(numbers.data(), tables.data() + (tensor.begin - layout.tables_begin), tensor.bytes());
  return numbers;
}

struct Case {
  Schema schema;
  Layout layout;
  std::string header;
  std::vector<std::byte> tables;
};

// Counts of the record with this number: no class in the first one, classes 0 and 2 in the others.
Sums label_sums(std::size_t record) {
  Sums sums(3, 3);
  if (record > 0) sums.classes[0].pixels = 7, sums.classes[2].pixels = record;
  return sums;
}

Contents contents_of(const TinyForm& form, const std::vector<RecordEntry>& entries) {
  Contents contents{entries.size(),
                    0,
                    form.image_zstd,
                    form.label_zstd,
                    0,
                    0,
                    entries.empty() ? 0 : 2 * (entries.size() - 1)};
  for (const auto& entry : entries) {
    contents.key_bytes += entry.key.size();
    contents.image_stored_bytes += entry.image_stored;
    contents.label_stored_bytes += entry.label_stored;
  }
  return contents;
}

// Tables of `entries`, although `planned` were expected.
Case encode(const TinyForm& form, const std::vector<RecordEntry>& entries, const Sums& sums,
            const std::vector<RecordEntry>& planned) {
  Case made{tiny_schema(form), {}, {}, {}};
  const Metadata metadata{"1.0", "plan", encode_schema(made.schema).value(), "sources", {}};
  TableBuilder builder(plan_layout(metadata, made.schema, contents_of(form, planned)).value());
  for (std::size_t i = 0; i < entries.size(); ++i)
    REQUIRE(builder.add(entries[i], label_sums(i)).ok());
  const Contents contents = contents_of(form, entries);
  CHECK(builder.records() == contents.records);
  CHECK(builder.key_bytes() == contents.key_bytes);
  CHECK(builder.class_rows() == contents.class_rows);
  made.layout = plan_layout(metadata, made.schema, contents).value();
  made.header = encode_header(metadata, made.layout);
  made.tables = builder.finish(made.layout, sums, made.header);
  return made;
}

Case encode(const TinyForm& form, const std::vector<RecordEntry>& entries, const Sums& sums) {
  return encode(form, entries, sums, entries);
}

std::vector<RecordEntry> two_entries() {
  return {
      {"a", {1, 2}, {3, 4}, {5, -6, 7, 8}, 0x11, 0x12, 100, 10, 0x13, 0x14, {3, 4, 3}, {3, 4, 1}},
      {"bc",
       {21, 22},
       {23, 24},
       {25, 26, 27, 28},
       0x21,
       0x22,
       200,
       20,
       0x23,
       0x24,
       {5, 6, 3},
       {5, 6, 1}}};
}

Sums some_sums() {
  Sums sums(3, 3);
  sums.pixels_counted = 77;
  sums.classes[2] = {1, 2, 3};
  return sums;
}

}  // namespace

TEST_CASE("tables contain the values of the entries") {
  const Case made = encode({.size = {}, .image_zstd = true}, two_entries(), some_sums());
  const auto u64 = [&](std::string_view name) {
    return table<std::uint64_t>(made.layout, made.tables, name);
  };
  const auto u32 = [&](std::string_view name) {
    return table<std::uint32_t>(made.layout, made.tables, name);
  };
  const auto i32 = [&](std::string_view name) {
    return table<std::int32_t>(made.layout, made.tables, name);
  };
  CHECK(made.tables.size() == made.layout.buffer_bytes - made.layout.tables_begin);
  CHECK(u64("image.zstd.offsets") == std::vector<std::uint64_t>{0, 100, 300});
  CHECK(u64("label.offsets") == std::vector<std::uint64_t>{0, 10, 30});
  CHECK(u64("key.offsets") == std::vector<std::uint64_t>{0, 1, 3});
  CHECK(u64("source.hash") == std::vector<std::uint64_t>{1, 2, 21, 22});
  CHECK(u64("shard.sums") == some_sums().numbers());
  CHECK(i32("source.size") == std::vector<std::int32_t>{3, 4, 23, 24});
  CHECK(i32("source.region") == std::vector<std::int32_t>{5, -6, 7, 8, 25, 26, 27, 28});
  CHECK(i32("image.shape") == std::vector<std::int32_t>{3, 4, 3, 5, 6, 3});
  CHECK(i32("label.shape") == std::vector<std::int32_t>{3, 4, 1, 5, 6, 1});
  CHECK(u32("image.crc32c") == std::vector<std::uint32_t>{0x11, 0x21});
  CHECK(u32("label.crc32c") == std::vector<std::uint32_t>{0x12, 0x22});
  CHECK(u32("image.zstd.crc32c") == std::vector<std::uint32_t>{0x13, 0x23});
  CHECK(u64("label.classes.offsets") == std::vector<std::uint64_t>{0, 0, 2});
  CHECK(u32("label.classes") == std::vector<std::uint32_t>{0, 7, 2, 1});
  CHECK(table<char>(made.layout, made.tables, "key.data") == std::vector<char>{'a', 'b', 'c'});
}

TEST_CASE("planned records that were never added leave no trace") {
  std::vector<RecordEntry> planned = two_entries();
  planned.push_back(planned[0]);
  planned.back().key = "never packed";
  for (const TinyForm& form :
       {TinyForm{}, TinyForm{.size = {}}, TinyForm{.image_zstd = true, .label_zstd = true}}) {
    CHECK(encode(form, two_entries(), some_sums(), planned).tables ==
          encode(form, two_entries(), some_sums()).tables);
    CHECK(encode(form, {}, some_sums(), planned).tables == encode(form, {}, some_sums()).tables);
  }
}

TEST_CASE("more records than planned are refused") {
  const std::vector<RecordEntry> planned = two_entries();
  const Schema schema = tiny_schema({});
  const Layout layout = plan_layout({"1.0", "plan", encode_schema(schema).value(), "sources", {}},
                                    schema, contents_of({}, planned))
                            .value();
  TableBuilder records(layout);
  for (const RecordEntry& entry : planned) REQUIRE(records.add(entry, label_sums(0)).ok());
  RecordEntry more;
  CHECK(records.add(more, label_sums(0)).error().code == ErrorCode::internal);
  TableBuilder keys(layout);
  more.key = "abcd";
  CHECK(keys.add(more, label_sums(0)).error().code == ErrorCode::internal);
  CHECK(keys.records() == 0);
}

TEST_CASE("a class of more pixels than 32 bits hold is refused") {
  const std::vector<RecordEntry> planned = two_entries();
  const Schema schema = tiny_schema({});
  TableBuilder records(plan_layout({"1.0", "plan", encode_schema(schema).value(), "sources", {}},
                                   schema, contents_of({}, planned))
                           .value());
  Sums sums(3, 3);
  sums.classes[1].pixels = std::uint64_t{1} << 32;
  const Status added = records.add(planned[0], sums);
  CHECK(added.error().code == ErrorCode::data);
  CHECK(added.error().message ==
        "the label of a has 4294967296 pixels of class 1; the most is 4294967295: use a smaller "
        "--size");
}

TEST_CASE("the last table covers the header and all other tables") {
  const Case made = encode({}, two_entries(), some_sums());
  const auto sums = table<std::uint32_t>(made.layout, made.tables, "shard.crc32c");
  REQUIRE(sums.size() == 2);
  CHECK(sums[0] == crc32c(bytes_of(made.header)));
  CHECK(sums[1] == crc32c({made.tables.data(), made.tables.size() - 8}));
}

TEST_CASE("an empty shard has its first offsets, its sums and nothing else") {
  const Case made = encode({}, {}, Sums(3, 3));
  CHECK(table<std::uint64_t>(made.layout, made.tables, "key.offsets") ==
        std::vector<std::uint64_t>{0});
  CHECK(made.tables.size() == 8 + 8 + 8 * Sums::number_count(3, 3) + 8);
  CHECK(table<std::uint64_t>(made.layout, made.tables, "label.classes.offsets") ==
        std::vector<std::uint64_t>{0});
}

TEST_CASE("the digest is that of header and tables") {
  const Case made = encode({}, two_entries(), some_sums());
  std::string all = made.header;
  all.append(reinterpret_cast<const char*>(made.tables.data()), made.tables.size());
  CHECK(shard_digest(bytes_of(made.header), made.tables) == xxh3_128(all).text());
}
