#include "hotpack/verify.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "format/shard_tables.hpp"
#include "support/catch.hpp"
#include "support/sanitizers.hpp"
#include "support/temp_folder.hpp"
#include "unit/reader/tiny_files.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

constexpr const char* kName = "shard-00000-of-00001.safetensors";

std::string text_of(const VerifyReport& report) {
  std::string text;
  for (const VerifyFinding& finding : report.findings) text += finding.describe() + "\n";
  return text;
}

VerifyReport verified(const TempFolder& folder) { return verify_dataset(folder.path()).value(); }

VerifyReport verified_shard(const TempFolder& folder, const TinyShard& shard) {
  write_bytes(folder / kName, shard.bytes);
  return verify_shard(folder / kName).value();
}

// The texts of all findings of a pack after `change` was applied to its manifest.
template <class Change>
std::string after(const TempFolder& folder, format::Manifest manifest, Change change) {
  change(manifest);
  write_bytes(folder / "dataset.json", bytes_of(format::encode_manifest(manifest)));
  return text_of(verified(folder));
}

}  // namespace

TEST_CASE("packs of every form pass verify") {
  for (const TinyForm& form : all_forms()) {
    const TempFolder folder;
    (void)write_pack(folder.path(), form, tiny_records(form, 10), 4, 1);
    const auto report = verified(folder);
    CHECK(text_of(report) == "");
    CHECK(report.ok());
    CHECK(report.records == 10);
    CHECK(report.shards == 3);
    CHECK(report.aligned);
    CHECK(report.notes.size() == (form.later ? 3u : 0u));  // one per shard of a later version
  }
}

TEST_CASE("an empty pack passes verify") {
  const TempFolder folder;
  (void)write_pack(folder.path(), {}, {}, 4);
  CHECK(text_of(verified(folder)) == "");
}

TEST_CASE("nothing to check is an I/O error") {
  const TempFolder folder;
  CHECK(verify_dataset(folder / "absent").error().code == ErrorCode::io);
  CHECK(verify_shard(folder / "absent").error().code == ErrorCode::io);
}

TEST_CASE("an unreadable manifest does not suggest a merge") {
  const TempFolder folder;
  (void)write_pack(folder.path(), {}, tiny_records({}, 4), 4);
  std::filesystem::remove(folder / "dataset.json");
  std::filesystem::create_directory(folder / "dataset.json");  // it exists, but cannot be read
  const auto report = verified(folder);
  REQUIRE(report.finding_count == 1);
  CHECK(report.findings[0].code == ErrorCode::io);
  CHECK(report.notes.empty());
}

TEST_CASE("damaged files are named although their findings are not kept") {
  const TempFolder folder;
  const auto manifest = write_pack(folder.path(), {}, tiny_records({}, 10), 4);
  std::filesystem::remove(folder / "dataset.json");
  std::filesystem::create_directory(folder / "dataset.json");  // it exists, but cannot be read
  VerifyOptions options;
  options.max_findings = 1;
  const auto undamaged = verify_dataset(folder.path(), options);
  REQUIRE(undamaged.ok());
  CHECK(undamaged->finding_count == 1);
  CHECK(undamaged->damaged_files.empty());
  const TinyShard first = make_shard({}, tiny_records({}, 4), manifest.plan);
  for (const std::size_t shard : {std::size_t{0}, std::size_t{2}})
    flip(folder / manifest.shards[shard].file, first.layout.file_offset("image"));
  options.threads = GENERATE(1U, 3U);
  const auto report = verify_dataset(folder.path(), options);
  REQUIRE(report.ok());
  REQUIRE(report->findings.size() == 1);
  CHECK(report->findings[0].code == ErrorCode::io);
  CHECK(report->finding_count == 3);
  CHECK(report->damaged_files ==
        std::vector<std::string>{manifest.shards[0].file, manifest.shards[2].file});
}

TEST_CASE("a damaged record is named with file, record, key and offset") {
  const TempFolder folder;
  for (const bool zstd : {false, true}) {
    TinyForm form;
    form.image_zstd = zstd;
    const auto manifest = write_pack(folder.path(), form, tiny_records(form, 6), 4);
    const TinyShard second = make_shard(form, tiny_records(form, 2, 4), manifest.plan);
    const std::uint64_t start = second.layout.file_offset(zstd ? "image.zstd" : "image");
    flip(folder / manifest.shards[1].file, start + 30);
    const auto report = verified(folder);
    REQUIRE(report.finding_count == 1);
    const VerifyFinding& finding = report.findings[0];
    CHECK(finding.file == manifest.shards[1].file);
    CHECK(finding.record == 0u);
    CHECK(finding.key == "street/sample 0004");
    CHECK(finding.offset == start);
    CHECK(finding.code == ErrorCode::damaged);
    CHECK_THAT(finding.text, ContainsSubstring("CRC-32C"));
  }
}

TEST_CASE("every byte of a shard is covered") {
  const TempFolder folder;
  TinyForm mixed;
  mixed.size.reset();
  mixed.image_zstd = true;
  for (const TinyForm& form : {TinyForm{}, mixed}) {
    const TinyShard shard = make_shard(form, 2);
    for (std::size_t at = 0; at < shard.bytes.size(); at += 7 * every(7)) {
      TinyShard changed = shard;
      changed.bytes[at] ^= std::byte{1} << at % 8;
      const auto report = verified_shard(folder, changed);
      INFO("byte " << at);
      REQUIRE(report.finding_count > 0);
    }
  }
}

TEST_CASE("checks continue after the first problem") {
  const TempFolder folder;
  const TinyForm form;
  const auto manifest = write_pack(folder.path(), form, tiny_records(form, 10), 4);
  const TinyShard first = make_shard(form, tiny_records(form, 4), manifest.plan);
  const std::uint64_t image = first.layout.file_offset("image");
  flip(folder / manifest.shards[0].file, image);
  flip(folder / manifest.shards[0].file, image + 3 * 90);
  flip(folder / manifest.shards[0].file, first.layout.file_offset("_pad.0"));
  flip(folder / manifest.shards[2].file, image);
  const auto report = verified(folder);
  CHECK(report.finding_count == 4);
  for (const char* wanted : {"_pad.0", "record 0 (street/sample 0000)",
                             "record 3 (street/sample 0003)", "record 0 (street/sample 0008)"}) {
    CHECK_THAT(text_of(report), ContainsSubstring(wanted));
  }
}

TEST_CASE("label values are checked although the checksum is correct") {
  const TempFolder folder;
  struct Case {
    LabelStorage storage;
    std::uint8_t value;
    const char* text;
  };
  for (const Case& bad :
       {Case{LabelStorage::index, 9,
             "1 ids of no class (there are 3 classes); the first at x 1, y 0 has 9"},
        Case{LabelStorage::bits, 0x80, "bits beyond class 2"},
        Case{LabelStorage::bits, 3, "more than one class"},
        Case{LabelStorage::one_hot, 5, "one-hot bytes other than 0 and 1"}}) {
    TinyForm form;
    form.storage = bad.storage;
    TinyShard shard = make_shard(form, 2);
    const std::size_t step = bad.storage == LabelStorage::one_hot ? 3 : 1;
    const std::uint64_t offset =
        shard.layout.file_offset("label") + 30 * step + step;  // record 1, the second pixel
    shard.bytes[offset] = std::byte{bad.value};
    seal_record(shard, "label", 1, 30 * step);
    const auto report = verified_shard(folder, shard);
    REQUIRE_FALSE(report.ok());
    const VerifyFinding& finding = report.findings[0];
    CHECK(finding.record == 1u);
    CHECK(finding.offset == offset);
    CHECK_THAT(finding.text, ContainsSubstring(bad.text));
  }
}

TEST_CASE("sums, regions and hashes are recomputed anyway") {
  const TempFolder folder;
  const auto finding_after = [&](const char* table, std::size_t byte, const TinyForm& form = {}) {
    TinyShard shard = make_shard(form, 2);
    shard.bytes[shard.layout.file_offset(table) + byte] ^= std::byte{1};
    seal_tables(shard);
    return text_of(verified_shard(folder, shard));
  };
  CHECK_THAT(finding_after("shard.sums", 0), ContainsSubstring("shard.sums: sum of channel 0 is"));
  CHECK_THAT(finding_after("shard.sums", 8 * 7), ContainsSubstring("ignored pixels"));
  CHECK_THAT(finding_after("source.region", 16),
             ContainsSubstring("record 1 (street/sample 0001): source.region is"));
  CHECK_THAT(finding_after("source.size", 1),
             ContainsSubstring("record 0 (street/sample 0000): source.region is"));
  CHECK_THAT(finding_after("source.size", 0, {.size = {}}),
             ContainsSubstring("record 0 (street/sample 0000): image.shape is"));
  const TinyForm small{.size = Extent{3, 2}};  // record 0: 3 pixels of class 0
  CHECK_THAT(finding_after("label.classes", 4, small),
             ContainsSubstring("record 0 (street/sample 0000), at byte 12288: label.classes says "
                               "2 pixels of class 0, but the label has 3"));
  CHECK_THAT(finding_after("label.classes", 0, small),
             ContainsSubstring("label.classes says 0 pixels of class 0, but the label has 3"));
  CHECK_THAT(finding_after("label.classes.offsets", 9, small),
             ContainsSubstring("label.classes.offsets does not rise from 0 to 4"));
  TinyForm form;
  form.scope = LabelScope::image;
  TinyShard shard = make_shard(form, 2);
  store_le(shard.bytes.data() + shard.layout.file_offset("source.hash"), std::uint64_t{0});
  store_le(shard.bytes.data() + shard.layout.file_offset("source.hash") + 24, std::uint64_t{1});
  seal_tables(shard);
  const std::string text = text_of(verified_shard(folder, shard));
  CHECK_THAT(text, ContainsSubstring("source.hash of its image is 0"));
  CHECK_THAT(text, ContainsSubstring("source.hash of its label is not 0"));
}

TEST_CASE("a field of a later version is checked against its checksums") {
  const TempFolder folder;
  TinyForm form;
  form.later = true;
  TinyShard shard = make_shard(form, 2);
  CHECK(verified_shard(folder, shard).ok());
  const std::uint64_t offset = shard.layout.file_offset("depth") + 60;
  shard.bytes[offset + 7] ^= std::byte{4};
  const auto report = verified_shard(folder, shard);
  REQUIRE(report.finding_count == 1);
  CHECK(report.findings[0].record == 1u);
  CHECK(report.findings[0].offset == offset);
  CHECK_THAT(report.findings[0].text, ContainsSubstring("depth"));
}

TEST_CASE("the manifest is compared with its shards") {
  const TempFolder folder;
  const TinyForm form;
  const auto manifest = write_pack(folder.path(), form, tiny_records(form, 6), 4);
  using Manifest = format::Manifest;
  CHECK(after(folder, manifest, [](Manifest&) {}) == "");
  CHECK_THAT(after(folder, manifest, [](Manifest& m) { m.statistics.mean[1] = 0.5; }),
             ContainsSubstring("statistics.mean[1] is 0.5"));
  CHECK_THAT(after(folder, manifest, [](Manifest& m) { m.statistics.pixels[2] += 1; }),
             ContainsSubstring("statistics.pixels[2]"));
  CHECK_THAT(after(folder, manifest, [](Manifest& m) { m.statistics.weights_median[0].reset(); }),
             ContainsSubstring("weights.median[0] is null"));
  CHECK_THAT(after(folder, manifest, [](Manifest& m) { m.statistics.ignored += 1; }),
             ContainsSubstring("statistics.ignored"));
  CHECK_THAT(after(folder, manifest, [](Manifest& m) { m.shards[1].digest.back() ^= 1; }),
             ContainsSubstring("digest"));
  CHECK_THAT(after(folder, manifest, [](Manifest& m) { m.shards[1].bytes += 1; }),
             ContainsSubstring("bytes"));
  CHECK_THAT(after(folder, manifest, [](Manifest& m) { m.shards[0].sources.back() ^= 1; }),
             ContainsSubstring("sources"));
  CHECK_THAT(after(folder, manifest,
                   [](Manifest& m) {
                     m.plan.keys.back() ^= 1;
                     m.plan_text = format::encode_plan(m.plan);
                   }),
             ContainsSubstring("plan.keys"));
  CHECK_THAT(after(folder, manifest,
                   [](Manifest& m) { std::swap(m.shards[0].records, m.shards[1].records); }),
             ContainsSubstring("records"));
}

TEST_CASE("the manifest's text is checked") {
  const TempFolder folder;
  (void)write_pack(folder.path(), {}, tiny_records({}, 2), 4);
  flip(folder / "dataset.json", 40);
  const auto report = verified(folder);
  REQUIRE_FALSE(report.ok());
  CHECK(report.findings[0].file == "dataset.json");
  CHECK(report.records == 2);  // the shards are examined nevertheless
}

TEST_CASE("shard boundaries of a plan are checked") {
  const TempFolder folder;
  const TinyForm form;
  const auto records = tiny_records(form, 6);
  auto manifest = write_pack(folder.path(), form, records, 3);
  for (const std::size_t first : {std::size_t{0}, std::size_t{2}}) {  // 2 + 4 instead of 3 + 3
    const std::vector<TinyRecord> part(records.begin() + static_cast<std::ptrdiff_t>(first),
                                       first == 0 ? records.begin() + 2 : records.end());
    const TinyShard shard = make_shard(form, part, manifest.plan);
    format::ShardRow& row = manifest.shards[first == 0 ? 0 : 1];
    write_bytes(folder / row.file, shard.bytes);
    const std::uint64_t start = shard.layout.buffer_start();
    row = {row.file, part.size(), shard.bytes.size(), shard.metadata.sources,
           format::shard_digest(std::span(shard.bytes).first(start),
                                std::span(shard.bytes).subspan(start + shard.layout.tables_begin))};
  }
  CHECK_THAT(after(folder, manifest, [](format::Manifest&) {}),
             ContainsSubstring("shard boundaries"));
}

TEST_CASE("files that are missing, surplus, temporary or foreign are reported") {
  const TempFolder folder;
  const auto manifest = write_pack(folder.path(), {}, tiny_records({}, 6), 4);
  std::filesystem::remove(folder / manifest.shards[0].file);
  folder.write("shard-00002-of-00003.safetensors", "left over");
  folder.write("." + manifest.shards[0].file + ".0123456789abcdef.tmp", "");
  folder.write("notes.txt", "");
  const auto report = verified(folder);
  CHECK(report.finding_count == 2);
  CHECK_THAT(text_of(report), ContainsSubstring(manifest.shards[0].file + ": missing"));
  CHECK_THAT(text_of(report),
             ContainsSubstring(
                 "shard-00002-of-00003.safetensors: is in the folder, but not in the manifest"));
  REQUIRE(report.notes.size() == 2);
  CHECK_THAT(report.notes[0], ContainsSubstring("temporary file"));
  CHECK_THAT(report.notes[1], ContainsSubstring("notes.txt"));
}

TEST_CASE("shards without a manifest are checked among themselves") {
  const TempFolder folder;
  const auto manifest = write_pack(folder.path(), {}, tiny_records({}, 6), 4);
  std::filesystem::remove(folder / "dataset.json");
  CHECK(verified(folder).finding_count == 1);  // the manifest is missing
  TinyForm other;
  other.classes = 4;
  write_bytes(folder / manifest.shards[1].file,
              make_shard(other, tiny_records(other, 2, 4), manifest.plan).bytes);
  CHECK_THAT(text_of(verified(folder)),
             ContainsSubstring("hotpack.schema differs from that of " + manifest.shards[0].file));
}

TEST_CASE("keys of all shards are compared") {
  const TempFolder folder;
  auto records = tiny_records({}, 6);
  records[5].key = records[1].key;
  (void)write_pack(folder.path(), {}, records, 4);
  const std::string text = text_of(verified(folder));
  CHECK_THAT(text, ContainsSubstring("which is not the order of their bytes"));
  CHECK_THAT(text,
             ContainsSubstring("its key is in shard-00000-of-00002.safetensors, record 1, too"));
}

TEST_CASE("the report does not depend on the threads, and is bounded") {
  const TempFolder folder;
  const TinyForm form;
  const auto records = tiny_records(form, 100);
  const auto manifest = write_pack(folder.path(), form, records, 100);
  const TinyShard shard = make_shard(form, records, manifest.plan);
  auto bytes = shard.bytes;
  for (std::size_t i = 0; i < 100; ++i)
    bytes[shard.layout.file_offset("image") + 90 * i] ^= std::byte{1};
  write_bytes(folder / manifest.shards[0].file, bytes);
  VerifyOptions options;
  options.max_findings = 60;
  options.threads = 1;
  const auto alone = verify_dataset(folder.path(), options).value();
  CHECK(alone.finding_count == 100);
  CHECK(alone.findings.size() == 60);
  options.threads = 7;
  const auto together = verify_dataset(folder.path(), options).value();
  CHECK(together.finding_count == 100);
  CHECK(text_of(together) == text_of(alone));
}

TEST_CASE("progress is reported and can stop") {
  const TempFolder folder;
  (void)write_pack(folder.path(), {}, tiny_records({}, 40), 20);
  VerifyOptions options;
  VerifyProgress last;
  options.progress = [&](const VerifyProgress& progress) {
    CHECK(progress.records_done >= last.records_done);
    last = progress;
    return true;
  };
  CHECK(verify_dataset(folder.path(), options).value().ok());
  CHECK(last.shards_done == 2);
  CHECK(last.records_done == 40);
  CHECK(last.records_total == 40);
  CHECK(last.bytes_done == 40 * (90 + 30));
  options.progress = [](const VerifyProgress&) { return false; };
  const auto stopped = verify_dataset(folder.path(), options).value();
  CHECK(stopped.stopped);
  CHECK_FALSE(stopped.ok());
  CHECK(stopped.finding_count == 0);
}

TEST_CASE("records of a shard that is cut while verify reads it are named") {
  for (const bool compressed : {false, true}) {
    const TempFolder folder;
    TinyForm form;
    form.image_zstd = form.label_zstd = compressed;
    const auto manifest = write_pack(folder.path(), form, tiny_records(form, 20), 20);
    const std::string name = manifest.shards[0].file;
    VerifyOptions options;
    options.threads = 1;
    options.progress = [&](const VerifyProgress&) {
      std::filesystem::resize_file(folder / name, 100);
      return true;
    };
    const auto report = verify_dataset(folder.path(), options).value();
    REQUIRE(report.findings.size() ==
            2 * 12);  // image and label of the records after the first eight
    for (std::size_t i = 0; i < report.findings.size(); ++i) {
      const VerifyFinding& finding = report.findings[i];
      CHECK(finding.file == name);
      CHECK(finding.record == 8 + i / 2);
      CHECK_FALSE(finding.key.empty());
      CHECK(finding.offset.has_value());
      CHECK(finding.code == ErrorCode::damaged);
      CHECK_THAT(finding.text, ContainsSubstring("has 100 now"));
    }
    CHECK(report.damaged_files == std::vector{name});
  }
}

TEST_CASE("a FIFO instead of a file is refused without waiting") {
  const TempFolder folder;
  const auto manifest = write_pack(folder.path(), {}, tiny_records({}, 2), 4);
  const std::string shard = folder / manifest.shards[0].file;
  std::filesystem::remove(shard);
  REQUIRE(::mkfifo(shard.c_str(), 0600) == 0);
  const auto report = verified(folder);
  REQUIRE(report.finding_count == 1);
  CHECK(report.findings[0].code == ErrorCode::io);
  CHECK_THAT(report.findings[0].text, ContainsSubstring("not a regular file"));
  std::filesystem::remove(folder / "dataset.json");
  REQUIRE(::mkfifo((folder / "dataset.json").c_str(), 0600) == 0);
  CHECK_THAT(text_of(verified(folder)), ContainsSubstring("dataset.json: is not a regular file"));
}

TEST_CASE("a row that claims more records than its bytes can hold is refused") {
  const TempFolder folder;
  auto manifest = write_pack(folder.path(), {}, tiny_records({}, 2), 4);
  manifest.plan.samples = manifest.shards[0].records = 1'000'000'000'000'000;
  manifest.plan_text = format::encode_plan(manifest.plan);
  CHECK_THAT(after(folder, manifest, [](format::Manifest&) {}),
             ContainsSubstring("shards[0].records"));
}
