// Labels as people draw them, and as tools spoil them, to test the findings of a check.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "codecs/decoder.hpp"
#include "labels/class_table.hpp"
#include "labels/label_decoder.hpp"
#include "pack/inspection.hpp"
#include "support/catch.hpp"
#include "support/test_images.hpp"

namespace hotpack::test {

// Samples row by row, `channels` of them per pixel.
struct Drawing {
  int width = 0, height = 0, channels = 1;
  std::vector<std::uint8_t> samples;
  [[nodiscard]] std::uint8_t& at(int x, int y, int c = 0) {
    return samples[static_cast<std::size_t>((y * width + x) * channels + c)];
  }
  [[nodiscard]] std::uint8_t at(int x, int y, int c = 0) const {
    return const_cast<Drawing*>(this)->at(x, y, c);
  }
};

// Discs of the given ids, one after another, on a background of the first one.
inline Drawing drawn_ids(const std::vector<std::uint8_t>& ids, int width = 160, int height = 120,
                         std::uint32_t seed = 1) {
  Drawing drawing{width, height, 1,
                  std::vector<std::uint8_t>(static_cast<std::size_t>(width * height), ids.front())};
  const auto places = noise_samples(24, 3, 1, 997, seed);
  for (std::size_t i = 0; i < 24; ++i) {
    const int left = places[3 * i] % width, top = places[3 * i + 1] % height,
              radius = 6 + places[3 * i + 2] % 22;
    for (int y = std::max(0, top - radius); y < std::min(height, top + radius); ++y)
      for (int x = std::max(0, left - radius); x < std::min(width, left + radius); ++x)
        if ((x - left) * (x - left) + (y - top) * (y - top) < radius * radius)
          drawing.at(x, y) = ids[i % ids.size()];
  }
  return drawing;
}

inline Drawing colored(const Drawing& ids, const std::vector<Color>& colors) {
  Drawing drawing{ids.width, ids.height, 3, {}};
  for (const std::uint8_t id : ids.samples)
    drawing.samples.insert(drawing.samples.end(), colors[id].begin(), colors[id].end());
  return drawing;
}

inline Drawing mapped(Drawing drawing, int (*change)(int)) {
  for (std::uint8_t& sample : drawing.samples) sample = static_cast<std::uint8_t>(change(sample));
  return drawing;
}

// Bilinear, with the centers of pixels aligned.
inline Drawing interpolated(const Drawing& from, int width, int height) {
  Drawing to{width, height, from.channels,
             std::vector<std::uint8_t>(static_cast<std::size_t>(width * height * from.channels))};
  const auto axis = [](int i, int size, int source) {
    const double place = std::clamp((i + 0.5) * source / size - 0.5, 0.0, source - 1.0);
    return std::pair(static_cast<int>(place), place - std::floor(place));
  };
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < from.channels; ++c) {
        const auto [left, right_share] = axis(x, width, from.width);
        const auto [top, lower_share] = axis(y, height, from.height);
        const int right = std::min(left + 1, from.width - 1),
                  lower = std::min(top + 1, from.height - 1);
        const double above =
            from.at(left, top, c) * (1 - right_share) + from.at(right, top, c) * right_share;
        const double below =
            from.at(left, lower, c) * (1 - right_share) + from.at(right, lower, c) * right_share;
        to.at(x, y, c) =
            static_cast<std::uint8_t>(std::lround(above * (1 - lower_share) + below * lower_share));
      }
  return to;
}

inline Drawing nearest(const Drawing& from, int width, int height) {
  Drawing to{width, height, from.channels, {}};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < from.channels; ++c)
        to.samples.push_back(from.at(x * from.width / width, y * from.height / height, c));
  return to;
}

// To JPEG and back.
inline Drawing through_jpeg(const Drawing& from, int quality) {
  JpegSpec spec;
  spec.width = from.width, spec.height = from.height, spec.quality = quality;
  spec.color = from.channels == 1 ? JpegColor::gray : JpegColor::ycbcr;
  const Bytes file = make_jpeg(spec, from.samples);
  codecs::Decoder decoder;
  codecs::ImageOptions options;
  options.channels = from.channels;
  const auto image = decoder.decode_image(file, options);
  if (!image.ok()) FAIL(image.error().describe());
  Drawing to = from;
  for (int y = 0; y < from.height; ++y)
    std::copy_n(image->row(y), from.width * from.channels, &to.at(0, y));
  return to;
}

inline RawLabel raw_label(const Drawing& drawing, std::vector<std::uint16_t>& samples) {
  RawLabel raw;
  raw.width = drawing.width, raw.height = drawing.height;
  if (drawing.channels == 3) {
    raw.form = "RGB PNG";
    raw.rgb = {drawing.samples.data(), drawing.width, drawing.height, 3,
               static_cast<std::size_t>(drawing.width) * 3};
  } else {
    raw.form = "8-bit gray PNG";
    samples.assign(drawing.samples.begin(), drawing.samples.end());
    raw.samples = {samples.data(), drawing.width, drawing.height, 1,
                   static_cast<std::size_t>(drawing.width) * 2};
  }
  return raw;
}

// The findings of a check for a label, read by `decoder`; without one it has no classes.
inline pipeline::LabelInspection inspected(const RawLabel& raw,
                                           const labels::LabelDecoder* decoder) {
  std::vector<std::uint16_t> plane(static_cast<std::size_t>(raw.width * raw.height));
  MutableIds ids{plane.data(), raw.width, raw.height, 1, static_cast<std::size_t>(raw.width) * 2};
  labels::DecodeReport report;
  const bool decoded = decoder != nullptr && decoder->decode(raw, ids, report).ok();
  pipeline::SampleInspection inspection;
  pipeline::inspect_label(raw, report, decoded ? ConstIds(ids) : ConstIds(), inspection);
  return std::move(inspection.label_pixels.front());
}

inline labels::LabelDecoder id_decoder(int classes) {
  return std::move(labels::LabelDecoder::create(labels::numbered_classes(classes), {})).value();
}

inline pipeline::LabelInspection inspected(const Drawing& drawing, int classes = 12) {
  std::vector<std::uint16_t> samples;
  const RawLabel raw = raw_label(drawing, samples);
  const labels::LabelDecoder decoder = id_decoder(classes);
  return inspected(raw, &decoder);
}

}  // namespace hotpack::test
