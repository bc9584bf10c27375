#include "base/checksum.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <new>

namespace hotpack {

namespace {
Hash128 hash_of(XXH128_hash_t hash) { return {hash.high64, hash.low64}; }
}  // namespace

std::string Hash128::text() const {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "xxh3-128:";
  for (const std::uint64_t half : {high, low})
    for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[(half >> shift) & 15];
  return text;
}

std::uint64_t xxh3_64(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}
Hash128 xxh3_128(std::span<const std::byte> bytes) {
  return hash_of(XXH3_128bits(bytes.data(), bytes.size()));
}
Hash128 xxh3_128(std::string_view text) { return xxh3_128(bytes_of(text)); }

struct Hasher128::State {
  alignas(64) XXH3_state_t xxh;
};

Hasher128::Hasher128() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->xxh); }
Hasher128::~Hasher128() = default;
Hasher128::Hasher128(Hasher128&&) noexcept = default;
Hasher128& Hasher128::operator=(Hasher128&&) noexcept = default;

void Hasher128::add(std::span<const std::byte> bytes) {
  XXH3_128bits_update(&state_->xxh, bytes.data(), bytes.size());
}
void Hasher128::add(std::string_view text) { add(bytes_of(text)); }
Hash128 Hasher128::finish() const { return hash_of(XXH3_128bits_digest(&state_->xxh)); }

}  // namespace hotpack
