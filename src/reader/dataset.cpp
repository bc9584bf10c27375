#include "hotpack/dataset.hpp"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <utility>

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/try.hpp"
#include "format/manifest.hpp"
#include "format/schema_json.hpp"
#include "format/shard_header.hpp"
#include "format/version.hpp"
#include "reader/shard_file.hpp"

namespace hotpack {

namespace {

namespace fs = std::filesystem;

// What shards of one pack are held against.
struct PackTexts {
  format::SchemaCache schema;  // parsed once; each opening works on a copy
  std::string plan;
};

// A shard's place: empty until its first use.
struct Slot {
  std::mutex opening;
  std::unique_ptr<const Shard> shard;
  std::atomic<const Shard*> ready{nullptr};
};

// Samples by the hash of their key, sorted.
struct KeyPlace {
  std::uint64_t hash = 0;
  std::uint64_t number = 0;
  auto operator<=>(const KeyPlace&) const = default;
};

Result<format::Manifest> read_manifest(const std::string& folder) {
  std::error_code ignored;
  const std::string path = (fs::path(folder) / format::kManifestName).string();
  if (fs::is_directory(folder, ignored) && !fs::exists(path, ignored) && !ignored) {
    return damaged_error(std::string("is not a data set: it has no ") + std::string(format::kManifestName) +
                             ", which a run of pack writes last; the same command again finishes an interrupted one",
                         folder);
  }
  HOTPACK_ASSIGN(const std::string text, read_text_file(path));
  auto manifest = format::decode_manifest(text);
  if (manifest.ok()) return std::move(manifest).value();
  Error error = std::move(manifest).error();
  error.path = path;
  return error;
}

Pack pack_of(const std::string& folder, const format::Manifest& manifest) {
  return {folder,
          manifest.format,
          manifest.fingerprint,
          manifest.schema,
          {manifest.plan.samples, manifest.plan.shards, manifest.plan.keys},
          manifest.statistics,
          manifest.skipped,
          manifest.records()};
}

std::string class_text(const ClassInfo& info) {
  std::string text = "'" + info.name + "'";
  if (!info.color) return text + " without a colour";
  text += " (";
  for (std::size_t i = 0; i < 3; ++i) text += (i > 0 ? "," : "") + std::to_string((*info.color)[i]);
  return text + ")";
}

// The first difference of two class tables, "" where there is none. `sources` tell how a class was found in files: they may differ.
std::string class_difference(const std::vector<ClassInfo>& here, const std::vector<ClassInfo>& there) {
  for (std::size_t c = 0; c < std::min(here.size(), there.size()); ++c) {
    if (here[c].name == there[c].name && here[c].color == there[c].color) continue;
    return "class " + std::to_string(c) + " is " + class_text(here[c]) + " here, " + class_text(there[c]) + " there";
  }
  if (here.size() == there.size()) return {};
  return std::to_string(here.size()) + " classes here, " + std::to_string(there.size()) + " there";
}

// The first thing for which samples of two packs cannot be read alike. Shapes are left out: they are told sample by sample.
std::string reading_difference(Schema here, Schema there) {
  if (std::string text = class_difference(here.classes, there.classes); !text.empty()) return text;
  for (Schema* schema : {&here, &there}) {
    schema->classes.clear();
    schema->ignore.clear();
    schema->geometry = {};
    schema->options = {};
    schema->image.shape.reset();
    if (schema->label) schema->label->shape.reset();
  }
  return format::first_difference(here, there);
}

// Makes `common` true for the samples of `other` too.
void widen(Schema& common, const Schema& other) {
  if (common.image.shape != other.image.shape) common.image.shape.reset();
  if (common.label && common.label->shape != other.label->shape) common.label->shape.reset();
  if (common.geometry.size != other.geometry.size) common.geometry.size.reset();
}

std::string row_difference(const ShardInfo& row, const PackTexts& texts, const reader::ShardFile& file) {
  const auto& metadata = file.header().metadata;
  if (metadata.schema != texts.schema.text) return "its schema differs from the manifest's";
  if (metadata.plan != texts.plan) return "its plan differs from the manifest's";
  if (metadata.sources != row.sources) return "its sources are " + metadata.sources + ", the manifest says " + row.sources;
  if (file.records() == row.records) return {};
  return "it holds " + std::to_string(file.records()) + " records, the manifest says " + std::to_string(row.records);
}

Status check_size(const ShardInfo& row) {
  std::error_code failed;
  const auto size = fs::file_size(row.path, failed);
  if (failed == std::errc::no_such_file_or_directory) return damaged_error("the manifest names this shard, but it is missing", row.path);
  if (failed) return io_error("cannot stat", row.path, failed.value());
  if (size == row.size_bytes) return {};
  return damaged_error("has " + std::to_string(size) + " bytes, the manifest says " + std::to_string(row.size_bytes), row.path);
}

}  // namespace

struct Dataset::Impl {
  std::vector<Pack> packs;
  std::vector<PackTexts> texts;  // as packs
  Schema schema;                 // of all packs together
  std::vector<ShardInfo> shards;
  std::unique_ptr<Slot[]> slots;  // as shards
  std::uint64_t records = 0;
  std::mutex indexing;
  std::vector<KeyPlace> index;  // of all keys, once indexed
  bool indexed = false;

  Status add(const std::string& folder);
  [[nodiscard]] Result<const Shard*> shard(std::size_t number);
  [[nodiscard]] Result<std::unique_ptr<const reader::ShardFile>> open_shard(const ShardInfo& row) const;
  [[nodiscard]] Result<Sample> sample(std::uint64_t number);
  Status build_index();
};

Status Dataset::Impl::add(const std::string& folder) {
  HOTPACK_ASSIGN(format::Manifest manifest, read_manifest(folder));
  if (packs.empty()) {
    schema = manifest.schema;
  } else if (const std::string difference = reading_difference(packs.front().schema, manifest.schema); !difference.empty()) {
    return usage_error(packs.front().folder + " and " + folder + " cannot be read as one data set: " + difference);
  }
  widen(schema, manifest.schema);
  for (format::ShardRow& row : manifest.shards) {
    shards.push_back({(fs::path(folder) / row.file).string(), packs.size(), records, row.records, row.bytes, std::move(row.sources),
                      std::move(row.digest)});
    records += row.records;
  }
  HOTPACK_ASSIGN(const int minor, format::parse_version(manifest.format));
  packs.push_back(pack_of(folder, manifest));
  texts.push_back({{std::move(manifest.schema_text), std::move(manifest.schema), minor}, std::move(manifest.plan_text)});
  return {};
}

Result<std::unique_ptr<const reader::ShardFile>> Dataset::Impl::open_shard(const ShardInfo& row) const {
  HOTPACK_TRY(check_size(row));
  format::SchemaCache cache = texts[row.pack].schema;
  HOTPACK_ASSIGN(auto file, reader::ShardFile::open(row.path, &cache));
  if (std::string difference = row_difference(row, texts[row.pack], *file); !difference.empty()) {
    return damaged_error(std::move(difference), row.path);
  }
  HOTPACK_TRY(file->check_tables());
  return file;
}

Result<const Shard*> Dataset::Impl::shard(std::size_t number) {
  if (number >= shards.size()) return usage_error("shard " + std::to_string(number) + " of " + std::to_string(shards.size()));
  Slot& slot = slots[number];
  if (const Shard* const ready = slot.ready.load(std::memory_order_acquire)) return ready;
  const std::lock_guard lock(slot.opening);
  if (slot.shard == nullptr) {
    HOTPACK_ASSIGN(auto file, open_shard(shards[number]));
    slot.shard.reset(new Shard(std::move(file)));
    slot.ready.store(slot.shard.get(), std::memory_order_release);
  }
  return static_cast<const Shard*>(slot.shard.get());
}

Result<Sample> Dataset::Impl::sample(std::uint64_t number) {
  if (number >= records) return usage_error("sample " + std::to_string(number) + " of " + std::to_string(records));
  // The last shard that begins at or before it; empty shards begin where the next one does, so it is never one of them.
  const auto after =
      std::upper_bound(shards.begin(), shards.end(), number, [](std::uint64_t wanted, const ShardInfo& row) { return wanted < row.first; });
  const auto place = static_cast<std::size_t>(after - shards.begin()) - 1;
  HOTPACK_ASSIGN(const Shard* const found, shard(place));
  return found->sample(number - shards[place].first);
}

Status Dataset::Impl::build_index() {
  std::vector<KeyPlace> places;  // grows with the shards that open: the manifest's number of records is only a claim
  for (std::uint64_t number = 0; number < records; ++number) {
    HOTPACK_ASSIGN(const Sample found, sample(number));
    places.push_back({xxh3_64(bytes_of(found.key())), number});
  }
  std::sort(places.begin(), places.end());
  index = std::move(places);
  indexed = true;
  return {};
}

Dataset::Dataset(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Dataset::~Dataset() = default;
Dataset::Dataset(Dataset&&) noexcept = default;
Dataset& Dataset::operator=(Dataset&&) noexcept = default;

Result<Dataset> Dataset::open(const std::string& folder) { return open(std::span(&folder, 1)); }

Result<Dataset> Dataset::open(std::initializer_list<std::string_view> folders) {
  const std::vector<std::string> copies(folders.begin(), folders.end());
  return open(std::span(copies));
}

Result<Dataset> Dataset::open(std::span<const std::string> folders) {
  if (folders.empty()) return usage_error("no folder to open as a data set");
  auto impl = std::make_unique<Impl>();
  for (const std::string& folder : folders) HOTPACK_TRY(impl->add(folder));
  impl->slots = std::make_unique<Slot[]>(impl->shards.size());
  return Dataset(std::move(impl));
}

const Schema& Dataset::schema() const { return impl_->schema; }
std::uint64_t Dataset::records() const { return impl_->records; }
std::span<const Pack> Dataset::packs() const { return impl_->packs; }
std::span<const ShardInfo> Dataset::shards() const { return impl_->shards; }

std::uint64_t Dataset::skipped() const {
  std::uint64_t sum = 0;
  for (const Pack& pack : impl_->packs) sum += pack.skipped;
  return sum;
}

Result<Statistics> Dataset::statistics() const {
  if (impl_->packs.size() == 1) return impl_->packs.front().statistics;
  const Schema& common = schema();
  format::Sums total(common.image.channels(), common.label ? common.class_count() : 0);
  for (std::size_t number = 0; number < impl_->shards.size(); ++number) {
    HOTPACK_ASSIGN(const Shard* const opened, shard(number));
    total.add(format::read_sums(opened->file_->bytes(), opened->file_->header()));
  }
  return format::statistics_of(total);
}

Result<Sample> Dataset::sample(std::uint64_t number) const { return impl_->sample(number); }
Result<const Shard*> Dataset::shard(std::size_t number) const { return impl_->shard(number); }

Result<std::optional<std::uint64_t>> Dataset::find(std::string_view key) const {
  {
    const std::lock_guard lock(impl_->indexing);
    if (!impl_->indexed) HOTPACK_TRY(impl_->build_index());
  }
  const std::uint64_t hash = xxh3_64(bytes_of(key));
  auto place = std::lower_bound(impl_->index.begin(), impl_->index.end(), KeyPlace{hash, 0});
  for (; place != impl_->index.end() && place->hash == hash; ++place) {
    HOTPACK_ASSIGN(const Sample found, impl_->sample(place->number));
    if (found.key() == key) return std::optional(place->number);
  }
  return std::optional<std::uint64_t>();
}

}  // namespace hotpack
