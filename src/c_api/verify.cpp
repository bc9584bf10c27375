// The functions hotpack_verify_….
#include "hotpack/verify.hpp"

#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "base/try.hpp"
#include "c_api/call.hpp"
#include "c_api/handles.hpp"
#include "c_api/option_error.hpp"
#include "c_api/status.hpp"
#include "c_api/structs.hpp"
#include "hotpack/hotpack.h"

struct hotpack_verify_report {
  mutable hotpack::c_api::Failures failures;
  std::optional<hotpack::VerifyReport> report;
  std::vector<std::string> descriptions;  // of the findings
};

namespace hotpack::c_api {
namespace {

hotpack_verify_options default_verify_options() {
  hotpack_verify_options options{};
  options.struct_size = sizeof options;
  options.max_findings = VerifyOptions{}.max_findings;
  return options;
}

Result<VerifyOptions> options_of(const hotpack_verify_options* options) {
  if (options == nullptr) return VerifyOptions{};
  HOTPACK_ASSIGN(const hotpack_verify_options given,
                 read_struct(options, default_verify_options(), "hotpack_verify_options"));
  if (given.max_findings == 0)
    return option_error("max_findings", "max_findings is 0; it must be 1 or more");
  if (given.reserved != 0)
    return option_error(
        "reserved",
        "reserved of hotpack_verify_options must be 0; call hotpack_verify_options_init first");
  VerifyOptions own;
  own.threads = given.threads;
  own.max_findings = given.max_findings;
  if (given.progress != nullptr) {
    own.progress = [call = given.progress, user = given.progress_user](const VerifyProgress& at) {
      const hotpack_verify_progress told{at.shards_done,   at.shards_total, at.records_done,
                                         at.records_total, at.bytes_done,   at.findings};
      return call(user, &told) != 0;
    };
  }
  return own;
}

// Implements hotpack_verify_dataset and hotpack_verify_shard.
hotpack_status verify(const char* path, const hotpack_verify_options* options,
                      hotpack_verify_report** out,
                      Result<VerifyReport> (*check)(const std::string&, const VerifyOptions&)) {
  if (out == nullptr) return HOTPACK_ERROR_USAGE;
  *out = new (std::nothrow) hotpack_verify_report;
  if (*out == nullptr) return HOTPACK_ERROR_IO;  // no memory
  hotpack_verify_report& handle = **out;
  return call(handle.failures, [&]() -> Outcome {
    HOTPACK_TRY(require(path, "path"));
    HOTPACK_ASSIGN(const VerifyOptions own, options_of(options));
    HOTPACK_ASSIGN(VerifyReport report, check(path, own));
    for (const VerifyFinding& finding : report.findings)
      handle.descriptions.push_back(finding.describe());
    handle.report = std::move(report);
    return HOTPACK_OK;
  });
}

hotpack_verify_report_info info_of(const VerifyReport& report) {
  hotpack_verify_report_info info{};
  info.finding_count = report.finding_count;
  info.findings = report.findings.size();
  info.damaged_files = report.damaged_files.size();
  info.notes = report.notes.size();
  info.shards = report.shards;
  info.records = report.records;
  info.size_bytes = report.size_bytes;
  info.ok = report.ok() ? 1 : 0;
  info.stopped = report.stopped ? 1 : 0;
  info.aligned = report.aligned ? 1 : 0;
  return info;
}

std::int64_t number_or_none(std::optional<std::uint64_t> number) {
  return number ? static_cast<std::int64_t>(*number) : -1;
}

hotpack_verify_finding_info info_of(const VerifyFinding& finding, const std::string& description) {
  hotpack_verify_finding_info info{};
  info.description = description.c_str();
  info.file = finding.file.c_str();
  info.key = finding.key.c_str();
  info.text = finding.text.c_str();
  info.record = number_or_none(finding.record);
  info.offset = number_or_none(finding.offset);
  info.status = status_of(finding.code);
  return info;
}

template <class Body>
hotpack_status with_report(const hotpack_verify_report* handle, const Body& body) noexcept {
  if (handle == nullptr || !handle->report) return HOTPACK_ERROR_USAGE;
  return call(handle->failures, [&]() -> Outcome { return body(*handle->report); });
}

const char* text_at(const hotpack_verify_report* handle, std::uint64_t number,
                    std::vector<std::string> VerifyReport::*texts) {
  if (handle == nullptr || !handle->report) return "";
  const std::vector<std::string>& list = (*handle->report).*texts;
  return number < list.size() ? list[number].c_str() : "";
}

}  // namespace
}  // namespace hotpack::c_api

using namespace hotpack;
using namespace hotpack::c_api;

hotpack_status hotpack_verify_options_init(hotpack_verify_options* options, size_t struct_size) {
  return init_struct(options, struct_size, "hotpack_verify_options", default_verify_options);
}

hotpack_status hotpack_verify_dataset(const char* folder, const hotpack_verify_options* options,
                                      hotpack_verify_report** report) {
  return verify(folder, options, report, verify_dataset);
}

hotpack_status hotpack_verify_shard(const char* path, const hotpack_verify_options* options,
                                    hotpack_verify_report** report) {
  return verify(path, options, report, verify_shard);
}

void hotpack_verify_report_close(hotpack_verify_report* report) { delete report; }

const char* hotpack_verify_report_error(const hotpack_verify_report* report) {
  return report == nullptr ? "" : report->failures.latest();
}

hotpack_status hotpack_verify_report_error_info(const hotpack_verify_report* report,
                                                hotpack_error_info* info) {
  return describe_error(report == nullptr ? nullptr : &report->failures, info);
}

hotpack_status hotpack_verify_report_describe(const hotpack_verify_report* report,
                                              hotpack_verify_report_info* info) {
  return with_report(report, [&](const VerifyReport& known) -> Outcome {
    HOTPACK_TRY(require(info, "info"));
    HOTPACK_TRY(write_struct(info_of(known), info, "hotpack_verify_report_info"));
    return HOTPACK_OK;
  });
}

hotpack_status hotpack_verify_report_finding(const hotpack_verify_report* report, uint64_t number,
                                             hotpack_verify_finding_info* finding) {
  return with_report(report, [&](const VerifyReport& known) -> Outcome {
    HOTPACK_TRY(require(finding, "finding"));
    if (number >= known.findings.size()) return HOTPACK_NOT_FOUND;
    HOTPACK_TRY(write_struct(info_of(known.findings[number], report->descriptions[number]), finding,
                             "hotpack_verify_finding_info"));
    return HOTPACK_OK;
  });
}

const char* hotpack_verify_report_damaged_file(const hotpack_verify_report* report,
                                               uint64_t number) {
  return text_at(report, number, &VerifyReport::damaged_files);
}

const char* hotpack_verify_report_note(const hotpack_verify_report* report, uint64_t number) {
  return text_at(report, number, &VerifyReport::notes);
}
