#include "pack/plan.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/checked.hpp"
#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/try.hpp"
#include "base/words.hpp"
#include "format/json.hpp"
#include "format/schema_json.hpp"
#include "geometry/resample.hpp"
#include "label_setup/placement.hpp"
#include "labels/one_hot.hpp"
#include "pack/jpeg_scale.hpp"
#include "writer/frame_compressor.hpp"

namespace hotpack::pipeline {

namespace {

// The most bytes of one record. A larger record is probably a mistake (one-hot with thousands of
// classes), and every thread would need as much memory.
constexpr std::uint64_t kMaxRecordBytes = std::uint64_t{2} << 30;

std::array<std::int64_t, 3> image_shape(const RecordOptions& record, Extent size) {
  const std::int64_t channels = record.color == ImageColor::rgb ? 3 : 1;
  if (record.layout == AxisOrder::channels_first) return {channels, size.height, size.width};
  return {size.height, size.width, channels};
}

// Returns the label field of the schema. `size` is absent if records have mixed sizes.
LabelField label_field(const RecordOptions& record, std::optional<Extent> size,
                       const LabelSetup& setup) {
  LabelField field;
  field.scope = *setup.scope;
  const LabelStorage usual = setup.numbers_objects() ? LabelStorage::index : LabelStorage::bits;
  field.storage = record.label_storage.value_or(usual);
  field.multi = setup.multi;
  std::vector<std::int64_t> shape;
  if (field.scope == LabelScope::pixel) {
    if (!size) return field;
    shape = {size->height, size->width};
  }
  const auto classes = static_cast<std::int64_t>(setup.table.classes.size());
  if (field.storage == LabelStorage::bits) shape.push_back((classes + 7) / 8);
  if (field.storage == LabelStorage::one_hot) shape.push_back(classes);
  field.shape = std::move(shape);
  return field;
}

std::vector<std::int64_t> pad_values(const RecordOptions& record) {
  if (record.color == ImageColor::rgb)
    return {record.pad_color[0], record.pad_color[1], record.pad_color[2]};
  return {
      (299 * record.pad_color[0] + 587 * record.pad_color[1] + 114 * record.pad_color[2] + 500) /
      1000};
}

bool compresses(const ShardOptions& shard, const LabelSetup& setup) {
  return shard.zstd_image || (shard.zstd_label && setup.scope);
}

// Returns the libraries that determine bytes of records. No library determines pixels.
std::vector<std::string> engines(bool zstd) {
  if (!zstd) return {};
  return {writer::compressor_engine()};
}

std::string fields_text(bool image, bool label) {
  if (image && label) return R"(["image","label"])";
  return image ? R"(["image"])" : R"(["label"])";
}

std::string alpha_text(const std::optional<RgbColor>& blend) {
  if (!blend) return "drop";
  return "blend=" + std::to_string((*blend)[0]) + "," + std::to_string((*blend)[1]) + "," +
         std::to_string((*blend)[2]);
}

// Adds the options of --tile, --pad-multiple and --map, if given.
void add_rare_options(const PackOptions& options, const LabelSetup& setup,
                      std::vector<std::pair<std::string, std::string>>& more) {
  const RecordOptions& record = options.record;
  if (!setup.map.empty()) more.emplace_back("map", setup.map);
  if (setup.rgb_id != labels::RgbId::none)
    more.emplace_back("rgb_id", format::canonical_string(labels::rgb_id_name(setup.rgb_id)));
  if (record.tile) {
    const auto pair = [](Extent size) {
      return "[" + std::to_string(size.width) + "," + std::to_string(size.height) + "]";
    };
    more.emplace_back("tile_overlap", std::to_string(record.tile->overlap));
    more.emplace_back("tiled_fit", format::canonical_string(packed_word_of(record.resolved_fit())));
    more.emplace_back("tiled_size", record.size == Extent{} ? "null" : pair(record.size));
  }
  if (record.pad_multiple > 1 && mixed_sizes(record))
    more.emplace_back("pad_multiple", std::to_string(record.pad_multiple));
}

// Returns the options after the four fixed ones, in the order of FORMAT.md.
std::vector<std::pair<std::string, std::string>> further_options(const PackOptions& options,
                                                                 const LabelSetup& setup) {
  const auto text_or_null = [](bool present, const std::string& text) {
    return present ? format::canonical_string(text) : std::string("null");
  };
  const bool label_files = setup.decoder.has_value();
  std::vector<std::pair<std::string, std::string>> more{
      {"label_kind", text_or_null(setup.scope.has_value(), setup.label_kind)},
      {"threshold", setup.threshold ? std::to_string(*setup.threshold) : "null"},
      {"unknown", text_or_null(label_files, setup.unknown)},
      {"pad_label", text_or_null(label_files, setup.pad_label)},
      {"exif", format::canonical_string(packed_word_of(options.record.exif))},
      {"alpha", format::canonical_string(alpha_text(options.record.alpha_blend))},
      {"depth16",
       format::canonical_string(options.record.depth16 == Depth16::shift ? "shift" : "scale")},
  };
  add_rare_options(options, setup, more);
  // The limit of pixels and --lenient are part of the schema although they change no byte of a
  // record: they decide which samples --on-error skip leaves out. So shards that were packed with
  // others are not kept.
  if (options.record.max_pixels != RecordOptions().max_pixels)
    more.emplace_back("max_pixels", std::to_string(options.record.max_pixels));
  if (options.record.lenient) more.emplace_back("lenient", "true");
  if (compresses(options.shard, setup)) {
    more.emplace_back("zstd_fields", fields_text(options.shard.zstd_image,
                                                 options.shard.zstd_label && setup.scope));
    more.emplace_back("zstd_level", std::to_string(options.shard.zstd_level));
  }
  return more;
}

std::string keys_digest(const SampleList& list) {
  format::KeysDigest digest;
  for (const Sample& sample : list.samples) digest.add(list.key(sample));
  return digest.text();
}

// Returns the bytes of a record whose image has this size.
RecordBytes record_bytes(const Schema& schema, Extent size) {
  const std::uint64_t pixels =
      static_cast<std::uint64_t>(size.width) * static_cast<std::uint64_t>(size.height);
  RecordBytes bytes{pixels * static_cast<std::uint64_t>(schema.image.channels()), 0};
  if (!schema.label) return bytes;
  const std::uint64_t places = schema.label->scope == LabelScope::pixel ? pixels : 1;
  bytes.label = labels::encoded_bytes(schema.label->storage, places, schema.class_count());
  return bytes;
}

Status measure_records(const SampleList& list, Plan& plan) {
  if (!plan.mixed())
    plan.largest = {format::image_record_bytes(plan.schema),
                    format::label_record_bytes(plan.schema)};
  const Sample* largest = nullptr;
  for (std::size_t i = 0; plan.mixed() && i < list.samples.size(); ++i) {
    const RecordBytes bytes = plan.bytes_of(list.samples[i]);
    if (bytes.total() > plan.largest.total()) plan.largest = bytes, largest = &list.samples[i];
  }
  if (plan.largest.image <= kMaxRecordBytes && plan.largest.total() <= kMaxRecordBytes) return {};
  const std::string sizes = std::to_string(plan.largest.image) + " + " +
                            std::to_string(plan.largest.label) + " bytes; the limit is " +
                            std::to_string(kMaxRecordBytes) + ". Choose --label-storage index, ";
  if (largest == nullptr) return usage_error("one record takes " + sizes + "or a smaller --size");
  return usage_error(list.image_path(*largest) + ": its record takes " + sizes +
                     "cut it with --tile, or leave it out with --max-pixels " +
                     std::to_string(static_cast<std::uint64_t>(largest->size.width) *
                                        static_cast<std::uint64_t>(largest->size.height) -
                                    1) +
                     " --on-error skip");
}

// Distributes samples to shards, in order.
class ShardCutter {
 public:
  ShardCutter(const ShardOptions& options, const SampleList& list, Plan& plan)
      : options_(options), list_(list), plan_(plan) {}

  void cut() {
    start_shard(0);
    for (std::size_t i = 0; i < list_.samples.size(); ++i) {
      const RecordBytes bytes = plan_.bytes_of(list_.samples[i]);
      if (is_full(bytes.total())) finish_shard(), start_shard(i);
      add(list_.samples[i], bytes);
    }
    finish_shard();
  }

 private:
  void start_shard(std::uint64_t first) {
    plan_.shards.emplace_back();
    plan_.shards.back().first = first;
    sources_ = {};
  }

  void finish_shard() { plan_.shards.back().sources = sources_.text(); }

  [[nodiscard]] bool is_full(std::uint64_t next_bytes) const {
    const ShardPlan& shard = plan_.shards.back();
    if (shard.samples == 0) return false;
    if (options_.shard_samples) return shard.samples == *options_.shard_samples;
    return shard.bytes.total() + next_bytes > options_.shard_bytes;
  }

  void add(const Sample& sample, RecordBytes bytes) {
    ShardPlan& shard = plan_.shards.back();
    ++shard.samples;
    shard.key_bytes += sample.image.key_length;
    shard.bytes = {shard.bytes.image + bytes.image, shard.bytes.label + bytes.label};
    shard.bounds = {shard.bounds.image + writer::frame_bound(bytes.image),
                    shard.bounds.label + writer::frame_bound(bytes.label)};
    sources_.add(list_.key(sample), sample.image.bytes, label_bytes(list_, sample),
                 sample.class_id);
  }

  const ShardOptions& options_;
  const SampleList& list_;
  Plan& plan_;
  format::SourcesDigest sources_;
};

// Appends the tiles of one image, whose keys begin with its key.
void add_tiles(const RecordOptions& options, const Sample& sample, std::string_view key,
               TextArena& arena, std::vector<Sample>& tiles) {
  std::vector<Corner> corners{{0, 0}};
  if (sample.size != Extent{})
    corners = tile_corners(*options.tile, canvas_of(options, sample.size).size);
  for (const Corner& corner : corners) {
    const std::string place = "@" + std::to_string(corner.x) + "," + std::to_string(corner.y);
    Sample& tile = tiles.emplace_back(sample);
    tile.image.key = arena.add(key, place);
    tile.image.key_length = static_cast<std::uint16_t>(key.size() + place.size());
    tile.tile_x = corner.x;
    tile.tile_y = corner.y;
  }
}

}  // namespace

format::Metadata Plan::metadata(std::size_t shard) const {
  return {std::string(format::kVersion), plan_text, schema_text, shards[shard].sources, {}};
}

bool Plan::compressed() const {
  return std::any_of(schema.options.engines.begin(), schema.options.engines.end(),
                     [](const std::string& e) { return e.starts_with("zstd:"); });
}

bool Plan::exact() const { return !compressed() && !format::has_class_rows(schema); }

format::Contents Plan::contents(const ShardPlan& shard) const {
  format::Contents contents;
  contents.records = shard.samples;
  contents.key_bytes = shard.key_bytes;
  for (const auto& [name, value] : schema.options.more) {
    if (name != "zstd_fields") continue;
    contents.image_zstd = value.find("\"image\"") != std::string::npos;
    contents.label_zstd = value.find("\"label\"") != std::string::npos;
  }
  contents.image_stored_bytes = contents.image_zstd ? shard.bounds.image : shard.bytes.image;
  contents.label_stored_bytes = contents.label_zstd ? shard.bounds.label : shard.bytes.label;
  return contents;
}

RecordBytes Plan::bytes_of(const Sample& sample) const {
  if (!mixed()) return largest;
  if (sample.size == Extent{}) return {};
  return record_bytes(schema, record_extent(record, sample.size));
}

Result<std::uint64_t> Plan::shard_file_bytes(std::size_t shard) const {
  format::Contents most = contents(shards[shard]);
  most.class_rows = most.records * format::counted_classes(schema);
  HOTPACK_ASSIGN(const format::Layout layout, format::plan_layout(metadata(shard), schema, most));
  return layout.file_bytes();
}

Schema make_schema(const PackOptions& options, const LabelSetup& setup) {
  Schema schema;
  std::optional<Extent> size;
  if (!mixed_sizes(options.record)) size = record_extent(options.record, {1, 1});
  schema.image = {options.record.layout, {}, options.record.color};
  if (size) schema.image.shape = image_shape(options.record, *size);
  if (setup.scope) {
    schema.label = label_field(options.record, size, setup);
    schema.classes = setup.table.classes;
    schema.ignore = setup.table.ignore;
  }
  if (size) schema.geometry.size = {size->width, size->height};
  schema.geometry.fit =
      options.record.tile ? "tile" : packed_word_of(options.record.resolved_fit());
  schema.geometry.image_filter = packed_word_of(options.record.image_filter);
  schema.geometry.label_filter = packed_word_of(options.record.label_filter);
  schema.geometry.pad_color = pad_values(options.record);
  schema.options.shuffle = options.shard.shuffle_seed;
  schema.options.anchor = packed_word_of(options.record.anchor);
  schema.options.size_mismatch = packed_word_of(options.record.size_mismatch);
  schema.options.engines = engines(compresses(options.shard, setup));
  schema.options.more = further_options(options, setup);
  return schema;
}

void order_samples(std::optional<std::uint64_t> shuffle_seed, SampleList& list) {
  const auto before = [&](const Sample& a, const Sample& b) { return list.key(a) < list.key(b); };
  if (!std::is_sorted(list.samples.begin(), list.samples.end(), before))
    std::sort(list.samples.begin(), list.samples.end(), before);
  if (!shuffle_seed) return;
  // Each rank is computed once. The sort moves 24-byte entries; then the samples are permuted.
  struct Entry {
    Hash128 rank;
    std::size_t index;
  };
  std::vector<Entry> entries(list.samples.size());
  for (std::size_t i = 0; i < entries.size(); ++i)
    entries[i] = {format::shuffle_rank(*shuffle_seed, list.key(list.samples[i])), i};
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.rank, a.index) < std::pair(b.rank, b.index);
  });
  // In place: the samples of each cycle of the permutation move on by one. An entry that is done
  // points to itself.
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Sample first = list.samples[i];
    std::size_t to = i;
    while (entries[to].index != i) {
      const std::size_t from = std::exchange(entries[to].index, to);
      list.samples[to] = list.samples[from];
      to = from;
    }
    list.samples[to] = first;
    entries[to].index = to;
  }
}

void cut_into_tiles(const RecordOptions& options, SampleList& list) {
  if (!options.tile) return;
  // A new arena, because other splits may have the text of this one, too.
  TextArena arena;
  std::vector<Sample> tiles;
  for (Sample sample : list.samples) {
    const std::string_view key = list.key(sample);
    sample.image.text = arena.add(list.images.text(sample.image));
    add_tiles(options, sample, key, arena, tiles);
  }
  list.images.arena = std::move(arena);
  list.samples = std::move(tiles);
}

Result<Plan> make_plan(const PackOptions& options, const LabelSetup& setup, SampleList& list) {
  Plan plan;
  plan.schema = make_schema(options, setup);
  if (may_scale_jpegs(options.record, list)) {
    plan.scales_jpegs = options.record.jpeg_scale == JpegScale::automatic;
    plan.schema.options.more.emplace_back(
        "jpeg_scale", format::canonical_string(word_of(options.record.jpeg_scale)));
  }
  HOTPACK_ASSIGN(plan.schema_text, format::encode_schema(plan.schema));
  plan.record = options.record;
  HOTPACK_TRY(measure_records(list, plan));
  order_samples(std::nullopt, list);
  plan.identity.samples = list.samples.size();
  plan.identity.keys = keys_digest(list);
  if (options.shard.shuffle_seed) order_samples(options.shard.shuffle_seed, list);
  ShardCutter(options.shard, list, plan).cut();
  plan.identity.shards = plan.shards.size();
  plan.plan_text = format::encode_plan(plan.identity);
  return plan;
}

}  // namespace hotpack::pipeline
