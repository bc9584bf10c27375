#include "labels/one_hot.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>

#include "base/endian.hpp"
#include "labels/label_decoder.hpp"

namespace hotpack::labels {
namespace {

constexpr std::size_t kRunPixels = 8;

// Compares kRunPixels ids at once with the id before them. Labels have large areas of one class, so
// most groups of this size repeat that id.
class IdRun {
 public:
  explicit IdRun(std::uint16_t id) { ids_.fill(id); }
  [[nodiscard]] bool fills(const std::uint16_t* ids) const {
    std::array<std::uint64_t, 2> here, wanted;
    static_assert(sizeof here == kRunPixels * sizeof(std::uint16_t));
    std::memcpy(here.data(), ids, sizeof here);
    std::memcpy(wanted.data(), ids_.data(), sizeof wanted);
    return ((here[0] ^ wanted[0]) | (here[1] ^ wanted[1])) == 0;
  }

 private:
  std::array<std::uint16_t, kRunPixels> ids_;
};

std::size_t bytes_a_pixel(LabelStorage storage, std::size_t class_count) {
  switch (storage) {
    case LabelStorage::bits:
      return (class_count + 7) / 8;
    case LabelStorage::one_hot:
      return class_count;
    case LabelStorage::index:
      break;
  }
  return class_count <= 255 ? 1 : 2;
}

template <class Unit>
Unit bit_of(std::uint16_t id) {
  return id < 8 * sizeof(Unit) ? static_cast<Unit>(1u << id) : Unit{0};
}

// Encodes ids as bits, for up to 8 · sizeof(Unit) classes. Stores one Unit per pixel, or all at
// once if a whole group of pixels repeats the id before it.
template <class Unit>
void encode_short_bits(std::span<const std::uint16_t> ids, std::byte* out) {
  std::uint16_t last = kIgnored;
  std::array<Unit, kRunPixels> last_bits{};
  IdRun run(last);
  std::size_t i = 0;
  for (; i + kRunPixels <= ids.size(); i += kRunPixels, out += sizeof last_bits) {
    if (!run.fills(&ids[i])) {
      std::array<Unit, kRunPixels> bits;
      for (std::size_t k = 0; k < kRunPixels; ++k) bits[k] = bit_of<Unit>(ids[i + k]);
      std::memcpy(out, bits.data(), sizeof bits);
      last = ids[i + kRunPixels - 1];
      last_bits.fill(bit_of<Unit>(last));
      run = IdRun(last);
    } else {
      std::memcpy(out, last_bits.data(), sizeof last_bits);
    }
  }
  for (; i < ids.size(); ++i, out += sizeof(Unit)) {
    const Unit bits = bit_of<Unit>(ids[i]);
    std::memcpy(out, &bits, sizeof bits);
  }
}

// Encodes ids as vectors of `pixel_bytes` bytes, of which at most one is not zero: fills them with
// zeros and calls `set(pixel, id)` to write that byte. Works in blocks that stay in the cache.
template <class Set>
void scatter(std::span<const std::uint16_t> ids, std::size_t class_count, std::size_t pixel_bytes,
             std::byte* out, Set set) {
  constexpr std::size_t kBlockBytes = 16384;
  const std::size_t block = std::max<std::size_t>(1, kBlockBytes / pixel_bytes);
  while (!ids.empty()) {
    const std::size_t count = std::min(block, ids.size());
    std::memset(out, 0, count * pixel_bytes);
    for (std::size_t i = 0; i < count; ++i) {
      if (ids[i] < class_count) set(out + i * pixel_bytes, ids[i]);
    }
    ids = ids.subspan(count);
    out += count * pixel_bytes;
  }
}

void encode_bits(std::span<const std::uint16_t> ids, std::size_t class_count, std::byte* out) {
  const std::size_t pixel_bytes = bytes_a_pixel(LabelStorage::bits, class_count);
  switch (pixel_bytes) {
    case 1:
      return encode_short_bits<std::uint8_t>(ids, out);
    case 2:
      return encode_short_bits<std::uint16_t>(ids, out);
    case 4:
      return encode_short_bits<std::uint32_t>(ids, out);
    default:
      return scatter(ids, class_count, pixel_bytes, out, [](std::byte* pixel, std::uint16_t id) {
        pixel[id / 8] = std::byte{1} << (id % 8);
      });
  }
}

void encode_one_hot(std::span<const std::uint16_t> ids, std::size_t class_count, std::byte* out) {
  scatter(ids, class_count, class_count, out,
          [](std::byte* pixel, std::uint16_t id) { pixel[id] = std::byte{1}; });
}

// kIgnored becomes 255 or stays 65535 without special handling.
void encode_index(std::span<const std::uint16_t> ids, std::size_t class_count, std::byte* out) {
  if (class_count > 255) {
    std::memcpy(out, ids.data(), ids.size_bytes());
    return;
  }
  for (std::size_t i = 0; i < ids.size(); ++i) out[i] = static_cast<std::byte>(ids[i] & 0xFF);
}

}  // namespace

std::uint64_t encoded_bytes(LabelStorage storage, std::uint64_t pixels, std::size_t class_count) {
  return pixels * bytes_a_pixel(storage, class_count);
}

void encode_ids(std::span<const std::uint16_t> ids, std::size_t class_count, LabelStorage storage,
                std::span<std::byte> out) {
  assert(out.size() == encoded_bytes(storage, ids.size(), class_count));
  if (out.empty()) return;
  switch (storage) {
    case LabelStorage::bits:
      return encode_bits(ids, class_count, out.data());
    case LabelStorage::one_hot:
      return encode_one_hot(ids, class_count, out.data());
    case LabelStorage::index:
      return encode_index(ids, class_count, out.data());
  }
}

void add_class(std::span<const std::uint16_t> ids, std::size_t class_id, std::size_t class_count,
               LabelStorage storage, std::span<std::byte> one_hot) {
  const bool bits = storage == LabelStorage::bits;
  const std::size_t pixel_bytes = bytes_a_pixel(storage, class_count);
  const std::byte mark = bits ? std::byte{1} << (class_id % 8) : std::byte{1};
  std::byte* at = one_hot.data() + (bits ? class_id / 8 : class_id);
  for (const std::uint16_t id : ids) {
    if (id == 1) *at |= mark;
    at += pixel_bytes;
  }
}

std::uint64_t count_one_hot(std::span<const std::byte> one_hot, LabelStorage storage,
                            std::size_t class_count, std::vector<std::uint64_t>& histogram) {
  histogram.assign(class_count, 0);
  const std::size_t pixel_bytes = bytes_a_pixel(storage, class_count);
  const std::size_t step = storage == LabelStorage::bits ? 8 : 1;  // classes per byte
  std::uint64_t without = 0;
  for (; !one_hot.empty(); one_hot = one_hot.subspan(pixel_bytes)) {
    unsigned any = 0;
    for (std::size_t byte = 0; byte < pixel_bytes; ++byte) {
      const auto set = std::to_integer<unsigned>(one_hot[byte]);
      any |= set;
      for (unsigned rest = set; rest != 0; rest &= rest - 1)
        ++histogram[byte * step + static_cast<std::size_t>(std::countr_zero(rest))];
    }
    without += any == 0;
  }
  return without;
}

std::uint64_t count_ids(std::span<const std::uint16_t> ids, std::uint64_t times,
                        std::span<std::uint64_t> histogram) {
  std::uint64_t ignored = 0;
  const auto counter_of = [&](std::uint16_t id) -> std::uint64_t& {
    return id < histogram.size() ? histogram[id] : ignored;
  };
  std::uint64_t* last_counter = &ignored;
  IdRun run(kIgnored);
  std::size_t i = 0;
  for (; i + kRunPixels <= ids.size(); i += kRunPixels) {
    if (run.fills(&ids[i])) {
      *last_counter += kRunPixels * times;
      continue;
    }
    for (std::size_t k = 0; k < kRunPixels; ++k) counter_of(ids[i + k]) += times;
    const std::uint16_t last = ids[i + kRunPixels - 1];
    run = IdRun(last);
    last_counter = &counter_of(last);
  }
  for (; i < ids.size(); ++i) counter_of(ids[i]) += times;
  return ignored;
}

}  // namespace hotpack::labels
