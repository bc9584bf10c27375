// The chunks of a PNG file in order: length, type, data, checksum.
//
// Pure; thread-safe. Views into the given bytes. The bytes may be hostile: a chunk only lies
// inside them, nothing more is checked.
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

// The type of the chunk at `at`; absent if the bytes end before it does.
[[nodiscard]] std::optional<std::string_view> png_chunk_type(std::span<const std::byte> bytes,
                                                             std::size_t at);
// The chunk at `at`; absent if the bytes end inside it.
[[nodiscard]] std::optional<PngChunk> png_chunk(std::span<const std::byte> bytes, std::size_t at);

}  // namespace hotpack::codecs
