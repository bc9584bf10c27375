// The colors that a sheet itself is drawn with. Inside this room only.
#pragma once

#include "hotpack/schema.hpp"

namespace hotpack::preview {

inline constexpr RgbColor kPaper{252, 252, 252};
inline constexpr RgbColor kInk{20, 20, 20};
inline constexpr RgbColor kFaintInk{85, 85, 85};
inline constexpr RgbColor kRule{200, 200, 200};       // between the samples and the legend
inline constexpr RgbColor kEmptyBox{228, 228, 228};   // around an image that does not fill its box
inline constexpr RgbColor kFaultyBox{250, 224, 220};  // instead of an image
inline constexpr RgbColor kFaultyInk{150, 20, 10};

// The class's color has this part of 256 in a pixel of an overlay; the image has the rest.
inline constexpr int kTintOpacity = 168;

}  // namespace hotpack::preview
