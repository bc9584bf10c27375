#include "hotpack/verify.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "hotpack/hotpack.h"
#include "support/catch.hpp"
#include "support/loader_pack.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

// A report of a check that was done.
struct Report {
  explicit Report(const TinyPack& pack, const hotpack_verify_options* options = nullptr) {
    REQUIRE(hotpack_verify_dataset(pack.folder().c_str(), options, &report) == HOTPACK_OK);
    info.struct_size = sizeof info;
    REQUIRE(hotpack_verify_report_describe(report, &info) == HOTPACK_OK);
  }
  ~Report() { hotpack_verify_report_close(report); }
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
  [[nodiscard]] hotpack_verify_finding_info finding(std::uint64_t number) const {
    hotpack_verify_finding_info found;
    found.struct_size = sizeof found;
    REQUIRE(hotpack_verify_report_finding(report, number, &found) == HOTPACK_OK);
    return found;
  }

  hotpack_verify_report* report = nullptr;
  hotpack_verify_report_info info{};
};

hotpack_verify_options defaults() {
  hotpack_verify_options options;
  REQUIRE(hotpack_verify_options_init(&options, sizeof options) == HOTPACK_OK);
  return options;
}

// Counts the calls in `user`; stops at the first one if the count began below 0.
std::int32_t count_calls(void* user, const hotpack_verify_progress* progress) {
  int& calls = *static_cast<int*>(user);
  if (progress->records_done > progress->records_total) return 0;
  if (calls < 0) return 0;
  ++calls;
  return 1;
}

}  // namespace

TEST_CASE("a whole pack has a report without findings") {
  const TinyPack pack;
  hotpack_verify_options options = defaults();
  int calls = 0;
  options.progress = count_calls;
  options.progress_user = &calls;
  options.threads = 2;
  const Report report(pack, &options);
  CHECK(report.info.ok == 1);
  CHECK(report.info.finding_count == 0);
  CHECK(report.info.findings == 0);
  CHECK(report.info.damaged_files == 0);
  CHECK(report.info.shards == 3);
  CHECK(report.info.records == 12);
  CHECK(report.info.size_bytes > 0);
  CHECK(report.info.aligned == 1);
  CHECK(report.info.stopped == 0);
  CHECK(calls > 0);
}

TEST_CASE("findings in C equal those in C++") {
  const TinyPack pack;
  pack.damage_image(5);
  pack.damage_image(9);
  const VerifyReport own = verify_dataset(pack.folder()).value();
  const Report report(pack);
  CHECK(report.info.ok == 0);
  CHECK(report.info.finding_count == own.finding_count);
  REQUIRE(report.info.findings == own.findings.size());
  REQUIRE(report.info.damaged_files == own.damaged_files.size());
  REQUIRE(report.info.notes == own.notes.size());
  for (std::uint64_t i = 0; i < own.findings.size(); ++i) {
    const hotpack_verify_finding_info found = report.finding(i);
    const VerifyFinding& expected = own.findings[i];
    CHECK(found.description == expected.describe());
    CHECK(found.file == expected.file);
    CHECK(found.key == expected.key);
    CHECK(found.text == expected.text);
    CHECK(found.record == (expected.record ? static_cast<std::int64_t>(*expected.record) : -1));
    CHECK(found.offset == (expected.offset ? static_cast<std::int64_t>(*expected.offset) : -1));
    CHECK(found.status == HOTPACK_ERROR_DAMAGED);
  }
  for (std::uint64_t i = 0; i < own.damaged_files.size(); ++i)
    CHECK(hotpack_verify_report_damaged_file(report.report, i) == own.damaged_files[i]);
  CHECK(std::string(hotpack_verify_report_damaged_file(report.report, own.damaged_files.size()))
            .empty());
  CHECK(std::string(hotpack_verify_report_note(report.report, own.notes.size())).empty());
  hotpack_verify_finding_info none;
  none.struct_size = sizeof none;
  CHECK(hotpack_verify_report_finding(report.report, own.findings.size(), &none) ==
        HOTPACK_NOT_FOUND);
}

TEST_CASE("the report keeps as many findings as the option says") {
  const TinyPack pack;
  pack.damage_image(5);
  pack.damage_image(9);
  hotpack_verify_options options = defaults();
  options.max_findings = 1;
  const Report report(pack, &options);
  CHECK(report.info.findings == 1);
  CHECK(report.info.finding_count > 1);
  CHECK(report.info.damaged_files == 2);
}

TEST_CASE("progress can stop a check") {
  const TinyPack pack;
  hotpack_verify_options options = defaults();
  int calls = -1;
  options.progress = count_calls;
  options.progress_user = &calls;
  const Report report(pack, &options);
  CHECK(report.info.stopped == 1);
  CHECK(report.info.ok == 0);
}

TEST_CASE("one shard is checked by itself") {
  const TinyPack pack;
  pack.damage_image(5);
  hotpack_verify_report* report = nullptr;
  hotpack_verify_report_info info;
  info.struct_size = sizeof info;
  for (const std::size_t shard : {0U, 1U}) {
    REQUIRE(hotpack_verify_shard(pack.shard_path(shard).c_str(), nullptr, &report) == HOTPACK_OK);
    REQUIRE(hotpack_verify_report_describe(report, &info) == HOTPACK_OK);
    CHECK(info.shards == 1);
    CHECK((info.ok == 1) == (shard == 0));
    hotpack_verify_report_close(report);
  }
}

TEST_CASE("a check that cannot be done gives a handle with the reason") {
  const TinyPack pack;
  hotpack_verify_report* report = nullptr;
  hotpack_error_info error;
  error.struct_size = sizeof error;
  CHECK(hotpack_verify_dataset((pack.folder() + "/none").c_str(), nullptr, &report) ==
        HOTPACK_ERROR_IO);
  REQUIRE(report != nullptr);
  CHECK_THAT(hotpack_verify_report_error(report), ContainsSubstring("none"));
  REQUIRE(hotpack_verify_report_error_info(report, &error) == HOTPACK_OK);
  CHECK(error.status == HOTPACK_ERROR_IO);
  hotpack_verify_report_info info;
  info.struct_size = sizeof info;
  CHECK(hotpack_verify_report_describe(report, &info) == HOTPACK_ERROR_USAGE);
  CHECK(std::string(hotpack_verify_report_note(report, 0)).empty());
  hotpack_verify_report_close(report);

  const auto wrong = [&](const hotpack_verify_options& options) {
    CHECK(hotpack_verify_dataset(pack.folder().c_str(), &options, &report) == HOTPACK_ERROR_USAGE);
    REQUIRE(hotpack_verify_report_error_info(report, &error) == HOTPACK_OK);
    std::string option = error.option;
    hotpack_verify_report_close(report);
    return option;
  };
  hotpack_verify_options options = defaults();
  options.max_findings = 0;
  CHECK(wrong(options) == "max_findings");
  options = defaults();
  options.reserved = 1;
  CHECK(wrong(options) == "reserved");
  options = defaults();
  options.struct_size = 3;
  CHECK(wrong(options) == "struct_size");
}

TEST_CASE("verify answers without a path or a report") {
  hotpack_verify_report* report = nullptr;
  hotpack_verify_report_info info;
  hotpack_verify_finding_info finding;
  CHECK(hotpack_verify_dataset(nullptr, nullptr, nullptr) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_verify_shard(nullptr, nullptr, &report) == HOTPACK_ERROR_USAGE);
  CHECK_THAT(hotpack_verify_report_error(report), ContainsSubstring("path is NULL"));
  hotpack_verify_report_close(report);
  hotpack_verify_report_close(nullptr);
  CHECK(std::string(hotpack_verify_report_error(nullptr)).empty());
  CHECK(hotpack_verify_report_error_info(nullptr, nullptr) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_verify_report_describe(nullptr, &info) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_verify_report_finding(nullptr, 0, &finding) == HOTPACK_ERROR_USAGE);
  CHECK(std::string(hotpack_verify_report_damaged_file(nullptr, 0)).empty());
  CHECK(hotpack_verify_options_init(nullptr, 8) == HOTPACK_ERROR_USAGE);
}
