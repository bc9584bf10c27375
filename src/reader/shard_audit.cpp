#include "reader/shard_audit.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "format/plan_text.hpp"
#include "format/shard_check.hpp"
#include "reader/record_audit.hpp"

namespace hotpack::reader {

namespace {

constexpr std::uint64_t kRecordsAtOnce = 8;  // a worker reports progress after this many records

void audit_plan(const ShardFile& file, const std::string& name, Findings& findings) {
  const format::PlanIdentity& plan = file.header().plan;
  const auto place = format::parse_shard_file_name(name);
  if (place && place->count != plan.shards) {
    findings.add(name, "its name says " + std::to_string(place->count) +
                           " shards, but hotpack.plan says " + std::to_string(plan.shards));
  }
}

// Payload fields that version 1.0 does not know.
std::vector<FieldTables> later_fields(const ShardFile& file, const std::string& name,
                                      Findings& findings) {
  auto fields = format::later_fields(file.header());
  if (fields.ok()) return std::move(fields).value();
  findings.add(name, fields.error());
  return {};
}

// Runs `work` on up to `count` threads, including this one; on fewer if the system refuses more.
void run_workers(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::vector<std::jthread> others;
  for (std::size_t worker = 1; worker < count; ++worker) {
    try {
      others.emplace_back(work, worker);
    } catch (const std::system_error&) {
      break;
    }
  }
  work(0);
}

using Auditors = std::vector<std::unique_ptr<RecordAuditor>>;

// Audits every record. Each auditor runs on a thread of its own and takes a few records at a time.
void audit_records(std::uint64_t records, const Auditors& auditors, ProgressMeter& progress) {
  std::atomic<std::uint64_t> next{0};
  std::atomic<bool> lacks_memory{false};
  const auto audit = [&](RecordAuditor& auditor) {
    while (!progress.stopped() && !lacks_memory) {
      const std::uint64_t begin = next.fetch_add(kRecordsAtOnce);
      if (begin >= records) return;
      const std::uint64_t end = std::min(records, begin + kRecordsAtOnce);
      const std::uint64_t bytes = auditor.content_bytes();
      const std::uint64_t findings = auditor.finding_count();
      for (std::uint64_t index = begin; index < end; ++index) auditor.audit(index);
      progress.add(end - begin, auditor.content_bytes() - bytes,
                   auditor.finding_count() - findings);
    }
  };
  run_workers(auditors.size(), [&](std::size_t worker) {
    try {
      audit(*auditors[worker]);
    } catch (const std::bad_alloc&) {  // no memory even for the text of a finding
      lacks_memory = true;
    }
  });
  if (lacks_memory) throw std::bad_alloc();
}

// Returns what the number with index `i` in shard.sums means.
std::string sum_name(std::size_t i, std::size_t channels) {
  if (i < channels) return "sum of channel " + std::to_string(i);
  if (i < 2 * channels) return "sum of squares of channel " + std::to_string(i - channels);
  static constexpr const char* kScalars[] = {"pixels counted", "ignored pixels", "skipped samples"};
  if (i < 2 * channels + 3) return kScalars[i - 2 * channels];
  static constexpr const char* kCounts[] = {"pixels of class ", "samples that contain class ",
                                            "labeled pixels of the samples that contain class "};
  const std::size_t rest = i - 2 * channels - 3;
  return kCounts[rest % 3] + std::to_string(rest / 3);
}

void audit_sums(const ShardFile& file, const std::string& name, const format::Sums& stated,
                format::Sums counted, Findings& findings) {
  // the payload does not show skipped samples; the checks of the manifest compare their number
  counted.skipped = stated.skipped;
  const auto stored = stated.numbers();
  const auto found = counted.numbers();
  const auto channels = static_cast<std::size_t>(stated.channels);
  for (std::size_t i = 0; i < stored.size(); ++i) {
    if (stored[i] == found[i]) continue;
    findings.add(name,
                 "shard.sums: " + sum_name(i, channels) + " is " + std::to_string(stored[i]) +
                     ", but the records have " + std::to_string(found[i]),
                 file.table_offset(*file.header().find("shard.sums"), i));
  }
}

std::uint64_t first_record_bytes(const ShardFile& file) {
  if (file.records() == 0) return 0;
  const auto image = file.image_shape(0);
  const auto label = file.label_shape(0);
  return image.ok() && label.ok() ? image->size_bytes() + label->size_bytes() : 0;
}

void audit_form(const ShardFile& file, const std::string& name, Findings& findings) {
  for (const Status& status : {file.check_tables(), format::check_form(file.bytes(), file.header()),
                               format::check_fillers(file.bytes(), file.header())}) {
    if (!status.ok()) findings.add(name, status.error());
  }
  audit_plan(file, name, findings);
}

}  // namespace

ShardSummary audit_shard(const ShardFile& file, const File& opened, const std::string& name,
                         const AuditOptions& options, ProgressMeter& progress, Findings& findings) {
  const std::uint64_t before = findings.count();
  audit_form(file, name, findings);
  const std::vector<FieldTables> further = later_fields(file, name, findings);
  const std::uint64_t form_findings = findings.count() - before;

  const std::uint64_t pieces = (file.records() + kRecordsAtOnce - 1) / kRecordsAtOnce;
  Auditors auditors(std::clamp<std::uint64_t>(pieces, 1, options.threads));
  for (auto& auditor : auditors)
    auditor = std::make_unique<RecordAuditor>(file, opened, name, further, options.max_findings);
  audit_records(file.records(), auditors, progress);

  ShardSummary summary{
      name, file.records(),           format::read_sums(file.bytes(), file.header()),
      0,    first_record_bytes(file), false};
  format::Sums counted(summary.sums.channels, summary.sums.classes.size());
  bool all_counted = !progress.stopped();
  std::vector<Findings> parts;
  for (auto& auditor : auditors) {
    counted.add(auditor->sums());
    all_counted = all_counted && auditor->all_counted();
    summary.content_bytes += auditor->content_bytes();
    parts.push_back(auditor->take_findings());
  }
  findings.merge(std::move(parts));
  const std::uint64_t before_sums = findings.count();
  if (all_counted) audit_sums(file, name, summary.sums, std::move(counted), findings);
  progress.add_shard(form_findings + findings.count() - before_sums);
  summary.ok = findings.count() == before;
  return summary;
}

}  // namespace hotpack::reader
