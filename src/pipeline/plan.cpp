#include "pipeline/plan.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/checked.hpp"
#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/try.hpp"
#include "format/json.hpp"
#include "format/schema_json.hpp"
#include "geometry/resample.hpp"
#include "writer/frame_compressor.hpp"

namespace hotpack::pipeline {

namespace {

// A record larger than this is more likely a mistake (one-hot of thousands of classes) than a wish, and would need as much memory a thread.
constexpr std::uint64_t kMaxRecordBytes = std::uint64_t{2} << 30;

std::array<std::int64_t, 3> image_shape(const RecordOptions& record) {
  const std::int64_t channels = record.color == ImageColor::rgb ? 3 : 1;
  if (record.layout == ImageLayout::chw) return {channels, record.size.height, record.size.width};
  return {record.size.height, record.size.width, channels};
}

LabelField label_field(const RecordOptions& record, const LabelSetup& setup) {
  LabelField field;
  field.kind = *setup.kind;
  field.storage = record.label_storage;
  std::vector<std::int64_t> shape;
  if (field.kind == LabelKind::pixel) shape = {record.size.height, record.size.width};
  const auto classes = static_cast<std::int64_t>(setup.table.classes.size());
  if (field.storage == LabelStorage::bits) shape.push_back((classes + 7) / 8);
  if (field.storage == LabelStorage::onehot) shape.push_back(classes);
  field.shape = std::move(shape);
  return field;
}

std::vector<std::int64_t> pad_values(const RecordOptions& record) {
  if (record.color == ImageColor::rgb) return {record.pad_color[0], record.pad_color[1], record.pad_color[2]};
  return {(299 * record.pad_color[0] + 587 * record.pad_color[1] + 114 * record.pad_color[2] + 500) / 1000};
}

bool compresses(const ShardOptions& shard, const LabelSetup& setup) { return shard.zstd_image || (shard.zstd_label && setup.kind); }

std::vector<std::string> engines(bool zstd) {
  std::vector<std::string> tokens;
  if (const std::string resize = geometry::resize_engine(); !resize.empty()) tokens.push_back(resize);
  if (zstd) tokens.push_back(writer::compressor_engine());
  std::sort(tokens.begin(), tokens.end());
  return tokens;
}

std::string fields_text(bool image, bool label) {
  if (image && label) return R"(["image","label"])";
  return image ? R"(["image"])" : R"(["label"])";
}

// The options after the four fixed ones; FORMAT.md lists them in this order.
std::vector<std::pair<std::string, std::string>> further_options(const PackOptions& options, const LabelSetup& setup) {
  const auto text_or_null = [](bool present, const std::string& text) {
    return present ? format::canonical_string(text) : std::string("null");
  };
  const bool label_files = setup.decoder.has_value();
  std::vector<std::pair<std::string, std::string>> more{
      {"label_kind", text_or_null(setup.kind.has_value(), setup.label_kind)},
      {"threshold", setup.threshold ? std::to_string(*setup.threshold) : "null"},
      {"unknown", text_or_null(label_files, setup.unknown)},
      {"pad_label", text_or_null(label_files, setup.pad_label)},
      {"exif", format::canonical_string(exif_policy_name(options.record.exif))},
      {"alpha", format::canonical_string("drop")},
      {"depth16", format::canonical_string(options.record.depth16 == codecs::Depth16::shift ? "shift" : "scale")},
  };
  // Changes no byte of a packed sample, but which samples --on-error skip leaves out: another limit must not keep old shards.
  if (options.record.max_pixels != RecordOptions().max_pixels) more.emplace_back("max_pixels", std::to_string(options.record.max_pixels));
  if (compresses(options.shard, setup)) {
    more.emplace_back("zstd_fields", fields_text(options.shard.zstd_image, options.shard.zstd_label && setup.kind));
    more.emplace_back("zstd_level", std::to_string(options.shard.zstd_level));
  }
  return more;
}

std::string keys_digest(const SampleList& list) {
  format::KeysDigest digest;
  for (const Sample& sample : list.samples) digest.add(list.key(sample));
  return digest.text();
}

Status measure_records(Plan& plan) {
  plan.image_bytes = format::image_record_bytes(plan.schema);
  plan.label_bytes = format::label_record_bytes(plan.schema);
  const auto total = checked_add(plan.image_bytes, plan.label_bytes);
  if (total && *total <= kMaxRecordBytes) return {};
  return usage_error("one record takes " + (total ? std::to_string(*total) : std::string("more than 2^64")) + " bytes, the limit is " +
                     std::to_string(kMaxRecordBytes) + ": choose a smaller --size, or --label-storage index");
}

void cut_shards(const ShardOptions& options, const SampleList& list, Plan& plan) {
  const std::uint64_t total = list.samples.size();
  const std::uint64_t by_bytes = options.shard_bytes / (plan.image_bytes + plan.label_bytes);
  const std::uint64_t size = std::max<std::uint64_t>(1, options.shard_samples.value_or(by_bytes));
  const std::uint64_t count = std::max<std::uint64_t>(1, total / size + (total % size != 0));
  plan.shards.resize(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < count; ++i) {
    ShardPlan& shard = plan.shards[static_cast<std::size_t>(i)];
    shard.first = i * size;
    shard.samples = std::min(size, total - shard.first);
    format::SourcesDigest sources;
    for (std::uint64_t s = shard.first; s < shard.first + shard.samples; ++s) {
      const Sample& sample = list.samples[static_cast<std::size_t>(s)];
      sources.add(list.key(sample), sample.image.bytes, sample.label.bytes, sample.class_id);
      shard.key_bytes += sample.image.key_length;
    }
    shard.sources = sources.text();
  }
}

}  // namespace

std::string_view size_mismatch_name(SizeMismatch policy) { return policy == SizeMismatch::error ? "error" : "each-to-target"; }

std::string_view exif_policy_name(ExifPolicy policy) {
  if (policy == ExifPolicy::automatic) return "auto";
  return policy == ExifPolicy::apply ? "apply" : "ignore";
}

format::Metadata Plan::metadata(std::size_t shard) const {
  return {std::string(format::kVersion), plan_text, schema_text, shards[shard].sources, {}};
}

bool Plan::compressed() const {
  return std::any_of(schema.options.engines.begin(), schema.options.engines.end(),
                     [](const std::string& e) { return e.starts_with("zstd:"); });
}

format::Contents Plan::contents(const ShardPlan& shard) const {
  format::Contents contents;
  contents.records = shard.samples;
  contents.key_bytes = shard.key_bytes;
  for (const auto& [name, value] : schema.options.more) {
    if (name != "zstd_fields") continue;
    contents.image_zstd = value.find("\"image\"") != std::string::npos;
    contents.label_zstd = value.find("\"label\"") != std::string::npos;
  }
  contents.image_stored_bytes = shard.samples * writer::frame_bound(image_bytes);
  contents.label_stored_bytes = shard.samples * writer::frame_bound(label_bytes);
  return contents;
}

Result<std::uint64_t> Plan::shard_file_bytes(std::size_t shard) const {
  HOTPACK_ASSIGN(const format::Layout layout, format::plan_layout(metadata(shard), schema, contents(shards[shard])));
  return layout.file_bytes();
}

Schema make_schema(const PackOptions& options, const LabelSetup& setup) {
  Schema schema;
  schema.image = {options.record.layout, image_shape(options.record), options.record.color};
  if (setup.kind) {
    schema.label = label_field(options.record, setup);
    schema.classes = setup.table.classes;
    schema.ignore = setup.table.ignore;
  }
  schema.geometry.size = {options.record.size.width, options.record.size.height};
  schema.geometry.fit = fit_name(options.record.fit);
  schema.geometry.image_filter = geometry::image_filter_name(options.record.image_filter);
  schema.geometry.label_filter = geometry::label_filter_name(options.record.label_filter);
  schema.geometry.pad_color = pad_values(options.record);
  schema.options.shuffle = options.shard.shuffle_seed;
  schema.options.anchor = anchor_name(options.record.anchor);
  schema.options.size_mismatch = size_mismatch_name(options.record.size_mismatch);
  schema.options.engines = engines(compresses(options.shard, setup));
  schema.options.more = further_options(options, setup);
  return schema;
}

void order_samples(std::optional<std::uint64_t> shuffle_seed, SampleList& list) {
  std::sort(list.samples.begin(), list.samples.end(), [&](const Sample& a, const Sample& b) { return list.key(a) < list.key(b); });
  if (!shuffle_seed) return;
  // Ranks are computed once a sample; the sort moves 24-byte entries, then the samples are permuted.
  struct Entry {
    Hash128 rank;
    std::uint64_t index;
  };
  std::vector<Entry> entries(list.samples.size());
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = {format::shuffle_rank(*shuffle_seed, list.key(list.samples[i])), i};
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return std::pair(a.rank, a.index) < std::pair(b.rank, b.index); });
  std::vector<Sample> shuffled;
  shuffled.reserve(entries.size());
  for (const Entry& entry : entries) shuffled.push_back(list.samples[static_cast<std::size_t>(entry.index)]);
  list.samples = std::move(shuffled);
}

Result<Plan> make_plan(const PackOptions& options, const LabelSetup& setup, SampleList& list) {
  Plan plan;
  plan.schema = make_schema(options, setup);
  HOTPACK_ASSIGN(plan.schema_text, format::encode_schema(plan.schema));
  HOTPACK_TRY(measure_records(plan));
  order_samples(std::nullopt, list);
  plan.identity.samples = list.samples.size();
  plan.identity.keys = keys_digest(list);
  if (options.shard.shuffle_seed) order_samples(options.shard.shuffle_seed, list);
  cut_shards(options.shard, list, plan);
  plan.identity.shards = plan.shards.size();
  plan.plan_text = format::encode_plan(plan.identity);
  return plan;
}

}  // namespace hotpack::pipeline
