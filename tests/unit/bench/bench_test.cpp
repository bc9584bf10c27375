#include "bench/bench.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_shard.hpp"

using namespace hotpack;
using namespace hotpack::bench;
using namespace hotpack::test;

namespace {

BenchOptions quick() {
  BenchOptions options;
  options.seconds = 0.01;
  options.threads = {1, 2};
  options.batch = 4;
  return options;
}

BenchReport report_of(const TempFolder& folder, const BenchOptions& options = quick()) {
  const std::vector<std::string> folders = {folder.path()};
  auto report = run_bench(folders, options);
  if (!report.ok()) FAIL(report.error().describe());
  return std::move(report).value();
}

std::size_t count_of(const BenchReport& report, Stage stage) {
  return static_cast<std::size_t>(
      std::count_if(report.rows.begin(), report.rows.end(),
                    [&](const BenchRow& row) { return row.stage == stage; }));
}

void check_rates(const BenchReport& report) {
  for (const BenchRow& row : report.rows) {
    CAPTURE(row.work, row.threads);
    CHECK(row.rate.samples_per_second > 0);
    CHECK(row.rate.bytes_per_second > 0);
    CHECK(row.limit_bytes_per_second > 0);
    CHECK_FALSE(row.limit.empty());
  }
}

// Turns over one byte in the first shard.
void damage(const TempFolder& folder, std::uint64_t offset) {
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    if (entry.path().extension() != ".safetensors") continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(offset));
    const int old = file.get();
    file.seekp(static_cast<std::streamoff>(offset));
    file.put(static_cast<char>(old ^ 1));
  }
}

}  // namespace

TEST_CASE("a bench measures packs of every form") {
  TinyForm form;
  form.layout = GENERATE(AxisOrder::channels_last, AxisOrder::channels_first);
  form.storage = GENERATE(LabelStorage::bits, LabelStorage::index);
  SECTION("pixel labels") {}
  SECTION("compressed") { form.image_zstd = form.label_zstd = true; }
  SECTION("no labels") { form.labeled = false; }
  SECTION("records of different sizes") { form.size.reset(); }
  SECTION("a class for each image") { form.scope = LabelScope::image; }
  SECTION("gray") { form.color = ImageColor::gray; }
  const TempFolder folder;
  write_pack(folder.path(), form, tiny_records(form, 9), 5);
  BenchOptions options = quick();
  options.cold = false;
  const BenchReport report = report_of(folder, options);
  CHECK(report.samples == 9);
  CHECK(report.measured == 9);
  CHECK(report.batch == (form.size ? 4 : 1));
  CHECK(count_of(report, Stage::disk) == 0);
  CHECK(count_of(report, Stage::copies) == 4);
  CHECK(count_of(report, Stage::expansion) == 4);
  CHECK(count_of(report, Stage::end_to_end) == 2);
  check_rates(report);
  CHECK(report.consumer.first_batch_seconds > 0);
  CHECK(report.consumer.wait_share >= 0);
  CHECK(report.consumer.wait_share <= 1);
  CHECK((report.recommended_threads == 1 || report.recommended_threads == 2));
}

TEST_CASE("reads from the disk are measured, or it is reported why they are not") {
  const TempFolder folder;
  write_pack(folder.path(), {}, tiny_records({}, 9), 5);
  const BenchReport report = report_of(folder);
  const bool told = std::any_of(
      report.notes.begin(), report.notes.end(),
      [](const std::string& note) { return note.starts_with("cold reads were not measured"); });
  CHECK(count_of(report, Stage::disk) == (told ? 0 : 2));
  check_rates(report);
}

TEST_CASE("one sample is enough") {
  const TempFolder folder;
  write_pack(folder.path(), {}, tiny_records({}, 1), 1);
  const BenchReport report = report_of(folder);
  CHECK(report.batch == 1);
  check_rates(report);
}

TEST_CASE("a damaged record ends the bench with what is wrong") {
  const TempFolder folder;
  const TinyForm form;
  const auto records = tiny_records(form, 3);
  write_pack(folder.path(), form, records, 3);
  const TinyShard shard = make_shard(form, records, tiny_plan(records));
  const auto image = stored_image(form, records[1]);
  const auto found =
      std::search(shard.bytes.begin(), shard.bytes.end(), image.begin(), image.end());
  REQUIRE(found != shard.bytes.end());
  damage(folder, static_cast<std::uint64_t>(found - shard.bytes.begin()) + 7);
  BenchOptions options = quick();
  options.cold = GENERATE(false, true);
  const std::vector<std::string> folders = {folder.path()};
  const auto report = run_bench(folders, options);
  REQUIRE_FALSE(report.ok());
  CHECK(report.error().code == ErrorCode::damaged);
  CHECK_THAT(report.error().message, ContainsSubstring("record 1"));
}

TEST_CASE("a bench can be stopped between stages") {
  const TempFolder folder;
  write_pack(folder.path(), {}, tiny_records({}, 3), 3);
  std::vector<std::string> stages;
  BenchOptions options = quick();
  options.cold = false;
  options.progress = [&](std::string_view stage) {
    stages.emplace_back(stage);
    return stages.size() < 2;
  };
  const std::vector<std::string> folders = {folder.path()};
  const auto report = run_bench(folders, options);
  REQUIRE_FALSE(report.ok());
  CHECK(report.error().code == ErrorCode::cancelled);
  CHECK(stages == std::vector<std::string>{"reading into memory", "1 thread"});
}

TEST_CASE("what is no pack is refused as everywhere") {
  const std::vector<std::string> folders = {"/nowhere"};
  const auto report = run_bench(folders, quick());
  REQUIRE_FALSE(report.ok());
  CHECK(report.error().code == ErrorCode::io);
}
