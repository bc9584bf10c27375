// CRC-32C without a library. The usual fast library is ISA-L, but Debian ships it as a shared
// object only, and programs that link the reader may depend on nothing but libc, libstdc++, zstd
// and Highway.
// On x86-64 the crc32 instruction has a latency of three cycles, so it runs on three streams of
// bytes at once. Tables of what n zero bytes do to a CRC then join the three CRCs into one. On
// other processors, eight table look-ups process eight bytes per step.
#include <array>
#include <bit>

#include "base/checksum.hpp"
#include "base/endian.hpp"

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

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

#if defined(__x86_64__)

// Bytes per stream: enough that joining the streams costs little, few enough that three streams
// stay in the first-level cache.
constexpr std::size_t kStream = 4096;

// What appending n zero bytes does to a CRC: a linear map, as four tables of 256 entries.
using ZeroTables = std::array<ByteTable, 4>;

ZeroTables make_zero_tables(std::size_t zero_bytes) {
  std::array<std::uint32_t, 32> image{};  // the map of each single bit
  for (unsigned bit = 0; bit < 32; ++bit) {
    std::uint32_t state = std::uint32_t{1} << bit;
    for (std::size_t i = 0; i < zero_bytes; ++i) state = byte_step(state, std::byte{0});
    image[bit] = state;
  }
  ZeroTables tables{};
  for (unsigned k = 0; k < 4; ++k)
    for (unsigned value = 0; value < 256; ++value)
      for (unsigned bit = 0; bit < 8; ++bit)
        if (value >> bit & 1) tables[k][value] ^= image[8 * k + bit];
  return tables;
}

std::uint32_t append_zeros(const ZeroTables& tables, std::uint32_t state) {
  return tables[0][state & 255] ^ tables[1][state >> 8 & 255] ^ tables[2][state >> 16 & 255] ^
         tables[3][state >> 24];
}

__attribute__((target("sse4.2"))) std::uint32_t update_sse42(std::uint32_t state,
                                                             const std::byte* at,
                                                             std::size_t size) {
  static const ZeroTables zeros = make_zero_tables(kStream);
  while (size >= 3 * kStream) {
    std::uint64_t a = state, b = 0, c = 0;
    for (std::size_t i = 0; i < kStream; i += 8) {
      a = _mm_crc32_u64(a, load_le<std::uint64_t>(at + i));
      b = _mm_crc32_u64(b, load_le<std::uint64_t>(at + kStream + i));
      c = _mm_crc32_u64(c, load_le<std::uint64_t>(at + 2 * kStream + i));
    }
    state = append_zeros(zeros, append_zeros(zeros, static_cast<std::uint32_t>(a)) ^
                                    static_cast<std::uint32_t>(b)) ^
            static_cast<std::uint32_t>(c);
    at += 3 * kStream;
    size -= 3 * kStream;
  }
  std::uint64_t wide = state;
  for (; size >= 8; at += 8, size -= 8) wide = _mm_crc32_u64(wide, load_le<std::uint64_t>(at));
  state = static_cast<std::uint32_t>(wide);
  for (; size > 0; ++at, --size) state = _mm_crc32_u8(state, std::to_integer<unsigned char>(*at));
  return state;
}

std::uint32_t update(std::uint32_t state, const std::byte* at, std::size_t size) {
  static const bool has_instruction = __builtin_cpu_supports("sse4.2");
  return has_instruction ? update_sse42(state, at, size) : update_portable(state, at, size);
}

#else

std::uint32_t update(std::uint32_t state, const std::byte* at, std::size_t size) {
  return update_portable(state, at, size);
}

#endif

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before) {
  return ~update(~before, bytes.data(), bytes.size());
}

std::uint32_t crc32c_portable(std::span<const std::byte> bytes, std::uint32_t before) {
  return ~update_portable(~before, bytes.data(), bytes.size());
}

}  // namespace hotpack
