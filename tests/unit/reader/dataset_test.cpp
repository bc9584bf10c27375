#include "hotpack/dataset.hpp"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/file.hpp"
#include "reader/dataset_files.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "unit/reader/tiny_files.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

// Writes a pack with samples from number `first` on to a sub-folder; returns its path.
std::string add_pack(const TempFolder& folder, const std::string& name, const TinyForm& form,
                     std::size_t count, std::size_t first = 0, std::uint64_t skipped = 0) {
  std::filesystem::create_directory(folder / name);
  (void)write_pack(folder / name, form, tiny_records(form, count, first), 4, skipped);
  return folder / name;
}

void replace_manifest(const std::string& folder, const format::Manifest& manifest) {
  const std::string text = format::encode_manifest(manifest);
  write_bytes(folder + "/dataset.json", bytes_of(text));
}

std::string refusal(const TempFolder& folder, const TinyForm& one, const TinyForm& other) {
  const std::string a = add_pack(folder, "a", one, 2), b = add_pack(folder, "b", other, 2);
  const auto opened = Dataset::open({a, b});
  std::filesystem::remove_all(a);
  std::filesystem::remove_all(b);
  if (opened.ok()) return "opened";
  CHECK(opened.error().code == ErrorCode::usage);
  return opened.error().message;
}

}  // namespace

TEST_CASE("keys come for many samples at once") {
  const TempFolder folder;
  const auto records = tiny_records({}, 10);
  (void)write_pack(folder.path(), {}, records, 4);
  const auto dataset = Dataset::open(folder.path()).value();
  const auto keys = dataset.keys(3, 6).value();
  REQUIRE(keys.size() == 6);
  for (std::size_t i = 0; i < keys.size(); ++i) CHECK(keys[i] == records[i + 3].key);
  CHECK(dataset.keys(10, 0).value().empty());
  CHECK(dataset.keys(9, 2).error().code == ErrorCode::usage);
  CHECK(dataset.keys(1, ~std::uint64_t{0}).error().code == ErrorCode::usage);
}

TEST_CASE("a subset has its samples in its order") {
  const TempFolder folder;
  const auto records = tiny_records({}, 10);
  (void)write_pack(folder.path(), {}, records, 4);
  const auto dataset = Dataset::open(folder.path()).value();
  const std::vector<std::uint64_t> numbers{7, 0, 7, 3};
  const auto subset = dataset.subset(numbers).value();
  REQUIRE(subset.size() == 4);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    CHECK(subset.sample(i).value().key() == records[numbers[i]].key);
  CHECK(subset.keys(0, 4).value().at(2) == records[7].key);
  CHECK(subset.find(records[3].key).value() == 3u);
  CHECK(subset.find(records[7].key).value() == 0u);
  CHECK_FALSE(subset.find(records[1].key).value().has_value());
  CHECK(subset.sample(4).error().code == ErrorCode::usage);
  CHECK(subset.statistics().value() == dataset.statistics().value());
  // of a subset, and what identifies it
  const auto inner = subset.subset(std::vector<std::uint64_t>{3, 0}).value();
  CHECK(inner.sample(0).value().key() == records[3].key);
  CHECK(inner.fingerprint() ==
        dataset.subset(std::vector<std::uint64_t>{3, 7}).value().fingerprint());
  CHECK(inner.fingerprint() != subset.fingerprint());
  CHECK(subset.fingerprint() != dataset.fingerprint());
  CHECK(dataset.subset(std::vector<std::uint64_t>{10}).error().code == ErrorCode::usage);
  CHECK(dataset.subset({}).value().size() == 0);
}

TEST_CASE("first_read checks a part of a record once") {
  const TempFolder folder;
  const auto records = tiny_records({}, 4);
  (void)write_pack(folder.path(), {}, records, 4);
  const auto dataset = Dataset::open(folder.path()).value();
  const auto sample = dataset.sample(1).value();
  REQUIRE(sample.image(VerifyChecksums::first_read).ok());
  // damage that a second check would find; the mapping shows the file as it is
  const auto* const byte = sample.image(VerifyChecksums::never).value().bytes.data();
  const std::string path = dataset.shards()[0].path;
  std::string text = read_text_file(path).value();
  const auto* const begin = dataset.shard(0).value();
  CHECK(begin->records() == 4);
  const std::size_t at = text.find(std::string(reinterpret_cast<const char*>(byte), 64));
  REQUIRE(at != std::string::npos);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(at));
  file.put(static_cast<char>(text[at] ^ 1));
  file.close();
  CHECK(sample.image(VerifyChecksums::first_read).ok());
  CHECK(dataset.sample(1).value().image(VerifyChecksums::first_read).ok());
  const auto checked = sample.image(VerifyChecksums::always);
  REQUIRE_FALSE(checked.ok());
  CHECK(checked.error().record == 1u);
  CHECK(checked.error().key == records[1].key);
  CHECK(sample.label(VerifyChecksums::first_read).ok());
  const auto alone = Shard::open(path).value();  // its samples check every time
  CHECK_FALSE(alone.sample(1).value().image(VerifyChecksums::first_read).ok());
}

TEST_CASE("a data set has the samples of its shards in order") {
  const TempFolder folder;
  const TinyForm form;
  const auto records = tiny_records(form, 10);
  const auto manifest = write_pack(folder.path(), form, records, 4, 1);
  const auto dataset = Dataset::open(folder.path()).value();
  REQUIRE(dataset.records() == 10);
  CHECK(dataset.skipped() == 1);
  CHECK(dataset.classes().size() == 3);
  CHECK(dataset.schema() == manifest.schema);
  CHECK(dataset.statistics().value() == manifest.statistics);
  REQUIRE(dataset.shards().size() == 3);
  CHECK(dataset.shards()[2].first == 8);
  CHECK(dataset.packs()[0].plan.samples == 11);
  CHECK(dataset.packs()[0].fingerprint == manifest.fingerprint);
  for (std::size_t i = 0; i < records.size(); ++i)
    CHECK(dataset.sample(i).value().key() == records[i].key);
  CHECK(dataset.sample(10).error().code == ErrorCode::usage);
  CHECK(dataset.shard(3).error().code == ErrorCode::usage);
}

TEST_CASE("a pack without samples opens") {
  const TempFolder folder;
  (void)write_pack(folder.path(), {}, {}, 4);
  const auto dataset = Dataset::open(folder.path()).value();
  CHECK(dataset.records() == 0);
  CHECK(dataset.shard(0).value()->records() == 0);
  CHECK_FALSE(dataset.find("street/sample 0000").value().has_value());
}

TEST_CASE("samples are found by key") {
  const TempFolder folder;
  const std::string a = add_pack(folder, "a", {}, 10), b = add_pack(folder, "b", {}, 5, 8);
  const auto dataset = Dataset::open({a, b}).value();
  CHECK(dataset.find("street/sample 0007").value() == 7u);
  CHECK(dataset.find("street/sample 0009").value() == 9u);  // both packs have it; the first wins
  CHECK(dataset.find("street/sample 0012").value() == 14u);
  CHECK_FALSE(dataset.find("street/sample 00").value().has_value());
}

TEST_CASE("keys and statistics of a shard that was cut while mapped are errors") {
  const TempFolder folder;
  const std::string one = add_pack(folder, "one", {}, 5), two = add_pack(folder, "two", {}, 5, 5);
  const auto dataset = Dataset::open({one, two}).value();
  REQUIRE(dataset.keys(0, 10).ok());
  const std::string path = dataset.shards()[2].path;
  std::filesystem::resize_file(path, 0);
  const auto check = [&](const Error& error, std::optional<std::uint64_t> record) {
    CHECK(error.code == ErrorCode::damaged);
    CHECK(error.path == path);
    CHECK(error.record == record);
    CHECK(error.offset.has_value());
  };
  check(dataset.keys(4, 2).error(), 0);
  check(dataset.copied_keys(4, 3).error(), 0);
  check(dataset.sample(6).error(), 1);
  check(dataset.find("street/sample 0000").error(), 0);
  check(dataset.statistics().error(), {});
  CHECK(dataset.keys(0, 5).ok());
}

TEST_CASE("a folder that is not a data set is refused") {
  const TempFolder folder;
  CHECK(Dataset::open(folder / "absent").error().code == ErrorCode::io);
  const auto empty = Dataset::open(folder.path());
  CHECK(empty.error().code == ErrorCode::damaged);
  CHECK_THAT(empty.error().message, ContainsSubstring("dataset.json"));
  folder.write("dataset.json", "{}");
  const auto foreign = Dataset::open(folder.path());
  CHECK(foreign.error().code == ErrorCode::damaged);
  CHECK(foreign.error().path == folder / "dataset.json");
  CHECK(Dataset::open(std::span<const std::string>()).error().code == ErrorCode::usage);
}

TEST_CASE("the folder above several packs names one of them") {
  const TempFolder folder;
  const std::string train = add_pack(folder, "train", {}, 2);
  (void)add_pack(folder, "val", {}, 2);
  const auto opened = Dataset::open(folder.path());
  REQUIRE_FALSE(opened.ok());
  CHECK(opened.error().code == ErrorCode::usage);
  CHECK_THAT(opened.error().message,
             ContainsSubstring("open one of them, such as '" + train + "'"));
}

TEST_CASE("shards are opened on first use and checked against the manifest") {
  const TempFolder folder;
  const TinyForm form;
  const auto manifest = write_pack(folder.path(), form, tiny_records(form, 8), 2);
  std::filesystem::remove(folder / manifest.shards[1].file);
  std::filesystem::resize_file(folder / manifest.shards[2].file, 5000);
  std::filesystem::copy_file(folder / manifest.shards[0].file, folder / manifest.shards[3].file,
                             std::filesystem::copy_options::overwrite_existing);
  const auto dataset = Dataset::open(folder.path()).value();
  CHECK(dataset.sample(1).ok());
  const auto missing = dataset.sample(2);
  CHECK(missing.error().code == ErrorCode::damaged);
  CHECK(missing.error().path == folder / manifest.shards[1].file);
  CHECK_THAT(dataset.sample(4).error().message, ContainsSubstring("5000 bytes"));
  CHECK_THAT(dataset.sample(6).error().message, ContainsSubstring("sources"));
  CHECK(dataset.sample(0).ok());
}

TEST_CASE("several packs are read as one") {
  const TempFolder folder;
  const TinyForm form;
  const std::string a = add_pack(folder, "a", form, 5), b = add_pack(folder, "b", form, 3, 5, 2);
  const std::string both = add_pack(folder, "both", form, 8);
  const auto dataset = Dataset::open({a, b}).value();
  REQUIRE(dataset.records() == 8);
  CHECK(dataset.skipped() == 2);
  REQUIRE(dataset.packs().size() == 2);
  CHECK(dataset.shards().back().pack == 1);
  CHECK(dataset.sample(6).value().key() == "street/sample 0006");
  CHECK(dataset.statistics().value() == Dataset::open(both).value().statistics().value());
}

TEST_CASE("packs with different samples are refused with the difference") {
  const TempFolder folder;
  const TinyForm form;
  TinyForm other = form;
  other.classes = 4;
  CHECK_THAT(refusal(folder, form, other),
             ContainsSubstring("3 classes in the first, 4 in the second"));
  other = form;
  other.scope = LabelScope::image;
  CHECK_THAT(refusal(folder, form, other), ContainsSubstring("kind"));
  other = form;
  other.storage = LabelStorage::index;
  CHECK_THAT(refusal(folder, form, other), ContainsSubstring("storage"));
  other = form;
  other.color = ImageColor::gray;
  CHECK_THAT(refusal(folder, form, other), ContainsSubstring("color"));
  other = form;
  other.labeled = false;
  CHECK_THAT(refusal(folder, form, other),
             ContainsSubstring("3 classes in the first, 0 in the second"));
}

TEST_CASE("a class of another name or color is named") {
  const TempFolder folder;
  const TinyForm form;
  const std::string a = add_pack(folder, "a", form, 2), b = add_pack(folder, "b", form, 2);
  auto manifest =
      format::decode_manifest(
          std::string(reinterpret_cast<const char*>(read_bytes(b + "/dataset.json").data()),
                      read_bytes(b + "/dataset.json").size()))
          .value();
  const auto change = [&](const std::string& from, const std::string& to) {
    manifest.schema_text.replace(manifest.schema_text.find(from), from.size(), to);
    replace_manifest(b, manifest);
    return Dataset::open({a, b}).error().message;
  };
  CHECK_THAT(
      change("class 2", "Tree"),
      ContainsSubstring(
          "class 2 is 'class 2' (160,255,0) in the first, 'Tree' (160,255,0) in the second"));
  CHECK_THAT(change("\"Tree\",\"color\":[160", "\"class 2\",\"color\":[161"),
             ContainsSubstring("'class 2' (161,255,0) in the second"));
}

TEST_CASE("record sizes of packs may differ") {
  const TempFolder folder;
  TinyForm small;
  small.size = Extent{4, 4};
  const std::string a = add_pack(folder, "a", {}, 2), b = add_pack(folder, "b", small, 2);
  const auto dataset = Dataset::open({a, b}).value();
  CHECK_FALSE(dataset.schema().image.shape.has_value());
  CHECK_FALSE(dataset.schema().label->shape.has_value());
  CHECK_FALSE(dataset.schema().geometry.size.has_value());
  CHECK(dataset.sample(0)->image_shape().width == 6);
  CHECK(dataset.sample(3)->image_shape().width == 4);
}

TEST_CASE("threads open shards and read samples at once") {
  const TempFolder folder;
  const TinyForm form;
  const auto records = tiny_records(form, 24);
  (void)write_pack(folder.path(), form, records, 2);
  const auto dataset = Dataset::open(folder.path()).value();
  std::atomic<int> wrong{0};
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t i = 0; i < records.size(); ++i) {
          const std::size_t number = t % 2 == 0 ? i : records.size() - 1 - i;
          const auto sample = dataset.sample(number);
          if (!sample.ok() || sample->key() != records[number].key || !sample->image().ok() ||
              !sample->label().ok())
            ++wrong;
          if (dataset.find(records[number].key).value() != number) ++wrong;
        }
      });
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("views stay mapped beyond the limit of mappings") {
  const TempFolder folder;
  const TinyForm form;
  const auto records = tiny_records(form, 12);
  (void)write_pack(folder.path(), form, records, 2);
  const auto dataset = Dataset::open(folder.path()).value();
  const auto files = reader::DatasetFiles::of(dataset);
  files->limit_mappings(2);
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < records.size(); ++i) samples.push_back(dataset.sample(i).value());
  CHECK(files->mappings() == 6);
  for (std::size_t i = 0; i < records.size(); ++i)
    CHECK((samples[i].key() == records[i].key && samples[i].image().ok()));
}

namespace {

// Twelve samples in six shards, of which two may be mapped at once.
struct CrowdedSet {
  CrowdedSet() { files->limit_mappings(2); }
  TempFolder folder;
  TinyForm form;
  std::vector<TinyRecord> records = tiny_records(form, 12);
  Dataset dataset = [this] {
    (void)write_pack(folder.path(), form, records, 2);
    return Dataset::open(folder.path()).value();
  }();
  std::shared_ptr<reader::DatasetFiles> files = reader::DatasetFiles::of(dataset);
};

}  // namespace

TEST_CASE("a loop over many shards stays within the limit of mappings") {
  const CrowdedSet set;
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < set.records.size(); ++i) {
      const Sample sample = set.dataset.sample(i).value();
      CHECK((sample.key() == set.records[i].key && sample.image().ok()));
      CHECK(set.files->mappings() <= 2);
    }
  }
}

TEST_CASE("a sample keeps its shard mapped while others come and go") {
  const CrowdedSet set;
  const Sample first = set.dataset.sample(0).value();
  const Sample copy = set.dataset.sample(3).value();
  Sample moved = set.dataset.sample(3).value();
  const ImageView view = first.image().value();
  const std::vector<std::uint8_t> before(view.bytes.begin(), view.bytes.end());
  for (std::size_t i = 4; i < set.records.size(); ++i) CHECK(set.dataset.sample(i).ok());
  CHECK(std::equal(before.begin(), before.end(), view.bytes.begin()));
  CHECK(first.key() == set.records[0].key);
  CHECK(copy.key() == set.records[3].key);
  moved = set.dataset.sample(11).value();
  CHECK(moved.image().ok());
}

TEST_CASE("keys are found and listed within the limit of mappings") {
  const CrowdedSet set;
  const auto keys = set.dataset.keys(0, set.records.size()).value();
  CHECK(set.files->mappings() <= 2);
  for (std::size_t i = 0; i < set.records.size(); ++i) {
    CHECK(set.dataset.find(set.records[i].key).value() == i);
    CHECK(set.files->mappings() <= 2);
  }
  CHECK_FALSE(set.dataset.find("no such key").value());
  for (std::size_t i = 0; i < set.records.size(); ++i) CHECK(keys[i] == set.records[i].key);
  CHECK(set.dataset.keys(3, 2).value()[0].data() == keys[3].data());
  CHECK(set.dataset.copied_keys(3, 2).value() ==
        std::vector<std::string>{set.records[3].key, set.records[4].key});
  CHECK(set.dataset.copied_keys(12, 1).error().code == ErrorCode::usage);
}

TEST_CASE("samples of many shards may end after their data set") {
  auto set = std::make_unique<CrowdedSet>();
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < set->records.size(); ++i)
    samples.push_back(set->dataset.sample(i).value());
  set.reset();
  samples.clear();
}

TEST_CASE("threads read samples of more shards than may be mapped") {
  const CrowdedSet set;
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t i = 0; i < 300; ++i) {
          const std::size_t number = (i * (t + 1) + 5 * t) % set.records.size();
          const auto sample = set.dataset.sample(number);
          if (!sample.ok() || sample->key() != set.records[number].key || !sample->image().ok())
            ++wrong;
        }
      });
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("the least recently used shard is unmapped first, never one in use") {
  const TempFolder folder;
  const TinyForm form;
  (void)write_pack(folder.path(), form, tiny_records(form, 8), 2);
  const auto dataset = Dataset::open(folder.path()).value();
  const auto files = reader::DatasetFiles::of(dataset);
  files->limit_mappings(2);
  const auto use = [&](std::size_t shard) {
    REQUIRE(files->pin(shard).ok());
    files->unpin(shard);
  };
  const auto is_open = [&](std::size_t shard) {
    const bool open = files->pin_open(shard) != nullptr;
    if (open) files->unpin(shard);
    return open;
  };
  use(0);
  use(1);
  use(0);  // used again, so 1 is now the least recently used
  use(2);
  CHECK_FALSE(is_open(1));
  CHECK((is_open(0) && is_open(2)));
  REQUIRE(files->pin(0).ok());
  REQUIRE(files->pin(2).ok());
  use(3);
  // more than the limit, because both others are in use
  CHECK((is_open(0) && is_open(2) && is_open(3)));
  files->unpin(0);
  files->unpin(2);
}
