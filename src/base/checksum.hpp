// The two checksums of the format: CRC-32C for records and regions of a shard, XXH3 for digests and
// hashes of sources.
//
// Pure functions and small value types; thread-safe as such.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace hotpack {

// Returns the CRC-32C of `bytes` (Castagnoli, reflected, init and final xor 0xFFFFFFFF): that of
// "123456789" is 0xE3069283. With the CRC of earlier bytes as `before`, the result is the CRC of
// the earlier bytes followed by `bytes`. Uses carry-less multiplication and CRC instructions where
// the processor has them.
[[nodiscard]] std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before = 0);

// The same with tables only, on every processor. Tests compare the hardware path with it.
[[nodiscard]] std::uint32_t crc32c_portable(std::span<const std::byte> bytes,
                                            std::uint32_t before = 0);

// XXH3-64 with seed 0.
[[nodiscard]] std::uint64_t xxh3_64(std::span<const std::byte> bytes);

// A 128-bit XXH3 hash, compared as an unsigned 128-bit integer.
struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  auto operator<=>(const Hash128&) const = default;
  // "xxh3-128:" and 32 lower-case hex digits, most significant first.
  [[nodiscard]] std::string text() const;
};

[[nodiscard]] Hash128 xxh3_128(std::span<const std::byte> bytes);
[[nodiscard]] Hash128 xxh3_128(std::string_view text);

// XXH3-128 of bytes that arrive in pieces.
class Hasher128 {
 public:
  Hasher128();
  ~Hasher128();
  Hasher128(Hasher128&&) noexcept;
  Hasher128& operator=(Hasher128&&) noexcept;
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text);
  [[nodiscard]] Hash128 finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace hotpack
