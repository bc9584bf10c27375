// Stored records to the tensors of a model: images as u8 or float, labels as one-hot, class ids or bits, in the caller's buffer.
//
// Pure functions over the caller's memory; thread-safe. Results are the same to the bit on every processor, vectorised or not.
// Failure: code `usage` for a buffer that is too small or not aligned to its element, and for a form that a label cannot have.
// An ignored pixel is a vector of zeros. Values that a label must not have (bits beyond the last class, ids without a class, bytes other
// than 0 and 1) never write outside the buffer: a bit or an id without a class counts as no class, a byte that is not 0 as 1; `verify`
// reports them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "hotpack/result.hpp"
#include "hotpack/shard.hpp"
#include "hotpack/statistics.hpp"

namespace hotpack {

enum class ElementType { u8, f16, f32, bf16, u16, i32, i64 };  ///< f16: IEEE half; bf16: the upper half of an f32

[[nodiscard]] std::size_t element_bytes(ElementType type);
[[nodiscard]] std::string_view element_name(ElementType type);  ///< "u8", "f16", …

/// What an image becomes. u8: the stored bytes. Floats: y = (float(x) / 255 − mean[c]) / std[c] in IEEE single precision, operation by
/// operation in that order (torchvision's ToTensor and Normalize), then rounded to nearest even for f16 and bf16. Without mean and std:
/// float(x) / 255.
struct ImageOutput {
  ElementType type = ElementType::u8;  ///< u8, f32, f16, bf16
  AxisOrder order = AxisOrder::channels_last;
  std::vector<float> mean = {};  ///< none, or one per channel, finite; with float types only
  std::vector<float> std = {};   ///< likewise, not 0; both or neither

  /// Floats normalized by the pack's own mean and standard deviation (Dataset::statistics()). `usage` for a pack whose channels have none,
  /// as no pixel was seen, or no deviation, as all pixels are equal; and for u8.
  [[nodiscard]] static Result<ImageOutput> normalized(const Statistics& statistics, ElementType type = ElementType::f32,
                                                      AxisOrder order = AxisOrder::channels_first);
  bool operator==(const ImageOutput&) const = default;
};

enum class LabelForm {
  index,    ///< one class id per vector
  one_hot,  ///< C elements per vector, 1 where the class is
  bits,     ///< ⌈C/8⌉ bytes per vector, class c is bit c mod 8 of byte c / 8
};

/// Bytes of one expanded image: height · width · channels elements.
[[nodiscard]] std::uint64_t image_bytes(const ImageShape& shape, ElementType type);

/// Writes image_bytes(image.shape, output.type) bytes at the start of `out`, all of the image. A Loader does this for whole batches, with
/// its tables made once.
[[nodiscard]] Status expand_image(const ImageView& image, const ImageOutput& output, std::span<std::byte> out);

/// What a label becomes, whatever its storage. Labels that may hold several classes per pixel (`multi`) have no index form.
struct LabelOutput {
  LabelForm form = LabelForm::index;
  std::optional<ElementType> type = {};  ///< index: u8, u16, i32, i64, by default the smaller of u8 and u16 that holds the ids and the
                                         ///< ignored one; one_hot: u8, f16, f32, bf16, by default u8; bits: u8
  AxisOrder order = AxisOrder::channels_last;     ///< of one_hot
  bool ignore_channel = false;                    ///< one_hot: one more channel, the last, 1 where the pixel has no class
  std::optional<std::int64_t> ignore_index = {};  ///< index: what an ignored pixel holds; by default 255 (u8), 65535 (u16), -100 (i32, i64)
  bool operator==(const LabelOutput&) const = default;
};

/// Bytes of one label in the form `output` asks for: [H,W] ids, [H,W,C] or [C,H,W] one-hot elements, or [H,W,⌈C/8⌉] bytes of bits; for a
/// label of the whole image one id or vector. Failure: `usage` for a form that such labels cannot have, with what is possible.
[[nodiscard]] Result<std::uint64_t> label_bytes(const LabelShape& label, const LabelOutput& output);

/// Writes label_bytes(label.shape, output) bytes at the start of `out`, which is aligned to the element.
[[nodiscard]] Status expand_label(const LabelView& label, const LabelOutput& output, std::span<std::byte> out);

}  // namespace hotpack
