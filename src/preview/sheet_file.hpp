// The file of a sheet: a PNG that says who made it, so that hotpack may replace its own sheets and
// nothing else.
//
// Pure functions; thread-safe. Failure: that of codecs::encode_png.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/pixels.hpp"
#include "hotpack/result.hpp"

namespace hotpack::preview {

// An RGB image as a PNG whose text chunk names hotpack as its software.
[[nodiscard]] Result<std::vector<std::byte>> sheet_file(ConstPixels image);

// True if sheet_file() made the file with these first bytes. Reads kSheetMarkBytes.
[[nodiscard]] bool is_sheet_file(std::span<const std::byte> first_bytes);
inline constexpr std::size_t kSheetMarkBytes = 69;

}  // namespace hotpack::preview
