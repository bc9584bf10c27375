#include "pipeline/output_folder.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <utility>

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/mapping.hpp"
#include "base/try.hpp"
#include "format/schema_json.hpp"
#include "format/shard_header.hpp"
#include "pipeline/source_file.hpp"
#include "writer/atomic_file.hpp"

namespace hotpack::pipeline {

namespace {

// A mapped shard whose header and tables passed their checks.
struct OpenShard {
  Mapping mapping;
  format::ShardHeader header;
};

Error with_path(Error error, const std::string& path) {
  error.path = path;
  return error;
}

Result<OpenShard> open_shard(const std::string& path) {
  HOTPACK_ASSIGN(Mapping mapping, Mapping::open(path));
  Result<format::ShardHeader> header = format::decode_header(mapping.bytes());
  if (!header.ok()) return with_path(std::move(header).error(), path);
  if (Status status = format::check_tables(mapping.bytes(), *header); !status.ok()) return with_path(std::move(status).error(), path);
  return OpenShard{std::move(mapping), std::move(header).value()};
}

std::string key_of(const OpenShard& shard, std::uint64_t record) {
  const auto file = shard.mapping.bytes();
  const format::Tensor& offsets = *shard.header.find("key.offsets");
  const format::Tensor& data = *shard.header.find("key.data");
  const std::uint64_t begin = format::u64_at(file, shard.header, offsets, record),
                      end = format::u64_at(file, shard.header, offsets, record + 1);
  const auto bytes =
      file.subspan(static_cast<std::size_t>(shard.header.buffer_start() + data.begin + begin), static_cast<std::size_t>(end - begin));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool is_ours(std::string_view name) { return name == format::kManifestName || format::parse_shard_file_name(name).has_value(); }

Error foreign(const std::string& path) {
  return usage_error(
      path + ": was not made by hotpack; -o must name a new folder or one that hotpack made. Move the file away or choose another folder");
}

// Begins like every shard of hotpack. A file of that name that does not is not ours to replace.
bool is_hotpack_shard(const std::string& path) {
  constexpr std::string_view kStart = R"({"__metadata__":{"hotpack.format":)";
  std::array<std::byte, 8 + kStart.size()> head{};
  const Result<File> file = File::open_read(path);
  if (!file.ok()) return false;
  const Result<std::size_t> got = file->read_some(0, head);
  return got.ok() && *got == head.size() && std::equal(kStart.begin(), kStart.end(), reinterpret_cast<const char*>(head.data()) + 8);
}

void load_manifest(OutputFolder& folder) {
  const std::string path = folder.path + "/" + std::string(format::kManifestName);
  const Result<std::string> text = read_text_file(path);
  if (!text.ok()) {
    folder.manifest_fault = text.error().describe();
    return;
  }
  Result<format::Manifest> manifest = format::decode_manifest(*text);
  if (manifest.ok()) {
    folder.manifest = std::move(manifest).value();
  } else {
    folder.manifest_fault = path + ": " + manifest.error().message;
  }
}

// The first shard whose header can be read; shows how an unfinished folder was packed.
std::optional<ExistingShard> first_readable(const OutputFolder& folder) {
  for (const std::string& name : folder.shards)
    if (Result<ExistingShard> existing = read_existing_shard(folder.path, name); existing.ok()) return std::move(existing).value();
  return std::nullopt;
}

// Whether any record of the shards that are there is a sample of the plan (or there is none that can be read).
bool shares_a_key(const OutputFolder& folder, const SampleList& list) {
  std::set<std::string_view> planned;
  for (const Sample& sample : list.samples) planned.insert(list.key(sample));
  bool saw_a_key = false;
  for (const std::string& name : folder.shards) {
    const Result<std::vector<std::string>> keys = read_keys(folder.path, name);
    if (!keys.ok()) continue;
    saw_a_key = saw_a_key || !keys->empty();
    if (std::any_of(keys->begin(), keys->end(), [&](const std::string& key) { return planned.count(key) > 0; })) return true;
  }
  return !saw_a_key;
}

// Whether a shard is this plan's: same plan, schema and sources.
bool belongs(const format::Metadata& metadata, const Plan& plan, std::size_t shard) {
  return metadata.plan == plan.plan_text && metadata.schema == plan.schema_text && metadata.sources == plan.shards[shard].sources;
}

bool agrees_with_row(const OutputFolder& folder, const Plan& plan, std::size_t shard, const writer::FinishedShard& finished) {
  if (!folder.manifest || folder.manifest->plan_text != plan.plan_text || shard >= folder.manifest->shards.size()) return true;
  return folder.manifest->shards[shard] == finished.row;
}

}  // namespace

Result<OutputFolder> look_at_output(const std::string& path) {
  OutputFolder folder;
  folder.path = path;
  std::error_code failure;
  std::filesystem::directory_iterator entries(path, failure);
  if (failure == std::errc::no_such_file_or_directory) return folder;
  bool has_manifest = false;
  for (; !failure && entries != std::filesystem::directory_iterator(); entries.increment(failure)) {
    const std::string name = entries->path().filename().string();
    if (is_ours(writer::final_name_of(name))) continue;
    if (!is_ours(name) || (name != format::kManifestName && !is_hotpack_shard(path + "/" + name))) return foreign(path + "/" + name);
    if (name == format::kManifestName)
      has_manifest = true;
    else
      folder.shards.push_back(name);
  }
  if (failure) return io_error("cannot list the output folder", path, failure.value());
  folder.exists = true;
  std::sort(folder.shards.begin(), folder.shards.end());
  if (has_manifest) load_manifest(folder);
  return folder;
}

Result<ExistingShard> read_existing_shard(const std::string& folder, const std::string& name) {
  HOTPACK_ASSIGN(const OpenShard shard, open_shard(folder + "/" + name));
  const auto file = shard.mapping.bytes();
  ExistingShard existing{shard.header.metadata, shard.header.schema, shard.header.plan, {}};
  existing.finished.row = {name, shard.header.records, file.size(), shard.header.metadata.sources, format::digest_of(file, shard.header)};
  existing.finished.sums = format::read_sums(file, shard.header);
  return existing;
}

std::vector<std::optional<writer::FinishedShard>> find_kept_shards(const OutputFolder& folder, const Plan& plan,
                                                                   std::vector<std::string>& damaged) {
  std::vector<std::optional<writer::FinishedShard>> kept(plan.shards.size());
  const std::set<std::string> present(folder.shards.begin(), folder.shards.end());
  for (std::size_t i = 0; i < plan.shards.size(); ++i) {
    const std::string name = format::shard_file_name(i, plan.shards.size());
    if (present.count(name) == 0) continue;
    Result<ExistingShard> existing = read_existing_shard(folder.path, name);
    if (!existing.ok()) {
      damaged.push_back(existing.error().describe());
    } else if (!belongs(existing->metadata, plan, i)) {
      continue;
    } else if (!agrees_with_row(folder, plan, i, existing->finished)) {
      damaged.push_back(folder.path + "/" + name + ": does not agree with " + std::string(format::kManifestName));
    } else {
      kept[i] = std::move(existing->finished);
    }
  }
  return kept;
}

bool is_complete(const OutputFolder& folder, const Plan& plan, const std::vector<std::optional<writer::FinishedShard>>& kept) {
  return folder.manifest && folder.manifest->schema_text == plan.schema_text && folder.manifest->plan_text == plan.plan_text &&
         folder.shards.size() == plan.shards.size() &&
         std::all_of(kept.begin(), kept.end(), [](const auto& shard) { return shard.has_value(); });
}

Status check_same_options(const OutputFolder& folder, const Plan& plan, const SampleList& list) {
  const std::optional<ExistingShard> old = first_readable(folder);
  if (!old && !folder.manifest) return {};
  const Schema& schema = folder.manifest ? folder.manifest->schema : old->schema;
  const format::PlanIdentity& identity = folder.manifest ? folder.manifest->plan : old->identity;
  const std::string again = "; choose another folder, or say --force to replace what is there";
  if (const std::string difference = format::first_difference(plan.schema, schema); !difference.empty())
    return usage_error(folder.path + ": was packed with other options: " + difference + again);
  if (identity.keys == plan.identity.keys && identity.shards != plan.identity.shards)
    return usage_error(folder.path + ": was packed with other options: --shard-size or --shard-samples (" +
                       std::to_string(plan.identity.shards) + " shards here, " + std::to_string(identity.shards) + " there)" + again);
  if (identity.keys == plan.identity.keys || shares_a_key(folder, list)) return {};
  return usage_error(folder.path + ": holds another data set: not one key in common" + again);
}

Result<std::vector<std::string>> read_keys(const std::string& folder, const std::string& name) {
  HOTPACK_ASSIGN(const OpenShard shard, open_shard(folder + "/" + name));
  std::vector<std::string> keys;
  keys.reserve(static_cast<std::size_t>(shard.header.records));
  for (std::uint64_t record = 0; record < shard.header.records; ++record) keys.push_back(key_of(shard, record));
  return keys;
}

Result<bool> sources_unchanged(const std::string& folder, const std::string& name, const ShardPlan& plan, const SampleList& list) {
  HOTPACK_ASSIGN(const OpenShard shard, open_shard(folder + "/" + name));
  if (shard.header.records != plan.samples) return false;
  const format::Tensor& hashes = *shard.header.find("source.hash");
  const auto stored = [&](std::uint64_t index) { return format::u64_at(shard.mapping.bytes(), shard.header, hashes, index); };
  SourceReader reader;
  for (std::uint64_t record = 0; record < plan.samples; ++record) {
    const Sample& sample = list.samples[static_cast<std::size_t>(plan.first + record)];
    HOTPACK_ASSIGN(auto bytes, reader.read(list.image_path(sample), sample.image.bytes));
    if (xxh3_64(bytes) != stored(2 * record)) return false;
    if (!list.has_label_files) continue;
    HOTPACK_ASSIGN(bytes, reader.read(list.label_path(sample), sample.label.bytes));
    if (xxh3_64(bytes) != stored(2 * record + 1)) return false;
  }
  return true;
}

}  // namespace hotpack::pipeline
