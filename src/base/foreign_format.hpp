// File formats that occur among images and labels but that hotpack does not read, with advice for
// each. Recognized by extension or by the first bytes of a file.
//
// Constant data and pure functions; thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace hotpack {

struct ForeignFormat {
  std::string_view name;    // the usual name, "TIFF"; empty if the advice says everything
  std::string_view advice;  // "convert it to PNG"
};

struct ForeignExtension {
  ForeignFormat format;
  std::size_t length = 0;  // length of the extension, without its dot
};

// Returns the foreign format that the extension of a file's name indicates; `lower` is the name in
// lower case. A name that is nothing but an extension, such as ".tif", has none.
[[nodiscard]] std::optional<ForeignExtension> foreign_extension(std::string_view lower);

// The number of first bytes that distinguish all formats.
inline constexpr std::size_t kForeignFormatBytes = 348;
[[nodiscard]] std::optional<ForeignFormat> foreign_format(std::span<const std::byte> first_bytes);

// "TIFF is not supported; convert it to PNG"
[[nodiscard]] std::string unsupported_text(const ForeignFormat& format);

}  // namespace hotpack
