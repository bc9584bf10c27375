// Formats that turn up among images and labels and that hotpack does not read, known by a file's extension or by its first bytes, with
// what to do about them.
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
  std::string_view name;    // as people call it: "TIFF"; empty where the advice says all
  std::string_view advice;  // what to do: "convert it to PNG"
};

struct ForeignExtension {
  ForeignFormat format;
  std::size_t length = 0;  // bytes of the extension, without its dot
};

// The format that the end of a file's name stands for; `lower` is the name in lower case. Names without a stem have no extension.
[[nodiscard]] std::optional<ForeignExtension> foreign_extension(std::string_view lower);

// So many first bytes tell all formats apart.
inline constexpr std::size_t kForeignFormatBytes = 348;
[[nodiscard]] std::optional<ForeignFormat> foreign_format(std::span<const std::byte> first_bytes);

// "TIFF is not supported; convert it to PNG"
[[nodiscard]] std::string unsupported_text(const ForeignFormat& format);

}  // namespace hotpack
