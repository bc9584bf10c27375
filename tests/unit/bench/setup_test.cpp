#include "bench/setup.hpp"

#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_shard.hpp"

using namespace hotpack;
using namespace hotpack::bench;
using namespace hotpack::test;

namespace {

Setup setup_of(const TempFolder& folder, const TinyForm& form, const BenchOptions& options = {}) {
  write_pack(folder.path(), form, tiny_records(form, 7), 4);
  const std::vector<std::string> folders = {folder.path()};
  auto setup = Setup::make(folders, options);
  if (!setup.ok()) FAIL(setup.error().describe());
  return std::move(setup).value();
}

}  // namespace

TEST_CASE("threads to measure with are powers of two, and all cores") {
  CHECK(thread_counts(1) == std::vector<unsigned>{1});
  CHECK(thread_counts(2) == std::vector<unsigned>{1, 2});
  CHECK(thread_counts(6) == std::vector<unsigned>{1, 2, 4, 6});
  CHECK(thread_counts(16) == std::vector<unsigned>{1, 2, 4, 8, 16});
}

TEST_CASE("batches are cut to the samples there are, and it is reported") {
  const TempFolder folder;
  const Setup setup = setup_of(folder, {});
  CHECK(setup.batch == 7);
  REQUIRE(setup.notes.size() == 1);
  CHECK(setup.notes.front() == "batches of 7 samples instead of 32: there are no more");
  CHECK(setup.shard_paths.size() == 2);
}

TEST_CASE("a batch that was asked for stays as it is") {
  const TempFolder folder;
  BenchOptions options;
  options.batch = 3;
  options.threads = {5};
  const Setup setup = setup_of(folder, {}, options);
  CHECK(setup.batch == 3);
  CHECK(setup.notes.empty());
  CHECK(setup.threads == std::vector<unsigned>{5});
}

TEST_CASE("records of different sizes are measured one by one") {
  TinyForm form;
  form.size.reset();
  const TempFolder folder;
  const Setup setup = setup_of(folder, form);
  CHECK(setup.batch == 1);
  REQUIRE(setup.notes.size() == 1);
  CHECK(setup.notes.front() == "batches of 1 sample: the records differ in size");
}

TEST_CASE("what is measured follows from the labels") {
  TinyForm form;
  SECTION("class ids") {
    const TempFolder folder;
    const Setup setup = setup_of(folder, form);
    CHECK(setup.plain.name == "u8 + index");
    CHECK(setup.training.name == "f32 + one-hot f32");
    CHECK(row_bytes(setup.schema, setup.plain, {6, 5}).value() == 30 * (3 + 1));
    CHECK(row_bytes(setup.schema, setup.training, {6, 5}).value() == 30 * (3 + 3) * 4);
  }
  SECTION("several classes per pixel") {
    form.multi = true;
    const TempFolder folder;
    CHECK(setup_of(folder, form).plain.name == "u8 + bits");
  }
  SECTION("no labels") {
    form.labeled = false;
    const TempFolder folder;
    const Setup setup = setup_of(folder, form);
    CHECK(setup.plain.name == "u8");
    CHECK(setup.training.name == "f32");
    CHECK(row_bytes(setup.schema, setup.training, {6, 5}).value() == 30 * 3 * 4);
  }
}
