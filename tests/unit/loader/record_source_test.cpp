#include "loader/record_source.hpp"

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <thread>

#include "base/checksum.hpp"
#include "base/file.hpp"
#include "reader/dataset_files.hpp"
#include "support/catch.hpp"
#include "support/forms.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_shard.hpp"
#include "unit/loader/changed_files.hpp"

using namespace hotpack;
using namespace hotpack::loader;
using namespace hotpack::test;
using Catch::Matchers::StartsWith;
using reader::DatasetFiles;

namespace {

constexpr std::size_t kPerShard = 4;
const std::vector<FileAccess> kBothWays{FileAccess::map, FileAccess::read};

// What `use` received.
struct Seen {
  std::string key;
  std::vector<std::uint8_t> image, label;
  ImageShape image_shape;
  LabelShape label_shape;
};

void keep(void* context, const Record& record) {
  Seen& seen = *static_cast<Seen*>(context);
  seen.key.assign(record.key);  // may allocate only because nothing fails here
  seen.image.assign(record.image.bytes.begin(), record.image.bytes.end());
  seen.label.assign(record.label.bytes.begin(), record.label.bytes.end());
  seen.image_shape = record.image.shape;
  seen.label_shape = record.label.shape;
}

// Adds up the bytes and owns nothing, for files that fail while they are read.
void add_up(void* context, const Record& record) {
  std::uint64_t& sum = *static_cast<std::uint64_t*>(context);
  for (const std::uint8_t byte : record.image.bytes) sum += byte;
  for (const std::uint8_t byte : record.label.bytes) sum += byte;
}

std::unique_ptr<RecordSource> source_of(
    const Dataset& dataset, VerifyChecksums verify_checksums = VerifyChecksums::first_read,
    FileAccess access = FileAccess::map) {
  return RecordSource::make(dataset, verify_checksums, access).value();
}

Seen read(const RecordSource& source, std::uint64_t number) {
  RecordScratch scratch;
  Seen seen;
  const Status status = source.read(number, scratch, keep, &seen);
  INFO((status.ok() ? "" : status.error().describe()));
  REQUIRE(status.ok());
  return seen;
}

std::optional<Error> error_of(const RecordSource& source, std::uint64_t number) {
  RecordScratch scratch;
  std::uint64_t sum = 0;
  const Status status = source.read(number, scratch, add_up, &sum);
  if (status.ok()) return std::nullopt;
  return status.error();
}

std::string message_of(const RecordSource& source, std::uint64_t number) {
  const auto error = error_of(source, number);
  return error ? error->describe() : "read";
}

std::vector<std::byte> bytes_of(const std::vector<std::uint8_t>& bytes) {
  const auto all = std::as_bytes(std::span(bytes));
  return {all.begin(), all.end()};
}

// A pack, and the places of its records.
struct Fixture {
  explicit Fixture(TinyForm wanted = {}, std::size_t count = 10)
      : form(wanted), records(tiny_records(wanted, count)) {
    manifest = write_pack(folder.path(), form, records, kPerShard);
    dataset.emplace(Dataset::open(folder.path()).value());
  }
  [[nodiscard]] std::string shard(std::size_t number) const {
    return folder / manifest.shards[number].file;
  }
  // Offset in its shard's file of a record's image.
  [[nodiscard]] std::uint64_t image_offset(std::uint64_t number) const {
    const auto bytes = stored_image(form, records[number]);
    return find_in_file(shard(number / kPerShard), bytes);
  }
  TempFolder folder;
  TinyForm form;
  std::vector<TinyRecord> records;
  format::Manifest manifest;
  std::optional<Dataset> dataset;
};

}  // namespace

TEST_CASE("records of every form are read as they were packed, both ways") {
  for (const auto& [name, form] : all_forms()) {
    const Fixture pack(form);
    for (const FileAccess access : kBothWays) {
      INFO(name << (access == FileAccess::map ? ", mapped" : ", by calls"));
      const auto source = source_of(*pack.dataset, VerifyChecksums::always, access);
      REQUIRE(source->records() == pack.records.size());
      CHECK(source->schema() == pack.dataset->schema());
      for (std::size_t i = 0; i < pack.records.size(); ++i) {
        source->read_ahead(i);
        const Seen seen = read(*source, i);
        const Sample sample = pack.dataset->sample(i).value();
        const RecordShape shape = source->shape(i).value();
        CHECK(seen.key == pack.records[i].key);
        CHECK(bytes_of(seen.image) == stored_image(form, pack.records[i]));
        CHECK((!form.labeled || bytes_of(seen.label) == stored_label(form, pack.records[i])));
        CHECK((form.labeled || seen.label.empty()));
        CHECK((seen.image_shape == sample.image_shape() && shape.image == sample.image_shape()));
        CHECK((seen.label_shape == sample.label_shape() && shape.label == sample.label_shape()));
      }
    }
  }
}

TEST_CASE("samples that do not exist are refused") {
  const Fixture pack;
  const auto source = source_of(*pack.dataset);
  CHECK(error_of(*source, 10)->code == ErrorCode::usage);
  CHECK(source->shape(10).error().message ==
        "there is no sample 10; the data set has 10, counted from 0");
  source->read_ahead(10);
}

TEST_CASE("the fingerprint is the pack's, or one over those of several") {
  const Fixture pack;
  const std::string own = pack.manifest.fingerprint;
  CHECK(source_of(*pack.dataset)->fingerprint() == own);
  const auto twice = Dataset::open({pack.folder.path(), pack.folder.path()}).value();
  const std::string texts = own + '\0' + own + '\0';
  CHECK(source_of(twice)->fingerprint() == xxh3_128(texts).text());
}

TEST_CASE("several packs are read as one, whatever their sizes") {
  TinyForm small;
  small.size = Extent{4, 3};
  const Fixture a, b(small, 5);
  const auto both = Dataset::open({a.folder.path(), b.folder.path()}).value();
  const auto source = source_of(both);
  CHECK(bytes_of(read(*source, 9).image) == stored_image(a.form, a.records[9]));
  CHECK(bytes_of(read(*source, 14).image) == stored_image(b.form, b.records[4]));
  CHECK(source->shape(10)->image.width == 4);
}

TEST_CASE("a source outlives its data set") {
  Fixture pack;
  const auto source = source_of(*pack.dataset);
  (void)read(*source, 0);
  pack.dataset.reset();
  CHECK(read(*source, 0).key == pack.records[0].key);
  CHECK(read(*source, 9).key == pack.records[9].key);  // of a shard that was not open yet
}

TEST_CASE("a damaged record is reported at each read, with file, record and key") {
  for (const FileAccess access : kBothWays) {
    const Fixture pack;
    const std::uint64_t offset = pack.image_offset(5);
    flip_in_place(pack.shard(1), offset);
    const auto source = source_of(*pack.dataset, VerifyChecksums::first_read, access);
    const auto first = error_of(*source, 5);
    REQUIRE(first);
    CHECK(first->code == ErrorCode::damaged);
    CHECK(first->path == pack.shard(1));
    CHECK_THAT(first->message,
               StartsWith("record 1 (" + pack.records[5].key + "): image: CRC-32C is "));
    CHECK(first->offset == offset);
    CHECK(error_of(*source, 5)->describe() == first->describe());
    // with Sample's text
    CHECK(first->message == pack.dataset->sample(5)->image().error().message);
    CHECK(read(*source, 4).key == pack.records[4].key);
    CHECK(message_of(*source_of(*pack.dataset, VerifyChecksums::never, access), 5) == "read");
  }
}

TEST_CASE("a good record is checked again only by `always`") {
  for (const FileAccess access : kBothWays) {
    const Fixture pack;
    const auto first_epoch = source_of(*pack.dataset, VerifyChecksums::first_read, access),
               always = source_of(*pack.dataset, VerifyChecksums::always, access);
    (void)read(*first_epoch, 5);
    flip_in_place(pack.shard(1), pack.image_offset(5));
    CHECK(message_of(*first_epoch, 5) == "read");
    CHECK(message_of(*source_of(*pack.dataset, VerifyChecksums::first_read, access), 5) ==
          "read");  // sources of one Dataset share it
    CHECK_THAT(message_of(*always, 5), ContainsSubstring("CRC-32C"));
    const auto anew = Dataset::open(pack.folder.path()).value();
    CHECK_THAT(message_of(*source_of(anew, VerifyChecksums::first_read, access), 5),
               ContainsSubstring("CRC-32C"));
  }
}

TEST_CASE("a record read without a check does not count as checked") {
  const Fixture pack;
  flip_in_place(pack.shard(0), pack.image_offset(0));
  CHECK(message_of(*source_of(*pack.dataset, VerifyChecksums::never), 0) == "read");
  CHECK_THAT(message_of(*source_of(*pack.dataset), 0), ContainsSubstring("CRC-32C"));
}

TEST_CASE("damaged frames have the messages of Sample") {
  TinyForm form;
  form.image_zstd = form.label_zstd = true;
  for (const FileAccess access : kBothWays) {
    for (const VerifyChecksums verify_checksums :
         {VerifyChecksums::always, VerifyChecksums::never}) {
      const Fixture pack(form);
      const Sample sample = pack.dataset->sample(2).value();
      const std::uint64_t frame = frame_offset(pack.shard(0), "image.zstd", 2);
      flip_in_place(pack.shard(0), frame);
      std::vector<std::uint8_t> scratch;
      const auto source = source_of(*pack.dataset, verify_checksums, access);
      const std::string wanted = sample.load_image(scratch, verify_checksums).error().message;
      for (int twice = 0; twice < 2; ++twice) {
        const auto error = error_of(*source, 2);
        REQUIRE(error);
        CHECK(error->message == wanted);
      }
      CHECK(read(*source, 1).key == pack.records[1].key);
    }
  }
}

TEST_CASE("a shard that is missing or has another length fails all its records") {
  const Fixture pack;
  std::filesystem::remove(pack.shard(1));
  std::filesystem::resize_file(pack.shard(2), 5000);
  const auto source = source_of(*pack.dataset);
  for (int twice = 0; twice < 2; ++twice) {
    CHECK_THAT(message_of(*source, 4),
               ContainsSubstring(pack.shard(1) +
                                 ": record 0: the manifest names this shard, but it is missing"));
    CHECK_THAT(message_of(*source, 9),
               ContainsSubstring("record 1: has 5000 bytes, the manifest says"));
    CHECK(source->shape(9).error().code == ErrorCode::damaged);
    CHECK_THAT(source->shape(9).error().message, StartsWith("record 1: "));
    CHECK(message_of(*source, 0) == "read");
  }
}

TEST_CASE("a shard cut short while it is open is an error with both lengths") {
  for (const bool compressed : {false, true}) {
    TinyForm form;
    form.size = Extent{120, 90};
    form.image_zstd = form.label_zstd = compressed;
    for (const FileAccess access : kBothWays) {
      const Fixture pack(form);
      const auto source = source_of(*pack.dataset, VerifyChecksums::always, access);
      (void)read(*source, 0);
      const auto before = std::filesystem::file_size(pack.shard(0));
      std::filesystem::resize_file(pack.shard(0),
                                   4096);  // the header's page, neither records nor tables
      source->read_ahead(3);
      for (int twice = 0; twice < 2; ++twice) {
        const auto error = error_of(*source, 3);
        REQUIRE(error);
        CHECK(error->code == ErrorCode::damaged);
        CHECK(error->path == pack.shard(0));
        const std::string who = access == FileAccess::map ? "record 3: "
                                                          : "record 3 (" + pack.records[3].key +
                                                                "): ";  // keys are mapped, too
        CHECK_THAT(error->message, StartsWith(who + "had " + std::to_string(before) +
                                              " bytes when it was opened and has 4096 now"));
      }
      CHECK(message_of(*source, 4) == "read");  // other shards can still be read
    }
  }
}

TEST_CASE("a record of a shard truncated during use stays unchecked") {
  TinyForm form;
  form.size = Extent{120, 90};
  const Fixture pack(form);
  const auto source = source_of(*pack.dataset);
  struct Context {
    std::string path;
    std::uint64_t sum = 0;
    bool finished = false;
  } context{pack.shard(0)};
  const auto cut_and_use = [](void* given, const Record& record) {
    Context& own = *static_cast<Context*>(given);
    if (::truncate(own.path.c_str(), 4096) != 0) return;
    add_up(&own.sum, record);
    own.finished = true;
  };
  RecordScratch scratch;
  const Status status = source->read(2, scratch, cut_and_use, &context);
  REQUIRE_FALSE(status.ok());
  CHECK_THAT(status.error().message, ContainsSubstring("and has 4096 now"));
  CHECK_FALSE(context.finished);
  CHECK_FALSE(DatasetFiles::of(*pack.dataset)->flags(0).has(reader::RecordFlags::Flag::checked, 2));
}

TEST_CASE("a shard that was deleted or replaced while it is mapped is read on") {
  const Fixture pack;
  const auto source = source_of(*pack.dataset, VerifyChecksums::always);
  (void)read(*source, 0);
  (void)read(*source, 4);
  std::filesystem::remove(pack.shard(0));
  replace_by_zeros(pack.shard(1));
  CHECK(read(*source, 3).key == pack.records[3].key);
  CHECK(read(*source, 7).key == pack.records[7].key);
}

TEST_CASE("with read, a replaced shard is read while open and never confused") {
  const Fixture pack;
  const auto source = source_of(*pack.dataset, VerifyChecksums::always, FileAccess::read);
  (void)read(*source, 0);
  REQUIRE(source->shape(4).ok());  // its tables were read, but it is not open for records
  replace_by_zeros(pack.shard(0));
  replace_by_zeros(pack.shard(1));
  CHECK(read(*source, 3).key == pack.records[3].key);
  const auto error = error_of(*source, 4);
  REQUIRE(error);
  CHECK(error->code == ErrorCode::damaged);
  CHECK_THAT(error->describe(), StartsWith(pack.shard(1) + ": record 0 (" + pack.records[4].key +
                                           "): another file has replaced it"));
}

TEST_CASE("threads read through fewer mappings than there are shards") {
  const Fixture pack(TinyForm{}, 20 * kPerShard);
  const auto files = DatasetFiles::of(*pack.dataset);
  files->limit_mappings(2);
  const Sample kept = pack.dataset->sample(0).value();
  const auto source = source_of(*pack.dataset);
  std::atomic<int> wrong{0};
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        RecordScratch scratch;
        for (std::size_t i = 0; i < 400; ++i) {
          const std::size_t number = (i * (2 * t + 1) * 7 + t) % pack.records.size();
          source->read_ahead((number + 5) % pack.records.size());
          Seen seen;
          if (!source->read(number, scratch, keep, &seen).ok() ||
              seen.key != pack.records[number].key ||
              bytes_of(seen.image) != stored_image(pack.form, pack.records[number])) {
            ++wrong;
          }
        }
      });
    }
  }
  CHECK(wrong == 0);
  CHECK(files->mappings() < 20);  // more than 2 while threads read
  for (std::size_t i = 0; i < pack.records.size(); ++i) (void)read(*source, i);
  CHECK(files->mappings() == 2);
  CHECK(kept.image().ok());  // what Dataset handed out stays mapped
}

TEST_CASE("checked records stay known when their shard is unmapped") {
  const Fixture pack(TinyForm{}, 3 * kPerShard);
  DatasetFiles::of(*pack.dataset)->limit_mappings(1);
  const auto source = source_of(*pack.dataset);
  (void)read(*source, 0);
  (void)read(*source, 5);
  (void)read(*source, 9);
  CHECK(DatasetFiles::of(*pack.dataset)->mappings() == 1);
  flip_in_place(pack.shard(0), pack.image_offset(0));
  CHECK(message_of(*source, 0) == "read");
}

// Changes a shard that has been read and is not mapped.
void check_replaced(FileAccess access, const std::function<void(const Fixture&)>& change) {
  const Fixture pack;
  DatasetFiles::of(*pack.dataset,
                   access == FileAccess::map ? reader::MapMode::mapped : reader::MapMode::tables)
      ->limit_mappings(1);
  const auto source = source_of(*pack.dataset, VerifyChecksums::first_read, access);
  (void)read(*source, 0);
  (void)read(*source, 5);
  change(pack);
  for (int twice = 0; twice < 2; ++twice) {
    CHECK_THAT(message_of(*source, 0),
               ContainsSubstring("record 0: another file has replaced it since it was opened"));
  }
  CHECK(read(*source, 5).key == pack.records[5].key);
}

TEST_CASE("a shard replaced while unmapped is refused, it may count as checked") {
  for (const FileAccess access : kBothWays) {
    check_replaced(access, [](const Fixture& pack) {
      std::filesystem::copy_file(pack.shard(0), pack.shard(0) + ".new");
      std::filesystem::rename(pack.shard(0) + ".new", pack.shard(0));
    });
  }
}

TEST_CASE("a shard written anew while unmapped is refused in spite of its inode") {
  const Fixture probe;
  if (identity_of(probe.shard(0)).value().born_ns == 0) return;  // the system does not say
  // only mapped: the other way keeps the file open, and so its inode
  check_replaced(FileAccess::map, [](const Fixture& pack) {
    const std::string bytes = read_text_file(pack.shard(0)).value();
    pack.folder.write_anew(pack.manifest.shards[0].file, bytes);
  });
}

TEST_CASE("a shape is refused if the frame has another size") {
  TinyForm form;
  form.size.reset();
  form.image_zstd = form.label_zstd = true;
  for (const FileAccess access : kBothWays) {
    for (const std::string field : {"image", "label"}) {
      const Fixture pack(form);
      flip_in_place(pack.shard(1), frame_offset(pack.shard(1), field + ".zstd", 1) +
                                       5);  // of the content size that the frame names
      const auto source = source_of(*pack.dataset, VerifyChecksums::never, access);
      CHECK(source->shape(4).ok());
      const auto shape = source->shape(5);
      REQUIRE_FALSE(shape.ok());
      CHECK(shape.error().code == ErrorCode::damaged);
      CHECK_THAT(shape.error().message, StartsWith("record 1 (" + pack.records[5].key +
                                                   "): " + field + ": is a Zstandard frame of ") &&
                                            ContainsSubstring("bytes of content; the record has "));
    }
  }
}

TEST_CASE("a shape is refused if the record has another size") {
  TinyForm form;
  form.size.reset();
  for (const FileAccess access : kBothWays) {
    const Fixture pack(form);
    enlarge_shape(pack.shard(1), "image", 1);
    const auto source = source_of(*pack.dataset, VerifyChecksums::never, access);
    CHECK_FALSE(source->shape(5).ok());
    CHECK(source->shape(5).error().code == ErrorCode::damaged);
  }
}
