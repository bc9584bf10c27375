// Makes the file of a sheet: a PNG that contains a note that hotpack made it. By this note, hotpack
// recognizes its own sheets; it replaces no other file.
//
// Pure functions; thread-safe. Failure: the errors of codecs::encode_png.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/pixels.hpp"
#include "hotpack/result.hpp"

namespace hotpack::preview {

// Encodes an RGB image as a PNG whose text chunk names hotpack as its software.
[[nodiscard]] Result<std::vector<std::byte>> sheet_file(ConstPixels image);

// True if sheet_file() made the file with these first bytes. Reads kSheetMarkBytes.
[[nodiscard]] bool is_sheet_file(std::span<const std::byte> first_bytes);
inline constexpr std::size_t kSheetMarkBytes = 69;

}  // namespace hotpack::preview
