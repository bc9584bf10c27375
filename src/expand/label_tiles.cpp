#include "expand/label_tiles.hpp"

#include <algorithm>
#include <cstring>

#include "expand/label_bits.hpp"
#include "expand/processor.hpp"

namespace hotpack::expand {

namespace {

constexpr std::size_t kLine = 64;
constexpr std::size_t kMostTilePixels = 4096;
constexpr std::size_t kTileBytes =
    32 << 10;  // limit for the vectors of a tile, and for the bits of its channels
// With up to this number of planes (8 classes each), it is faster to process plane after plane than
// pixel after pixel.
constexpr std::size_t kMostPlanes = 4;

std::size_t round_up(std::size_t size, std::size_t step) { return (size + step - 1) / step * step; }

// Divides memory into buffers that start at cache lines.
class Cutter {
 public:
  explicit Cutter(std::uint8_t* memory) : memory_(memory) {}
  std::uint8_t* cut(std::size_t bytes) {
    std::uint8_t* const at = memory_ == nullptr ? nullptr : memory_ + used_;
    used_ += round_up(bytes + kBitSlack, kLine);
    return at;
  }
  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  std::uint8_t* memory_;
  std::size_t used_ = 0;
};

void or_into(std::uint8_t* seen, const std::uint8_t* bits, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) seen[i] |= bits[i];
}

void invert(std::uint8_t* bits, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) bits[i] = static_cast<std::uint8_t>(~bits[i]);
}

}  // namespace

std::size_t LabelPlan::vector_bytes() const {
  return LabelShape{LabelScope::pixel, storage, false, 1, 1, class_count}.vector_bytes();
}

std::size_t LabelPlan::channels() const {
  if (output.form == LabelForm::ids) return 1;
  return output.form == LabelForm::bits ? bit_bytes()
                                        : class_count + (output.ignore_channel ? 1 : 0);
}

std::size_t LabelPlan::tile_pixels(std::size_t pixels) const {
  const bool by_pixel =
      output.form == LabelForm::one_hot && output.layout == AxisOrder::channels_last;
  const std::size_t widest = std::max(vector_bytes(), by_pixel ? channels() / 8 + 1 : 1);
  const std::size_t fitting =
      std::clamp(kTileBytes / widest / 64 * 64, std::size_t{64}, kMostTilePixels);
  return std::min(fitting, round_up(std::max<std::size_t>(pixels, 1), 64));
}

std::size_t TileBuffers::cut(const LabelPlan& plan, std::size_t tile, std::uint8_t* memory) {
  Cutter cutter(memory);
  packed = cutter.cut(plan.storage == LabelStorage::one_hot ? tile * plan.bit_bytes() : 0);
  marked = cutter.cut(plan.marks_ignored() ? tile * (plan.class_count / 8 + 1) : 0);
  plane = cutter.cut(tile);
  // room for the bits of all channels; records of one_hot always make them first
  bits = cutter.cut(tile / 8 * std::max(plan.class_count + 1, plan.channels()));
  seen = cutter.cut(tile / 8);
  ids = cutter.cut(2 * tile);
  converted = cutter.cut(plan.output.form == LabelForm::one_hot
                             ? 0
                             : tile * plan.channels() * element_bytes(*plan.output.dtype));
  return cutter.used();
}

TileWriter::TileWriter(const LabelPlan& plan, const TileBuffers& buffers, std::size_t pixels,
                       std::byte* out, Stores stores)
    : plan_(plan),
      kernels_(label_kernels()),
      buffers_(buffers),
      pixels_(pixels),
      out_(out),
      stores_(stores) {}

void TileWriter::write(const std::uint8_t* vectors, std::size_t first, std::size_t count) {
  switch (plan_.output.form) {
    case LabelForm::ids:
      return write_ids(vectors, first, count);
    case LabelForm::bits:
      return write_bits(vectors, first, count);
    case LabelForm::one_hot:
      break;
  }
  if (plan_.output.layout == AxisOrder::channels_first) return write_planes(vectors, first, count);
  write_channels(vectors, first, count);
}

void TileWriter::write_planes(const std::uint8_t* vectors, std::size_t first, std::size_t count) {
  if (plan_.storage == LabelStorage::one_hot) vectors = pack(vectors, count);
  const ElementType type = *plan_.output.dtype;
  const std::size_t plane_bytes = pixels_ * element_bytes(type);
  std::byte* at = out_ + first * element_bytes(type);
  const std::size_t bytes = (count + 7) / 8;
  std::memset(buffers_.seen, 0, bytes);
  for (std::size_t c = 0; c < plan_.class_count; ++c, at += plane_bytes) {
    class_bits(vectors, count, c);
    if (plan_.output.ignore_channel) or_into(buffers_.seen, buffers_.bits, bytes);
    kernels_.write_ones(buffers_.bits, count, type, at, stores_);
  }
  if (!plan_.output.ignore_channel) return;
  invert(buffers_.seen, bytes);
  kernels_.write_ones(buffers_.seen, count, type, at, stores_);
}

void TileWriter::class_bits(const std::uint8_t* vectors, std::size_t count, std::size_t id) {
  if (plan_.stored_ids()) {
    const auto find = plan_.wide_ids() ? kernels_.wide_ids_equal : kernels_.ids_equal;
    return find(vectors, count, static_cast<std::uint32_t>(id), buffers_.bits);
  }
  const bool spaced = plan_.bit_bytes() > 1;
  if (spaced && id % 8 == 0)
    kernels_.byte_plane(vectors, plan_.bit_bytes(), id / 8, count, buffers_.plane);
  kernels_.bytes_have(spaced ? buffers_.plane : vectors, count,
                      static_cast<std::uint8_t>(1U << id % 8), buffers_.bits);
}

void TileWriter::write_channels(const std::uint8_t* vectors, std::size_t first, std::size_t count) {
  const std::size_t channels = plan_.channels();
  std::byte* const at = out_ + first * channels * element_bytes(*plan_.output.dtype);
  kernels_.write_ones(channel_bits(vectors, count), count * channels, *plan_.output.dtype, at,
                      stores_);
}

const std::uint8_t* TileWriter::channel_bits(const std::uint8_t* vectors, std::size_t count) {
  const bool ignore_channel = plan_.output.ignore_channel;
  if (plan_.storage == LabelStorage::one_hot && !ignore_channel) {
    kernels_.bytes_have(vectors, count * plan_.class_count, 255, buffers_.bits);
    return buffers_.bits;
  }
  if (plan_.storage == LabelStorage::one_hot) vectors = pack(vectors, count);
  if (plan_.marks_ignored()) {
    mark_ignored(vectors, count, plan_.class_count, buffers_.marked);
    vectors = buffers_.marked;
  }
  const bool only_bits = !plan_.stored_ids() && (plan_.marks_ignored() || !ignore_channel);
  if (only_bits && plan_.channels() % 8 == 0) return vectors;
  std::size_t done = 0;
  if (const ChannelShuffle* const table = shuffle()) {
    kernels_.shuffle(vectors, count / 64, *table, buffers_.bits);
    done = count / 64 * 64;
  }
  channel_bits_from(done, vectors, count);
  return buffers_.bits;
}

void TileWriter::channel_bits_from(std::size_t first, const std::uint8_t* vectors,
                                   std::size_t count) {
  const bool ignore_channel = plan_.output.ignore_channel && !plan_.marks_ignored();
  const std::size_t classes = plan_.marks_ignored() ? plan_.channels() : plan_.class_count;
  std::uint8_t* const bits = buffers_.bits + first / 8 * plan_.channels();
  if (plan_.stored_ids()) {
    channels_of_ids(vectors + first * plan_.vector_bytes(), plan_.wide_ids(), count - first,
                    classes, ignore_channel, bits);
  } else {
    channels_of_vectors(vectors + first * ((classes + 7) / 8), count - first, classes,
                        ignore_channel, bits);
  }
}

const ChannelShuffle* TileWriter::shuffle() const {
  if (kernels_.shuffle == nullptr) return nullptr;
  const ChannelShuffle& table =
      kernels_.shuffle_lane == 64 ? plan_.wide_shuffle : plan_.narrow_shuffle;
  return table.channels == 0 ? nullptr : &table;
}

const std::uint8_t* TileWriter::pack(const std::uint8_t* vectors, std::size_t count) {
  const std::size_t classes = plan_.class_count;
  std::uint8_t* const bits = classes % 8 == 0 ? buffers_.packed : buffers_.bits;
  kernels_.bytes_have(vectors, count * classes, 255, bits);
  if (classes % 8 != 0) vectors_of_channels(bits, count, classes, buffers_.packed);
  return buffers_.packed;
}

void TileWriter::write_bits(const std::uint8_t* vectors, std::size_t first, std::size_t count) {
  if (plan_.stored_ids()) {
    vectors_of_ids(vectors, plan_.wide_ids(), count, plan_.class_count, buffers_.converted);
    vectors = buffers_.converted;
  } else if (plan_.storage == LabelStorage::one_hot) {
    vectors = pack(vectors, count);
  } else if (plan_.class_count % 8 != 0) {
    clean_vectors(vectors, count, plan_.class_count, buffers_.converted);
    vectors = buffers_.converted;
  }
  copy_out(vectors, count * plan_.bit_bytes(), first * plan_.bit_bytes());
}

void TileWriter::write_ids(const std::uint8_t* vectors, std::size_t first, std::size_t count) {
  if (plan_.storage == LabelStorage::one_hot) vectors = pack(vectors, count);
  if (!plan_.stored_ids()) {
    lowest_bits(vectors, count);
    vectors = buffers_.ids;
  }
  const IdRule rule{static_cast<std::uint32_t>(plan_.class_count), *plan_.output.ignore_index};
  const ElementType type = *plan_.output.dtype;
  const auto convert = plan_.wide_ids() ? kernels_.convert_wide_ids : kernels_.convert_ids;
  std::byte* const at = out_ + first * element_bytes(type);
  const bool widened = element_bytes(type) != (plan_.wide_ids() ? 2 : 1);
  if (stores_ == Stores::cached || !widened)
    return convert(vectors, count, rule, type, at, stores_);
  convert(vectors, count, rule, type, reinterpret_cast<std::byte*>(buffers_.converted),
          Stores::cached);
  stream_copy(at, buffers_.converted, count * element_bytes(type));
}

void TileWriter::lowest_bits(const std::uint8_t* vectors, std::size_t count) {
  const std::size_t planes = plan_.bit_bytes();
  if (planes > kMostPlanes)
    return lowest_classes(vectors, count, plan_.class_count, plan_.wide_ids(), buffers_.ids);
  std::memset(buffers_.ids, 255, count);
  for (std::size_t b = 0; b < planes; ++b) {
    const std::size_t classes = std::min<std::size_t>(8, plan_.class_count - 8 * b);
    if (planes > 1) kernels_.byte_plane(vectors, planes, b, count, buffers_.plane);
    kernels_.lowest_bit(planes > 1 ? buffers_.plane : vectors, count,
                        static_cast<std::uint8_t>((1U << classes) - 1),
                        static_cast<std::uint8_t>(8 * b), buffers_.ids);
  }
}

void TileWriter::copy_out(const std::uint8_t* from, std::size_t bytes, std::size_t offset) {
  if (stores_ == Stores::streaming) return stream_copy(out_ + offset, from, bytes);
  std::memcpy(out_ + offset, from, bytes);
}

}  // namespace hotpack::expand
