// CRC-32C with carry-less multiplication. Without a library: Debian ships ISA-L, the usual fast
// one, as a shared object only, and programs that link the reader may depend on nothing but libc,
// libstdc++, zstd and Highway.
//
// Bits are polynomials over GF(2): the first bit of the data is the highest coefficient, and a CRC
// is the remainder of data · x^32 modulo the Castagnoli polynomial. "Reflected" numbers store the
// highest coefficient in the lowest bit. The method is that of V. Gopal et al., "Fast CRC
// Computation for Generic Polynomials Using PCLMULQDQ Instruction" (Intel, 2009).
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/checksum.hpp"
#include "base/endian.hpp"

// Highway compiles the rest of this file once per vector instruction set. AVX3_DL multiplies 512
// bits at once. SVE does not always multiply; every processor with SVE has NEON.
#define HWY_WANT_AVX3_DL
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "base/crc32c.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#if HWY_ARCH_X86_64
#include <nmmintrin.h>
#endif

// The parts that do not depend on the instruction set.
#ifndef HOTPACK_BASE_CRC32C_TABLES
#define HOTPACK_BASE_CRC32C_TABLES

namespace hotpack {

namespace {

constexpr std::uint32_t kPolynomial = 0x82F63B78;  // Castagnoli, reflected

using ByteTable = std::array<std::uint32_t, 256>;

constexpr std::array<ByteTable, 8> make_step_tables() {
  std::array<ByteTable, 8> tables{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) ? kPolynomial : 0);
    tables[0][i] = crc;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t i = 0; i < 256; ++i)
      tables[k][i] = (tables[k - 1][i] >> 8) ^ tables[0][tables[k - 1][i] & 255];
  return tables;
}

constexpr std::array<ByteTable, 8> kStep = make_step_tables();

std::uint32_t byte_step(std::uint32_t state, std::byte byte) {
  return (state >> 8) ^ kStep[0][(state ^ std::to_integer<std::uint32_t>(byte)) & 255];
}

std::uint32_t update_portable(std::uint32_t state, const std::byte* at, std::size_t size) {
  for (; size >= 8; at += 8, size -= 8) {
    const std::uint64_t word = load_le<std::uint64_t>(at) ^ state;
    state = 0;
    for (unsigned k = 0; k < 8; ++k) state ^= kStep[7 - k][(word >> (8 * k)) & 255];
  }
  for (; size > 0; ++at, --size) state = byte_step(state, *at);
  return state;
}

// Returns x^power modulo the polynomial, as the upper half of a reflected number of 64 bits.
constexpr std::uint64_t x_to(std::size_t power) {
  std::uint32_t remainder = 0x80000000;  // x^0
  for (; power > 0; --power) remainder = (remainder >> 1) ^ ((remainder & 1) ? kPolynomial : 0);
  return std::uint64_t{remainder} << 32;
}

}  // namespace

}  // namespace hotpack

#endif

HWY_BEFORE_NAMESPACE();
namespace hotpack::HWY_NAMESPACE {

// Of two targets of an architecture, the better one has the lower number.
#if (HWY_ARCH_X86_64 && HWY_TARGET <= HWY_SSE4) || (HWY_ARCH_ARM_A64 && HWY_TARGET <= HWY_NEON)

namespace hn = hwy::HWY_NAMESPACE;

HWY_INLINE std::uint32_t update_short(std::uint32_t state, const std::byte* at, std::size_t size) {
#if HWY_ARCH_X86_64
  std::uint64_t wide = state;
  for (; size >= 8; at += 8, size -= 8) wide = _mm_crc32_u64(wide, load_le<std::uint64_t>(at));
  state = static_cast<std::uint32_t>(wide);
  for (; size > 0; ++at, --size) state = _mm_crc32_u8(state, std::to_integer<unsigned char>(*at));
  return state;
#else
  return update_portable(state, at, size);
#endif
}

// Without VPCLMULQDQ, Highway multiplies wide vectors in pieces.
constexpr std::size_t kWords =
    (HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX3_DL) ? 8 : 2;  // in a vector
using Tag = hn::FixedTag<std::uint64_t, kWords>;
using Words = hn::Vec<Tag>;

constexpr std::size_t kFolded =
    4;  // vectors in flight, because a multiplication takes 3 to 8 cycles
constexpr std::size_t kVectorBytes = sizeof(std::uint64_t) * kWords;
constexpr std::size_t kBlockBytes = kFolded * kVectorBytes;

HWY_INLINE Words load(const std::byte* at) {
  return hn::LoadU(Tag(), reinterpret_cast<const std::uint64_t*>(at));
}

// Multiplies each 128-bit polynomial by x^(8 · kBlockBytes), except for a multiple of the CRC's
// polynomial. The lower word holds the higher coefficients. The product of two reflected numbers
// is one power too high.
HWY_INLINE Words shift_block(Words polynomials, Words factors) {
  return hn::Xor(hn::CLMulLower(polynomials, factors), hn::CLMulUpper(polynomials, factors));
}

// Replaces the blocks by one with the same remainder, and returns its CRC.
std::uint32_t fold(std::uint32_t state, const std::byte* at, std::size_t blocks) {
  const Tag tag;
  constexpr std::size_t kBits = 8 * kBlockBytes;
  constexpr std::uint64_t kLower = x_to(kBits + 64 - 1), kUpper = x_to(kBits - 1);
  const Words factors = hn::OddEven(hn::Set(tag, kUpper), hn::Set(tag, kLower));
  std::uint64_t first[kWords] = {state};
  Words a = hn::Xor(load(at), hn::LoadU(tag, first)), b = load(at + kVectorBytes),
        c = load(at + 2 * kVectorBytes), d = load(at + 3 * kVectorBytes);
  for (at += kBlockBytes; --blocks > 0; at += kBlockBytes) {
    a = hn::Xor(shift_block(a, factors), load(at));
    b = hn::Xor(shift_block(b, factors), load(at + kVectorBytes));
    c = hn::Xor(shift_block(c, factors), load(at + 2 * kVectorBytes));
    d = hn::Xor(shift_block(d, factors), load(at + 3 * kVectorBytes));
  }
  std::byte block[kBlockBytes];
  auto* const words = reinterpret_cast<std::uint64_t*>(block);
  hn::StoreU(a, tag, words);
  hn::StoreU(b, tag, words + kWords);
  hn::StoreU(c, tag, words + 2 * kWords);
  hn::StoreU(d, tag, words + 3 * kWords);
  return update_short(0, block, kBlockBytes);
}

std::uint32_t update(std::uint32_t state, const std::byte* at, std::size_t size) {
  constexpr std::size_t kWorthFolding = 2 * kBlockBytes;
  if (size >= kWorthFolding) {
    const std::size_t blocks = size / kBlockBytes;
    state = fold(state, at, blocks);
    at += blocks * kBlockBytes;
    size -= blocks * kBlockBytes;
  }
  return update_short(state, at, size);
}

#else

std::uint32_t update(std::uint32_t state, const std::byte* at, std::size_t size) {
  return update_portable(state, at, size);
}

#endif

}  // namespace hotpack::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace hotpack {

namespace {

HWY_EXPORT(update);

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before) {
  return ~HWY_DYNAMIC_DISPATCH(update)(~before, bytes.data(), bytes.size());
}

std::uint32_t crc32c_portable(std::span<const std::byte> bytes, std::uint32_t before) {
  return ~update_portable(~before, bytes.data(), bytes.size());
}

}  // namespace hotpack

#endif
