#include "expand/label_bits.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace hotpack::expand {

namespace {

// The most bits to append at a time. With up to 7 pending bits they fill a word.
constexpr std::size_t kStep = 56;

constexpr std::uint64_t low_bits(std::size_t count) { return (std::uint64_t{1} << count) - 1; }

std::uint8_t last_byte_mask(std::size_t class_count) {
  return static_cast<std::uint8_t>(class_count % 8 == 0 ? 255 : low_bits(class_count % 8));
}

// Appends strings of up to kStep bits to the output.
class BitWriter {
 public:
  explicit BitWriter(std::uint8_t* at) : at_(at) {}
  void append(std::uint64_t bits, std::size_t count) {
    word_ |= bits << fill_;
    std::memcpy(at_, &word_, sizeof word_);
    fill_ += count;
    at_ += fill_ / 8;
    word_ >>= fill_ / 8 * 8;
    fill_ %= 8;
  }

 private:
  std::uint8_t* at_;
  std::uint64_t word_ = 0;
  std::size_t fill_ = 0;
};

// Loads the next `bytes` (up to 8) bytes as a little-endian word. If 8 bytes can be read before
// `end`, loads all 8, so that the upper bytes of the word contain what follows.
std::uint64_t load_bytes(const std::uint8_t* at, std::size_t bytes, const std::uint8_t* end) {
  std::uint64_t word = 0;
  if (end - at >= 8) {
    std::memcpy(&word, at, 8);
    return word;
  }
  for (std::size_t i = 0; i < bytes; ++i) word |= std::uint64_t{at[i]} << (8 * i);
  return word;
}

// Returns the lowest class of a vector; class_count if it has none.
std::size_t lowest_class(const std::uint8_t* vector, std::size_t class_count) {
  for (std::size_t c = 0; c < class_count; c += 8) {
    if (vector[c / 8] != 0)
      return std::min(class_count, c + static_cast<std::size_t>(std::countr_zero(vector[c / 8])));
  }
  return class_count;
}

}  // namespace

void channels_of_ids(const std::uint8_t* ids, bool wide, std::size_t count, std::size_t class_count,
                     bool ignore_channel, std::uint8_t* bits) {
  const std::size_t channels = class_count + (ignore_channel ? 1 : 0);
  std::memset(bits, 0, count * channels / 8 + 1);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t channel = std::min<std::size_t>(id_at(ids, wide, i), class_count);
    // If the id is no class and there is no ignored channel, `at` is the first bit of the next
    // pixel. Then a 0 is ORed into that bit, which changes nothing.
    const std::size_t at = i * channels + channel;
    bits[at / 8] = static_cast<std::uint8_t>(bits[at / 8] | unsigned{channel < channels} << at % 8);
  }
}

void channels_of_vectors(const std::uint8_t* vectors, std::size_t count, std::size_t class_count,
                         bool ignore_channel, std::uint8_t* bits) {
  const std::size_t vector_bytes = (class_count + 7) / 8;
  const std::uint8_t* const end = vectors + count * vector_bytes;
  BitWriter writer(bits);
  for (; vectors != end; vectors += vector_bytes) {
    std::uint64_t any = 0;
    for (std::size_t c = 0; c < class_count; c += kStep) {
      const std::size_t width = std::min(kStep, class_count - c);
      const std::uint64_t part =
          load_bytes(vectors + c / 8, (width + 7) / 8, end) & low_bits(width);
      any |= part;
      writer.append(part, width);
    }
    if (ignore_channel) writer.append(any == 0 ? 1 : 0, 1);
  }
}

void mark_ignored(const std::uint8_t* vectors, std::size_t count, std::size_t class_count,
                  std::uint8_t* marked) {
  const std::size_t vector_bytes = (class_count + 7) / 8, marked_bytes = class_count / 8 + 1;
  const std::uint8_t* const end = vectors + count * vector_bytes;
  const std::uint64_t classes = low_bits(class_count);
  for (; vectors != end; vectors += vector_bytes, marked += marked_bytes) {
    std::uint64_t word = load_bytes(vectors, vector_bytes, end) & classes;
    word |= std::uint64_t{word == 0} << class_count;
    std::memcpy(marked, &word, sizeof word);
  }
}

namespace {

// As vectors_of_channels(), for pixels that fit into one word wherever their first bit is.
void short_vectors_of_channels(const std::uint8_t* bits, std::size_t count, std::size_t class_count,
                               std::uint8_t* vectors) {
  const std::size_t vector_bytes = (class_count + 7) / 8;
  const std::size_t bit_count = count * class_count;
  const std::uint8_t* const end = bits + (bit_count + 7) / 8;
  const std::uint64_t classes = low_bits(class_count);
  for (std::size_t at = 0; at < bit_count; at += class_count, vectors += vector_bytes) {
    const std::uint64_t part =
        load_bytes(bits + at / 8, (at % 8 + class_count + 7) / 8, end) >> at % 8 & classes;
    std::memcpy(vectors, &part, sizeof part);
  }
}

}  // namespace

void vectors_of_channels(const std::uint8_t* bits, std::size_t count, std::size_t class_count,
                         std::uint8_t* vectors) {
  if (class_count <= kStep) return short_vectors_of_channels(bits, count, class_count, vectors);
  constexpr std::size_t kPart =
      kStep - 8;  // the bits of whole bytes that fit into a word after 7 other bits
  const std::size_t vector_bytes = (class_count + 7) / 8;
  const std::uint8_t* const end = bits + (count * class_count + 7) / 8;
  for (std::size_t i = 0; i < count; ++i, vectors += vector_bytes) {
    for (std::size_t c = 0; c < class_count; c += kPart) {
      const std::size_t at = i * class_count + c;
      const std::size_t width = std::min(kPart, class_count - c);
      const std::uint64_t part =
          load_bytes(bits + at / 8, (at % 8 + width + 7) / 8, end) >> at % 8 & low_bits(width);
      std::memcpy(vectors + c / 8, &part, sizeof part);
    }
  }
}

void vectors_of_ids(const std::uint8_t* ids, bool wide, std::size_t count, std::size_t class_count,
                    std::uint8_t* vectors) {
  const std::size_t vector_bytes = (class_count + 7) / 8;
  std::memset(vectors, 0, count * vector_bytes);
  for (std::size_t i = 0; i < count; ++i, vectors += vector_bytes) {
    const std::size_t id = id_at(ids, wide, i);
    if (id < class_count) vectors[id / 8] = static_cast<std::uint8_t>(1U << id % 8);
  }
}

void clean_vectors(const std::uint8_t* vectors, std::size_t count, std::size_t class_count,
                   std::uint8_t* clean) {
  const std::size_t vector_bytes = (class_count + 7) / 8;
  std::memcpy(clean, vectors, count * vector_bytes);
  const std::uint8_t mask = last_byte_mask(class_count);
  if (mask == 255) return;
  std::uint8_t* const last = clean + vector_bytes - 1;
  for (std::size_t i = 0; i < count; ++i) last[i * vector_bytes] &= mask;
}

void lowest_classes(const std::uint8_t* vectors, std::size_t count, std::size_t class_count,
                    bool wide, std::uint8_t* ids) {
  const std::size_t vector_bytes = (class_count + 7) / 8;
  for (std::size_t i = 0; i < count; ++i, vectors += vector_bytes) {
    const std::size_t found = lowest_class(vectors, class_count);
    const auto id = static_cast<std::uint16_t>(found < class_count ? found : 65535);
    std::memcpy(ids + (wide ? 2 * i : i), &id, wide ? 2 : 1);
  }
}

}  // namespace hotpack::expand
