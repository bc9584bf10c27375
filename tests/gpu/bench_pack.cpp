#include "gpu/bench_pack.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "base/checksum.hpp"
#include "format/manifest.hpp"
#include "format/plan_text.hpp"
#include "format/schema_json.hpp"
#include "format/shard_tables.hpp"
#include "support/tiny_shard.hpp"

namespace hotpack::gpu {

namespace {

using test::TinyForm;

constexpr std::size_t kImages = 8;  // number of different images

template <class T>
T require(Result<T> result) {
  if (!result.ok()) throw std::logic_error(result.error().describe());
  return std::move(result).value();
}

struct Image {
  std::vector<std::byte> image;
  std::vector<std::byte> label;
  std::uint32_t image_crc = 0;
  std::uint32_t label_crc = 0;
  format::Sums sums;
};

// Paints an image between noise and plain areas. Classes are in blocks, as in labels of streets;
// some pixels have no class.
Image paint(const BenchPack& pack, std::uint32_t number) {
  Image image;
  image.sums = format::Sums(3, static_cast<std::size_t>(pack.classes));
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(pack.classes));
  std::uint64_t labeled = 0;
  std::uint32_t noise = 12345 + 977 * number;
  for (int y = 0; y < pack.height; ++y) {
    for (int x = 0; x < pack.width; ++x) {
      for (std::size_t c = 0; c < 3; ++c) {
        noise = noise * 1664525 + 1013904223;
        const std::uint64_t value = (noise >> 24) & 0xFF;
        image.image.push_back(static_cast<std::byte>(value));
        image.sums.channel_sums[c] += value;
        image.sums.channel_squares[c] += value * value;
      }
      const auto id = static_cast<std::uint32_t>(x / 24 + y / 16) * 7 + number;
      const bool ignored = id % 23 == 0;
      const std::size_t class_id = id % static_cast<std::uint32_t>(pack.classes);
      image.label.push_back(static_cast<std::byte>(ignored ? 0xFF : class_id));
      if (!ignored) ++counts[class_id], ++labeled;
    }
  }
  image.sums.pixels_counted = image.label.size();
  image.sums.ignored = image.label.size() - labeled;
  for (std::size_t c = 0; c < counts.size(); ++c)
    if (counts[c] != 0) image.sums.classes[c] = {counts[c], 1, labeled};
  image.image_crc = crc32c(image.image);
  image.label_crc = crc32c(image.label);
  return image;
}

std::string key_of(std::size_t number) {
  const std::string digits = std::to_string(number);
  return "image " + std::string(8 - digits.size(), '0') + digits;
}

class Writer {
 public:
  Writer(std::string folder, const BenchPack& pack) : folder_(std::move(folder)), pack_(pack) {
    if (pack.classes > 255) throw std::logic_error("class ids of one byte");
    form_.storage = LabelStorage::index;
    form_.classes = pack.classes;
    form_.size = Extent{pack.width, pack.height};
    for (std::uint32_t number = 0; number < std::min(kImages, pack.records); ++number)
      images_.push_back(paint(pack, number));
  }

  void write() {
    const std::size_t shards = (pack_.records + pack_.per_shard - 1) / pack_.per_shard;
    format::Manifest manifest;
    manifest.plan = plan(shards);
    manifest.plan_text = encode_plan(manifest.plan);
    manifest.schema = test::tiny_schema(form_);
    manifest.schema_text = require(format::encode_schema(manifest.schema));
    manifest.fingerprint = format::fingerprint(manifest.schema_text, manifest.plan_text);
    format::Sums total(3, static_cast<std::size_t>(pack_.classes));
    for (std::size_t shard = 0; shard < shards; ++shard) {
      const std::size_t first = shard * pack_.per_shard;
      const std::string file = format::shard_file_name(shard, shards);
      manifest.shards.push_back(write_shard(
          manifest, file, first, std::min(pack_.records, first + pack_.per_shard), total));
    }
    manifest.statistics = format::statistics_of(total);
    std::ofstream out(folder_ + "/" + std::string(format::kManifestName), std::ios::binary);
    out << format::encode_manifest(manifest);
    if (!out.flush()) throw std::logic_error("cannot write the manifest in " + folder_);
  }

 private:
  [[nodiscard]] const Image& image(std::size_t number) const {
    return images_[number % images_.size()];
  }

  [[nodiscard]] format::PlanIdentity plan(std::size_t shards) const {
    format::KeysDigest digest;
    for (std::size_t number = 0; number < pack_.records; ++number) digest.add(key_of(number));
    return {pack_.records, shards, digest.text()};
  }

  [[nodiscard]] format::RecordEntry entry(std::size_t number) const {
    format::RecordEntry made;
    made.key = key_of(number);
    made.source_hash = {number + 1, number + 1};
    made.source_size = {pack_.width, pack_.height};
    made.source_region = {0, 0, pack_.width, pack_.height};
    made.image_crc = image(number).image_crc;
    made.label_crc = image(number).label_crc;
    made.image_stored = image(number).image.size();
    made.label_stored = image(number).label.size();
    return made;
  }

  // Writes records first … last − 1.
  format::ShardRow write_shard(const format::Manifest& manifest, const std::string& file,
                               std::size_t first, std::size_t last, format::Sums& total) const {
    format::SourcesDigest sources;
    format::Sums sums(3, static_cast<std::size_t>(pack_.classes));
    std::uint64_t key_bytes = 0;
    for (std::size_t number = first; number < last; ++number) {
      sources.add(key_of(number), 1000, 500, format::SourcesDigest::kNoClass);
      sums.add(image(number).sums);
      key_bytes += key_of(number).size();
    }
    total.add(sums);
    const format::Metadata metadata{
        "1.0", manifest.plan_text, manifest.schema_text, sources.text(), {}};
    const format::Layout layout = require(format::plan_layout(
        metadata, manifest.schema, {last - first, key_bytes, false, false, 0, 0}));
    const std::string header = format::encode_header(metadata, layout);
    format::TableBuilder tables(layout);
    for (std::size_t number = first; number < last; ++number)
      if (const Status added = tables.add(entry(number)); !added.ok())
        throw std::logic_error(added.error().describe());
    const std::vector<std::byte> end = tables.finish(layout, sums, header);
    write_file(file, layout, header, end, first, last);
    return {file, last - first, layout.file_bytes(), metadata.sources,
            format::shard_digest({reinterpret_cast<const std::byte*>(header.data()), header.size()},
                                 end)};
  }

  void write_file(const std::string& file, const format::Layout& layout, const std::string& header,
                  const std::vector<std::byte>& tables, std::size_t first, std::size_t last) const {
    std::ofstream out(folder_ + "/" + file, std::ios::binary);
    const auto put = [&out](const void* bytes, std::size_t size) {
      out.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
    };
    put(header.data(), header.size());
    out.seekp(static_cast<std::streamoff>(layout.file_offset("image")));
    for (std::size_t number = first; number < last; ++number)
      put(image(number).image.data(), image(number).image.size());
    out.seekp(static_cast<std::streamoff>(layout.file_offset("label")));
    for (std::size_t number = first; number < last; ++number)
      put(image(number).label.data(), image(number).label.size());
    out.seekp(static_cast<std::streamoff>(layout.buffer_start() + layout.tables_begin));
    put(tables.data(), tables.size());
    if (!out.flush()) throw std::logic_error("cannot write " + folder_ + "/" + file);
  }

  std::string folder_;
  BenchPack pack_;
  TinyForm form_;
  std::vector<Image> images_;
};

}  // namespace

void write_bench_pack(const std::string& folder, const BenchPack& pack) {
  Writer(folder, pack).write();
}

}  // namespace hotpack::gpu
