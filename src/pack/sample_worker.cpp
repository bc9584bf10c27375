#include "pack/sample_worker.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/try.hpp"
#include "format/schema_json.hpp"
#include "geometry/resample.hpp"
#include "label_setup/placement.hpp"
#include "labels/one_hot.hpp"
#include "pack/channel_sums.hpp"
#include "pack/image_loader.hpp"
#include "pack/record_label.hpp"

namespace hotpack::pipeline {

namespace {

// Copies hwc pixels to chw planes.
void split_planes(ConstPixels image, std::byte* out) {
  const auto channels = static_cast<std::size_t>(image.channels);
  const std::size_t pixels =
      static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  for (std::size_t c = 0; c < channels; ++c)
    for (std::size_t i = 0; i < pixels; ++i)
      out[c * pixels + i] = static_cast<std::byte>(image.data[i * channels + c]);
}

Extent extent_of(const auto& image) { return {image.width, image.height}; }
std::size_t area(Extent size) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
}

// Copies the part of a canvas's one-hot label that belongs to one tile. Pixels of the tile beyond
// the canvas get no class. (A canvas is the whole image as it is before tiles are cut.)
void cut_one_hot(std::span<const std::byte> canvas, Extent canvas_size, Corner corner, Extent tile,
                 std::span<std::byte> out) {
  const std::size_t pixel_bytes = canvas.size() / area(canvas_size);
  const auto width = static_cast<std::size_t>(std::min(tile.width, canvas_size.width - corner.x));
  const int height = std::min(tile.height, canvas_size.height - corner.y);
  std::memset(out.data(), 0, out.size());
  for (int y = 0; y < height; ++y) {
    const std::size_t from =
        area({canvas_size.width, corner.y + y}) + static_cast<std::size_t>(corner.x);
    std::memcpy(out.data() + area({tile.width, y}) * pixel_bytes,
                canvas.data() + from * pixel_bytes, width * pixel_bytes);
  }
}

// Returns where the whole source image lies in the sample's record.
Region region_of(const LoadedImage& loaded, const Sample& sample) {
  Region region = loaded.canvas.region;
  region.x -= sample.tile_x;
  region.y -= sample.tile_y;
  return region;
}

}  // namespace

struct SampleWorker::Impl {
  Impl(const PackOptions& pack_options, const LabelSetup& label_setup, const Plan& sample_plan,
       const SampleList& sample_list, MemoryBudget* memory)
      : options(pack_options.record),
        setup(label_setup),
        plan(sample_plan),
        schema(plan.schema),
        list(sample_list),
        loader(options, setup, plan, list, memory) {}

  Outcome process(const Sample& sample, PackedSample& out);
  [[nodiscard]] bool is_large() const { return loader.is_large(); }

 private:
  Outcome pack_image(const LoadedImage& loaded, const Sample& sample, PackedSample& out);
  void pack_label_file(const LoadedImage& loaded, const Sample& sample, PackedSample& out);
  void pack_masks(const LoadedImage& loaded, const Sample& sample, PackedSample& out);
  void pack_class(const Sample& sample, PackedSample& out);
  void pack_ids(ConstIds source, Region region, Extent record, PackedSample& out);
  std::span<std::byte> label_room(std::size_t places);
  void take_label(std::span<const std::byte> encoded, std::uint32_t crc, Extent size,
                  PackedSample& out);

  const RecordOptions& options;
  const LabelSetup& setup;
  const Plan& plan;
  const Schema& schema;
  const SampleList& list;

  ImageLoader loader;
  geometry::Resampler resampler;
  std::optional<RecordLabel> label;
  std::vector<std::uint64_t> histogram;
  Buffer record_pixels, planes, label_bytes;
};

Outcome SampleWorker::Impl::pack_image(const LoadedImage& loaded, const Sample& sample,
                                       PackedSample& out) {
  const Extent size = options.tile ? options.tile->size : loaded.canvas.size;
  const int channels = loaded.pixels.channels;
  const std::size_t row_bytes =
      static_cast<std::size_t>(size.width) * static_cast<std::size_t>(channels);
  const std::size_t bytes = row_bytes * static_cast<std::size_t>(size.height);
  const MutablePixels record{record_pixels.reserve_as<std::uint8_t>(bytes), size.width, size.height,
                             channels, row_bytes};
  const Region region = region_of(loaded, sample);
  const Region drawn = options.tile ? Region{-sample.tile_x, -sample.tile_y,
                                             loaded.canvas.size.width, loaded.canvas.size.height}
                                    : region;
  if (const Status placed = resampler.place(loaded.pixels, drawn, options.image_filter,
                                            pad_pixel(schema).data(), record);
      !placed.ok())
    return damaged_or_fatal(placed.error(), loaded.headers.image.path);
  add_channel_sums(record, region, out.sums);

  out.entry.source_size = {loaded.size.width, loaded.size.height};
  out.entry.source_region = {region.x, region.y, region.width, region.height};
  out.image = {reinterpret_cast<const std::byte*>(record.data), bytes};
  const bool chw = options.layout == AxisOrder::channels_first;
  if (chw && channels > 1) {
    split_planes(record, planes.reserve(bytes));
    out.image = {planes.data(), bytes};
  }
  out.entry.image_shape = chw ? std::array<std::int32_t, 3>{channels, size.height, size.width}
                              : std::array<std::int32_t, 3>{size.height, size.width, channels};
  out.entry.image_stored = bytes;
  out.entry.image_crc = crc32c(out.image);
  return std::optional<Problem>();
}

// Places the label in the record, in the same way as the image.
void SampleWorker::Impl::pack_label_file(const LoadedImage& loaded, const Sample& sample,
                                         PackedSample& out) {
  if (!options.tile) return pack_ids(loaded.ids, loaded.canvas.region, loaded.canvas.size, out);
  pack_ids(loaded.ids,
           {-sample.tile_x, -sample.tile_y, loaded.canvas.size.width, loaded.canvas.size.height},
           options.tile->size, out);
}

void SampleWorker::Impl::pack_masks(const LoadedImage& loaded, const Sample& sample,
                                    PackedSample& out) {
  Extent size = loaded.canvas.size;
  std::span<const std::byte> encoded = loaded.one_hot;
  if (options.tile) {
    size = options.tile->size;
    const std::span<std::byte> tile = label_room(area(size));
    cut_one_hot(loaded.one_hot, loaded.canvas.size, {sample.tile_x, sample.tile_y}, size, tile);
    encoded = tile;
  }
  out.sums.ignored =
      labels::count_one_hot(encoded, schema.label->storage, schema.class_count(), histogram);
  for (std::size_t c = 0; c < histogram.size(); ++c)
    if (histogram[c] > 0) out.sums.classes[c] = {histogram[c], 1, area(size) - out.sums.ignored};
  take_label(encoded, crc32c(encoded), size, out);
}

void SampleWorker::Impl::pack_class(const Sample& sample, PackedSample& out) {
  const auto id = static_cast<std::uint16_t>(sample.class_id);
  pack_ids({&id, 1, 1, 1, sizeof id}, {0, 0, 1, 1}, {1, 1}, out);
}

std::span<std::byte> SampleWorker::Impl::label_room(std::size_t places) {
  const auto bytes = static_cast<std::size_t>(
      labels::encoded_bytes(schema.label->storage, places, schema.class_count()));
  return {label_bytes.reserve(bytes), bytes};
}

void SampleWorker::Impl::take_label(std::span<const std::byte> encoded, std::uint32_t crc,
                                    Extent size, PackedSample& out) {
  out.label = encoded;
  out.entry.label_shape = {size.height, size.width,
                           static_cast<std::int32_t>(format::label_depth(schema))};
  out.entry.label_stored = encoded.size();
  out.entry.label_crc = crc;
}

void SampleWorker::Impl::pack_ids(ConstIds source, Region region, Extent record,
                                  PackedSample& out) {
  if (!label)
    label.emplace(schema.label->storage, schema.class_count(), options.label_filter, setup.pad_id);
  label->make(source, region, record);
  out.sums.ignored = label->ignored_pixels();
  const std::span<const std::uint64_t> pixels = label->pixels_of_classes();
  for (std::size_t c = 0; c < pixels.size(); ++c)
    out.sums.classes[c] = {pixels[c], pixels[c] > 0 ? 1u : 0u,
                           pixels[c] > 0 ? area(record) - out.sums.ignored : 0};
  take_label(label->bytes(), label->crc(), record, out);
}

Outcome SampleWorker::Impl::process(const Sample& sample, PackedSample& out) {
  out.entry = {};
  out.entry.key = list.key(sample);
  out.sums.clear();
  out.image = out.label = {};
  out.diagnostics = {};
  HOTPACK_ASSIGN(const LoadedImage* const loaded, loader.load(sample, out.inspection));
  out.entry.source_hash = loaded->hash;
  if (loaded->problem) return loaded->problem;
  const bool first_tile = sample.tile_x == 0 && sample.tile_y == 0;
  if (first_tile) out.diagnostics = loaded->diagnostics;
  out.classes = first_tile ? loaded->classes : LabelClasses{false, {}};
  HOTPACK_ASSIGN(auto problem, pack_image(*loaded, sample, out));
  if (problem) return problem;
  if (list.has_label_files || list.merges_masks) {
    pack_label_file(*loaded, sample, out);
  } else if (setup.multi) {
    pack_masks(*loaded, sample, out);
  } else if (setup.scope) {
    pack_class(sample, out);
  }
  return problem;
}

SampleWorker::SampleWorker(const PackOptions& options, const LabelSetup& setup, const Plan& plan,
                           const SampleList& list, MemoryBudget* budget)
    : options_(options), setup_(setup), plan_(plan), list_(list), budget_(budget) {}
SampleWorker::~SampleWorker() = default;
SampleWorker::SampleWorker(SampleWorker&&) noexcept = default;

void SampleWorker::free_large() noexcept {
  if (impl_ && impl_->is_large()) impl_.reset();
}

Result<std::optional<Problem>> SampleWorker::process(const Sample& sample, PackedSample& out) {
  if (!impl_) impl_ = std::make_unique<Impl>(options_, setup_, plan_, list_, budget_);
  return impl_->process(sample, out);
}

}  // namespace hotpack::pipeline
