#include "expand/image_expander.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "base/error.hpp"
#include "base/try.hpp"
#include "expand/default_floats.hpp"
#include "expand/image_kernels.hpp"
#include "expand/placed_rows.hpp"
#include "expand/value_map.hpp"

namespace hotpack::expand {

// The conversion tables: one if the output's channels are interleaved, or one per plane. None for
// u8, whose bytes are copied.
struct ImageExpander::Tables {
  std::vector<ValueMap> maps;
};

namespace {

// The band (the pixels that are brought into the output's order before they are converted) has a
// multiple of this number of pixels. It is a multiple of every kernel's block, so that the output
// of a band ends at the end of a cache line.
constexpr std::size_t kBandStep = 192;
constexpr std::size_t kBandPixels = 10 * kBandStep;

bool is_image_type(ElementType type) {
  return type == ElementType::u8 || type == ElementType::f32 || type == ElementType::f16 ||
         type == ElementType::bf16;
}

std::string count_of(std::size_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

Status check_values(const char* option, const std::vector<float>& values, int channels,
                    bool zero_allowed) {
  if (values.size() != static_cast<std::size_t>(channels)) {
    return usage_error(std::string("the image's ") + option + " has " +
                       count_of(values.size(), "value") + ", but the images have " +
                       count_of(static_cast<std::size_t>(channels), "channel") +
                       ": give one value per channel");
  }
  for (std::size_t c = 0; c < values.size(); ++c) {
    if (std::isfinite(values[c]) && (zero_allowed || values[c] != 0.0f)) continue;
    return usage_error(std::string("the image's ") + option + " of channel " + std::to_string(c) +
                       " is " + std::to_string(values[c]) + ": give a finite number" +
                       (zero_allowed ? "" : " other than 0"));
  }
  return {};
}

Status check_normalization(const ImageOutput& output, int channels) {
  if (output.mean.empty() && output.std.empty()) return {};
  if (output.dtype == ElementType::u8) {
    return usage_error(
        "the image's mean and std need a float type, but its type is u8: choose f32, f16 or bf16, "
        "or set neither");
  }
  if (output.mean.empty() || output.std.empty()) {
    const char* const given = output.mean.empty() ? "std" : "mean";
    const char* const missing = output.mean.empty() ? "mean" : "std";
    return usage_error(std::string("the image's ") + given + " is given without its " + missing +
                       ": give both or neither");
  }
  HOTPACK_TRY(check_values("mean", output.mean, channels, true));
  return check_values("std", output.std, channels, false);
}

bool out_in_planes(const ImageOutput& output, std::size_t channels) {
  return channels > 1 && output.layout == AxisOrder::channels_first;
}

std::vector<ValueMap> make_maps(const ImageOutput& output, std::size_t channels) {
  if (output.dtype == ElementType::u8) return {};
  const std::vector<float> mean =
      output.mean.empty() ? std::vector<float>(channels, 0.0f) : output.mean;
  const std::vector<float> std =
      output.std.empty() ? std::vector<float>(channels, 1.0f) : output.std;
  if (!out_in_planes(output, channels)) return {make_value_map(output.dtype, mean, std)};
  std::vector<ValueMap> maps;
  for (std::size_t c = 0; c < channels; ++c)
    maps.push_back(make_value_map(output.dtype, {mean[c]}, {std[c]}));
  return maps;
}

std::size_t pixels_of(PixelSize size) {
  return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
}

std::size_t band_pixels(std::size_t width) {
  const std::size_t pixels = std::max(kBandPixels, width);
  return (pixels + kBandStep - 1) / kBandStep * kBandStep;
}

bool is_whole_rows(const ImageView& record, const Placement& placement) {
  const SampleCrop& box = placement.box;
  return !box.flip_horizontal && !box.flip_vertical && box.width == placement.output.width &&
         box.height == placement.output.height && box.width == record.shape.width;
}

// Converts runs of pixels and writes them to one output.
class OutputWriter {
 public:
  OutputWriter(const std::vector<ValueMap>& maps, const ImageOutput& output, std::size_t channels,
               std::size_t pixels, std::byte* out, Stores stores)
      : kernels_(image_kernels()),
        maps_(maps),
        planes_(out_in_planes(output, channels) ? channels : 1),
        run_bytes_(channels / planes_),
        element_bytes_(element_bytes(output.dtype)),
        plane_bytes_(pixels * element_bytes_),
        out_(out),
        stores_(stores) {}

  [[nodiscard]] const ImageKernels& kernels() const { return kernels_; }

  // Converts and writes `count` pixels, starting at pixel `first` of the output. The pixels already
  // have the output's order of channels.
  void write(PixelRun run, std::size_t first, std::size_t count) const {
    std::byte* const out = out_ + first * run_bytes_ * element_bytes_;
    for (std::size_t p = 0; p < planes_; ++p)
      write_plane(p, run.data + p * run.plane, count * run_bytes_, out + p * plane_bytes_);
  }

 private:
  void write_plane(std::size_t plane, const std::uint8_t* in, std::size_t count,
                   std::byte* out) const {
    if (!maps_.empty()) return kernels_.convert(maps_[plane], in, count, out, stores_);
    if (stores_ == Stores::streaming) return stream_copy(out, in, count);
    std::memcpy(out, in, count);
  }

  const ImageKernels& kernels_;
  const std::vector<ValueMap>& maps_;
  std::size_t planes_;     // planes of the output
  std::size_t run_bytes_;  // bytes per pixel in one plane, before conversion
  std::size_t element_bytes_;
  std::size_t plane_bytes_;
  std::byte* out_;
  Stores stores_;
};

// Collects pixels in the output's order of channels, and writes them a band at a time.
class Band {
 public:
  Band(bool from_planes, bool to_planes, std::size_t channels, std::size_t width,
       const OutputWriter& writer, std::uint8_t* memory)
      : from_planes_(from_planes),
        to_planes_(to_planes),
        channels_(channels),
        capacity_(band_pixels(width)),
        writer_(writer),
        memory_(memory) {}

  [[nodiscard]] std::size_t room() const { return capacity_ - filled_; }

  void add(PixelRun run, std::size_t count) {
    if (to_planes_ && !from_planes_) {
      writer_.kernels().split(run.data, count, memory_ + filled_, capacity_);
    } else if (!to_planes_ && from_planes_) {
      writer_.kernels().join(run.data, run.plane, count, memory_ + filled_ * channels_);
    } else {
      copy(run, count);
    }
    filled_ += count;
  }

  void flush() {
    writer_.write({memory_, to_planes_ ? capacity_ : 0}, written_, filled_);
    written_ += filled_;
    filled_ = 0;
  }

 private:
  void copy(PixelRun run, std::size_t count) const {
    const std::size_t planes = to_planes_ ? channels_ : 1;
    const std::size_t pixel_bytes = channels_ / planes;
    for (std::size_t p = 0; p < planes; ++p) {
      std::memcpy(memory_ + p * capacity_ + filled_ * pixel_bytes, run.data + p * run.plane,
                  count * pixel_bytes);
    }
  }

  bool from_planes_;
  bool to_planes_;
  std::size_t channels_;
  std::size_t capacity_;     // in pixels
  std::size_t filled_ = 0;   // pixels in the band
  std::size_t written_ = 0;  // pixels of the output that are written
  const OutputWriter& writer_;
  std::uint8_t* memory_;
};

void expand_rows(PlacedRows& rows, std::size_t height, std::size_t width, Band& band) {
  for (std::size_t y = 0; y < height; ++y) {
    band.add(rows.row(y), width);
    if (band.room() < width || y + 1 == height) band.flush();
  }
}

// Writes `pixels` pixels that are consecutive in memory through the band; rows without gaps between
// them count as one run. A pixel has `pixel_bytes` consecutive bytes.
void expand_run(PixelRun run, std::size_t pixel_bytes, std::size_t pixels, Band& band) {
  while (pixels > 0) {
    const std::size_t count = std::min(band.room(), pixels);
    band.add(run, count);
    band.flush();
    run.data += count * pixel_bytes;
    pixels -= count;
  }
}

}  // namespace

Result<ImageExpander> ImageExpander::make(const ImageOutput& output, int channels) try {
  const DefaultFloats floats;
  if (channels != 1 && channels != 3)
    return usage_error("images have 1 or 3 channels, not " + std::to_string(channels));
  if (!is_image_type(output.dtype)) {
    return usage_error("an image cannot be of type " + std::string(element_name(output.dtype)) +
                       ": choose u8, f32, f16 or bf16");
  }
  HOTPACK_TRY(check_normalization(output, channels));
  ImageExpander expander;
  expander.output_ = output;
  expander.channels_ = channels;
  expander.tables_ =
      std::make_shared<const Tables>(Tables{make_maps(output, static_cast<std::size_t>(channels))});
  return expander;
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::io, "no memory for the tables of image values", {}, {}};
}

std::uint64_t ImageExpander::row_bytes(PixelSize output) const {
  return pixels_of(output) * static_cast<std::size_t>(channels_) * element_bytes(output_.dtype);
}

std::size_t ImageExpander::scratch_bytes(PixelSize /*record*/, PixelSize output) const {
  const auto channels = static_cast<std::size_t>(channels_);
  const auto width = static_cast<std::size_t>(output.width);
  return band_pixels(width) * channels + PlacedRows::memory_bytes(width, channels);
}

void ImageExpander::expand(const ImageView& record, const Placement& placement, Scratch& scratch,
                           std::byte* out, Stores stores) const noexcept {
  const auto channels = static_cast<std::size_t>(channels_);
  const auto width = static_cast<std::size_t>(placement.output.width);
  const std::size_t pixels = pixels_of(placement.output);
  const OutputWriter writer(tables_->maps, output_, channels, pixels, out, stores);
  const bool from_planes = in_planes(record.shape), to_planes = out_in_planes(output_, channels);
  std::uint8_t* const memory = scratch.data();
  PlacedRows rows(record, placement, writer.kernels(), memory + band_pixels(width) * channels);
  Band band(from_planes, to_planes, channels, width, writer, memory);
  if (!is_whole_rows(record, placement))
    return expand_rows(rows, static_cast<std::size_t>(placement.output.height), width, band);
  if (from_planes != to_planes)
    return expand_run(rows.row(0), from_planes ? 1 : channels, pixels, band);
  writer.write(rows.row(0), 0, pixels);
}

void ImageExpander::blank(PixelSize output, std::byte* out) const noexcept {
  if (const std::uint64_t bytes = row_bytes(output); bytes > 0) std::memset(out, 0, bytes);
}

}  // namespace hotpack::expand
