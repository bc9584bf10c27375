#include "hotpack/shard.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "unit/reader/tiny_files.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

constexpr const char* kName = "shard-00000-of-00001.safetensors";

bool same(std::span<const std::uint8_t> found, const std::vector<std::byte>& wanted) {
  const auto bytes = std::as_bytes(found);
  return std::equal(bytes.begin(), bytes.end(), wanted.begin(), wanted.end());
}

Shard open_shard(const std::string& path, const TinyShard& shard) {
  write_bytes(path, shard.bytes);
  return Shard::open(path).value();
}

void check_sample(const TinyForm& form, const TinyRecord& record, const Sample& sample,
                  bool image_compressed, bool label_compressed) {
  CHECK(sample.key() == record.key);
  CHECK(sample.image_shape().width == record.size.width);
  CHECK(sample.image_shape().height == record.size.height);
  CHECK(sample.source().width == record.source.width);
  CHECK(sample.source().region[1] == record.region.y);
  std::vector<std::uint8_t> buffer(
      std::max(sample.image_shape().size_bytes(), sample.label_shape().size_bytes()) + 5);
  CHECK(same(sample.read_image(buffer).value().bytes, stored_image(form, record)));
  if (!image_compressed) CHECK(same(sample.image().value().bytes, stored_image(form, record)));
  CHECK(sample.has_label() == form.labeled);
  if (!form.labeled) return;
  CHECK(sample.label_shape().vectors() == record.labels.size());
  CHECK(same(sample.read_label(buffer).value().bytes, stored_label(form, record)));
  if (!label_compressed) CHECK(same(sample.label().value().bytes, stored_label(form, record)));
}

}  // namespace

TEST_CASE("a shard of every form returns its samples") {
  const TempFolder folder;
  for (const TinyForm& form : all_forms()) {
    const auto records = tiny_records(form, 5);
    const Shard shard = open_shard(folder / kName, make_shard(form, records, tiny_plan(records)));
    REQUIRE(shard.records() == 5);
    CHECK(shard.aligned());
    CHECK(shard.image_compressed() == form.image_zstd);
    CHECK(shard.schema().label.has_value() == form.labeled);
    for (std::size_t i = 0; i < records.size(); ++i) {
      check_sample(form, records[i], shard.sample(i).value(), form.image_zstd, form.label_zstd);
    }
  }
}

TEST_CASE("a shard without records opens") {
  const TempFolder folder;
  const Shard shard = open_shard(folder / kName, make_shard({}, 0));
  CHECK(shard.records() == 0);
  CHECK(shard.sample(0).error().code == ErrorCode::usage);
}

TEST_CASE("samples stay valid when their shard moves") {
  const TempFolder folder;
  Shard first = open_shard(folder / kName, make_shard({}, 2));
  const Sample sample = first.sample(1).value();
  const Shard second = std::move(first);
  CHECK(sample.key() == "street/sample 0001");
  CHECK(sample.image().ok());
}

TEST_CASE("asking for what a shard does not have is a usage error") {
  const TempFolder folder;
  TinyForm form;
  form.image_zstd = true;
  form.labeled = false;
  const Shard shard = open_shard(folder / kName, make_shard(form, 2));
  const Sample sample = shard.sample(0).value();
  std::vector<std::uint8_t> buffer(sample.image_shape().size_bytes() - 1);
  CHECK(shard.sample(2).error().code == ErrorCode::usage);
  CHECK(sample.image().error().code == ErrorCode::usage);
  CHECK_THAT(sample.image().error().message, ContainsSubstring("read_image()"));
  CHECK(sample.label().error().code == ErrorCode::usage);
  CHECK(sample.read_label(buffer).error().code == ErrorCode::usage);
  CHECK(sample.read_image(buffer).error().code == ErrorCode::usage);
}

TEST_CASE("a missing shard is an I/O error, other files are damaged shards") {
  const TempFolder folder;
  CHECK(Shard::open(folder / "absent.safetensors").error().code == ErrorCode::io);
  folder.write("text", "no shard at all");
  const auto text = Shard::open(folder / "text");
  CHECK(text.error().code == ErrorCode::damaged);
  CHECK(text.error().path == folder / "text");
  folder.write("empty", "");
  CHECK(Shard::open(folder / "empty").error().code == ErrorCode::damaged);
}

TEST_CASE("a changed pixel is an error with file and offset, unless trusted") {
  const TempFolder folder;
  for (const bool zstd : {false, true}) {
    TinyForm form;
    form.image_zstd = form.label_zstd = zstd;
    const TinyShard made = make_shard(form, 3);
    write_bytes(folder / kName, made.bytes);
    const Shard pristine = Shard::open(folder / kName).value();
    const std::uint64_t offset = made.layout.file_offset(zstd ? "image.zstd" : "image");
    flip(folder / kName, offset + (zstd ? 12 : 0));
    const Shard shard = Shard::open(folder / kName).value();
    const Sample sample = shard.sample(0).value();
    std::vector<std::uint8_t> buffer(sample.image_shape().size_bytes());
    const auto read = sample.read_image(buffer);
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().code == ErrorCode::damaged);
    CHECK(read.error().path == folder / kName);
    CHECK(read.error().offset == offset);
    CHECK_THAT(read.error().message,
               ContainsSubstring("record 0 (street/sample 0000): image: CRC-32C"));
    CHECK(shard.sample(1)->read_image(buffer).ok());
    if (!zstd) CHECK(sample.image(VerifyChecksums::never).ok());
    if (!zstd) CHECK_FALSE(sample.image().ok());
  }
}

TEST_CASE("a truncated shard never opens") {
  const TempFolder folder;
  TinyForm form;
  form.size.reset();
  const TinyShard shard = make_shard(form, 3);
  for (std::size_t size = 0; size < shard.bytes.size(); size += size < 600 ? 1 : 97) {
    write_bytes(folder / kName, std::span(shard.bytes).first(size));
    const auto opened = Shard::open(folder / kName);
    REQUIRE_FALSE(opened.ok());
    REQUIRE(opened.error().code == ErrorCode::damaged);
  }
}

TEST_CASE("no flipped bit of header or tables opens as another shard") {
  const TempFolder folder;
  TinyForm form;
  form.size.reset();
  form.image_zstd = true;
  const TinyShard shard = make_shard(form, 2);
  const std::uint64_t tables = shard.layout.buffer_start() + shard.layout.tables_begin;
  std::vector<std::byte> bytes = shard.bytes;
  for (std::size_t at = 0; at < bytes.size(); at += at < 2000 || at >= tables ? 3 : 501) {
    if (at >= shard.layout.buffer_start() && at < tables) continue;
    bytes[at] ^= std::byte{1} << at % 8;
    write_bytes(folder / kName, bytes);
    REQUIRE_FALSE(Shard::open(folder / kName).ok());
    bytes[at] = shard.bytes[at];
  }
}

TEST_CASE("the label of an unlabeled set is a usage error before any lookup") {
  const TempFolder folder;
  TinyForm form;
  form.labeled = false;
  const Shard shard = open_shard(folder / kName, make_shard(form, 1));
  const Sample sample = shard.sample(0).value();
  std::vector<std::uint8_t> none;
  for (const auto& label :
       {sample.label(), sample.read_label(none), sample.read_label(none, VerifyChecksums::never),
        sample.load_label(none)}) {
    REQUIRE_FALSE(label.ok());
    CHECK(label.error().code == ErrorCode::usage);
    CHECK_THAT(label.error().message, ContainsSubstring("no label"));
  }
}

TEST_CASE("records load in place or into memory that grows only for valid frames") {
  const TempFolder folder;
  for (const TinyForm& form : all_forms()) {
    const auto records = tiny_records(form, 2);
    const TinyShard made = make_shard(form, records, tiny_plan(records));
    const Shard shard = open_shard(folder / kName, made);
    const Sample sample = shard.sample(1).value();
    std::vector<std::uint8_t> scratch;
    CHECK(same(sample.load_image(scratch).value().bytes, stored_image(form, records[1])));
    CHECK(scratch.empty() == !form.image_zstd);
    if (form.labeled)
      CHECK(same(sample.load_label(scratch).value().bytes, stored_label(form, records[1])));
    if (!form.image_zstd) continue;
    flip(folder / kName, made.layout.file_offset("image.zstd"));
    const Shard damaged = Shard::open(folder / kName).value();
    std::vector<std::uint8_t> untouched;
    for (const VerifyChecksums crc : {VerifyChecksums::always, VerifyChecksums::never}) {
      CHECK(damaged.sample(0)->load_image(untouched, crc).error().code == ErrorCode::damaged);
      CHECK(untouched.empty());
    }
  }
}

namespace {

constexpr VerifyChecksums kChecks[] = {VerifyChecksums::always, VerifyChecksums::first_read,
                                       VerifyChecksums::never};

void check_cut(const Error& error, const std::string& path, std::uint64_t record) {
  CHECK(error.code == ErrorCode::damaged);
  CHECK(error.path == path);
  CHECK(error.record == record);
  CHECK(error.offset.has_value());
  CHECK_THAT(error.message, ContainsSubstring("record " + std::to_string(record)) &&
                                ContainsSubstring("bytes when it was opened"));
}

}  // namespace

TEST_CASE("reads of a shard that was cut after it was mapped are errors") {
  for (const TinyForm& form : all_forms()) {
    const TempFolder folder;
    const auto records = tiny_records(form, 5);
    const Shard shard = open_shard(folder / kName, make_shard(form, records, tiny_plan(records)));
    const Sample sample = shard.sample(3).value();
    std::filesystem::resize_file(folder / kName, 0);
    std::vector<std::uint8_t> buffer(sample.image_shape().size_bytes() +
                                     sample.label_shape().size_bytes()),
        scratch;
    for (const VerifyChecksums crc : kChecks) {
      check_cut(sample.load_image(scratch, crc).error(), folder / kName, 3);
      check_cut(sample.copy_image(scratch, crc).error(), folder / kName, 3);
      check_cut(sample.read_image(buffer, crc).error(), folder / kName, 3);
      if (!form.labeled) continue;
      check_cut(sample.load_label(scratch, crc).error(), folder / kName, 3);
      check_cut(sample.copy_label(scratch, crc).error(), folder / kName, 3);
      check_cut(sample.read_label(buffer, crc).error(), folder / kName, 3);
    }
    check_cut(sample.copied_key().error(), folder / kName, 3);
    check_cut(shard.sample(2).error(), folder / kName, 2);
    CHECK(sample.source().width == records[3].source.width);
  }
}

TEST_CASE("a view is returned only if each of its pages can be read") {
  const TempFolder folder;
  TinyForm form;
  form.size = Extent{100, 100};  // eight pages
  const auto records = tiny_records(form, 2);
  const TinyShard made = make_shard(form, records, tiny_plan(records));
  const Shard shard = open_shard(folder / kName, made);
  const Sample sample = shard.sample(0).value();
  REQUIRE(sample.image().ok());
  const std::uint64_t begin = made.layout.file_offset("image");
  for (const std::uint64_t kept : {std::uint64_t{28672}, std::uint64_t{16384}}) {
    std::filesystem::resize_file(folder / kName, begin + kept);
    for (const VerifyChecksums crc : kChecks) {
      const Error error = sample.image(crc).error();
      check_cut(error, folder / kName, 0);
      CHECK(*error.offset >= begin + kept);  // of the first page that was missed, or of the tables
    }
  }
}

TEST_CASE("copies equal the records, and need nothing of the file") {
  for (const TinyForm& form : all_forms()) {
    const TempFolder folder;
    const auto records = tiny_records(form, 2);
    const Shard shard = open_shard(folder / kName, make_shard(form, records, tiny_plan(records)));
    const Sample sample = shard.sample(1).value();
    std::vector<std::uint8_t> image, label;
    const ImageView pixels = sample.copy_image(image).value();
    CHECK(sample.copy_label(label).ok() == form.labeled);
    const std::string key = sample.copied_key().value();
    std::filesystem::resize_file(folder / kName, 0);
    CHECK(same(pixels.bytes, stored_image(form, records[1])));
    if (form.labeled) CHECK(same(label, stored_label(form, records[1])));
    CHECK(key == records[1].key);
  }
}
