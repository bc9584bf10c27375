#include "pack/packed_set.hpp"

#include <sys/stat.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/folder.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "format/manifest.hpp"
#include "format/pack_folder.hpp"
#include "hotpack/verify.hpp"
#include "label_setup/placement.hpp"
#include "pack/pack_sink.hpp"
#include "pack/prepare.hpp"
#include "pack/shard_delivery.hpp"
#include "pack/skipped_file.hpp"
#include "reader/record_fault.hpp"
#include "settings/accepted_skips.hpp"
#include "settings/memory_budget.hpp"
#include "writer/atomic_file.hpp"

namespace hotpack::pipeline {

namespace {

std::string manifest_path(const std::string& folder) {
  return folder + "/" + std::string(format::kManifestName);
}

format::Sums no_sums(const Schema& schema) {
  return {schema.image.channels(), schema.label ? schema.class_count() : 0};
}

// Opens the single shard of a data set without samples. The pipeline opens a shard when its first
// sample comes, so it does not open this one.
Status open_empty_shard(const RunInput& input, PackSink& sink) {
  if (input.shards.size() != 1 || input.plan.shards[input.shards[0]].samples > 0) return {};
  HOTPACK_ASSIGN([[maybe_unused]] const auto opened, sink.open_shard(input.shards[0]));
  return sink.finish_shard(input.shards[0]);
}

}  // namespace

PackedSet::PackedSet(PackOptions options, Split& split, OutputFolder folder, Observer& observer)
    : options_(std::move(options)),
      scratch_(options_.run.scratch),
      list_(split.list),
      observer_(observer) {
  report_.split = split.name;
  report_.output = options_.run.output;
  report_.partition = options_.run.partition;
  use(std::move(folder));
}

// ---- planning

// With --force, all existing shards are ignored, so every shard is packed again.
void PackedSet::use(OutputFolder folder) {
  folder_ = std::move(folder);
  shards_before_ = folder_.shards;
  if (!options_.run.force) return;
  folder_.manifest.reset();
  folder_.manifest_fault.clear();
  folder_.shards.clear();
}

Status PackedSet::read_folder_again() {
  OriginRules rules{options_.run.repair, {}, &folder_};
  // A partition replaces its own shards, and removes those of an earlier plan with another number.
  if (options_.run.partition)
    rules.may_change = [&](const format::ShardName& shard) {
      return shard.count != plan_->shards.size() || in_range(shard);
    };
  HOTPACK_ASSIGN(OutputFolder folder, read_output_folder(options_.run.output, rules));
  use(std::move(folder));
  return {};
}

Result<bool> PackedSet::is_finished(const LabelSetup& setup) {
  if (!folder_.manifest) return false;
  HOTPACK_TRY(plan(setup));
  if (plan_->schema_text != folder_.manifest->schema_text ||
      plan_->plan_text != folder_.manifest->plan_text)
    return false;
  std::vector<std::string> damaged;
  HOTPACK_TRY(find_kept(damaged));
  return !observer_.stop_requested() && nothing_to_do();
}

Status PackedSet::plan(const LabelSetup& setup) {
  setup_ = &setup_of(list_, setup);
  if (!tiled_) cut_into_tiles(options_.record, list_);
  tiled_ = true;
  HOTPACK_ASSIGN(Plan made, make_plan(options_, *setup_, list_));
  use_plan(setup, std::move(made));
  return {};
}

// The folder in --scratch for one part of one plan, so that no other run writes or removes there.
std::string PackedSet::private_scratch() const {
  const std::string fingerprint = format::fingerprint(plan_->schema_text, plan_->plan_text);
  const Partition part = options_.run.partition.value_or(Partition());
  return scratch_ + "/hotpack-" + fingerprint.substr(fingerprint.find(':') + 1) + "-" +
         std::to_string(part.index) + "-of-" + std::to_string(part.count) +
         (report_.split.empty() ? "" : "/" + report_.split);
}

// The folders that private_scratch() adds to --scratch, the innermost first.
std::vector<std::string> PackedSet::scratch_folders() const {
  const std::string& inner = options_.run.scratch;
  if (report_.split.empty()) return {inner};
  return {inner, std::filesystem::path(inner).parent_path().string()};
}

void PackedSet::use_plan(const LabelSetup& setup, Plan plan) {
  setup_ = &setup_of(list_, setup);
  tiled_ = true;
  plan_.emplace(std::move(plan));
  if (!scratch_.empty()) options_.run.scratch = private_scratch();
  kept_.assign(plan_->shards.size(), std::nullopt);
  range_ = {0, plan_->shards.size()};
  if (options_.run.partition) range_ = shards_of(*options_.run.partition, plan_->shards.size());
}

std::uint64_t PackedSet::samples() const {
  std::uint64_t samples = 0;
  for (std::uint64_t i = range_.first; i < range_.end; ++i)
    samples += plan_->shards[static_cast<std::size_t>(i)].samples;
  return samples;
}

// Finds the existing shards that stay. Refuses a folder that holds another pack.
Status PackedSet::keep_what_is_good() {
  HOTPACK_TRY(check_same_options(folder_, *plan_, list_, report_.plan.warnings));
  std::vector<std::string> damaged;
  HOTPACK_TRY(find_kept(damaged));
  for (const std::string& text : damaged)
    report_.plan.warnings.push_back(text + "; the shard is packed again");
  if (!folder_.manifest_fault.empty())
    report_.plan.warnings.push_back(
        folder_.manifest_fault +
        (options_.run.partition ? "; hotpack merge writes it again" : "; it is written again"));
  if (options_.record.tile && options_.shard.shuffle_seed)
    report_.plan.warnings.push_back(
        "--shuffle with --tile decodes the image again for nearly every tile, so packing takes "
        "much longer");
  return {};
}

Status PackedSet::find_kept(std::vector<std::string>& damaged) {
  kept_ = find_kept_shards(folder_, *plan_, range_, damaged);
  HOTPACK_TRY(verify_kept(damaged));
  return recheck_sources();
}

// With --repair: verifies the shards that would be kept, and removes damaged ones from kept_. This
// function runs again after the folder is locked; `verified_` then saves verifying unchanged shards
// a second time.
Status PackedSet::verify_kept(std::vector<std::string>& damaged) {
  if (!options_.run.repair) return {};
  std::uint64_t records = 0;
  damaged_.clear();
  for (std::size_t i = 0; i < kept_.size() && !observer_.stop_requested(); ++i) {
    if (!kept_[i]) continue;
    const format::ShardRow row = kept_[i]->row;
    HOTPACK_ASSIGN(const std::string damage, damage_of(row, records));
    records += row.records;
    if (damage.empty()) continue;
    damaged.push_back(options_.run.output + "/" + damage);
    damaged_.push_back(row.file);
    kept_[i].reset();
  }
  return {};
}

// Verifies a shard. Returns the first fault; empty if there is none or a stop was requested.
Result<std::string> PackedSet::damage_of(const format::ShardRow& row,
                                         std::uint64_t records_before) {
  const std::string path = options_.run.output + "/" + row.file;
  HOTPACK_ASSIGN(const FileIdentity identity, identity_of(path));
  if (const auto known = verified_.find(row.file);
      known != verified_.end() && known->second == identity)
    return std::string();
  VerifyOptions options;
  options.threads = static_cast<unsigned>(options_.run.threads);
  options.progress = [&](const VerifyProgress& progress) {
    observer_.progress({"verifying", records_before + progress.records_done,
                        plan_->identity.samples, progress.bytes_done});
    return !observer_.stop_requested();
  };
  HOTPACK_ASSIGN(const VerifyReport report, verify_shard(path, options));
  if (report.finding_count > 0) {
    const VerifyFinding& first = report.findings.front();
    if (report.damaged_files.empty()) {
      Error unreadable{ErrorCode::io, first.text, path, first.offset};
      return first.record ? reader::name_record(std::move(unreadable), *first.record, first.key)
                          : unreadable;
    }
    return first.describe() + (report.finding_count > 1
                                   ? " (and " + std::to_string(report.finding_count - 1) + " more)"
                                   : "");
  }
  if (!report.aligned) return row.file + ": is not laid out as hotpack writes it";
  if (!report.stopped) verified_[row.file] = identity;
  return std::string();
}

// Returns the kept shards whose source files are hashed: all with --recheck, else those with a
// source that is newer than the shard.
std::vector<std::size_t> PackedSet::shards_to_recheck() const {
  std::vector<char> wanted(kept_.size());
  tbb::parallel_for(std::size_t{0}, kept_.size(), [&](std::size_t i) {
    const bool hashed = kept_[i] && !observer_.stop_requested() &&
                        (options_.run.recheck || has_newer_source(folder_.path, kept_[i]->row.file,
                                                                  plan_->shards[i], list_));
    wanted[i] = hashed ? '\1' : '\0';
  });
  std::vector<std::size_t> shards;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i] != 0) shards.push_back(i);
  return shards;
}

// Removes shards from kept_ if their source files have changed, or if samples that were skipped can
// now be packed.
Status PackedSet::recheck_sources() {
  const std::vector<std::size_t> shards = shards_to_recheck();
  if (shards.empty()) return {};
  MemoryBudget budget(options_.run.max_memory, 1);
  SampleWorker worker(options_, *setup_, *plan_, list_, &budget);
  PackedSample out;
  out.sums = no_sums(plan_->schema);
  for (const std::size_t i : shards) {
    if (observer_.stop_requested()) break;
    HOTPACK_ASSIGN(SourceCheck check,
                   check_sources(folder_.path, kept_[i]->row.file, plan_->shards[i], list_,
                                 options_.run.recheck ? SourcesToHash::all : SourcesToHash::newer));
    for (const std::uint64_t skipped : check.skipped) {
      if (!check.unchanged) break;
      HOTPACK_ASSIGN(const auto problem,
                     worker.process(list_.samples[static_cast<std::size_t>(skipped)], out));
      check.unchanged = problem.has_value();
      worker.free_large();
    }
    if (check.unchanged) continue;
    edited_.insert(kept_[i]->row.file);
    kept_[i].reset();
  }
  return {};
}

bool PackedSet::all_kept() const {
  for (std::uint64_t i = range_.first; i < range_.end; ++i)
    if (!kept_[static_cast<std::size_t>(i)]) return false;
  return true;
}

// True if all shards stay and the manifest is there; a partition has no manifest.
bool PackedSet::nothing_to_do() const {
  if (options_.run.partition) return all_kept();
  return is_complete(folder_, *plan_, kept_) &&
         folder_.manifest_text == format::encode_manifest(make_manifest());
}

Status PackedSet::summarize_plan() {
  PlanSummary& summary = report_.plan;
  summary.shard_bytes_total = summary.bytes_to_write = summary.kept_shards =
      0;  // reset, because the plan is described again after the folder is locked
  summary.samples = plan_->identity.samples;
  summary.shards = plan_->shards.size();
  summary.samples_per_shard = plan_->shards.front().samples;
  summary.image_record_bytes = plan_->largest.image;
  summary.label_record_bytes = plan_->largest.label;
  summary.mixed_sizes = plan_->mixed();
  summary.exact = plan_->exact();
  for (std::uint64_t s = range_.first; s < range_.end; ++s) {
    const auto i = static_cast<std::size_t>(s);
    HOTPACK_ASSIGN(const std::uint64_t bytes, plan_->shard_file_bytes(i));
    summary.shard_bytes_total += kept_[i] ? kept_[i]->row.bytes : bytes;
    summary.bytes_to_write += kept_[i] ? 0 : bytes;
    summary.kept_shards += kept_[i].has_value();
  }
  summary.free_bytes = free_bytes_at(options_.run.output.empty() ? "." : options_.run.output);
  summary.plan_bytes = list_.memory_bytes();
  if (summary.explanation.empty()) {
    summary.explanation = setup_->explanation;
    summary.warnings.insert(summary.warnings.end(), setup_->table.warnings.begin(),
                            setup_->table.warnings.end());
  }
  report_.schema = plan_->schema;
  return {};
}

Result<PackReport> PackedSet::describe_plan() {
  HOTPACK_TRY(keep_what_is_good());
  HOTPACK_TRY(summarize_plan());
  return end(PackStatus::planned);
}

Result<PackReport> PackedSet::complete(bool dry_run) {
  if (!dry_run) HOTPACK_TRY(write_skipped_file(options_.run, *plan_, list_, kept_, ""));
  HOTPACK_TRY(summarize_plan());
  report_.kept_shards = report_.plan.kept_shards;
  describe(make_manifest());
  return end(PackStatus::complete);
}

// ---- writing

// Writes the data set. First locks the folder and reads it again, because another run may have
// changed it in the meantime. Partitions may hold the lock at the same time.
Result<PackReport> PackedSet::write() {
  if (range_.first == range_.end) return complete(false);  // more partitions than shards
  HOTPACK_ASSIGN(const std::optional<OutputLock> lock, lock_folders());
  if (!lock) return end(PackStatus::stopped);
  if (gives_shards_away(options_.run)) {
    HOTPACK_TRY(find_given_away());
  } else {
    HOTPACK_TRY(read_folder_again());
    HOTPACK_TRY(keep_what_is_good());
  }
  HOTPACK_TRY(deliver_kept());
  if (observer_.stop_requested()) return end(PackStatus::stopped);
  HOTPACK_TRY(remove_scratch_leftovers());
  if (nothing_to_do()) return complete(false);
  HOTPACK_TRY(summarize_plan());
  HOTPACK_TRY(check_inputs_of_force());
  HOTPACK_TRY(check_scratch_space());
  HOTPACK_TRY(check_space());
  warn_of_other_parts();
  HOTPACK_TRY(remove_leftovers());
  HOTPACK_TRY(unpublish());
  return pack_shards();
}

// Locks the folder in which shards are written and, if it is another one, the output folder.
Result<std::optional<OutputLock>> PackedSet::lock_folders() {
  const bool away = gives_shards_away(options_.run);
  const auto sharing =
      options_.run.partition && !away ? OutputLock::Sharing::partitions : OutputLock::Sharing::none;
  if (!options_.run.scratch.empty() && !away) {
    HOTPACK_ASSIGN(std::optional<OutputLock> taken,
                   OutputLock::take(options_.run.scratch, OutputLock::Sharing::none, observer_,
                                    scratch_folders()));
    if (taken) scratch_lock_.emplace(std::move(*taken));
    if (!scratch_lock_) return std::optional<OutputLock>();
  }
  if (away) return OutputLock::take(options_.run.scratch, sharing, observer_, scratch_folders());
  return OutputLock::take(options_.run.output, sharing, observer_);
}

// ---- delivery

Status PackedSet::begin_receipt(ReceiptBook& book) {
  book_ = &book;
  HOTPACK_ASSIGN(book_set_, book.begin_set(report_.split, *plan_, options_.run.force));
  return {};
}

// Without an output folder, the receipt tells which shards are finished.
Status PackedSet::find_given_away() {
  for (std::uint64_t i = range_.first; i < range_.end; ++i) {
    const auto index = static_cast<std::size_t>(i);
    const ReceiptShard* found = book_->find(book_set_, i, plan_->shards[index].sources);
    if (found != nullptr) kept_[index] = found->finished;
  }
  return {};
}

ReceiptShard PackedSet::receipt_of(std::size_t shard, const writer::FinishedShard& finished) const {
  const ShardPlan& plan = plan_->shards[shard];
  ReceiptShard receipt{finished, {}, {}};
  if (plan.samples == 0) return receipt;
  receipt.first_key = list_.key(list_.samples[static_cast<std::size_t>(plan.first)]);
  receipt.last_key =
      list_.key(list_.samples[static_cast<std::size_t>(plan.first + plan.samples - 1)]);
  return receipt;
}

// Delivers shards that an earlier run finished, but that the receipt does not have.
Status PackedSet::deliver_kept() {
  if (book_ == nullptr) return {};
  ShardDelivery delivery(options_.run, report_.split, book_, book_set_);
  for (std::uint64_t i = range_.first; i < range_.end && !observer_.stop_requested(); ++i) {
    const auto index = static_cast<std::size_t>(i);
    if (!kept_[index]) continue;
    HOTPACK_TRY(delivery.deliver_kept(i, receipt_of(index, *kept_[index])));
  }
  return {};
}

// Removes what killed runs of this part left in --scratch, finished shards included: they are not
// in the receipt or the output folder, so they are packed again.
Status PackedSet::remove_scratch_leftovers() const {
  if (options_.run.scratch.empty()) return {};
  for (std::uint64_t i = range_.first; i < range_.end; ++i) {
    std::error_code failure;
    const std::string path =
        options_.run.scratch + "/" + format::shard_file_name(i, plan_->shards.size());
    std::filesystem::remove(path, failure);
    if (failure) return io_error("cannot remove an old shard", path, failure.value());
  }
  return writer::remove_stale_temporaries(options_.run.scratch,
                                          [&](std::string_view name) { return is_own(name); });
}

// --scratch holds the shards that are being written, committed and delivered.
Status PackedSet::check_scratch_space() const {
  if (options_.run.scratch.empty()) return {};
  std::uint64_t largest = 0;
  for (std::uint64_t i = range_.first; i < range_.end; ++i) {
    HOTPACK_ASSIGN(const std::uint64_t bytes, plan_->shard_file_bytes(static_cast<std::size_t>(i)));
    largest = std::max(largest, bytes);
  }
  constexpr std::uint64_t kAtOnce = Committer::kWaiting + 2;
  const std::uint64_t needed =
      std::min<std::uint64_t>(kAtOnce * largest, report_.plan.bytes_to_write);
  const std::optional<std::uint64_t> free = free_bytes_at(options_.run.scratch);
  if (!free || *free >= needed) return {};
  return Error{ErrorCode::io,
               "the disk has " + std::to_string(*free) + " bytes free, but up to " +
                   std::to_string(kAtOnce) + " shards of " + std::to_string(largest) +
                   " bytes are in --scratch at once. Free some space, choose another disk, or "
                   "make shards smaller with --shard-size",
               options_.run.scratch,
               {}};
}

// ---- making room

// Returns the number of bytes that --force frees before it writes.
std::uint64_t PackedSet::bytes_forced_away() const {
  std::uint64_t bytes = 0;
  for (const std::string& name : forced_shards()) {
    std::error_code failure;
    const std::uintmax_t size =
        std::filesystem::file_size(options_.run.output + "/" + name, failure);
    if (!failure) bytes += size;
  }
  return bytes;
}

Result<std::uint64_t> PackedSet::missing_bytes() const {
  const std::set<std::string_view> present(folder_.shards.begin(), folder_.shards.end());
  std::uint64_t bytes = 0;
  for (std::uint64_t s = range_.first; s < range_.end; ++s) {
    const auto i = static_cast<std::size_t>(s);
    if (present.contains(format::shard_file_name(i, plan_->shards.size()))) continue;
    HOTPACK_ASSIGN(const std::uint64_t shard, plan_->shard_file_bytes(i));
    bytes += shard;
  }
  return bytes - std::min(bytes, bytes_forced_away());
}

Status PackedSet::check_space() const {
  if (gives_shards_away(options_.run)) return {};
  // The manifest repeats the schema and has one row per shard.
  const std::uint64_t manifest = 4096 + plan_->schema_text.size() + 256 * plan_->shards.size();
  const std::uint64_t needed = report_.plan.bytes_to_write + manifest;
  return check_free_space(options_.run.output, needed - std::min(needed, bytes_forced_away()),
                          report_.plan.exact);
}

// Other parts may write to the same disk at the same time, and each finds enough space for itself.
// It is no error, because the others may write to folders on other disks.
void PackedSet::warn_of_other_parts() const {
  if (gives_shards_away(options_.run)) return;
  const std::uint64_t others = missing_shards_of_others();
  if (others == 0 || !report_.plan.free_bytes) return;
  const std::uint64_t own = range_.end - range_.first;
  const std::uint64_t needed =
      report_.plan.bytes_to_write + report_.plan.shard_bytes_total / own * others;
  // What is written already of unfinished shards is not free any more.
  if (*report_.plan.free_bytes >= needed ||
      *report_.plan.free_bytes + bytes_in_temporaries() >= needed)
    return;
  observer_.message(Level::warning,
                    options_.run.output + ": this part fits into the " +
                        number_text(*report_.plan.free_bytes) +
                        " bytes that are free, but all missing shards of the pack need about " +
                        number_text(needed) +
                        ". If the other parts write to this disk too, it will be full before they "
                        "end: free some space, or give parts folders on other disks");
}

std::uint64_t PackedSet::missing_shards_of_others() const {
  const std::size_t count = plan_->shards.size();
  const auto present =
      std::count_if(folder_.shards.begin(), folder_.shards.end(), [&](const std::string& name) {
        const auto shard = format::parse_shard_file_name(name);
        return shard && shard->count == count &&
               (shard->index < range_.first || shard->index >= range_.end);
      });
  return count - (range_.end - range_.first) - static_cast<std::uint64_t>(present);
}

// Returns how many bytes on the disk temporary files in the output folder take.
std::uint64_t PackedSet::bytes_in_temporaries() const {
  constexpr std::uint64_t kBlock = 512;  // of st_blocks, on every file system
  std::uint64_t bytes = 0;
  const auto names = names_in_folder(options_.run.output);
  if (!names.ok()) return bytes;
  for (const std::string& name : format::describe_pack_folder(*names).temporaries) {
    struct stat status {};
    if (::stat((options_.run.output + "/" + name).c_str(), &status) == 0)
      bytes += static_cast<std::uint64_t>(status.st_blocks) * kBlock;
  }
  return bytes;
}

// True if a file is one of the shards that this run is responsible for.
bool PackedSet::is_own(std::string_view name) const {
  const auto shard = format::parse_shard_file_name(name);
  return shard && shard->count == plan_->shards.size() && in_range(*shard);
}

bool PackedSet::in_range(const format::ShardName& shard) const {
  return shard.index >= range_.first && shard.index < range_.end;
}

// Removes temporary files of killed runs. A partition does not touch shards of other partitions.
Status PackedSet::remove_leftovers() const {
  if (gives_shards_away(options_.run)) return {};
  return writer::remove_stale_temporaries(options_.run.output, [&](std::string_view name) {
    return !options_.run.partition || name == format::kManifestName || is_own(name);
  });
}

// Returns the shards that --force removes: all, or those of the partition.
std::vector<std::string> PackedSet::forced_shards() const {
  std::vector<std::string> names;
  if (!options_.run.force) return names;
  std::copy_if(shards_before_.begin(), shards_before_.end(), std::back_inserter(names),
               [&](const std::string& name) { return !options_.run.partition || is_own(name); });
  return names;
}

// --force removes finished shards before it packs. Inputs that a plan file knows otherwise would
// stop the run after that, so they are found before.
Status PackedSet::check_inputs_of_force() const {
  if (!options_.run.force || !plan_->is_fixed) return {};
  const auto check = [](const std::string& path, std::uint64_t planned) -> Status {
    HOTPACK_ASSIGN(const std::uint64_t found, size_of(path));
    if (found == planned) return {};
    return data_error("has " + std::to_string(found) + " bytes where the plan saw " +
                          std::to_string(planned) +
                          ": the input changed after the plan was made; restore the file, or make "
                          "the plan again with `hotpack plan`. Nothing was removed",
                      path);
  };
  for (const Sample& sample : list_.samples) {
    HOTPACK_TRY(check(list_.image_path(sample), sample.image.bytes));
    if (list_.has_label_files) HOTPACK_TRY(check(list_.label_path(sample), sample.label.bytes));
    for (const Mask& mask : list_.masks_of(sample))
      HOTPACK_TRY(check(list_.mask_path(mask), mask.file.bytes));
  }
  return {};
}

// Removes the manifest and those shards that will be packed again. Until the manifest is written
// again, the folder is not a data set.
Status PackedSet::unpublish() {
  if (gives_shards_away(options_.run)) return {};
  std::error_code failure;
  const std::string path = manifest_path(options_.run.output);
  if (std::filesystem::remove(path, failure)) HOTPACK_TRY(sync_folder(options_.run.output));
  if (failure) return io_error("cannot remove the old manifest", path, failure.value());
  HOTPACK_TRY(remove_shards(damaged_));  // otherwise a run without --repair would keep them
  return remove_shards(forced_shards());
}

Status PackedSet::remove_shards(const std::vector<std::string>& names) const {
  for (const std::string& name : names) {
    std::error_code failure;
    if (!std::filesystem::remove(options_.run.output + "/" + name, failure) && failure)
      return io_error("cannot remove an old shard", options_.run.output + "/" + name,
                      failure.value());
  }
  return {};
}

// Returns the shards of an earlier plan whose names this plan does not use.
std::vector<std::string> PackedSet::stale_shards() const {
  std::vector<std::string> stale;
  for (const std::string& name : folder_.shards) {
    const auto shard = format::parse_shard_file_name(name);
    if (!shard || shard->count != plan_->shards.size()) stale.push_back(name);
  }
  return stale;
}

Result<PackReport> PackedSet::pack_shards() {
  RunInput input{options_, *setup_, *plan_, list_, {}, "packing", 0, false};
  std::uint64_t skipped_before = 0;
  for (std::uint64_t s = range_.first; s < range_.end; ++s) {
    const auto i = static_cast<std::size_t>(s);
    if (!kept_[i]) input.shards.push_back(i);
    if (kept_[i])
      input.already_done += plan_->shards[i].samples, skipped_before += kept_[i]->sums.skipped;
  }
  ShardDelivery delivery(options_.run, report_.split, book_, book_set_);
  PackSink sink(
      input, report_.problems, skipped_before,
      [&](std::size_t shard, const writer::FinishedShard& finished) {
        return delivery.deliver(shard, receipt_of(shard, finished));
      },
      [&] { return !options_.run.on_shard.empty() && observer_.stop_requested(); });
  HOTPACK_TRY(open_empty_shard(input, sink));
  const Result<RunResult> run = run_samples(input, sink, observer_);
  // Written even if the run fails: a user of --max-errors needs to see what was skipped.
  Status listed = write_skipped_file(options_.run, *plan_, list_, kept_, sink.skipped_lines());
  // A signal from the terminal also ends the command of --on-shard.
  const auto handing_over_stopped = [&] {
    return !options_.run.on_shard.empty() && observer_.stop_requested();
  };
  if (!run.ok() && handing_over_stopped()) return end(PackStatus::stopped);
  HOTPACK_TRY(run);
  HOTPACK_TRY(listed);
  Result<Finished> committed = sink.finish();
  if (!committed.ok() && handing_over_stopped()) return end(PackStatus::stopped);
  HOTPACK_TRY(committed);
  const Finished& finished = *committed;
  report_.planned_shards = range_.end - range_.first;
  report_.packed_shards = finished.size();
  report_.kept_shards = report_.plan.kept_shards;
  report_.changed_shards = shards_before_.size() -
                           std::min<std::size_t>(shards_before_.size(), report_.plan.kept_shards);
  if (options_.run.partition) report_.changed_shards = 0;  // shards may be of other partitions
  report_.bytes_in = run->bytes_in;
  report_.diagnostics = run->diagnostics;
  classes_ = run->classes;
  if (run->stopped || finished.size() < input.shards.size()) return end(PackStatus::stopped);
  return publish(finished);
}

// Writes the manifest; with it, the complete shards become a data set. For a partition, writes
// none, because `merge` does so later.
Result<PackReport> PackedSet::publish(const Finished& finished) {
  for (const auto& [index, shard] : finished) kept_[index] = shard;
  const format::Manifest manifest = make_manifest();
  warn_of_other_records(manifest);
  warn_of_lost_classes(finished);
  HOTPACK_TRY(remove_shards(stale_shards()));
  if (!options_.run.partition) {
    HOTPACK_TRY(writer::write_file_atomically(options_.run.output,
                                              std::string(format::kManifestName),
                                              format::encode_manifest(manifest)));
  }
  describe(manifest);
  return end(PackStatus::packed);
}

// Adds a warning if a shard was packed again and now has other records than before, because its
// inputs have changed.
void PackedSet::warn_of_other_records(const format::Manifest& manifest) {
  if (!folder_.manifest || folder_.manifest->plan_text != manifest.plan_text) return;
  const std::set<std::string_view> damaged(damaged_.begin(), damaged_.end()),
      there(folder_.shards.begin(), folder_.shards.end());
  const std::vector<format::ShardRow>& rows = folder_.manifest->shards;  // of all shards, in order
  for (std::size_t i = 0; i < manifest.shards.size() && range_.first + i < rows.size(); ++i) {
    const format::ShardRow &row = manifest.shards[i],
                           &before = rows[static_cast<std::size_t>(range_.first) + i];
    if (before.file != row.file || before.digest == row.digest) continue;
    const bool lost = damaged.contains(row.file) || !there.contains(row.file);
    if (lost || (!edited_.contains(row.file) && before.sources == row.sources))
      report_.plan.warnings.push_back(
          options_.run.output + "/" + row.file +
          ": was packed again, and its records differ from before because its inputs have changed");
  }
}

// Adds a warning if classes of labels occur in hardly any record. Of kept shards, only the records
// are known.
void PackedSet::warn_of_lost_classes(const Finished& finished) {
  for (std::uint64_t i = range_.first; i < range_.end; ++i) {
    const auto index = static_cast<std::size_t>(i);
    if (!finished.contains(index)) classes_.add(LabelClasses{}, kept_[index]->sums);
  }
  const std::string lost = classes_.lost_text(plan_->schema);
  if (!lost.empty()) report_.plan.warnings.push_back(lost + "; " + kLostClassAdvice);
  if (setup_->label_kind == word_of(LabelKind::index) && !options_.label.shift_ids)
    if (std::string text = classes_.missing_first_text(plan_->schema); !text.empty())
      report_.plan.warnings.push_back(std::move(text));
}

format::Manifest PackedSet::make_manifest() const {
  format::Manifest manifest;
  manifest.schema_text = plan_->schema_text;
  manifest.schema = plan_->schema;
  manifest.plan_text = plan_->plan_text;
  manifest.plan = plan_->identity;
  format::Sums total = no_sums(plan_->schema);
  for (std::uint64_t i = range_.first; i < range_.end; ++i) {
    const auto& shard = kept_[static_cast<std::size_t>(i)];
    manifest.shards.push_back(shard->row);
    total.add(shard->sums);
  }
  manifest.skipped = total.skipped;
  manifest.statistics = format::statistics_of(total);
  return manifest;
}

void PackedSet::describe(const format::Manifest& manifest) {
  report_.records = manifest.records();
  report_.skipped = manifest.skipped;
  if (const auto& accepted = options_.run.accepted_skips)
    report_.accepted = most_accepted(*accepted, report_.records + report_.skipped);
  report_.statistics = manifest.statistics;
  report_.schema = manifest.schema;
  report_.bytes_out = 0;
  for (const format::ShardRow& row : manifest.shards) report_.bytes_out += row.bytes;
}

PackReport PackedSet::end(PackStatus status) {
  report_.status = status;
  return std::move(report_);
}

Status check_space_of_sets(const RunOptions& run, const std::deque<PackedSet>& sets) {
  if (sets.size() < 2 || gives_shards_away(run)) return {};
  std::uint64_t needed = 0;
  for (const PackedSet& set : sets) {
    HOTPACK_ASSIGN(const std::uint64_t bytes, set.missing_bytes());
    needed += bytes;
  }
  return check_free_space(run.output, needed, sets.front().exact());
}

}  // namespace hotpack::pipeline
