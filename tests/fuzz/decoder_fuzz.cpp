// The whole decoder on any bytes: images and labels have the promised size, are the same each
// time, and do not affect the next one.
#include <cstdint>
#include <span>
#include <vector>

#include "base/words.hpp"
#include "codecs/decoder.hpp"
#include "fuzz/expect.hpp"
#include "fuzz/jpeg_mutator.hpp"
#include "fuzz/png_mutator.hpp"

namespace {

using hotpack::codecs::Decoder;
using hotpack::codecs::ImageOptions;
using hotpack::fuzz::expect;

constexpr std::uint64_t kMaxPixels = 1 << 14;

ImageOptions options_of(unsigned choice) {
  ImageOptions options;
  options.channels = choice & 1 ? 3 : 1;
  options.depth16 = choice & 2 ? hotpack::Depth16::shift : hotpack::Depth16::scale;
  options.apply_orientation = (choice & 4) != 0;
  if (choice & 8) options.blend = {10, 200, 90};
  options.lenient = (choice & 16) != 0;
  options.max_pixels = kMaxPixels;
  return options;
}

std::vector<std::uint8_t> pixels_of(const hotpack::ConstPixels& image) {
  std::vector<std::uint8_t> pixels;
  const auto row = static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.channels);
  for (int y = 0; y < image.height; ++y)
    pixels.insert(pixels.end(), image.row(y), image.row(y) + row);
  return pixels;
}

void check_image(Decoder& used, std::span<const std::byte> file, const ImageOptions& options) {
  const auto found = hotpack::codecs::probe(file, true);
  const auto image = used.decode_image(file, options);
  if (!image.ok()) return expect(!image.error().message.empty(), "an error has words");
  expect(found.ok(), "what is decoded was recognized");
  const bool turned = options.apply_orientation && found->info.swaps_axes();
  expect(image->width == (turned ? found->info.height : found->info.width),
         "the width is the promised one");
  expect(image->height == (turned ? found->info.width : found->info.height),
         "the height is the promised one");
  expect(image->channels == options.channels, "the channels are those asked for");
  expect(static_cast<std::uint64_t>(image->width) * static_cast<std::uint64_t>(image->height) <=
             options.max_pixels,
         "the limit holds");
  const auto pixels = pixels_of(*image);
  Decoder fresh;
  const auto again = fresh.decode_image(file, options);
  expect(again.ok() && pixels_of(*again) == pixels,
         "a decoder that was used reads as a new one does");
}

void check_label(Decoder& used, std::span<const std::byte> file, bool lenient) {
  const auto label = used.decode_label(file, kMaxPixels, lenient);
  if (!label.ok()) return expect(!label.error().message.empty(), "an error has words");
  int forms = 0;
  const auto look = [&](const auto& pixels) {
    if (pixels.data == nullptr) return;
    ++forms;
    expect(pixels.width == label->width && pixels.height == label->height,
           "a label is as large as it says");
  };
  look(label->samples);
  look(label->rgb);
  look(label->wide_rgb);
  expect(forms == 1, "a label has samples or colors");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Decoder used;
  const std::span<const std::byte> file(reinterpret_cast<const std::byte*>(data), size);
  unsigned choice = 0;
  for (std::size_t i = size; i-- > 0 && i + 16 > size;) choice = choice * 31 + data[i];
  const ImageOptions options = options_of(choice >> 3);
  check_image(used, file, options);
  check_label(used, file, options.lenient);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  const bool jpeg = size > 1 && data[0] == 0xFF && data[1] == 0xD8;
  return jpeg ? hotpack::fuzz::mutate_jpeg(data, size, most, seed)
              : hotpack::fuzz::mutate_png(data, size, most, seed);
}
