#include "hotpack/verify.hpp"
#include "base/utf8.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/cores.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/folder.hpp"
#include "base/no_memory.hpp"
#include "base/try.hpp"
#include "format/json.hpp"
#include "format/manifest.hpp"
#include "format/pack_folder.hpp"
#include "format/plan_text.hpp"
#include "reader/findings.hpp"
#include "reader/key_audit.hpp"
#include "reader/manifest_audit.hpp"
#include "reader/progress_meter.hpp"
#include "reader/shard_audit.hpp"
#include "reader/shard_file.hpp"

namespace hotpack {

namespace {

namespace fs = std::filesystem;
using reader::Findings;
using reader::KeyAuditor;
using reader::ProgressMeter;
using reader::ShardFile;
using reader::ShardSummary;

const std::string kManifestFile{format::kManifestName};

reader::AuditOptions audit_options(const VerifyOptions& options) {
  const unsigned threads = options.threads != 0 ? options.threads : usable_cores();
  return {threads, std::max<std::size_t>(1, options.max_findings)};
}

std::vector<std::string> notes_about(const format::PackFolder& folder) {
  std::vector<std::string> notes;
  for (const std::string& name : folder.temporaries)
    notes.push_back(
        name + ": a temporary file of an interrupted or running pack; the next run removes it");
  for (const std::string& name : folder.others)
    notes.push_back(name + ": not a file of this data set");
  std::sort(notes.begin(), notes.end());
  return notes;
}

// A shard whose file stays open, with its header and tables.
struct OpenShard {
  File opened;
  std::unique_ptr<ShardFile> file;
};

Result<OpenShard> open_shard(const std::string& path, format::SchemaCache& schema) {
  HOTPACK_ASSIGN(File opened, File::open_read(path));
  HOTPACK_ASSIGN(auto file, ShardFile::examine(opened, &schema));
  return OpenShard{std::move(opened), std::move(file)};
}

// One check of a folder or a shard, with its findings so far.
class Verification {
 public:
  explicit Verification(const VerifyOptions& options)
      : options_(audit_options(options)),
        callback_(options.progress),
        findings_(options_.max_findings) {}

  Result<VerifyReport> run_folder(const std::string& folder);
  Result<VerifyReport> run_shard(const std::string& path);

 private:
  void read_manifest(const std::string& folder);
  [[nodiscard]] const format::ShardRow* row_of(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> names_to_check(const format::PackFolder& folder);
  void check_shard(const std::string& folder, const std::string& name, ProgressMeter& progress);
  void check_opened(const OpenShard& shard, const std::string& name, ProgressMeter& progress);
  void compare_with_first(const ShardFile& file, const std::string& name);
  void check_keys(const ShardFile& file, const std::string& name);
  void check_whole();
  void note_partition(std::size_t shards);
  [[nodiscard]] VerifyReport report(bool stopped);

  reader::AuditOptions options_;
  std::function<bool(const VerifyProgress&)> callback_;
  Findings findings_;
  VerifyReport report_;
  std::optional<format::Manifest> manifest_;
  std::vector<ShardSummary> summaries_;  // of the shards that could be opened
  std::optional<KeyAuditor> keys_;       // set with the first opened shard
  format::SchemaCache schema_;           // of the last shard
  std::string first_schema_;             // the first shard's texts, which all others must have
  std::string first_plan_;
  std::uint64_t planned_shards_ = 0;
  bool one_plan_ = true;  // all opened shards have the same plan
  bool all_opened_ = true;
  bool manifest_unread_ = false;  // it exists, but cannot be read
};

void Verification::read_manifest(const std::string& folder) {
  const auto text = read_text_file((fs::path(folder) / kManifestFile).string());
  manifest_unread_ = !text.ok();
  if (manifest_unread_) return findings_.add(kManifestFile, text.error());
  auto manifest = format::decode_manifest(*text);
  if (!manifest.ok()) return findings_.add(kManifestFile, manifest.error());
  manifest_ = std::move(manifest).value();
  reader::audit_manifest_text(*manifest_, *text, findings_);
}

// The manifest's rows name all shards in order, so a name gives its row.
const format::ShardRow* Verification::row_of(const std::string& name) const {
  const auto place = format::parse_shard_file_name(name);
  if (!manifest_ || !place || place->count != manifest_->shards.size()) return nullptr;
  return &manifest_->shards[place->index];
}

std::vector<std::string> Verification::names_to_check(const format::PackFolder& folder) {
  std::vector<std::string> names;
  if (manifest_)
    for (const format::ShardRow& row : manifest_->shards) names.push_back(row.file);
  for (const format::ShardName& shard : folder.shards) {
    std::string name = format::shard_file_name(shard.index, shard.count);
    if (!manifest_) {
      names.push_back(std::move(name));
    } else if (row_of(name) == nullptr) {
      findings_.add(name, "is in the folder, but not in the manifest");
    }
  }
  return names;
}

Result<VerifyReport> Verification::run_folder(const std::string& folder) {
  HOTPACK_ASSIGN(const std::vector<std::string> content, names_in_folder(folder));
  const format::PackFolder listing = format::describe_pack_folder(content);
  report_.notes = notes_about(listing);
  if (listing.has_manifest) {
    read_manifest(folder);
  } else {
    findings_.add(kManifestFile,
                  "is missing: this is not a data set, or only a partition of one, or packing has "
                  "not finished");
  }
  const std::vector<std::string> names = names_to_check(listing);
  ProgressMeter progress(callback_, names.size(), manifest_ ? manifest_->records() : 0);
  for (const std::string& name : names) {
    if (progress.stopped()) break;
    check_shard(folder, name, progress);
  }
  if (!progress.stopped()) check_whole();
  if (!manifest_ && !manifest_unread_ && !summaries_.empty() && one_plan_)
    note_partition(summaries_.size());
  return report(progress.stopped());
}

Result<VerifyReport> Verification::run_shard(const std::string& path) {
  ProgressMeter progress(callback_, 1, 0);
  const fs::path whole(path);
  const std::string name = whole.filename().string();
  auto shard = open_shard(path, schema_);
  if (shard.ok()) {
    check_opened(*shard, name, progress);
  } else if (shard.error().code == ErrorCode::io) {
    return std::move(shard).error();
  } else {
    findings_.add(name, shard.error());
  }
  if (keys_ && !progress.stopped()) keys_->finish(findings_);
  return report(progress.stopped());
}

void Verification::check_shard(const std::string& folder, const std::string& name,
                               ProgressMeter& progress) {
  const std::string path = (fs::path(folder) / name).string();
  const auto shard = open_shard(path, schema_);
  if (shard.ok()) return check_opened(*shard, name, progress);
  all_opened_ = false;
  std::error_code ignored;
  if (shard.error().code == ErrorCode::io && !fs::exists(path, ignored)) {
    findings_.add(name, "missing, though the manifest names it");
  } else {
    findings_.add(name, shard.error());
  }
  progress.add_shard(1);
}

void Verification::check_opened(const OpenShard& shard, const std::string& name,
                                ProgressMeter& progress) {
  if (const Status read = shard.file->read_between(shard.opened); !read.ok())
    findings_.add(name, read.error());
  const ShardFile& file = *shard.file;
  ++report_.shards;
  report_.records += file.records();
  report_.size_bytes += file.bytes().size();
  if (!file.header().aligned) {
    report_.aligned = false;
    report_.notes.push_back(
        name +
        ": payload or tables are not aligned; another library probably saved the file "
        "again. It can still be read");
  }
  if (file.header().minor > 0) {
    report_.notes.push_back(
        name + ": format " + file.header().metadata.format +
        "; this program knows 1.0 and checks only what both versions have in common");
  }
  compare_with_first(file, name);
  if (manifest_) {
    if (const format::ShardRow* row = row_of(name))
      reader::audit_row(*manifest_, *row, file, findings_);
  }
  summaries_.push_back(
      reader::audit_shard(file, shard.opened, name, options_, progress, findings_));
  if (!progress.stopped()) check_keys(file, name);
}

void Verification::compare_with_first(const ShardFile& file, const std::string& name) {
  const format::Metadata& metadata = file.header().metadata;
  if (!keys_) {
    keys_.emplace(file.schema().options.shuffle);
    first_schema_ = metadata.schema;
    first_plan_ = metadata.plan;
    planned_shards_ = file.header().plan.shards;
    return;
  }
  if (manifest_) return;  // each shard is compared with the manifest
  if (metadata.schema != first_schema_)
    findings_.add(name, "hotpack.schema differs from that of " + summaries_.front().name);
  one_plan_ = one_plan_ && metadata.plan == first_plan_;
  if (metadata.plan != first_plan_)
    findings_.add(name, "hotpack.plan differs from that of " + summaries_.front().name);
}

void Verification::check_keys(const ShardFile& file, const std::string& name) {
  keys_->begin_shard(name);
  for (std::uint64_t record = 0; record < file.records(); ++record) {
    const auto key = file.key(record);
    if (key.ok() && is_utf8(*key)) keys_->add(record, *key, findings_);
  }
}

void Verification::check_whole() {
  if (keys_) keys_->finish(findings_);
  if (!manifest_ || !all_opened_) return;
  reader::audit_totals(*manifest_, summaries_, findings_);
  if (manifest_->skipped > 0 || !keys_) return;  // only the plan has the keys of skipped samples
  if (const std::string digest = keys_->digest(); digest != manifest_->plan.keys) {
    findings_.add(kManifestFile, "plan.keys is " + manifest_->plan.keys +
                                     ", but the digest of the shards' keys is " + digest);
  }
}

void Verification::note_partition(std::size_t shards) {
  if (shards == planned_shards_) {
    report_.notes.push_back(
        "all " + std::to_string(shards) +
        " shards of the pack were found; run hotpack merge with this folder to write dataset.json");
  } else {
    report_.notes.push_back(std::to_string(shards) + " of the " + std::to_string(planned_shards_) +
                            " shards of this pack were found and can be opened");
  }
}

VerifyReport Verification::report(bool stopped) {
  report_.finding_count = findings_.count();
  report_.damaged_files = findings_.damaged_files();
  report_.findings = findings_.take();
  report_.stopped = stopped;
  return std::move(report_);
}

}  // namespace

Result<VerifyReport> verify_dataset(const std::string& folder, const VerifyOptions& options) {
  return or_out_of_memory([&] { return Verification(options).run_folder(folder); });
}

Result<VerifyReport> verify_shard(const std::string& path, const VerifyOptions& options) {
  return or_out_of_memory([&] { return Verification(options).run_shard(path); });
}

}  // namespace hotpack
