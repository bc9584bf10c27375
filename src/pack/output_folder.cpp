#include "pack/output_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/folder.hpp"
#include "base/temporary_name.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "format/pack_folder.hpp"
#include "format/schema_json.hpp"
#include "format/shard_header.hpp"
#include "label_setup/source_file.hpp"
#include "pack/mask_hashes.hpp"
#include "reader/shard_file.hpp"
#include "settings/option_words.hpp"

namespace hotpack::pipeline {

namespace {

// A shard whose header and tables passed their checks. They are read with system calls, because a
// mapping would also make the system read records that stand next to them.
using OpenShard = std::unique_ptr<const reader::ShardFile>;

Result<OpenShard> open_shard(const std::string& path, format::SchemaCache* cache = nullptr) {
  return reader::ShardFile::open_checked(path, reader::MapMode::tables_briefly, cache);
}

std::string_view key_of(const reader::ShardFile& shard, std::uint64_t record) {
  std::string_view key;
  (void)shard.find_key(record, key);  // check_tables() has refused shards with other keys
  return key;
}

// `name` is not part of a pack in `folder`.
Error foreign(const std::string& folder, const std::string& name) {
  const std::string path = folder + "/" + name;
  const auto names = names_in_folder(path);
  if (names.ok() && !format::describe_pack_folder(*names).shards.empty())
    return usage_error(folder + ": holds packed data sets in folders of their own, the first in " +
                       quoted_text(name) +
                       ". This run makes one data set, whose files would lie next to them. Choose "
                       "another folder for -o, or remove these packs");
  return usage_error(path +
                     ": was not made by hotpack. -o must name a new folder or one that hotpack "
                     "made: move this file out of the folder, or choose another folder for -o");
}

// Returns the nearest folder above `path` that exists.
std::filesystem::path folder_above(const std::string& path) {
  std::filesystem::path above = std::filesystem::absolute(path).lexically_normal();
  if (above.filename().empty()) above = above.parent_path();  // "set/north/"
  std::error_code ignored;
  do above = above.parent_path();
  while (above.has_relative_path() && !std::filesystem::exists(above, ignored));
  return above;
}

// Returns the last name in the path, also if the path ends with a slash.
std::string inner_name(const std::string& path) {
  const std::filesystem::path inner = std::filesystem::absolute(path).lexically_normal();
  return (inner.has_filename() ? inner : inner.parent_path()).filename().string();
}

// Returns an error if the path is inside a pack. A pack contains only its manifest and shards;
// readers refuse a pack with another folder in it.
Status check_above(const std::string& path) {
  const std::filesystem::path above = folder_above(path);
  const auto names = names_in_folder(above.string());
  if (!names.ok() || format::describe_pack_folder(*names).shards.empty()) return {};
  return usage_error(path + ": is inside '" + above.string() +
                     "', which is a packed data set and cannot hold another one. Choose a folder "
                     "outside of it, such as " +
                     quoted_text((above.parent_path() / inner_name(path)).string()) +
                     " next to it. Packs next to each other are splits of the folder that holds "
                     "them");
}

Error foreign_beginning(const std::string& path) {
  return usage_error(path +
                     ": does not start like a file of hotpack: it is damaged, or another program "
                     "made it. `hotpack pack --repair` packs a damaged file of "
                     "this data set again; otherwise choose another folder for -o");
}

// The bytes with which every shard of hotpack starts (after the length of the header); the next
// constant is that for manifests. The version follows. A file that starts differently must not be
// replaced.
constexpr std::string_view kShardStart = R"({"__metadata__":{"hotpack.format":")";
constexpr std::string_view kManifestStart = "{\n\"format\":\"";
constexpr std::size_t kLongestVersion = 16;

// Reads `size` bytes of a file from `offset` on, or fewer if the file is shorter.
Result<std::string> beginning_of(const File& file, std::uint64_t offset, std::size_t size) {
  std::string text(size, '\0');
  HOTPACK_ASSIGN(const std::size_t got,
                 file.read_some(offset, std::as_writable_bytes(std::span(text))));
  text.resize(got);
  return text;
}

// Refuses a manifest or shard that another program or a later hotpack wrote.
Status check_origin(const File& file, bool is_manifest) {
  const std::string& path = file.path();
  const std::string_view start = is_manifest ? kManifestStart : kShardStart;
  const std::size_t wanted = start.size() + kLongestVersion;
  HOTPACK_ASSIGN(const std::string text, beginning_of(file, is_manifest ? 0 : 8, wanted));
  const bool cut = text.size() < wanted;
  if (cut && start.starts_with(text)) return {};
  if (!std::string_view(text).starts_with(start)) return foreign_beginning(path);
  const std::string_view rest = std::string_view(text).substr(start.size());
  const std::string_view version = rest.substr(0, rest.find('"'));
  if (version == format::kVersion ||
      (cut && version == rest && format::kVersion.starts_with(version)))
    return {};
  return usage_error(path + ": has format " + std::string(version) +
                     ", which this hotpack (format " + std::string(format::kVersion) +
                     ") does not replace. Choose another folder for -o, or remove this pack");
}

// Checks that the files of a folder are hotpack's.
class Origins {
 public:
  Origins(OutputFolder& folder, const OriginRules& rules) : folder_(folder), rules_(rules) {}

  // Returns an error if a manifest or a selected shard does not start like one that hotpack wrote.
  // With `repair`, it is enough if one file of the folder starts so.
  Status check(const std::vector<format::ShardName>& shards, const std::optional<File>& manifest) {
    if (manifest) HOTPACK_TRY(note(check_origin(*manifest, true)));
    std::vector<const std::string*> others;
    for (std::size_t i = 0; i < shards.size(); ++i) {
      if (rules_.may_change && !rules_.may_change(shards[i])) {
        others.push_back(&folder_.shards[i]);
      } else {
        HOTPACK_TRY(check_shard(folder_.shards[i]));
      }
    }
    if (!doubt_ || !rules_.repair) return doubt_ ? Status(*doubt_) : Status();
    for (std::size_t i = 0; i < others.size() && !known_; ++i) HOTPACK_TRY(check_shard(*others[i]));
    return known_ ? Status() : Status(*doubt_);
  }

 private:
  Status check_shard(const std::string& name) {
    const std::string path = folder_.path + "/" + name;
    HOTPACK_ASSIGN(const bool unchanged, seen_before(path, name));
    if (unchanged) return {};
    HOTPACK_ASSIGN(const File file, File::open_read(path));
    Status origin = check_origin(file, false);
    if (origin.ok()) {
      HOTPACK_ASSIGN(folder_.known[name], file.identity());
    }
    return note(std::move(origin));
  }

  Result<bool> seen_before(const std::string& path, const std::string& name) {
    if (rules_.before == nullptr) return false;
    const auto before = rules_.before->known.find(name);
    if (before == rules_.before->known.end()) return false;
    HOTPACK_ASSIGN(const FileIdentity now, identity_of(path));
    if (now != before->second) return false;
    folder_.known.insert(*before);
    known_ = true;
    return true;
  }

  // Keeps the first doubt; other errors are returned at once.
  Status note(Status origin) {
    known_ = known_ || origin.ok();
    if (!origin.ok() && origin.error().code != ErrorCode::usage) return origin;
    if (!origin.ok() && !doubt_) doubt_ = std::move(origin).error();
    return {};
  }

  OutputFolder& folder_;
  const OriginRules& rules_;
  std::optional<Error> doubt_;
  bool known_ = false;
};

void load_manifest(const File& file, OutputFolder& folder) {
  const Result<std::string> text = file.read_text();
  if (!text.ok()) {
    folder.manifest_fault = text.error().describe();
    return;
  }
  folder.manifest_text = *text;
  Result<format::Manifest> manifest = format::decode_manifest(*text, "");
  if (manifest.ok()) {
    folder.manifest = std::move(manifest).value();
  } else {
    folder.manifest_fault = file.path() + ": " + manifest.error().message;
  }
}

// Returns the first readable shard. It shows how an unfinished folder was packed.
std::optional<ExistingShard> first_readable(const OutputFolder& folder) {
  for (const std::string& name : folder.shards)
    if (Result<ExistingShard> existing = read_existing_shard(folder.path, name); existing.ok())
      return std::move(existing).value();
  return std::nullopt;
}

// The number of keys in the existing shards, and how many of them are in the plan.
struct KeyOverlap {
  std::uint64_t old_keys = 0;
  std::uint64_t shared = 0;
};

KeyOverlap compare_keys(const OutputFolder& folder, const SampleList& list) {
  std::set<std::string_view> planned;
  for (const Sample& sample : list.samples) planned.insert(list.key(sample));
  KeyOverlap overlap;
  for (const std::string& name : folder.shards) {
    const Result<std::vector<std::string>> keys = read_keys(folder.path, name);
    if (!keys.ok()) continue;  // damaged, so it will be packed again
    overlap.old_keys += keys->size();
    for (const std::string& key : *keys) overlap.shared += planned.count(key);
  }
  return overlap;
}

// True if a shard belongs to this plan: its plan, schema and sources are equal.
bool belongs(const format::Metadata& metadata, const Plan& plan, std::size_t shard) {
  return metadata.plan == plan.plan_text && metadata.schema == plan.schema_text &&
         metadata.sources == plan.shards[shard].sources;
}

bool agrees_with_row(const OutputFolder& folder, const Plan& plan, std::size_t shard,
                     const writer::FinishedShard& finished) {
  if (!folder.manifest || folder.manifest->plan_text != plan.plan_text ||
      shard >= folder.manifest->shards.size())
    return true;
  return folder.manifest->shards[shard] == finished.row;
}

// Compares the times of source files with that of a shard's file.
class SourceTimes {
 public:
  SourceTimes(const std::string& shard, const SampleList& list) : list_(list) {
    shard_ = std::filesystem::last_write_time(shard, failure_);
  }
  // True if a file of the sample is not older than the shard.
  [[nodiscard]] bool is_newer(const Sample& sample) {
    if (failure_) return false;
    const auto masks = list_.masks_of(sample);
    return is_newer(list_.image_path(sample)) ||
           (list_.has_label_files && is_newer(list_.label_path(sample))) ||
           std::any_of(masks.begin(), masks.end(),
                       [&](const Mask& mask) { return is_newer(list_.mask_path(mask)); });
  }

 private:
  // Equal times count as newer, because clocks of file systems have steps of milliseconds.
  [[nodiscard]] bool is_newer(const std::string& path) const {
    std::error_code failure;
    const auto time = std::filesystem::last_write_time(path, failure);
    return !failure && time >= shard_;
  }
  const SampleList& list_;
  std::error_code failure_;
  std::filesystem::file_time_type shard_;
};

}  // namespace

Result<OutputFolder> read_output_folder(const std::string& path, const OriginRules& rules) {
  OutputFolder folder;
  folder.path = path;
  HOTPACK_TRY(check_above(path));
  std::error_code failure;
  if (!std::filesystem::exists(path, failure) && !failure) return folder;
  HOTPACK_ASSIGN(const std::vector<std::string> names, names_in_folder(path));
  const format::PackFolder content = format::describe_pack_folder(names);
  for (const std::string& other : content.others)
    if (!is_removed_file(other)) return foreign(path, other);
  folder.exists = true;
  for (const format::ShardName& shard : content.shards)
    folder.shards.push_back(format::shard_file_name(shard.index, shard.count));
  std::optional<File> manifest;
  if (content.has_manifest) {
    HOTPACK_ASSIGN(manifest, File::open_read(path + "/" + std::string(format::kManifestName)));
  }
  HOTPACK_TRY(Origins(folder, rules).check(content.shards, manifest));
  if (manifest) load_manifest(*manifest, folder);
  return folder;
}

Result<ExistingShard> read_existing_shard(const std::string& folder, const std::string& name,
                                          const KeyVisitor& visit_key, format::SchemaCache* cache) {
  HOTPACK_ASSIGN(const OpenShard shard, open_shard(folder + "/" + name, cache));
  const auto file = shard->bytes();
  const format::ShardHeader& header = shard->header();
  ExistingShard existing{header.metadata, header.schema, header.plan, {}};
  existing.finished.row = {name, header.records, file.size(), header.metadata.sources,
                           format::digest_of(file, header)};
  existing.finished.sums = format::read_sums(file, header);
  for (std::uint64_t record = 0; visit_key && record < header.records; ++record)
    visit_key(existing.schema, key_of(*shard, record));
  return existing;
}

std::vector<std::optional<writer::FinishedShard>> find_kept_shards(
    const OutputFolder& folder, const Plan& plan, ShardRange range,
    std::vector<std::string>& damaged) {
  std::vector<std::optional<writer::FinishedShard>> kept(plan.shards.size());
  const std::set<std::string> present(folder.shards.begin(), folder.shards.end());
  format::SchemaCache schemas;
  for (auto i = static_cast<std::size_t>(range.first); i < range.end; ++i) {
    const std::string name = format::shard_file_name(i, plan.shards.size());
    if (present.count(name) == 0) continue;
    Result<ExistingShard> existing = read_existing_shard(folder.path, name, {}, &schemas);
    if (!existing.ok()) {
      damaged.push_back(existing.error().describe());
    } else if (!belongs(existing->metadata, plan, i)) {
      continue;
    } else if (!agrees_with_row(folder, plan, i, existing->finished)) {
      damaged.push_back(folder.path + "/" + name + ": differs from what is recorded in " +
                        std::string(format::kManifestName));
    } else {
      kept[i] = std::move(existing->finished);
    }
  }
  return kept;
}

bool is_complete(const OutputFolder& folder, const Plan& plan,
                 const std::vector<std::optional<writer::FinishedShard>>& kept) {
  return folder.manifest && folder.manifest->schema_text == plan.schema_text &&
         folder.manifest->plan_text == plan.plan_text &&
         folder.shards.size() == plan.shards.size() &&
         std::all_of(kept.begin(), kept.end(), [](const auto& shard) { return shard.has_value(); });
}

// Removes `jpeg_scale` from a schema if the other one does not have it. This happens when the first
// JPEG is added to a data set; then the samples differ, not the options.
void ignore_lone_jpeg_scale(Schema& a, Schema& b) {
  const auto is_scale = [](const auto& option) { return option.first == "jpeg_scale"; };
  auto& in_a = a.options.more;
  auto& in_b = b.options.more;
  const bool a_has = std::any_of(in_a.begin(), in_a.end(), is_scale);
  const bool b_has = std::any_of(in_b.begin(), in_b.end(), is_scale);
  if (a_has != b_has) std::erase_if(a_has ? in_a : in_b, is_scale);
}

std::string difference_of_options(const Schema& now, const Schema& then, bool same_keys) {
  Schema here = now, there = then;
  if (!same_keys) ignore_lone_jpeg_scale(here, there);
  return option_difference(here, there, {"now", "then"});
}

Status check_same_options(const OutputFolder& folder, const Plan& plan, const SampleList& list,
                          std::vector<std::string>& warnings) {
  const std::optional<ExistingShard> old = first_readable(folder);
  if (!old && !folder.manifest) return {};
  const Schema& schema = folder.manifest ? folder.manifest->schema : old->schema;
  const format::PlanIdentity& identity = folder.manifest ? folder.manifest->plan : old->identity;
  const std::string again = "; choose another folder for -o, or replace the old pack with --force";
  const bool same_keys = identity.keys == plan.identity.keys;
  if (const std::string difference = difference_of_options(plan.schema, schema, same_keys);
      !difference.empty())
    return usage_error(folder.path + ": was packed with options other than those given now: " +
                       difference + again);
  if (same_keys && identity.shards != plan.identity.shards)
    return usage_error(folder.path +
                       ": was packed with a --shard-size or --shard-samples other than now (" +
                       counted_text(plan.identity.shards, "shard") + " now, " +
                       std::to_string(identity.shards) + " then)" + again);
  if (same_keys) return {};
  if (plan.is_fixed)
    return usage_error(folder.path + ": was packed from other samples than those of the plan" +
                       again);
  // If only a few keys are the same, this may be chance: every split may have a 0001. If half of
  // the keys of the smaller set are the same, this is the same data set, with samples added or
  // removed.
  const KeyOverlap overlap = compare_keys(folder, list);
  const std::string counts = std::to_string(overlap.shared) + " of its " +
                             std::to_string(overlap.old_keys) + " samples are among the " +
                             std::to_string(list.samples.size()) + " samples of the input";
  if (2 * overlap.shared < std::min<std::uint64_t>(overlap.old_keys, list.samples.size()))
    return usage_error(folder.path + ": holds a pack of another data set: " + counts + again);
  warnings.push_back(folder.path + ": the samples have changed (" + counts +
                     "), so all its shards are packed again");
  return {};
}

Result<std::vector<std::string>> read_keys(const std::string& folder, const std::string& name) {
  HOTPACK_ASSIGN(const OpenShard shard, open_shard(folder + "/" + name));
  std::vector<std::string> keys;
  keys.reserve(static_cast<std::size_t>(shard->records()));
  for (std::uint64_t record = 0; record < shard->records(); ++record)
    keys.emplace_back(key_of(*shard, record));
  return keys;
}

bool has_newer_source(const std::string& folder, const std::string& name, const ShardPlan& shard,
                      const SampleList& list) {
  SourceTimes times(folder + "/" + name, list);
  const auto first = list.samples.begin() + static_cast<std::ptrdiff_t>(shard.first);
  return std::any_of(first, first + static_cast<std::ptrdiff_t>(shard.samples),
                     [&](const Sample& sample) { return times.is_newer(sample); });
}

Result<SourceCheck> check_sources(const std::string& folder, const std::string& name,
                                  const ShardPlan& plan, const SampleList& list,
                                  SourcesToHash which) {
  SourceTimes times(folder + "/" + name, list);
  HOTPACK_ASSIGN(const OpenShard shard, open_shard(folder + "/" + name));
  const format::Tensor& hashes = *shard->header().find("source.hash");
  SourceReader reader;
  const auto hash_of = [&](const std::string& path, std::uint64_t bytes) -> Result<std::uint64_t> {
    HOTPACK_ASSIGN(const auto content, reader.read(path, bytes));
    return xxh3_64(content);
  };
  const auto hash_of_masks = [&](const Sample& sample) -> Result<std::uint64_t> {
    std::vector<std::uint64_t> all;
    for (const Mask& mask : list.masks_of(sample)) {
      HOTPACK_ASSIGN(const std::uint64_t hash, hash_of(list.mask_path(mask), mask.file.bytes));
      all.push_back(hash);
    }
    return hash_of_hashes(all);
  };
  const auto stored = [&](std::uint64_t index) {
    return format::u64_at(shard->bytes(), shard->header(), hashes, index);
  };
  SourceCheck check;
  std::optional<std::uint64_t> last_image;  // the tiles of an image share one check
  std::uint64_t record = 0;  // records are the planned samples in order, without skipped ones
  for (std::uint64_t s = plan.first; s < plan.first + plan.samples && check.unchanged; ++s) {
    const Sample& sample = list.samples[static_cast<std::size_t>(s)];
    const bool skipped = record == shard->records() || key_of(*shard, record) != list.key(sample);
    if (!skipped && last_image == sample.image.text) {
      ++record;
      continue;
    }
    const bool wanted = which == SourcesToHash::all || times.is_newer(sample);
    if (skipped && wanted) check.skipped.push_back(s);
    if (skipped) continue;
    last_image = sample.image.text;
    if (!wanted) {
      ++record;
      continue;
    }
    HOTPACK_ASSIGN(std::uint64_t hash, hash_of(list.image_path(sample), sample.image.bytes));
    check.unchanged = hash == stored(2 * record);
    if (check.unchanged && (list.has_label_files || sample.mask_count > 0)) {
      HOTPACK_ASSIGN(hash, list.has_label_files
                               ? hash_of(list.label_path(sample), sample.label.bytes)
                               : hash_of_masks(sample));
      check.unchanged = hash == stored(2 * record + 1);
    }
    ++record;
  }
  return check;
}

}  // namespace hotpack::pipeline
