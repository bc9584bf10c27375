#include "bench/records.hpp"

#include <algorithm>
#include <filesystem>

#include "bench/limits.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_shard.hpp"

using namespace hotpack;
using namespace hotpack::bench;
using namespace hotpack::test;

namespace {

bool same_bytes(std::span<const std::uint8_t> found, const std::vector<std::byte>& expected) {
  return std::ranges::equal(std::as_bytes(found), expected);
}

}  // namespace

TEST_CASE("records are listed in the order in which the Loader gives them") {
  const TempFolder folder;
  write_pack(folder.path(), {}, tiny_records({}, 10), 4);
  const auto dataset = Dataset::open(folder.path());
  REQUIRE(dataset.ok());
  LoaderOptions options;
  options.global_batch_size = 5;
  options.seed = 3;
  auto loader = Loader::open(*dataset, options);
  REQUIRE(loader.ok());
  std::vector<std::uint64_t> given;
  for (auto batch = loader->next(); batch.ok() && *batch; batch = loader->next())
    for (const std::int64_t sample : (*batch)->indices())
      given.push_back(static_cast<std::uint64_t>(sample));
  CHECK(first_samples(10, options, 100) == given);
  CHECK(first_samples(10, options, 3) ==
        std::vector<std::uint64_t>(given.begin(), given.begin() + 3));
}

TEST_CASE("a list holds the bytes of its records, compressed or not") {
  TinyForm form;
  form.image_zstd = form.label_zstd = GENERATE(false, true);
  const TempFolder folder;
  const auto records = tiny_records(form, 5);
  write_pack(folder.path(), form, records, 2);
  const auto dataset = Dataset::open(folder.path());
  REQUIRE(dataset.ok());
  const std::vector<std::uint64_t> order = {4, 0, 3};
  const auto list = RecordList::make(*dataset, order, 1 << 20);
  REQUIRE(list.ok());
  REQUIRE(list->size() == 3);
  CHECK(list->unpacked() == form.image_zstd);
  for (std::size_t i = 0; i < 7; ++i) {
    const TinyRecord& record = records[order[i % 3]];
    CHECK(same_bytes((*list)[i].image.bytes, stored_image(form, record)));
    CHECK(same_bytes((*list)[i].label.bytes, stored_label(form, record)));
  }
  CHECK(list->mean_bytes() == 6 * 5 * 4);
  CHECK(list->largest_bytes() == 6 * 5 * 4);
  CHECK(list->largest_size() == PixelSize{6, 5});
}

TEST_CASE("of compressed records no more are kept than memory allows, but one") {
  TinyForm form;
  form.image_zstd = true;
  const TempFolder folder;
  write_pack(folder.path(), form, tiny_records(form, 5), 5);
  const auto dataset = Dataset::open(folder.path());
  REQUIRE(dataset.ok());
  const std::vector<std::uint64_t> order = {0, 1, 2, 3};
  CHECK(RecordList::make(*dataset, order, 200)->size() == 2);
  CHECK(RecordList::make(*dataset, order, 0)->size() == 1);
}

TEST_CASE("a plain loop over a shard that was cut is an error with its record") {
  const TempFolder folder;
  const auto manifest = write_pack(folder.path(), {}, tiny_records({}, 5), 5);
  const std::string path = folder / manifest.shards[0].file;
  const auto dataset = Dataset::open(folder.path());
  REQUIRE(dataset.ok());
  const std::vector<std::uint64_t> order = {3};
  const auto list = RecordList::make(*dataset, order, 0);
  REQUIRE(list.ok());
  ThreadBuffers buffers(2, 0, list->largest_bytes());
  const Measurement copy = copy_records({&*list, &buffers, 2});
  REQUIRE(copy(0.001).ok());
  std::filesystem::resize_file(path, 0);
  const auto cut = copy(0.001);
  REQUIRE_FALSE(cut.ok());
  CHECK(cut.error().code == ErrorCode::damaged);
  CHECK(cut.error().path == path);
  CHECK(cut.error().record == 3u);
}
