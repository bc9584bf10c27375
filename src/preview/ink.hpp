// The colors in which a sheet itself is drawn. Only files of this folder include this header.
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

// The share of the class's color in a pixel of an overlay, in 256ths; the rest is the image.
inline constexpr int kTintOpacity = 168;

}  // namespace hotpack::preview
