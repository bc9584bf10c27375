// Files that turn up among pictures and labels and are none that is read here, known by their first bytes, with what to do about them.
//
// Pure; thread-safe. Inside this room only.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace hotpack::codecs {

// So many first bytes tell all of them apart.
inline constexpr std::size_t kForeignFormatBytes = 348;

// "the content is that of a TIFF file; TIFF is not supported; convert it to PNG", for example; absent where nobody knows what it is.
[[nodiscard]] std::optional<std::string> foreign_format_text(std::span<const std::byte> first_bytes);

}  // namespace hotpack::codecs
