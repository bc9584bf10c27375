#include "expand/label_kernels_portable.hpp"

#include <algorithm>
#include <array>

namespace hotpack::expand::portable {

namespace {

constexpr std::uint64_t kEachByte = 0x0101010101010101;

// Returns 8 bits: bit k is 1 if byte k of the word is zero.
unsigned zero_bytes(std::uint64_t word) {
  constexpr std::uint64_t kLow = 0x7F * kEachByte;
  const std::uint64_t zeros = ~(((word & kLow) + kLow) | word | kLow) >> 7;  // 1 in each such byte
  return static_cast<unsigned>(zeros * 0x0102040810204080 >> 56);
}

std::uint64_t load_word(const std::uint8_t* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// Writes bits i … count − 1, the last ones. `test(element)` gives each bit.
template <class Test>
void make_bits(std::size_t i, std::size_t count, std::uint8_t* bits, Test test) {
  for (; i < count; i += 8) {
    unsigned byte = 0;
    const std::size_t end = std::min<std::size_t>(8, count - i);
    for (std::size_t k = 0; k < end; ++k) byte |= static_cast<unsigned>(test(i + k)) << k;
    bits[i / 8] = static_cast<std::uint8_t>(byte);
  }
}

// The eight elements for each byte of bits. An element has all bits set, or none.
template <class Word>
using BitTable = std::array<std::array<Word, 8>, 256>;

template <class Word>
constexpr BitTable<Word> make_bit_table() {
  BitTable<Word> table{};
  for (std::size_t byte = 0; byte < 256; ++byte) {
    for (std::size_t bit = 0; bit < 8; ++bit)
      table[byte][bit] = (byte >> bit & 1) != 0 ? static_cast<Word>(~Word{0}) : Word{0};
  }
  return table;
}

template <class Word>
constexpr BitTable<Word> kBitTable = make_bit_table<Word>();

template <class Word>
void write_bit(const std::uint8_t* bits, std::size_t i, Word one, Word* out) {
  out[i] = (bits[i / 8] >> (i % 8) & 1) != 0 ? one : Word{0};
}

template <std::size_t kStep>
void strided(const std::uint8_t* in, std::size_t i, std::size_t count, std::uint8_t* plane) {
  for (; i < count; ++i) plane[i] = in[i * kStep];
}

}  // namespace

void ids_equal(const std::uint8_t* ids, std::size_t i, std::size_t count, std::uint32_t id,
               std::uint8_t* bits) {
  for (; i + 8 <= count; i += 8)
    bits[i / 8] = static_cast<std::uint8_t>(zero_bytes(load_word(ids + i) ^ id * kEachByte));
  make_bits(i, count, bits, [=](std::size_t k) { return ids[k] == id; });
}

void wide_ids_equal(const std::uint8_t* ids, std::size_t i, std::size_t count, std::uint32_t id,
                    std::uint8_t* bits) {
  make_bits(i, count, bits,
            [=](std::size_t k) { return (ids[2 * k] | unsigned{ids[2 * k + 1]} << 8) == id; });
}

void bytes_have(const std::uint8_t* bytes, std::size_t i, std::size_t count, std::uint8_t mask,
                std::uint8_t* bits) {
  for (; i + 8 <= count; i += 8)
    bits[i / 8] = static_cast<std::uint8_t>(~zero_bytes(load_word(bytes + i) & mask * kEachByte));
  make_bits(i, count, bits, [=](std::size_t k) { return (bytes[k] & mask) != 0; });
}

void byte_plane(const std::uint8_t* vectors, std::size_t vector_bytes, std::size_t byte,
                std::size_t i, std::size_t count, std::uint8_t* plane) {
  const std::uint8_t* const in = vectors + byte;
  if (vector_bytes == 2) return strided<2>(in, i, count, plane);
  if (vector_bytes == 3) return strided<3>(in, i, count, plane);
  for (; i < count; ++i) plane[i] = in[i * vector_bytes];
}

void lowest_bit(const std::uint8_t* plane, std::size_t i, std::size_t count, std::uint8_t mask,
                std::uint8_t base, std::uint8_t* ids) {
  for (; i < count; ++i) {
    const unsigned found = plane[i] & mask;
    if (found == 0) continue;
    ids[i] = static_cast<std::uint8_t>(std::min<int>(ids[i], base + std::countr_zero(found)));
  }
}

PlanePicks plane_picks(std::size_t vector_bytes, std::size_t byte) {
  PlanePicks picks{};
  for (std::size_t i = 0; i < 64; ++i) {
    const std::size_t at = i * vector_bytes + byte;
    picks.places[i] = static_cast<std::uint8_t>(at % 64);
    picks.masks[at / 64] |= std::uint64_t{1} << i;
  }
  return picks;
}

template <class Word>
void write_ones(const std::uint8_t* bits, std::size_t i, std::size_t count, Word one, Word* out) {
  for (; i < count && i % 8 != 0; ++i) write_bit(bits, i, one, out);
  for (; i + 8 <= count; i += 8) {
    const std::array<Word, 8>& set = kBitTable<Word>[bits[i / 8]];
    for (std::size_t k = 0; k < 8; ++k) out[i + k] = static_cast<Word>(set[k] & one);
  }
  for (; i < count; ++i) write_bit(bits, i, one, out);
}

template void write_ones(const std::uint8_t*, std::size_t, std::size_t, std::uint8_t,
                         std::uint8_t*);
template void write_ones(const std::uint8_t*, std::size_t, std::size_t, std::uint16_t,
                         std::uint16_t*);
template void write_ones(const std::uint8_t*, std::size_t, std::size_t, std::uint32_t,
                         std::uint32_t*);

}  // namespace hotpack::expand::portable
