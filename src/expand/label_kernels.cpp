#include "expand/label_kernels.hpp"

#include <algorithm>
#include <array>

#include "expand/label_kernels_portable.hpp"
#include "expand/label_kernels_x86.hpp"

namespace hotpack::expand {

namespace portable {

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

// Writes the last bits, i … count − 1. `test(element)` gives the bit of an element.
template <class Test>
void make_bits(std::size_t i, std::size_t count, std::uint8_t* bits, Test test) {
  for (; i < count; i += 8) {
    unsigned byte = 0;
    const std::size_t end = std::min<std::size_t>(8, count - i);
    for (std::size_t k = 0; k < end; ++k) byte |= static_cast<unsigned>(test(i + k)) << k;
    bits[i / 8] = static_cast<std::uint8_t>(byte);
  }
}

// For each value of a byte of bits, the eight elements that it means. All bits of an element are
// set if its bit in the byte is set; otherwise none is.
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

}  // namespace portable

namespace {

void portable_ids_equal(const std::uint8_t* ids, std::size_t count, std::uint32_t id,
                        std::uint8_t* bits) {
  portable::ids_equal(ids, 0, count, id, bits);
}

void portable_wide_ids_equal(const std::uint8_t* ids, std::size_t count, std::uint32_t id,
                             std::uint8_t* bits) {
  portable::wide_ids_equal(ids, 0, count, id, bits);
}

void portable_bytes_have(const std::uint8_t* bytes, std::size_t count, std::uint8_t mask,
                         std::uint8_t* bits) {
  portable::bytes_have(bytes, 0, count, mask, bits);
}

void portable_byte_plane(const std::uint8_t* vectors, std::size_t vector_bytes, std::size_t byte,
                         std::size_t count, std::uint8_t* plane) {
  portable::byte_plane(vectors, vector_bytes, byte, 0, count, plane);
}

void portable_lowest_bit(const std::uint8_t* plane, std::size_t count, std::uint8_t mask,
                         std::uint8_t base, std::uint8_t* ids) {
  portable::lowest_bit(plane, 0, count, mask, base, ids);
}

template <class Word>
void portable_ones_of(const std::uint8_t* bits, std::size_t count, ElementType type,
                      std::byte* out) {
  portable::write_ones(bits, 0, count, static_cast<Word>(one_pattern(type)),
                       reinterpret_cast<Word*>(out));
}

void portable_write_ones(const std::uint8_t* bits, std::size_t count, ElementType type,
                         std::byte* out, Stores) {
  if (type == ElementType::u8) return portable_ones_of<std::uint8_t>(bits, count, type, out);
  if (type == ElementType::f32) return portable_ones_of<std::uint32_t>(bits, count, type, out);
  portable_ones_of<std::uint16_t>(bits, count, type, out);
}

void portable_convert_ids(const std::uint8_t* ids, std::size_t count, const IdRule& rule,
                          ElementType type, std::byte* out, Stores) {
  portable::convert_to<std::uint8_t>(ids, count, rule, type, out);
}

void portable_convert_wide_ids(const std::uint8_t* ids, std::size_t count, const IdRule& rule,
                               ElementType type, std::byte* out, Stores) {
  portable::convert_to<std::uint16_t>(ids, count, rule, type, out);
}

constexpr LabelKernels kPortable{portable_ids_equal,
                                 portable_wide_ids_equal,
                                 portable_bytes_have,
                                 portable_byte_plane,
                                 nullptr,
                                 portable_lowest_bit,
                                 portable_write_ones,
                                 portable_convert_ids,
                                 portable_convert_wide_ids};

}  // namespace

const LabelKernels& label_kernels([[maybe_unused]] Level level) {
#if defined(__x86_64__)
  if (level == Level::avx512) return avx512_label_kernels();
  if (level == Level::avx2) return avx2_label_kernels();
#endif
  return kPortable;
}

}  // namespace hotpack::expand
