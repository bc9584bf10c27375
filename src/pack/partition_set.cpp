#include "pack/partition_set.hpp"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/folder.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "format/pack_folder.hpp"
#include "format/plan_text.hpp"
#include "format/schema_json.hpp"
#include "format/version.hpp"
#include "label_setup/pack_folders.hpp"
#include "pack/ordered_work.hpp"
#include "pack/receipt.hpp"
#include "settings/option_words.hpp"
#include "writer/atomic_file.hpp"

namespace hotpack::pipeline {

namespace {

using format::PackFolder;

std::string plan_in_words(const format::PlanIdentity& plan) {
  return counted_text(plan.samples, "sample") + " in " + counted_text(plan.shards, "shard");
}

// ---- content of the folders, by file names

struct ShardFile {
  format::ShardName name;
  std::size_t folder = 0;  // index into the folders
};

Result<PackFolder> list_folder(const std::string& folder) {
  HOTPACK_ASSIGN(const std::vector<std::string> names, names_in_folder(folder));
  return format::describe_pack_folder(names);
}

// Returns a text such as "'a', 'b', 'c' and 4 more".
std::string some_names(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNamed = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMostNamed, names.size()); ++i)
    text += (i == 0 ? "" : ", ") + quoted_text(names[i]);
  return names.size() <= kMostNamed
             ? text
             : text + " and " + std::to_string(names.size() - kMostNamed) + " more";
}

// Returns those of `names`, folders in `folder`, that hold shards: they are partitions or splits.
std::vector<std::string> folders_with_shards(const std::string& folder,
                                             const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (const std::string& name : names) {
    const Result<PackFolder> inner = list_folder(folder + "/" + name);
    if (inner.ok() && !inner->shards.empty()) found.push_back(name);
  }
  return found;
}

// Refuses a folder without shards that holds something else. An empty folder is an empty partition.
Status check_shardless(const std::string& folder, const PackFolder& listing) {
  if (listing.has_manifest)
    return damaged_error("has a manifest but no shards: they were deleted or moved", folder);
  if (listing.others.empty()) return {};
  const std::vector<std::string> inner = folders_with_shards(folder, listing.others);
  if (!inner.empty())
    return damaged_error(
        "has no shards of its own, but folders in it have shards: " + some_names(inner) +
            ". If these folders are partitions of one data set, name all of them; if they are "
            "splits that each lack shards, merge them one at a time to see which shards are "
            "missing",
        folder);
  const bool receipts = std::all_of(listing.others.begin(), listing.others.end(), is_receipt_name);
  return damaged_error("holds no shards of hotpack, only " + some_names(listing.others) +
                           (receipts ? ". To merge receipts, name their folder with --receipts"
                                     : ". Is this the right folder?"),
                       folder);
}

// ---- keys

// Checks that keys come in the order of the plan, which a renamed shard breaks.
class KeyOrder {
 public:
  void add(const Schema& schema, std::string_view key) {
    const auto seed = schema.options.shuffle;
    const Hash128 rank = seed ? format::shuffle_rank(*seed, key) : Hash128{};
    if (!any_) {
      any_ = true;
      first_rank_ = rank;
      first_ = key;
    } else if (fault_.empty() &&
               std::tie(rank, key) <= std::make_tuple(last_rank_, std::string_view(last_))) {
      fault_ = fault_text(key, last_);
    }
    last_rank_ = rank;
    last_ = key;
  }

  // Appends the keys of the next shard. Returns the first fault of them; empty if there is none.
  [[nodiscard]] std::string append(KeyOrder next) {
    if (!next.any_) return {};
    std::string fault = next.fault_;
    if (any_ && std::tie(next.first_rank_, next.first_) <= std::tie(last_rank_, last_))
      fault = fault_text(next.first_, last_);
    any_ = true;
    last_rank_ = next.last_rank_;
    last_ = std::move(next.last_);
    return fault;
  }

 private:
  static std::string fault_text(std::string_view key, const std::string& before) {
    return "its key '" + std::string(key) + "' must come after '" + before +
           "', the key before it. Was the shard renamed?";
  }

  bool any_ = false;
  Hash128 first_rank_, last_rank_;
  std::string first_, last_;
  std::string fault_;  // the first fault
};

// ---- missing shards

// Returns an error that names the missing shards. `path` is the only folder, or empty.
Error missing_error(const MissingShards& missing, const std::optional<std::uint64_t>& partitions,
                    const std::vector<std::string>& empty_folders, const std::string& path) {
  const bool one = missing.count() == 1;
  const std::string empty =
      empty_folders.empty() ? "" : " (" + some_names(empty_folders) + ": empty)";
  if (partitions)
    return data_error(missing.text() + empty + ". To pack " + (one ? "it" : "them") + ", " +
                          run_again_text({&missing, 1}, *partitions) +
                          (one ? "; or name the folder that holds it too"
                               : "; or name the folders that hold them too"),
                      path);
  return data_error(missing.text() + empty + ". Repeat the `hotpack pack` " +
                        (one ? "command that writes it, or name the folder that holds it too"
                             : "commands that write them, or name the folders that hold them too") +
                        "; --partitions N tells which of N partitions " +
                        (one ? "writes it" : "write them"),
                    path);
}

// ---- shards of different packs

// The message names two files, the second one after the first.
constexpr format::Sides kSides{"in the first", "in the second"};

// `advice` is empty or one or more sentences after the difference, which start with ". ".
Error other_pack(const std::string& here, const std::string& there, const std::string& difference,
                 const std::string& advice = {}) {
  return usage_error(here + ": is not part of the same pack as '" + there + "': " + difference +
                     advice +
                     ". All partitions must be packed from the same inputs with the same options "
                     "and the same version of hotpack");
}

std::string row_difference(const format::ShardRow& here, const format::ShardRow& there) {
  if (here.sources != there.sources)
    return "the input files of the first had names or sizes other than those of the second";
  if (here.records != there.records)
    return counted_text(here.records, "record") + " in the first, " +
           std::to_string(there.records) +
           " in the second: one run skipped samples that the other run packed";
  return "the input files of the two runs had different bytes";
}

// Says what to do about a shard that cannot be read.
Error with_advice(Error error) {
  if (error.code == ErrorCode::damaged)
    error.message = "cannot be read (if it is damaged, pack its partition again with --repair): " +
                    error.message;
  return error;
}

// What the joiner reads of a shard, on any thread.
struct ReadShard {
  Result<ExistingShard> shard;
  KeyOrder keys;
};

class Joiner {
 public:
  Joiner(const JoinOptions& options, Observer& observer, MissingShards* missing)
      : options_(options), folders_(options.folders), observer_(observer), missing_(missing) {}

  Result<std::optional<JoinedSet>> join() {
    for (std::size_t i = 0; i < folders_.size(); ++i) HOTPACK_TRY(survey(i));
    if (files_.empty())
      return data_error("no folder holds a shard: nothing to merge in " + some_names(folders_));
    std::sort(files_.begin(), files_.end(), [](const ShardFile& a, const ShardFile& b) {
      return std::tie(a.name.count, a.name.index, a.folder) <
             std::tie(b.name.count, b.name.index, b.folder);
    });
    HOTPACK_TRY(check_one_count());
    HOTPACK_TRY(check_complete());
    const Result<bool> all_taken = take_all();
    if (has_other_pack_)
      if (std::optional<Error> error = several_packs()) return *std::move(error);
    if (!all_taken.ok()) return all_taken.error();
    if (!*all_taken) return std::optional<JoinedSet>();
    HOTPACK_TRY(finish());
    return std::optional(std::move(set_));
  }

 private:
  [[nodiscard]] static std::string name_of(const ShardFile& file) {
    return format::shard_file_name(file.name.index, file.name.count);
  }
  [[nodiscard]] std::string path_of(const ShardFile& file) const {
    return folders_[file.folder] + "/" + name_of(file);
  }

  Status survey(std::size_t folder) {
    HOTPACK_ASSIGN(const PackFolder listing, list_folder(folders_[folder]));
    manifests_.emplace_back();
    if (listing.shards.empty()) {
      HOTPACK_TRY(check_shardless(folders_[folder], listing));
      observer_.message(Level::info,
                        quoted_text(folders_[folder]) + " is empty: a partition without shards");
      empty_folders_.push_back(folders_[folder]);
      return {};
    }
    for (const format::ShardName& name : listing.shards) files_.push_back({name, folder});
    if (!listing.others.empty())
      observer_.message(Level::info, folders_[folder] + ": ignores files that are not shards: " +
                                         some_names(listing.others));
    return listing.has_manifest ? load_manifest(folder) : Status();
  }

  // Reads the manifest of a folder. A folder need not have one, but if it has, its shards must
  // agree with it. An unreadable manifest is ignored.
  Status load_manifest(std::size_t folder) {
    const std::string path = folders_[folder] + "/" + std::string(format::kManifestName);
    HOTPACK_ASSIGN(const std::string text, read_text_file(path));
    Result<format::Manifest> manifest = format::decode_manifest(text, "");
    if (!manifest.ok()) {
      observer_.message(Level::warning,
                        path + ": " + manifest.error().message +
                            "; the manifest is ignored, and the shards next to it are used");
    } else {
      HOTPACK_TRY(check_version(manifest->format, path));
      manifests_[folder] = std::move(manifest).value();
    }
    return {};
  }

  [[nodiscard]] static Status check_version(const std::string& version, const std::string& path) {
    if (version == format::kVersion) return {};
    return damaged_error("has format " + version + ", but this hotpack merges format " +
                             std::string(format::kVersion) +
                             " only. Merge with the version of hotpack that packed it",
                         path);
  }

  // Returns an error if the names of the shard files say different numbers of shards, because such
  // shards belong to different plans.
  Status check_one_count() {
    const ShardFile &first = files_.front(), &last = files_.back();
    if (first.name.count == last.name.count) return {};
    if (std::optional<Error> error = several_packs()) return *std::move(error);
    // At least one of the two is damaged or renamed: reading them says which.
    HOTPACK_ASSIGN(const ExistingShard one, read(first, {}));
    HOTPACK_ASSIGN(const ExistingShard other, read(last, {}));
    return other_pack(path_of(last), path_of(first),
                      first_difference(identity_of(other), identity_of(one), kSides));
  }

  Status check_complete() {
    std::vector<std::uint64_t> present;
    present.reserve(files_.size());
    for (const ShardFile& file : files_) present.push_back(file.name.index);
    MissingShards missing = missing_from(files_.front().name.count, present);
    if (missing.ranges.empty()) return {};
    Error error = missing_error(missing, options_.partitions, empty_folders_,
                                folders_.size() == 1 ? folders_.front() : std::string());
    note_missing(std::move(missing));
    return error;
  }

  void note_missing(MissingShards missing) {
    if (missing_ != nullptr) *missing_ = std::move(missing);
  }

  // ---- shards of several packs

  // The shards that have one plan and schema.
  struct Pack {
    ExistingShard first;
    std::vector<std::size_t> files;  // indices into files_
  };

  // Reads all shards and returns an error that says of which packs they are; nothing if they are of
  // one pack. Shards that cannot be read do not count.
  std::optional<Error> several_packs() {
    std::vector<Pack> packs;
    (void)take_in_order(
        files_.size(), options_.threads,
        [this](std::size_t i) {
          return read_existing_shard(folders_[files_[i].folder], name_of(files_[i]), {},
                                     &schemas_.local());
        },
        [&](std::size_t i, Result<ExistingShard> shard) -> Result<bool> {
          if (shard.ok()) add_to_pack(packs, i, std::move(shard).value());
          return true;
        });
    if (packs.size() < 2) return std::nullopt;
    const auto majority = std::max_element(
        packs.begin(), packs.end(),
        [](const Pack& a, const Pack& b) { return a.files.size() < b.files.size(); });
    std::rotate(packs.begin(), majority, majority + 1);
    return several_packs_error(packs);
  }

  static void add_to_pack(std::vector<Pack>& packs, std::size_t file, ExistingShard shard) {
    const auto same = std::find_if(packs.begin(), packs.end(), [&](const Pack& pack) {
      return pack.first.metadata.schema == shard.metadata.schema &&
             pack.first.metadata.plan == shard.metadata.plan;
    });
    if (same != packs.end()) {
      same->files.push_back(file);
    } else {
      packs.push_back({std::move(shard), {file}});
    }
  }

  // The first pack is that of most shards.
  Error several_packs_error(const std::vector<Pack>& packs) {
    const Pack& most = packs.front();
    std::vector<std::size_t> others;
    for (auto pack = packs.begin() + 1; pack != packs.end(); ++pack)
      others.insert(others.end(), pack->files.begin(), pack->files.end());
    std::sort(others.begin(), others.end());
    const auto odd = std::find_if(packs.begin() + 1, packs.end(), [&](const Pack& pack) {
      return pack.files.front() == others.front();
    });
    std::vector<std::string> names;
    names.reserve(others.size());
    for (const std::size_t file : others) names.push_back(path_of(files_[file]));
    std::vector<std::uint64_t> present;
    present.reserve(most.files.size());
    for (const std::size_t file : most.files) present.push_back(files_[file].name.index);
    MissingShards lacks = missing_from(most.first.identity.shards, present);
    std::string advice =
        ". Of " + counted_text(most.files.size() + others.size(), "shard file") + ", " +
        std::to_string(most.files.size()) + (most.files.size() == 1 ? " is" : " are") +
        " of the pack of the second, " + std::to_string(others.size()) + " of " +
        (packs.size() == 2 ? "another" : std::to_string(packs.size() - 1) + " others") + ": " +
        some_names(names) + ". Remove these files, or leave out their folders";
    if (!lacks.empty())
      advice += ", and pack the shards that are then missing: " + lacks.short_list();
    if (!lacks.empty() && options_.partitions)
      advice += ". For that, " + run_again_text({&lacks, 1}, *options_.partitions);
    Error error = other_pack(
        names.front(), path_of(files_[most.files.front()]),
        first_difference(identity_of(odd->first), identity_of(most.first), kSides), advice);
    note_missing(std::move(lacks));
    return error;
  }

  // ---- reading

  // Returns false if a stop was requested.
  Result<bool> take_all() {
    return take_in_order(
        files_.size(), options_.threads, [this](std::size_t i) { return look_at(files_[i]); },
        [this](std::size_t i, ReadShard read) -> Result<bool> {
          if (observer_.stop_requested()) return false;
          HOTPACK_TRY(take(files_[i], std::move(read)));
          return true;
        });
  }

  // Reads a shard and the order of its keys. Several threads may call it at once.
  [[nodiscard]] ReadShard look_at(const ShardFile& file) {
    KeyOrder keys;
    auto shard =
        read(file, [&keys](const Schema& schema, std::string_view key) { keys.add(schema, key); });
    return {std::move(shard), std::move(keys)};
  }

  // Reads a shard and compares it with its name and its folder's manifest. A thread parses the
  // schema only once, because all shards of a pack have the same text.
  Result<ExistingShard> read(const ShardFile& file, const KeyVisitor& visit_key) {
    Result<ExistingShard> found =
        read_existing_shard(folders_[file.folder], name_of(file), visit_key, &schemas_.local());
    if (!found.ok()) return with_advice(std::move(found).error());
    ExistingShard shard = std::move(found).value();
    HOTPACK_TRY(check_version(shard.metadata.format, path_of(file)));
    if (shard.identity.shards != file.name.count)
      return damaged_error(
          "is a shard of a pack of " + counted_text(shard.identity.shards, "shard") +
              ", but its name says " + std::to_string(file.name.count) + ": it was renamed",
          path_of(file));
    if (manifests_[file.folder]) HOTPACK_TRY(check_row(file, shard, *manifests_[file.folder]));
    return shard;
  }

  [[nodiscard]] Status check_row(const ShardFile& file, const ExistingShard& shard,
                                 const format::Manifest& manifest) const {
    const std::string difference =
        first_difference(identity_of(shard), identity_of(manifest), kSides);
    if (!difference.empty())
      return other_pack(path_of(file),
                        folders_[file.folder] + "/" + std::string(format::kManifestName),
                        difference);
    if (manifest.shards[file.name.index] == shard.finished.row) return {};
    return damaged_error("differs from what is recorded in the " +
                             std::string(format::kManifestName) + " next to it",
                         path_of(file));
  }

  Status take(const ShardFile& file, ReadShard read) {
    auto& rows = set_.manifest.shards;
    HOTPACK_ASSIGN(ExistingShard shard, std::move(read.shard));
    if (rows.empty()) begin_set(file, shard);
    HOTPACK_TRY(check_same_pack(file, shard));
    if (file.name.index < rows.size()) return check_repeated(file, shard.finished.row);
    if (const std::string fault = keys_.append(std::move(read.keys)); !fault.empty())
      return damaged_error(fault, path_of(file));
    HOTPACK_TRY(count(shard, path_of(file)));
    set_.holders.push_back(folders_[file.folder]);
    rows.push_back(std::move(shard.finished.row));
    return {};
  }

  // Starts the set with its first shard. All other shards must belong to the same pack.
  void begin_set(const ShardFile& file, const ExistingShard& shard) {
    first_path_ = path_of(file);
    set_.manifest.schema_text = shard.metadata.schema;
    set_.manifest.schema = shard.schema;
    set_.manifest.plan_text = shard.metadata.plan;
    set_.manifest.plan = shard.identity;
    set_.manifest.fingerprint = format::fingerprint(shard.metadata.schema, shard.metadata.plan);
    total_ = format::Sums(shard.schema.image.channels(), format::counted_classes(shard.schema));
  }

  Status check_same_pack(const ShardFile& file, const ExistingShard& shard) {
    const std::string difference =
        first_difference(identity_of(shard), identity_of(set_.manifest), kSides);
    if (difference.empty()) return {};
    has_other_pack_ = true;
    return other_pack(path_of(file), first_path_, difference);
  }

  Status check_repeated(const ShardFile& file, const format::ShardRow& row) {
    const format::ShardRow& first = set_.manifest.shards[file.name.index];
    ++set_.repeated;
    if (row == first) return {};
    return data_error("differs from '" + set_.holders[file.name.index] + "/" + first.file +
                          "', which is the same shard: " + row_difference(row, first) +
                          ". Pack one of the two again, or leave its folder out",
                      path_of(file));
  }

  // Counts the samples of a shard. Each planned sample is in exactly one shard, packed or skipped.
  Status count(const ExistingShard& shard, const std::string& path) {
    const std::uint64_t records = shard.finished.row.records, skipped = shard.finished.sums.skipped;
    const std::uint64_t left = shard.identity.samples - samples_;
    if (records > left || skipped > left - records)
      return damaged_error("the shards up to this one hold more samples than the " +
                               std::to_string(shard.identity.samples) + " of their plan",
                           path);
    samples_ += records + skipped;
    total_.add(shard.finished.sums);
    observer_.progress({"merging", samples_, shard.identity.samples});
    return {};
  }

  Status finish() {
    format::Manifest& manifest = set_.manifest;
    if (samples_ != manifest.plan.samples)
      return damaged_error("the shards hold " + counted_text(samples_, "sample") +
                               ", packed or skipped; their plan has " +
                               std::to_string(manifest.plan.samples),
                           first_path_);
    manifest.skipped = total_.skipped;
    manifest.statistics = format::statistics_of(total_);
    return {};
  }

  const JoinOptions& options_;
  const std::vector<std::string>& folders_;
  Observer& observer_;
  MissingShards* const missing_;
  tbb::enumerable_thread_specific<format::SchemaCache> schemas_;
  std::vector<std::optional<format::Manifest>>
      manifests_;  // by folder; absent if missing or unreadable
  std::vector<std::string> empty_folders_;
  std::vector<ShardFile> files_;
  std::string first_path_;  // path of the shard with which the others are compared
  KeyOrder keys_;
  format::Sums total_;
  std::uint64_t samples_ = 0;  // packed or skipped so far
  bool has_other_pack_ = false;
  JoinedSet set_;
};

}  // namespace

SetIdentity identity_of(const format::Manifest& manifest) {
  return {manifest.schema_text, manifest.schema, manifest.plan_text, manifest.plan};
}

SetIdentity identity_of(const ExistingShard& shard) {
  return {shard.metadata.schema, shard.schema, shard.metadata.plan, shard.identity};
}

std::string first_difference(const SetIdentity& here, const SetIdentity& there,
                             format::Sides sides) {
  if (here.schema_text != there.schema_text) {
    const std::string difference = option_difference(here.schema, there.schema, sides);
    return difference.empty() ? "the schemas are equal, but their texts differ" : difference;
  }
  if (here.plan_text == there.plan_text) return {};
  if (here.plan.samples == there.plan.samples && here.plan.shards == there.plan.shards)
    return "other samples (the digests of their keys differ)";
  return plan_in_words(here.plan) + " " + std::string(sides.first) + ", " +
         plan_in_words(there.plan) + " " + std::string(sides.second);
}

Result<std::optional<JoinedSet>> join_partitions(const JoinOptions& options, Observer& observer,
                                                 MissingShards* missing) {
  return Joiner(options, observer, missing).join();
}

bool are_splits(const std::string& folder, const std::vector<std::string>& names) {
  if (names.size() == 1) return true;
  std::set<std::uint64_t> counts, indices;
  for (const std::string& name : names) {
    const Result<PackFolder> listing = list_folder(folder + "/" + name);
    if (!listing.ok()) continue;
    for (const format::ShardName& shard : listing->shards) {
      counts.insert(shard.count);
      if (!indices.insert(shard.index).second) return true;
    }
    if (has_all_shards(folder + "/" + name)) return true;
  }
  return counts.size() > 1;
}

}  // namespace hotpack::pipeline
