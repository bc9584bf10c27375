#include "pack/merge.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/try.hpp"
#include "format/manifest.hpp"
#include "pack/ordered_work.hpp"
#include "pack/output_folder.hpp"
#include "pack/output_lock.hpp"
#include "pack/partition_set.hpp"
#include "settings/accepted_skips.hpp"
#include "writer/atomic_file.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::size_t kCopyBytes = std::size_t{1} << 20;

bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return std::filesystem::equivalent(a, b, ignored);
}

// Flushes a file to disk. Another program (rsync, scp) may have copied a shard here without
// flushing it, and after a power loss, the manifest must not exist without its shards.
Status make_durable(const std::string& path) {
  HOTPACK_ASSIGN(const File file, File::open_read(path));
  return file.sync_data();
}

Status remove_file(const std::string& path) {
  std::error_code failure;
  std::filesystem::remove(path, failure);
  return failure ? io_error("cannot remove", path, failure.value()) : Status();
}

// Makes a hard link `to` to the file `from`. Shards are never changed in place, so two folders may
// share one. Returns false if linking fails; the caller then copies the file, which reports any
// other error.
bool link_file(const std::string& from, const std::string& to) {
  return ::linkat(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

class Merging {
 public:
  Merging(const MergeOptions& options, Observer& observer, MissingShards* missing)
      : options_(options), observer_(observer), missing_(missing) {}

  Result<MergeReport> merge() {
    HOTPACK_TRY(check_options());
    report_.output = in_place() ? sources_.front() : options_.output;
    return in_place() ? merge_in_place() : merge_into_output();
  }

 private:
  [[nodiscard]] bool in_place() const { return options_.output.empty(); }

  Status check_options() {
    if (options_.sources.empty()) return usage_error("name the folders of the partitions to merge");
    std::error_code failure;
    std::set<std::string> known;  // canonical paths
    for (const std::string& source : options_.sources) {
      if (!std::filesystem::is_directory(source, failure)) return not_a_folder(source, failure);
      if (known.insert(std::filesystem::canonical(source, failure).string()).second)
        sources_.push_back(source);
    }
    if (in_place() && sources_.size() > 1)
      return usage_error("-o DIR is required to merge several folders");
    if (in_place() ||
        known.count(std::filesystem::weakly_canonical(options_.output, failure).string()) == 0)
      return {};
    return usage_error("-o " + options_.output +
                       ": is one of the folders to merge, which stay unchanged. Choose another "
                       "folder for -o, or merge this folder alone without -o");
  }

  static Error not_a_folder(const std::string& source, const std::error_code& failure) {
    return failure ? io_error("cannot open the folder", source, failure.value())
                   : Error{ErrorCode::io, "is not a folder", source, {}};
  }

  Result<std::optional<JoinedSet>> join() {
    return join_partitions({sources_, options_.threads, options_.partitions}, observer_, missing_);
  }

  // Merges partitions that are all in one folder: only its manifest is missing.
  Result<MergeReport> merge_in_place() {
    HOTPACK_ASSIGN(const std::optional<OutputLock> lock, lock_output());
    if (!lock) return stopped();
    HOTPACK_ASSIGN(std::optional<JoinedSet> set, join());
    if (!set) return stopped();
    set_ = std::move(*set);
    // Refuses other files. The shards themselves have been read, so they are not opened again.
    const OriginRules rules{false, [](const format::ShardName&) { return false; }, nullptr};
    HOTPACK_ASSIGN([[maybe_unused]] const OutputFolder folder,
                   read_output_folder(report_.output, rules));
    present_.assign(set_.holders.size(), true);
    HOTPACK_ASSIGN(const bool durable, make_all_durable());
    return durable ? write() : stopped();
  }

  Result<MergeReport> merge_into_output() {
    HOTPACK_ASSIGN(std::optional<JoinedSet> set, join());
    if (!set) return stopped();
    set_ = std::move(*set);
    HOTPACK_ASSIGN(const std::optional<OutputLock> lock, lock_output());
    if (!lock) return stopped();
    HOTPACK_TRY(find_present_shards());
    return write();
  }

  // Returns false if a stop was requested.
  Result<bool> make_all_durable() {
    const std::vector<format::ShardRow>& rows = set_.manifest.shards;
    return take_in_order(
        rows.size(), options_.threads,
        [&](std::size_t i) { return make_durable(path_of(rows[i])); },
        [this](std::size_t, Status durable) -> Result<bool> {
          HOTPACK_TRY(std::move(durable));
          return !observer_.stop_requested();
        });
  }

  Result<std::optional<OutputLock>> lock_output() {
    return OutputLock::take(report_.output, OutputLock::Sharing::none, observer_);
  }

  [[nodiscard]] std::string path_of(const format::ShardRow& row) const {
    return report_.output + "/" + row.file;
  }
  [[nodiscard]] std::string manifest_path() const {
    return report_.output + "/" + std::string(format::kManifestName);
  }

  // ---- content of the output folder

  // Refuses an output folder that is not new and does not hold the same data set, merged or packed.
  Status find_present_shards() {
    HOTPACK_ASSIGN(const OutputFolder folder, read_output_folder(report_.output));
    if (folder.manifest) HOTPACK_TRY(check_same_set(folder.path, identity_of(*folder.manifest)));
    present_.assign(set_.manifest.shards.size(), false);
    const Result<bool> all = take_in_order(
        folder.shards.size(), options_.threads,
        [&](std::size_t i) { return look_at_present(folder.shards[i]); },
        [&](std::size_t i, PresentShard found) -> Result<bool> {
          HOTPACK_TRY(take_present(folder.shards[i], std::move(found)));
          return true;
        });
    return all.ok() ? Status() : Status(all.error());
  }

  // A shard file in the output folder. `shard` is absent if the file is a link to its source.
  struct PresentShard {
    bool has_place = false;  // it has the name of one of the shards
    std::size_t index = 0;
    std::optional<Result<ExistingShard>> shard;
  };

  // Several threads may call it at once.
  [[nodiscard]] PresentShard look_at_present(const std::string& name) const {
    const auto parsed = format::parse_shard_file_name(name);
    PresentShard found{
        parsed->count == set_.manifest.shards.size(), static_cast<std::size_t>(parsed->index), {}};
    if (!found.has_place ||
        !same_file(report_.output + "/" + name, set_.holders[found.index] + "/" + name))
      found.shard = read_existing_shard(report_.output, name);
    return found;
  }

  Status take_present(const std::string& name, PresentShard found) {
    if (!found.shard) return present_[found.index] = true, Status();
    const std::string path = report_.output + "/" + name;
    const Result<ExistingShard>& shard = *found.shard;
    if (shard.ok()) HOTPACK_TRY(check_same_set(path, identity_of(*shard)));
    if (!found.has_place)
      return usage_error(path + ": is not one of the " +
                         std::to_string(set_.manifest.shards.size()) +
                         " shards of this data set; remove this file");
    present_[found.index] = shard.ok() && shard->finished.row == set_.manifest.shards[found.index];
    report_.replaced += !present_[found.index];
    return {};
  }

  [[nodiscard]] Status check_same_set(const std::string& path, const SetIdentity& found) const {
    const std::string difference = first_difference(identity_of(set_.manifest), found,
                                                    {"in the merged shards", "in this file"});
    if (difference.empty()) return {};
    return usage_error(path + ": does not belong to the pack that is merged: " + difference +
                       ". Choose another folder for -o, or remove this file");
  }

  // ---- writing

  // Precondition: the folder is locked, and `present_` is filled.
  Result<MergeReport> write() {
    const std::string manifest = format::encode_manifest(set_.manifest);
    const bool all_present =
        std::all_of(present_.begin(), present_.end(), [](bool present) { return present; });
    report_.kept = static_cast<std::uint64_t>(std::count(present_.begin(), present_.end(), true));
    const Result<std::string> before = read_text_file(manifest_path());
    // All shards are finished, so no other machine has anything to write here.
    HOTPACK_TRY(writer::remove_stale_temporaries(
        report_.output, [](std::string_view) { return true; }, writer::OtherMachines::are_done));
    if (all_present && before.ok() && *before == manifest) return end(MergeStatus::complete);
    if (!all_present) HOTPACK_TRY(unpublish());
    HOTPACK_ASSIGN(const bool placed, place_shards());
    if (!placed) return stopped();
    HOTPACK_TRY(sync_folder(report_.output));
    HOTPACK_TRY(writer::write_file_atomically(report_.output, std::string(format::kManifestName),
                                              manifest));
    return end(MergeStatus::merged);
  }

  // Removes the manifest. Until it is written again, the folder is not a data set.
  Status unpublish() {
    HOTPACK_TRY(remove_file(manifest_path()));
    return sync_folder(report_.output);
  }

  // Returns false if a stop was requested.
  Result<bool> place_shards() {
    const std::uint64_t all_records = set_.manifest.records();
    std::uint64_t records = 0;
    return take_in_order(
        present_.size(), options_.threads, [this](std::size_t i) { return try_link(i); },
        [&](std::size_t i, Result<bool> linked) -> Result<bool> {
          HOTPACK_TRY(linked);
          if (observer_.stop_requested()) return false;
          HOTPACK_ASSIGN(const bool placed, take_shard(i, *linked));
          records += set_.manifest.shards[i].records;
          if (placed) observer_.progress({"joining", records, all_records});
          return placed;
        });
  }

  [[nodiscard]] std::string source_of(std::size_t shard) const {
    return set_.holders[shard] + "/" + set_.manifest.shards[shard].file;
  }

  // Links a shard to the output folder, unless it is there. Returns false if the file system has no
  // links; the shard must then be copied. Several threads may call it at once.
  [[nodiscard]] Result<bool> try_link(std::size_t shard) const {
    if (present_[shard]) return true;
    const std::string path = path_of(set_.manifest.shards[shard]), source = source_of(shard);
    HOTPACK_TRY(remove_file(path));
    if (!link_file(source, path)) return false;
    HOTPACK_TRY(make_durable(source));
    return true;
  }

  // Counts a shard, which is copied unless it is there or linked. Returns false if a stop was
  // requested.
  Result<bool> take_shard(std::size_t shard, bool there) {
    if (present_[shard]) return true;
    report_.linked += there;
    if (there) return true;
    HOTPACK_ASSIGN(const bool copied, copy_shard(source_of(shard), set_.manifest.shards[shard]));
    report_.copied += copied;
    return copied;
  }

  Result<bool> copy_shard(const std::string& source, const format::ShardRow& row) const {
    HOTPACK_ASSIGN(const File from, File::open_read(source));
    HOTPACK_ASSIGN(const std::uint64_t size, from.size());
    if (size != row.bytes)
      return Error{ErrorCode::io, "changed during the merge; run the merge again", source, {}};
    HOTPACK_ASSIGN(writer::AtomicFile to, writer::AtomicFile::create(report_.output, row.file));
    std::vector<std::byte> buffer(kCopyBytes);
    for (std::uint64_t at = 0; at < size; at += buffer.size()) {
      if (observer_.stop_requested()) return false;
      buffer.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kCopyBytes, size - at)));
      HOTPACK_TRY(from.read_at(at, buffer));
      HOTPACK_TRY(to.file().write_at(at, buffer));
    }
    HOTPACK_TRY(to.commit());
    return true;
  }

  // ---- ends

  Result<MergeReport> stopped() {
    report_.status = MergeStatus::stopped;
    return std::move(report_);
  }

  Result<MergeReport> end(MergeStatus status) {
    const format::Manifest& manifest = set_.manifest;
    report_.status = status;
    report_.records = manifest.records();
    report_.skipped = manifest.skipped;
    if (options_.accepted_skips)
      report_.accepted = most_accepted(*options_.accepted_skips, report_.records + report_.skipped);
    report_.shards = manifest.shards.size();
    report_.repeated = set_.repeated;
    for (const format::ShardRow& row : manifest.shards) report_.bytes += row.bytes;
    report_.schema = manifest.schema;
    report_.statistics = manifest.statistics;
    return std::move(report_);
  }

  const MergeOptions& options_;
  Observer& observer_;
  MissingShards* const missing_;
  std::vector<std::string> sources_;  // each folder once
  JoinedSet set_;
  std::vector<bool> present_;  // by shard: is it in the output folder?
  MergeReport report_;
};

}  // namespace

Result<MergeReport> merge(const MergeOptions& options, Observer& observer, MissingShards* missing) {
  return Merging(options, observer, missing).merge();
}

}  // namespace hotpack::pipeline
