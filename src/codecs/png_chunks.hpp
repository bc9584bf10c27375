// Finds the chunks of a PNG file in order. A chunk consists of a length, a type, data and a
// checksum.
//
// Pure; thread-safe. Results are views into the given bytes. The bytes may come from an attacker: a
// returned chunk lies inside them, but nothing else has been checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace hotpack::codecs {

inline constexpr std::size_t kPngSignatureBytes = 8;

[[nodiscard]] std::uint32_t load_be32(const std::byte* at);

struct PngChunk {
  std::string_view type;  // four letters in a valid file
  std::span<const std::byte> data;
  std::size_t end = 0;  // start of the next chunk
  [[nodiscard]] bool is_critical() const {
    return (static_cast<unsigned char>(type[0]) & 0x20) == 0;
  }
  [[nodiscard]] bool checksum_holds() const;
};

// Returns the type of the chunk that begins at `at`; empty if the bytes end before the type does.
[[nodiscard]] std::optional<std::string_view> png_chunk_type(std::span<const std::byte> bytes,
                                                             std::size_t at);
// Returns the chunk that begins at `at`; empty if the bytes end inside the chunk.
[[nodiscard]] std::optional<PngChunk> png_chunk(std::span<const std::byte> bytes, std::size_t at);

}  // namespace hotpack::codecs
