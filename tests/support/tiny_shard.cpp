#include "support/tiny_shard.hpp"

#include <zstd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <future>
#include <span>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

#include "base/checksum.hpp"
#include "base/endian.hpp"
#include "format/plan_text.hpp"
#include "format/schema_json.hpp"
#include "format/shard_tables.hpp"

namespace hotpack::test {
namespace {

using format::DType;
using format::Tensor;

template <class T>
T require(Result<T> result) {
  if (!result.ok()) throw std::logic_error(result.error().describe());
  return std::move(result).value();
}

std::size_t pixels_of(Extent size) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
}

int channels_of(const TinyForm& form) { return form.color == ImageColor::rgb ? 3 : 1; }

bool inside(const Region& region, int x, int y) {
  return x >= region.x && x < region.x + region.width && y >= region.y &&
         y < region.y + region.height;
}

// Number `i` of a sequence that looks random and is the same everywhere.
std::uint32_t noise(std::size_t i) {
  auto x = static_cast<std::uint32_t>(i) * 2654435761u + 12345u;
  x ^= x >> 15;
  x *= 2246822519u;
  return x ^ x >> 13;
}

std::string key_of(std::size_t number) {
  const std::string digits = std::to_string(number);
  return "street/sample " + std::string(digits.size() < 4 ? 4 - digits.size() : 0, '0') + digits;
}

std::string skipped_key(std::uint64_t number) { return "~skipped/" + std::to_string(number); }

std::vector<std::uint16_t> classes_at(const TinyForm& form, std::size_t seed) {
  const std::uint32_t dice = noise(seed);
  const auto count = static_cast<std::uint32_t>(form.classes);
  if (dice % 5 == 0 && form.scope == LabelScope::pixel) return {};
  const auto first = static_cast<std::uint16_t>((dice >> 3) % count);
  const auto second = static_cast<std::uint16_t>((dice >> 13) % count);
  if (!form.multi || first == second) return {first};
  return {std::min(first, second), std::max(first, second)};
}

void place_source(const TinyForm& form, std::size_t number, TinyRecord& record) {
  const int shift = static_cast<int>(number % 3);
  if (form.size) {
    record.size = *form.size;
    record.source = {record.size.width + 2 - 2 * shift, record.size.height - 1 + shift};
    record.region = fit_region(Fit::crop_or_pad, Anchor::center, record.source, record.size);
  } else {
    record.size = record.source = {4 + shift, 3 + static_cast<int>(number % 2)};
    record.region = fit_region(Fit::none, Anchor::center, record.source, record.size);
  }
}

void paint(const TinyForm& form, std::size_t number, TinyRecord& record) {
  const auto channels = static_cast<std::size_t>(channels_of(form));
  record.image.assign(pixels_of(record.size) * channels, 0);
  record.labels.assign(form.labeled && form.scope == LabelScope::pixel ? pixels_of(record.size) : 0,
                       {});
  std::size_t pixel = 0;
  for (int y = 0; y < record.size.height; ++y) {
    for (int x = 0; x < record.size.width; ++x, ++pixel) {
      if (!inside(record.region, x, y)) continue;
      const std::size_t seed = number * 1000 + pixel;
      for (std::size_t c = 0; c < channels; ++c)
        record.image[pixel * channels + c] = static_cast<std::uint8_t>(noise(seed * 3 + c));
      if (!record.labels.empty()) record.labels[pixel] = classes_at(form, seed);
    }
  }
  if (form.labeled && form.scope == LabelScope::image)
    record.labels = {classes_at(form, number + 7)};
}

void store_classes(const TinyForm& form, const std::vector<std::uint16_t>& classes,
                   std::vector<std::byte>& out) {
  const auto count = static_cast<std::size_t>(form.classes);
  const std::size_t start = out.size();
  switch (form.storage) {
    case LabelStorage::bits:
      out.resize(start + (count + 7) / 8);
      for (const std::uint16_t c : classes) out[start + c / 8u] |= std::byte{1} << (c % 8);
      return;
    case LabelStorage::one_hot:
      out.resize(start + count);
      for (const std::uint16_t c : classes) out[start + c] = std::byte{1};
      return;
    case LabelStorage::index:
      out.resize(start + (count <= 255 ? 1 : 2));
      const std::uint16_t id = classes.empty() ? 0xFFFF : classes[0];
      std::memcpy(out.data() + start, &id, out.size() - start);
      return;
  }
}

void count_image(const TinyForm& form, const TinyRecord& record, format::Sums& sums) {
  const auto channels = static_cast<std::size_t>(channels_of(form));
  std::size_t pixel = 0;
  for (int y = 0; y < record.size.height; ++y) {
    for (int x = 0; x < record.size.width; ++x, ++pixel) {
      if (!inside(record.region, x, y)) continue;
      ++sums.pixels_counted;
      for (std::size_t c = 0; c < channels; ++c) {
        const std::uint64_t value = record.image[pixel * channels + c];
        sums.channel_sums[c] += value;
        sums.channel_squares[c] += value * value;
      }
    }
  }
}

void count_label(const TinyRecord& record, format::Sums& sums) {
  std::vector<std::uint64_t> pixels(sums.classes.size());
  std::uint64_t labeled = 0;
  for (const auto& classes : record.labels) {
    if (!classes.empty()) ++labeled;
    for (const std::uint16_t c : classes) ++pixels[c];
  }
  sums.ignored += record.labels.size() - labeled;
  for (std::size_t c = 0; c < pixels.size(); ++c) {
    if (pixels[c] == 0) continue;
    sums.classes[c].pixels += pixels[c];
    sums.classes[c].samples += 1;
    sums.classes[c].labeled += labeled;
  }
}

std::vector<std::byte> compressed(const std::vector<std::byte>& bytes) {
  std::vector<std::byte> frame(ZSTD_compressBound(bytes.size()));
  const std::size_t size = ZSTD_compress(frame.data(), frame.size(), bytes.data(), bytes.size(), 1);
  if (ZSTD_isError(size)) throw std::logic_error(ZSTD_getErrorName(size));
  frame.resize(size);
  return frame;
}

format::RecordEntry entry_of(const TinyForm& form, const TinyRecord& record) {
  format::RecordEntry entry;
  entry.key = record.key;
  const bool label_file = form.labeled && form.scope == LabelScope::pixel;
  entry.source_hash = {xxh3_64(bytes_of(record.key)),
                       label_file ? xxh3_64(bytes_of(record.key + " label")) : 0};
  entry.source_size = {record.source.width, record.source.height};
  entry.source_region = {record.region.x, record.region.y, record.region.width,
                         record.region.height};
  const int channels = channels_of(form), height = record.size.height, width = record.size.width;
  entry.image_shape = form.layout == AxisOrder::channels_first
                          ? std::array{channels, height, width}
                          : std::array{height, width, channels};
  if (form.labeled)
    entry.label_shape = {height, width, static_cast<int>(format::label_depth(tiny_schema(form)))};
  return entry;
}

// The payload fields of a shard, record after record.
struct Payloads {
  std::vector<std::byte> image, label, depth;

  // Appends a record and its entries in the tables.
  format::RecordEntry append(const TinyForm& form, const TinyRecord& record) {
    format::RecordEntry entry = entry_of(form, record);
    const std::vector<std::byte> pixels = stored_image(form, record),
                                 classes = stored_label(form, record);
    entry.image_crc = crc32c(pixels);
    entry.label_crc = crc32c(classes);
    std::tie(entry.image_stored, entry.image_frame_crc) =
        append_to(image, form.image_zstd ? compressed(pixels) : pixels);
    std::tie(entry.label_stored, entry.label_frame_crc) =
        append_to(label, form.label_zstd ? compressed(classes) : classes);
    if (form.later) append_to(depth, stored_depth(record));
    return entry;
  }

  // By the name of a tensor; null for a filler.
  [[nodiscard]] const std::vector<std::byte>* of(std::string_view tensor) const {
    return tensor.starts_with("image")   ? &image
           : tensor.starts_with("label") ? &label
           : tensor == "depth"           ? &depth
                                         : nullptr;
  }

 private:
  static std::pair<std::uint64_t, std::uint32_t> append_to(std::vector<std::byte>& all,
                                                           const std::vector<std::byte>& stored) {
    all.insert(all.end(), stored.begin(), stored.end());
    return {stored.size(), crc32c(stored)};
  }
};

std::string schema_text(const TinyForm& form) {
  std::string text = require(format::encode_schema(tiny_schema(form)));
  if (!form.later) return text;
  text.insert(text.find("},\"classes\":"), ",\"depth\":{\"unit\":\"mm\",\"shape\":null}");
  text.insert(text.find(",\"geometry\":"), ",\"later\":[1,{\"unknown\":true}]");
  return text;
}

std::string sources_of(const TinyForm& form, const std::vector<TinyRecord>& records,
                       std::uint64_t skipped) {
  format::SourcesDigest digest;
  const bool whole = form.labeled && form.scope == LabelScope::image;
  for (const auto& record : records) {
    const std::uint32_t given = whole ? record.labels[0][0] : format::SourcesDigest::kNoClass;
    digest.add(record.key, 1000 + record.key.size(), form.labeled && !whole ? 500 : 0, given);
  }
  for (std::uint64_t i = 0; i < skipped; ++i)
    digest.add(skipped_key(i), 1, 0, format::SourcesDigest::kNoClass);
  return digest.text();
}

// Adds parts of a later version: a payload field with its CRCs, and a table.
void add_later_tensors(format::TensorList& list, const TinyForm& form, std::uint64_t records) {
  const Extent size = form.size.value();
  const std::vector<std::uint64_t> shape{records, static_cast<std::uint64_t>(size.height),
                                         static_cast<std::uint64_t>(size.width)};
  list.payload.push_back({"depth", DType::u16, shape, 0, records * pixels_of(size) * 2});
  const auto after = [&](std::string_view name) {
    return std::find_if(list.tables.begin(), list.tables.end(),
                        [&](const Tensor& table) { return table.name == name; }) +
           1;
  };
  list.tables.insert(after(form.labeled ? "label.crc32c" : "image.crc32c"),
                     {"depth.crc32c", DType::u32, {records}, 0, 4 * records});
  list.tables.insert(after("shard.sums"), {"source.later", DType::u64, {records}, 0, 8 * records});
}

// Fills depth.crc32c, which encode_tables does not know, and recomputes the sum of the region.
void add_later_tables(const format::Layout& layout, const std::vector<TinyRecord>& records,
                      std::vector<std::byte>& tables) {
  const auto place = [&](std::string_view name) {
    return tables.data() + (layout.find(name)->begin - layout.tables_begin);
  };
  for (std::size_t i = 0; i < records.size(); ++i)
    store_le(place("depth.crc32c") + 4 * i, crc32c(stored_depth(records[i])));
  std::byte* sums = place("shard.crc32c");
  store_le(sums + 4, crc32c({tables.data(), static_cast<std::size_t>(sums - tables.data())}));
}

void put(std::vector<std::byte>& file, std::uint64_t offset, const void* bytes, std::size_t size) {
  if (size != 0) std::memcpy(file.data() + offset, bytes, size);
}

std::vector<std::byte> assemble(const format::Layout& layout, const std::string& header,
                                const Payloads& payloads, const std::vector<std::byte>& tables) {
  std::vector<std::byte> file(layout.file_bytes());
  put(file, 0, header.data(), header.size());
  for (const Tensor& tensor : layout.tensors) {
    if (tensor.begin >= layout.tables_begin) break;
    const auto* payload = payloads.of(tensor.name);
    if (payload != nullptr)
      put(file, layout.buffer_start() + tensor.begin, payload->data(), payload->size());
  }
  put(file, layout.buffer_start() + layout.tables_begin, tables.data(), tables.size());
  return file;
}

std::uint64_t key_bytes(const std::vector<TinyRecord>& records) {
  std::uint64_t total = 0;
  for (const auto& record : records) total += record.key.size();
  return total;
}

format::Layout layout_of(const TinyForm& form, const format::Metadata& metadata,
                         const format::Contents& contents) {
  format::TensorList list = require(format::list_tensors(tiny_schema(form), contents));
  if (form.later) add_later_tensors(list, form, contents.records);
  return require(format::place_tensors(metadata, list));
}

format::Manifest empty_manifest(const TinyForm& form, const format::PlanIdentity& plan) {
  format::Manifest manifest;
  manifest.format = form.later ? "1.1" : "1.0";
  manifest.plan = plan;
  manifest.plan_text = encode_plan(plan);
  manifest.schema = tiny_schema(form);
  manifest.schema_text = schema_text(form);
  manifest.fingerprint = format::fingerprint(manifest.schema_text, manifest.plan_text);
  return manifest;
}

format::ShardRow row_of(const TinyShard& shard, std::string file, std::uint64_t records) {
  const std::span<const std::byte> bytes(shard.bytes);
  const std::uint64_t start = shard.layout.buffer_start();
  return {
      std::move(file), records, shard.bytes.size(), shard.metadata.sources,
      format::shard_digest(bytes.first(start), bytes.subspan(start + shard.layout.tables_begin))};
}

void write_file(const std::string& path, const void* bytes, std::size_t size) {
  std::ofstream file(path, std::ios::binary);
  file.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
  if (!file.flush()) throw std::logic_error("cannot write " + path);
}

}  // namespace

Schema tiny_schema(const TinyForm& form) {
  Schema schema;
  schema.image.layout = form.layout;
  schema.image.color = form.color;
  if (form.labeled) {
    schema.label = LabelField{form.scope, form.storage, {}, form.multi};
    for (int c = 0; c < form.classes; ++c) {
      const auto shade = static_cast<std::uint8_t>(80 * c);
      schema.classes.push_back(
          {"class " + std::to_string(c), RgbColor{shade, 255, 0}, {std::int64_t{c}}});
      if (c == 1) schema.classes.back().color.reset();
    }
    schema.ignore = {std::int64_t{form.classes <= 255 ? 255 : 65535}};
  }
  if (form.size) schema.geometry.size = {form.size->width, form.size->height};
  schema.geometry.fit = form.size ? "crop-or-pad" : "none";
  schema.geometry.image_filter = "auto";
  schema.geometry.label_filter = "nearest";
  schema.geometry.pad_color.assign(static_cast<std::size_t>(channels_of(form)), 0);
  if (form.image_zstd || form.label_zstd)
    schema.options.engines = {std::string("zstd:") + ZSTD_versionString()};
  const bool files = form.labeled && form.scope == LabelScope::pixel;
  schema.options.more = {{"label_kind", !form.labeled ? "null"
                                        : files       ? "\"index\""
                                                      : "\"folder\""},
                         {"threshold", "null"},
                         {"unknown", files ? "\"error\"" : "null"},
                         {"pad_label", files ? "\"ignore\"" : "null"},
                         {"exif", "\"auto\""},
                         {"alpha", "\"drop\""},
                         {"depth16", "\"shift\""}};
  format::fill_shapes(schema);
  return schema;
}

std::vector<TinyRecord> tiny_records(const TinyForm& form, std::size_t count, std::size_t first) {
  std::vector<TinyRecord> records(count);
  for (std::size_t i = 0; i < count; ++i) {
    records[i].key = key_of(first + i);
    place_source(form, first + i, records[i]);
    paint(form, first + i, records[i]);
  }
  return records;
}

std::vector<std::byte> stored_image(const TinyForm& form, const TinyRecord& record) {
  const auto* pixels = reinterpret_cast<const std::byte*>(record.image.data());
  std::vector<std::byte> bytes(pixels, pixels + record.image.size());
  if (form.layout == AxisOrder::channels_last) return bytes;
  const std::size_t count = pixels_of(record.size),
                    channels = static_cast<std::size_t>(channels_of(form));
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t i = 0; i < count; ++i) bytes[c * count + i] = pixels[i * channels + c];
  }
  return bytes;
}

std::vector<std::byte> stored_label(const TinyForm& form, const TinyRecord& record) {
  std::vector<std::byte> bytes;
  for (const auto& classes : record.labels) store_classes(form, classes, bytes);
  return bytes;
}

std::vector<std::byte> stored_depth(const TinyRecord& record) {
  std::vector<std::byte> bytes(2 * pixels_of(record.size));
  for (std::size_t i = 0; i < bytes.size() / 2; ++i)
    store_le(bytes.data() + 2 * i, static_cast<std::uint16_t>(1000 + 7 * i));
  return bytes;
}

format::PlanIdentity tiny_plan(const std::vector<TinyRecord>& records, std::uint64_t shards,
                               std::uint64_t skipped) {
  format::KeysDigest digest;
  for (const auto& record : records) digest.add(record.key);
  for (std::uint64_t i = 0; i < skipped; ++i) digest.add(skipped_key(i));
  return {records.size() + skipped, shards, digest.text()};
}

TinyShard make_shard(const TinyForm& form, const std::vector<TinyRecord>& records,
                     const format::PlanIdentity& plan, std::uint64_t skipped) {
  TinyShard shard;
  shard.metadata = {form.later ? "1.1" : "1.0",
                    encode_plan(plan),
                    schema_text(form),
                    sources_of(form, records, skipped),
                    {}};
  if (form.later) shard.metadata.more = {{"hotpack.later", "what 1.0 does not know"}};
  shard.sums =
      format::Sums(channels_of(form), form.labeled ? static_cast<std::size_t>(form.classes) : 0);
  shard.sums.skipped = skipped;
  Payloads payloads;
  std::vector<std::pair<format::RecordEntry, format::Sums>> entries;
  std::uint64_t class_rows = 0;
  for (const auto& record : records) {
    format::Sums one(shard.sums.channels, shard.sums.classes.size());
    count_image(form, record, one);
    count_label(record, one);
    shard.sums.add(one);
    for (const auto& count : one.classes) class_rows += count.pixels > 0 ? 1 : 0;
    entries.emplace_back(payloads.append(form, record), std::move(one));
  }
  const format::Contents contents{records.size(),  key_bytes(records),    form.image_zstd,
                                  form.label_zstd, payloads.image.size(), payloads.label.size(),
                                  class_rows};
  shard.layout = layout_of(form, shard.metadata, contents);
  const std::string header = format::encode_header(shard.metadata, shard.layout);
  format::TableBuilder builder(shard.layout);
  for (const auto& [entry, sums] : entries)
    if (const Status added = builder.add(entry, sums); !added.ok())
      throw std::logic_error(added.error().describe());
  std::vector<std::byte> tables = builder.finish(shard.layout, shard.sums, header);
  if (form.later) add_later_tables(shard.layout, records, tables);
  shard.bytes = assemble(shard.layout, header, payloads, tables);
  return shard;
}

TinyShard make_shard(const TinyForm& form, std::size_t records) {
  const auto samples = tiny_records(form, records);
  return make_shard(form, samples, tiny_plan(samples));
}

format::Manifest write_pack(const std::string& folder, const TinyForm& form,
                            const std::vector<TinyRecord>& records, std::size_t per_shard,
                            std::uint64_t skipped) {
  const std::size_t planned = records.size() + skipped;
  const std::size_t count = std::max<std::size_t>(1, (planned + per_shard - 1) / per_shard);
  format::Manifest manifest = empty_manifest(form, tiny_plan(records, count, skipped));
  manifest.skipped = skipped;
  format::Sums total(channels_of(form), form.labeled ? static_cast<std::size_t>(form.classes) : 0);
  for (std::size_t i = 0; i < count; ++i) {
    const auto begin =
        records.begin() + static_cast<std::ptrdiff_t>(std::min(i * per_shard, records.size()));
    const auto end = records.begin() +
                     static_cast<std::ptrdiff_t>(std::min((i + 1) * per_shard, records.size()));
    const TinyShard shard =
        make_shard(form, {begin, end}, manifest.plan, i + 1 == count ? skipped : 0);
    manifest.shards.push_back(
        row_of(shard, format::shard_file_name(i, count), static_cast<std::uint64_t>(end - begin)));
    total.add(shard.sums);
    write_file(folder + "/" + manifest.shards.back().file, shard.bytes.data(), shard.bytes.size());
  }
  manifest.statistics = format::statistics_of(total);
  const std::string text = format::encode_manifest(manifest);
  write_file(folder + "/" + std::string(format::kManifestName), text.data(), text.size());
  return manifest;
}

void write_large_pack(const std::string& folder, const TinyForm& form, std::size_t count,
                      std::size_t per_shard) {
  TinyForm dots = form;  // has the same keys
  dots.size = Extent{1, 1};
  const std::size_t shards = (count + per_shard - 1) / per_shard;
  format::Manifest manifest = empty_manifest(form, tiny_plan(tiny_records(dots, count), shards));
  manifest.shards.resize(shards);
  std::vector<format::Sums> sums(shards);
  std::atomic<std::size_t> next{0};
  const auto write = [&] {
    for (std::size_t i = next++; i < shards; i = next++) {
      const std::size_t first = i * per_shard, records = std::min(per_shard, count - first);
      const TinyShard shard = make_shard(form, tiny_records(form, records, first), manifest.plan);
      manifest.shards[i] = row_of(shard, format::shard_file_name(i, shards), records);
      sums[i] = shard.sums;
      write_file(folder + "/" + manifest.shards[i].file, shard.bytes.data(), shard.bytes.size());
    }
  };
  std::vector<std::future<void>> threads;
  for (unsigned i = 0; i < std::clamp(std::thread::hardware_concurrency(), 1U, 16U); ++i)
    threads.push_back(std::async(std::launch::async, write));
  for (auto& thread : threads) thread.get();
  format::Sums total(channels_of(form), form.labeled ? static_cast<std::size_t>(form.classes) : 0);
  for (const format::Sums& one : sums) total.add(one);
  manifest.statistics = format::statistics_of(total);
  const std::string text = format::encode_manifest(manifest);
  write_file(folder + "/" + std::string(format::kManifestName), text.data(), text.size());
}

}  // namespace hotpack::test
