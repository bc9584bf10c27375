#include "hotpack/dataset.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/folder.hpp"
#include "base/no_memory.hpp"
#include "base/try.hpp"
#include "format/manifest.hpp"
#include "format/pack_folder.hpp"
#include "format/plan_text.hpp"
#include "format/schema_json.hpp"
#include "format/version.hpp"
#include "reader/dataset_files.hpp"
#include "reader/record_fault.hpp"

namespace hotpack {

namespace {

namespace fs = std::filesystem;
using reader::Contents;
using reader::DatasetFiles;
using reader::MapMode;
using reader::RecordPlace;

// Samples by the hash of their key, sorted.
struct KeyPlace {
  std::uint64_t hash = 0;
  std::uint64_t number = 0;
  auto operator<=>(const KeyPlace&) const = default;
};

// Explains why a folder has no manifest yet, as far as its shards show.
Error no_manifest(const std::string& folder) {
  const auto names = names_in_folder(folder);
  if (!names.ok()) return names.error();
  const std::vector<format::ShardName> shards = format::describe_pack_folder(*names).shards;
  const std::string start = "is not a data set: it has no " + std::string(format::kManifestName);
  const auto unfinished = [&](const std::string& more) {
    return damaged_error(start + ", " + more, folder);
  };
  const auto inner = std::ranges::find_if(*names, [&](const std::string& name) {
    std::error_code ignored;
    return fs::exists(fs::path(folder) / name / format::kManifestName, ignored);
  });
  if (shards.empty() && inner != names->end())
    return Error{ErrorCode::usage,
                 "is not a data set, but a folder of data sets; open one of them, such as '" +
                     (fs::path(folder) / *inner).string() + "'",
                 folder,
                 {}};
  if (shards.empty())
    return unfinished(
        "which `hotpack pack` writes last. If packing was interrupted, run the same command again "
        "to finish packing");
  const std::uint64_t planned = shards.back().count;
  if (shards.front().count != planned)
    return unfinished("and its " + std::to_string(shards.size()) +
                      " shards are of several packs; move each pack to a folder of its own");
  const std::string count = std::to_string(planned) + (planned == 1 ? " shard" : " shards");
  if (shards.size() == planned)
    return unfinished("but " + std::string(planned == 1 ? "its " : "all ") + count +
                      (planned == 1 ? " is" : " are") +
                      " in the folder: run hotpack merge with this folder to write " +
                      std::string(format::kManifestName));
  return unfinished("but " + std::to_string(shards.size()) + " of " + count +
                    ". To finish the pack, repeat its `hotpack pack` command; to join the "
                    "partitions of a pack, run hotpack merge");
}

Result<format::Manifest> read_manifest(const std::string& folder) {
  std::error_code ignored;
  const std::string path = (fs::path(folder) / format::kManifestName).string();
  if (fs::is_directory(folder, ignored) && !fs::exists(path, ignored) && !ignored) {
    return no_manifest(folder);
  }
  auto text = read_text_file(path);
  if (!text.ok()) {
    Error missing = std::move(text).error();
    if (!fs::exists(path, ignored) && !ignored)
      missing.message += "; '" + folder + "' is not a pack";
    return missing;
  }
  auto manifest = format::decode_manifest(*text);
  if (manifest.ok()) return std::move(manifest).value();
  Error error = std::move(manifest).error();
  error.path = path;
  return error;
}

PackInfo pack_of(const std::string& folder, const format::Manifest& manifest) {
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
  if (!info.color) return text + " without a color";
  text += " (";
  for (std::size_t i = 0; i < 3; ++i) text += (i > 0 ? "," : "") + std::to_string((*info.color)[i]);
  return text + ")";
}

// Returns a text about the first difference of two class tables; "" if there is none. Differences
// in `sources` (which label values became a class) do not count.
std::string class_difference(const std::vector<ClassInfo>& here,
                             const std::vector<ClassInfo>& there) {
  for (std::size_t c = 0; c < std::min(here.size(), there.size()); ++c) {
    if (here[c].name == there[c].name && here[c].color == there[c].color) continue;
    return "class " + std::to_string(c) + " is " + class_text(here[c]) + " in the first, " +
           class_text(there[c]) + " in the second";
  }
  if (here.size() == there.size()) return {};
  return std::to_string(here.size()) + " classes in the first, " + std::to_string(there.size()) +
         " in the second";
}

// Returns the first reason why samples of two packs cannot be read as those of one data set; "" if
// there is none. Shapes do not count, because each sample has its own.
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
  return format::first_difference(here, there, {"in the first", "in the second"});
}

// Removes from `common` what does not hold for the samples of `other`.
void widen(Schema& common, const Schema& other) {
  if (common.image.shape != other.image.shape) common.image.shape.reset();
  if (common.label && common.label->shape != other.label->shape) common.label->shape.reset();
  if (common.geometry.size != other.geometry.size) common.geometry.size.reset();
}

// Adds the pack in one folder, by its manifest. Fails if its samples cannot be read as one data set
// with those of the folders before it.
Status add_pack(const std::string& folder, Contents& to) {
  HOTPACK_ASSIGN(format::Manifest manifest, read_manifest(folder));
  if (to.packs.empty()) {
    to.schema = manifest.schema;
  } else if (const std::string difference =
                 reading_difference(to.packs.front().schema, manifest.schema);
             !difference.empty()) {
    return usage_error("'" + to.packs.front().folder + "' and '" + folder +
                       "' cannot be read as one data set: " + difference);
  }
  widen(to.schema, manifest.schema);
  const std::string prefix = (fs::path(folder) / "").string();
  to.shards.reserve(to.shards.size() + manifest.shards.size());
  for (format::ShardRow& row : manifest.shards) {
    to.shards.push_back({prefix + row.file, to.packs.size(), to.records, row.records, row.bytes,
                         std::move(row.sources), std::move(row.digest)});
    to.records += row.records;
  }
  HOTPACK_ASSIGN(const int minor, format::parse_version(manifest.format));
  to.packs.push_back(pack_of(folder, manifest));
  to.texts.push_back({{std::move(manifest.schema_text), std::move(manifest.schema), minor},
                      std::move(manifest.plan_text)});
  return {};
}

std::string fingerprint_of(const std::vector<PackInfo>& packs) {
  if (packs.size() == 1) return packs.front().fingerprint;
  Hasher128 hasher;
  for (const PackInfo& pack : packs) {
    hasher.add(pack.fingerprint);
    hasher.add(std::string_view("\0", 1));
  }
  return hasher.finish().text();
}

// By ORDER.md, section 7.
std::string fingerprint_of(const Contents& contents) {
  std::string whole = fingerprint_of(contents.packs);
  if (!contents.subset) return whole;
  Hasher128 hasher;
  hasher.add(whole);
  hasher.add(std::string_view("\0", 1));
  for (const std::uint64_t number : *contents.subset) {
    std::array<char, 8> bytes{};
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<char>(number >> (8 * i) & 0xFF);
    hasher.add(std::string_view(bytes.data(), bytes.size()));
  }
  return hasher.finish().text();
}

}  // namespace

struct Dataset::Impl {
  explicit Impl(Contents read)
      : contents(std::make_shared<const Contents>(std::move(read))), here(new Process(contents)) {}
  ~Impl() {
    if (Process* const last = here; last->id == ::getpid()) delete last;
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // The state of one process.
  struct Process {
    explicit Process(const std::shared_ptr<const Contents>& contents)
        : mapped(std::make_shared<DatasetFiles>(contents, MapMode::mapped)),
          tables(std::make_shared<DatasetFiles>(contents, MapMode::tables)) {}

    const pid_t id = ::getpid();
    const std::shared_ptr<DatasetFiles> mapped;
    const std::shared_ptr<DatasetFiles> tables;
    std::mutex indexing;
    std::vector<KeyPlace> index;  // of all keys, if there is an index
    bool indexed = false;
    std::mutex copying;
    std::unordered_set<std::string> keys;  // those handed out, if their shards do not stay mapped
    std::mutex counting;
    std::optional<Statistics> statistics;  // of several packs, once computed
    Process* before = nullptr;             // the parent's
  };

  // Returns the state for this process. A forked child gets a new state, because threads of the
  // parent, which do not exist in the child, may hold locks in the parent's state. The child never
  // destroys that state, so shards that were handed out stay valid.
  [[nodiscard]] Process& process() const;
  [[nodiscard]] Result<Sample> sample(std::uint64_t number) const;
  [[nodiscard]] Result<std::optional<std::uint64_t>> find(std::string_view key) const;
  Status build_index(Process& process) const;

  class HeldReader;
  // Returns a key that lives as long as the Dataset.
  [[nodiscard]] Result<std::string_view> lasting_key(Process& process, HeldReader& reader,
                                                     std::uint64_t number) const;

  const std::shared_ptr<const Contents> contents;
  mutable std::atomic<Process*> here;
};

Dataset::Impl::Process& Dataset::Impl::process() const {
  Process* known = here.load();
  if (known->id == ::getpid()) return *known;
  auto own = std::make_unique<Process>(contents);
  own->before = known;
  if (here.compare_exchange_strong(known, own.get())) return *own.release();
  return *known;  // another thread of the child was faster
}

Result<Sample> Dataset::Impl::sample(std::uint64_t number) const {
  if (number >= contents->records) {
    return usage_error("there is no sample " + std::to_string(number) + "; the data set has " +
                       std::to_string(contents->records) + ", counted from 0");
  }
  DatasetFiles& files = *process().mapped;
  const RecordPlace place = files.place_of(number);
  HOTPACK_ASSIGN(reader::HeldShard held, files.hold(place.shard));
  HOTPACK_ASSIGN(Sample sample, held.shard->sample(place.record));
  sample.flags_ = &files.flags(place.shard);
  sample.hold_ = std::move(held.hold);
  return sample;
}

// Reads keys one after the other. Holds the shard of the latest one, so that its key stays valid
// until the next call.
class Dataset::Impl::HeldReader {
 public:
  explicit HeldReader(DatasetFiles& files) : files_(files) {}
  [[nodiscard]] Result<std::string_view> key(std::uint64_t number) {
    HOTPACK_ASSIGN(const std::uint64_t record, find(number));
    return named(held_.shard->file_->key(record), record);
  }
  [[nodiscard]] Status copy_key(std::uint64_t number, std::string& into) {
    HOTPACK_ASSIGN(const std::uint64_t record, find(number));
    return named(held_.shard->file_->copy_key(record, into), record);
  }

 private:
  // Holds the shard of a sample. Returns the sample's record.
  [[nodiscard]] Result<std::uint64_t> find(std::uint64_t number) {
    const RecordPlace place = files_.place_of(number);
    if (held_.shard == nullptr || place.shard != shard_) {
      HOTPACK_ASSIGN(held_, files_.hold(place.shard));
      shard_ = place.shard;
    }
    return place.record;
  }
  template <class R>
  static R named(R read, std::uint64_t record) {
    if (read.ok()) return read;
    return reader::name_record(std::move(read).error(), record, {});
  }

  DatasetFiles& files_;
  std::size_t shard_ = 0;
  reader::HeldShard held_;
};

Result<std::string_view> Dataset::Impl::lasting_key(Process& process, HeldReader& reader,
                                                    std::uint64_t number) const {
  if (!process.mapped->unmaps()) return reader.key(number);
  std::string copy;
  HOTPACK_TRY(reader.copy_key(number, copy));
  const std::lock_guard lock(process.copying);
  return std::string_view(*process.keys.insert(std::move(copy)).first);
}

Status Dataset::Impl::build_index(Process& process) const {
  // grows as shards open; the manifest's number of records is not trusted
  std::vector<KeyPlace> places;
  HeldReader reader(*process.mapped);
  std::string key;
  for (std::uint64_t number = 0; number < contents->records; ++number) {
    HOTPACK_TRY(reader.copy_key(number, key));
    places.push_back({xxh3_64(bytes_of(key)), number});
  }
  std::sort(places.begin(), places.end());
  process.index = std::move(places);
  process.indexed = true;
  return {};
}

std::shared_ptr<DatasetFiles> reader::DatasetFiles::of(const Dataset& dataset, MapMode mode) {
  const Dataset::Impl::Process& process = dataset.impl_->process();
  return mode == MapMode::mapped ? process.mapped : process.tables;
}

Dataset::Dataset(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Dataset::~Dataset() = default;
Dataset::Dataset(Dataset&&) noexcept = default;
Dataset& Dataset::operator=(Dataset&&) noexcept = default;

Result<Dataset> Dataset::open(const std::string& folder) { return open(std::span(&folder, 1)); }

Result<Dataset> Dataset::open(std::initializer_list<std::string_view> folders) {
  return or_out_of_memory([&] {
    const std::vector<std::string> copies(folders.begin(), folders.end());
    return open(std::span(copies));
  });
}

Result<Dataset> Dataset::open(std::span<const std::string> folders) {
  if (folders.empty())
    return usage_error("no folder was given; give at least one folder of a data set");
  return or_out_of_memory([&]() -> Result<Dataset> {
    Contents contents;
    for (const std::string& folder : folders) HOTPACK_TRY(add_pack(folder, contents));
    contents.fingerprint = fingerprint_of(contents);
    return Dataset(std::make_unique<Impl>(std::move(contents)));
  });
}

const Schema& Dataset::schema() const { return impl_->contents->schema; }
std::uint64_t Dataset::records() const { return impl_->contents->records; }
const std::string& Dataset::fingerprint() const { return impl_->contents->fingerprint; }
std::span<const PackInfo> Dataset::packs() const { return impl_->contents->packs; }
std::span<const ShardInfo> Dataset::shards() const { return impl_->contents->shards; }

std::uint64_t Dataset::skipped() const {
  std::uint64_t sum = 0;
  for (const PackInfo& pack : packs()) sum += pack.skipped;
  return sum;
}

Result<Statistics> Dataset::statistics() const {
  return or_out_of_memory([&]() -> Result<Statistics> {
    if (packs().size() == 1) return packs().front().statistics;
    Impl::Process& process = impl_->process();
    const std::lock_guard lock(process.counting);
    if (!process.statistics) {
      HOTPACK_ASSIGN(process.statistics, joined_statistics());
    }
    return *process.statistics;
  });
}

Result<Statistics> Dataset::joined_statistics() const {
  const Schema& common = schema();
  DatasetFiles& files = *impl_->process().mapped;
  format::Sums total(common.image.channels(), common.label ? common.class_count() : 0);
  for (std::size_t number = 0; number < shards().size(); ++number) {
    HOTPACK_ASSIGN(const reader::HeldShard opened, files.hold(number));
    HOTPACK_ASSIGN(const format::Sums sums, opened.shard->file_->sums());
    total.add(sums);
  }
  return format::statistics_of(total);
}

Status Dataset::check_range(std::uint64_t first, std::uint64_t count) const {
  if (first <= records() && count <= records() - first) return {};
  return usage_error("there are no " + std::to_string(count) + " samples from " +
                     std::to_string(first) + " on; the data set has " + std::to_string(records()) +
                     ", counted from 0");
}

Result<std::vector<std::string_view>> Dataset::keys(std::uint64_t first,
                                                    std::uint64_t count) const {
  return or_out_of_memory([&]() -> Result<std::vector<std::string_view>> {
    HOTPACK_TRY(check_range(first, count));
    Impl::Process& process = impl_->process();
    Impl::HeldReader reader(*process.mapped);
    std::vector<std::string_view> keys;
    keys.reserve(count);
    for (std::uint64_t number = first; number < first + count; ++number) {
      HOTPACK_ASSIGN(const std::string_view key, impl_->lasting_key(process, reader, number));
      keys.push_back(key);
    }
    return keys;
  });
}

Result<std::vector<std::string>> Dataset::copied_keys(std::uint64_t first,
                                                      std::uint64_t count) const {
  return or_out_of_memory([&]() -> Result<std::vector<std::string>> {
    HOTPACK_TRY(check_range(first, count));
    Impl::HeldReader reader(*impl_->process().mapped);
    std::vector<std::string> keys;
    keys.reserve(count);
    for (std::uint64_t number = first; number < first + count; ++number)
      HOTPACK_TRY(reader.copy_key(number, keys.emplace_back()));
    return keys;
  });
}

Result<Dataset> Dataset::subset(std::span<const std::uint64_t> numbers) const {
  return or_out_of_memory([&]() -> Result<Dataset> {
    auto chosen = std::make_shared<std::vector<std::uint64_t>>(numbers.begin(), numbers.end());
    for (std::uint64_t& number : *chosen) {
      if (number >= records())
        return usage_error("subset: there is no sample " + std::to_string(number) +
                           "; the data set has " + std::to_string(records()) + ", counted from 0");
      if (impl_->contents->subset) number = (*impl_->contents->subset)[number];
    }
    Contents contents = *impl_->contents;
    contents.records = chosen->size();
    contents.subset = std::move(chosen);
    contents.fingerprint = fingerprint_of(contents);
    return Dataset(std::make_unique<Impl>(std::move(contents)));
  });
}

Result<Sample> Dataset::sample(std::uint64_t number) const {
  return or_out_of_memory([&] { return impl_->sample(number); });
}
Result<const Shard*> Dataset::shard(std::size_t number) const {
  return or_out_of_memory([&]() -> Result<const Shard*> {
    if (number >= shards().size())
      return usage_error("there is no shard " + std::to_string(number) + "; the data set has " +
                         std::to_string(shards().size()) + ", counted from 0");
    return impl_->process().mapped->keep(number);
  });
}

Result<std::optional<std::uint64_t>> Dataset::find(std::string_view key) const {
  return or_out_of_memory([&] { return impl_->find(key); });
}

Result<std::optional<std::uint64_t>> Dataset::Impl::find(std::string_view key) const {
  Process& process = this->process();
  {
    const std::lock_guard lock(process.indexing);
    if (!process.indexed) HOTPACK_TRY(build_index(process));
  }
  const std::uint64_t hash = xxh3_64(bytes_of(key));
  auto place = std::lower_bound(process.index.begin(), process.index.end(), KeyPlace{hash, 0});
  HeldReader reader(*process.mapped);
  std::string found;
  for (; place != process.index.end() && place->hash == hash; ++place) {
    HOTPACK_TRY(reader.copy_key(place->number, found));
    if (found == key) return std::optional(place->number);
  }
  return std::optional<std::uint64_t>();
}

}  // namespace hotpack
