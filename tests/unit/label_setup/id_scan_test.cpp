#include "label_setup/id_scan.hpp"

#include <numeric>

#include "settings/arena.hpp"
#include "support/inputs.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;
using namespace hotpack::test;

namespace {

using Ids = std::vector<std::uint16_t>;

PackOptions limited(std::uint64_t max_pixels = 1 << 20) {
  PackOptions options;
  options.record.max_pixels = max_pixels;
  return options;
}

void put_label(const TempFolder& folder, const std::string& key, const Bytes& label) {
  put(folder, "images/" + key + ".png", photo(2, 2));
  put(folder, "labels/" + key + ".png", label);
}

IdScan scanned(const TempFolder& folder, std::uint64_t max_pixels = 1 << 20) {
  const SampleList list = samples_of(options_for(folder));
  const std::vector<const SampleList*> lists{&list};
  Recorder recorder;
  return scan_ids(lists, limited(max_pixels), recorder).value();
}

std::bitset<65536> set_of(const Ids& ids) {
  std::bitset<65536> set;
  for (const std::uint16_t id : ids) set.set(id);
  return set;
}

}  // namespace

TEST_CASE("raw ids of every depth are found, 16 bits apart") {
  const TempFolder folder;
  put_label(folder, "bit", id_label(2, 2, {0, 1, 1, 0}, 1));
  put_label(folder, "two", id_label(2, 2, {3, 3, 3, 3}, 2));
  put_label(folder, "four", id_label(2, 2, {9, 9, 9, 9}, 4));
  put_label(folder, "eight", id_label(2, 2, {200, 200, 255, 200}, 8));
  put_label(folder, "wide", id_label(2, 2, {7, 300, 65535, 300}, 16));
  put_label(folder, "palette",
            palette_label(2, 2, {2, 2, 2, 2}, {{0, 0, 0}, {1, 1, 1}, {255, 0, 0}}, 4));
  const IdScan scan = scanned(folder);
  CHECK(scan.narrow == set_of({0, 1, 2, 3, 9, 200, 255}));
  CHECK(scan.wide == set_of({7, 300, 65535}));
}

TEST_CASE("labels that cannot be read as ids are passed over") {
  const TempFolder folder;
  put_label(folder, "a", id_label(2, 2, {1, 1, 1, 1}));
  put_label(folder, "damaged", truncated(noise_label(64, 64, 255), 300));
  put_label(folder, "large", id_label(3, 3, Ids(9, 8)));
  CHECK(scanned(folder, 8).narrow == set_of({1}));
}

TEST_CASE("gray RGB labels hold ids, and the first colored one is reported") {
  const TempFolder folder;
  put_label(folder, "a", color_label(2, 1, {0, 1}, {{7, 7, 7}, {200, 200, 200}}));
  CHECK(scanned(folder).narrow == set_of({7, 200}));
  CHECK(scanned(folder).colored_label.empty());
  for (int i = 10; i < 60; ++i) put_label(folder, "b" + std::to_string(i), id_label(1, 1, {1}));
  put_label(folder, "b30", color_label(2, 1, {0, 1}, {{7, 7, 7}, {200, 200, 201}}));
  for (int i = 10; i < 60; ++i) put_label(folder, "c" + std::to_string(i), photo(2, 2));
  const IdScan scan = scanned(folder);
  CHECK(scan.colored_label == folder / "labels/b30.png");
  CHECK(scan.color == "#c8c8c9 at x=1 y=0");
  CHECK(scan.narrow == set_of({1, 7, 200}));
  CHECK(color_in(folder / "labels/b30.png", limited().record).value() == "#c8c8c9 at x=1 y=0");
  CHECK(color_in(folder / "labels/a.png", limited().record).value().empty());
  CHECK(color_in(folder / "labels/b31.png", limited().record).value().empty());
  CHECK(color_in(folder / "missing.png", limited().record).error().code == ErrorCode::io);
}

TEST_CASE("the first label with more than 100 ids is found") {
  const TempFolder folder;
  Ids ids(100);
  std::iota(ids.begin(), ids.end(), std::uint16_t{0});
  put_label(folder, "a", id_label(100, 1, ids));
  CHECK(scanned(folder).crowded_label.empty());
  ids.push_back(100);
  for (const std::string key : {"b", "c"}) put_label(folder, key, id_label(101, 1, ids));
  CHECK(scanned(folder).crowded_label == folder / "labels/b.png");
}

TEST_CASE("lists without labels are passed over") {
  const TempFolder folder, other;
  put_label(folder, "a", id_label(1, 1, {4}));
  put(other, "images/x.png", photo());
  const SampleList labeled = samples_of(options_for(folder)),
                   unlabeled = samples_of(options_for(other));
  const std::vector<const SampleList*> lists{&unlabeled, &labeled};
  Recorder recorder;
  CHECK(scan_ids(lists, limited(), recorder).value().narrow == set_of({4}));
}

TEST_CASE("a label that vanished stops the scan") {
  const TempFolder folder;
  put_label(folder, "a", noise_label());
  const SampleList list = samples_of(options_for(folder));
  std::filesystem::remove(folder / "labels/a.png");
  const std::vector<const SampleList*> lists{&list};
  Recorder recorder;
  const auto scan = scan_ids(lists, limited(), recorder);
  REQUIRE_FALSE(scan.ok());
  CHECK(scan.error().code == ErrorCode::io);
  CHECK(scan.error().path == folder / "labels/a.png");
}

TEST_CASE("the first label that changed is the scan's error, whatever the threads") {
  const TempFolder folder;
  put_label(folder, "00", id_label(1000, 1000, Ids(1000000, 1)));  // later labels are read sooner
  for (int i = 10; i < 70; ++i) put_label(folder, std::to_string(i), id_label(1, 1, {1}));
  const SampleList list = samples_of(options_for(folder));
  for (const std::string key : {"11", "40", "69"}) folder.write("labels/" + key + ".png", "short");
  const std::vector<const SampleList*> lists{&list, &list};
  for (const int threads : {1, 2, 8}) {
    Recorder recorder;
    const auto scan = with_threads(threads, [&] { return scan_ids(lists, limited(), recorder); });
    REQUIRE_FALSE(scan.ok());
    CHECK(scan.error().path == folder / "labels/11.png");
  }
}

TEST_CASE("large labels are read within the memory limit or refused by name") {
  const TempFolder folder;
  for (int i = 0; i < 6; ++i) put_label(folder, std::to_string(i), noise_label(500, 500, 9));
  const SampleList list = samples_of(options_for(folder));
  const std::vector<const SampleList*> lists{&list};
  const auto scan_within = [&](std::uint64_t max_memory) {
    PackOptions options = limited();
    options.run.threads = 8;
    options.run.max_memory = max_memory;
    Recorder recorder;
    return with_threads(8, [&] { return scan_ids(lists, options, recorder); });
  };
  const auto scan = scan_within(2'000'000);  // a label takes about a million bytes
  REQUIRE(scan.ok());
  CHECK(scan->narrow.count() == 10);
  const auto refused = scan_within(1'000'000);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::io);
  CHECK_THAT(refused.error().message,
             ContainsSubstring(folder / "labels/0.png") && ContainsSubstring("Give --max-memory"));
}

TEST_CASE("a few labels are spread over each list, whatever the threads") {
  const TempFolder folder;
  for (int i = 10; i < 90; ++i)
    put_label(folder, std::to_string(i), id_label(1, 1, {static_cast<std::uint16_t>(i)}));
  const SampleList list = samples_of(options_for(folder));
  const std::vector<const SampleList*> lists{&list};
  for (const int threads : {1, 8}) {
    const auto some = with_threads(threads, [&] { return scan_some_ids(lists, limited()); });
    CHECK(some.value().narrow == set_of({10, 20, 30, 40, 50, 60, 70, 80}));
  }
}

TEST_CASE("progress counts every label") {
  const TempFolder folder;
  for (int i = 0; i < 30; ++i) put_label(folder, std::to_string(i), id_label(1, 1, {1}));
  const SampleList list = samples_of(options_for(folder));
  const std::vector<const SampleList*> lists{&list, &list};
  Recorder recorder;
  REQUIRE(scan_ids(lists, limited(), recorder).ok());
  CHECK(recorder.last.samples_done == 60);
  CHECK(recorder.last.samples_total == 60);
  CHECK(recorder.last.bytes_in > 0);
}

TEST_CASE("sets of ids are written as people write them") {
  CHECK(ids_text({}) == "none");
  CHECK(ids_text(set_of({5})) == "5");
  CHECK(ids_text(set_of({0, 1})) == "0, 1");
  CHECK(ids_text(set_of({0, 1, 2})) == "0…2");
  CHECK(ids_text(set_of({0, 1, 2, 3, 7, 9, 10, 255})) == "0…3, 7, 9, 10, 255");
  CHECK(ids_text(set_of({65534, 65535})) == "65534, 65535");
}
