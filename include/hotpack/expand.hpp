// Expands stored records to tensors: images to u8 or floats, labels to one-hot elements, class
// ids or bits.
//
// Pure functions over the caller's memory; thread-safe. Every processor computes the same bits,
// with vector instructions or without.
// Failure: `usage` for a buffer that is too small or not aligned to its element, and for a form
// that the label cannot have.
// An ignored pixel is a vector of zeros. Wrong label values never write outside the buffer: a bit
// or id without a class counts as no class, and a one_hot byte other than 0 counts as 1. `hotpack
// verify` reports such values.
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

/// f16: IEEE half; bf16: the upper half of an f32.
enum class ElementType { u8, f16, f32, bf16, u16, i32, i64 };

[[nodiscard]] std::size_t element_bytes(ElementType type);
[[nodiscard]] std::string_view element_name(ElementType type);  ///< "u8", "f16", …

/// The form of an expanded image. For u8 the elements are the stored bytes. For floats, y =
/// (float(x) / 255 − mean[c]) / std[c], or float(x) / 255 without mean and std. Computed in IEEE
/// single precision and in this order of operations, as torchvision's ToTensor and Normalize do;
/// then rounded to nearest even for f16 and bf16.
struct ImageOutput {
  ElementType dtype = ElementType::u8;  ///< u8, f32, f16, bf16
  AxisOrder layout = AxisOrder::channels_last;
  std::vector<float> mean = {};  ///< empty, or one finite value per channel; float types only
  std::vector<float> std = {};   ///< likewise, not 0; give both or neither

  /// Returns the form in which images are normalized by the data set's own mean and standard
  /// deviation (Dataset::statistics()). Fails with code `usage` if a channel has no mean because no
  /// pixel was counted, if a standard deviation is 0, and for type u8.
  [[nodiscard]] static Result<ImageOutput> normalized(const Statistics& statistics,
                                                      ElementType dtype = ElementType::f32,
                                                      AxisOrder layout = AxisOrder::channels_first);
  bool operator==(const ImageOutput&) const = default;
};

// <api: cpp enum form>
/// The form of a label; a vector is a pixel, or a whole image.
enum class LabelForm {
  /// one class id per vector
  ids,
  /// C elements per vector, 1 where the class is
  one_hot,
  /// ⌈C/8⌉ bytes per vector; class c is bit c mod 8 of byte c / 8
  bits,
};
// </api>

// <api: cpp enum content>
/// Content of batches.
enum class BatchContent {
  /// tensors, as `image` and `label` describe them
  expanded,
  /// records as stored; crops are chosen but not applied
  packed,
};
// </api>

/// Bytes of one expanded image: height · width · channels elements.
[[nodiscard]] std::uint64_t image_bytes(const ImageShape& shape, ElementType type);

/// Expands an image: writes image_bytes(image.shape, output.dtype) bytes to the start of `out`. For
/// whole batches a Loader is faster, because it computes its tables only once.
[[nodiscard]] Status expand_image(const ImageView& image, const ImageOutput& output,
                                  std::span<std::byte> out);

/// The form of an expanded label; any form can be made from any storage. Only exception: labels
/// with several classes per pixel (`multi`) cannot become class ids (`ids`).
struct LabelOutput {
  LabelForm form = LabelForm::ids;
  /// Element type of the label. Allowed for ids: u8, u16, i32, i64; default u8, or u16 with more
  /// than 255 classes. For one_hot: u8, f16, f32, bf16; default u8. For bits: u8 only.
  std::optional<ElementType> dtype = {};
  AxisOrder layout = AxisOrder::channels_last;  ///< for one_hot
  /// one_hot: adds a last channel that is 1 where the pixel has no class
  bool ignore_channel = false;
  /// ids: the id of an ignored pixel. Default: 255 (u8), 65535 (u16), -100 (i32, i64).
  std::optional<std::int64_t> ignore_index = {};
  bool operator==(const LabelOutput&) const = default;
};

/// Returns the bytes of one expanded label: [H,W] ids, [H,W,C] or [C,H,W] one-hot elements, or
/// [H,W,⌈C/8⌉] bytes of bits. A label of the whole image is one id or one vector. Fails with code
/// `usage` if this label cannot have the form; the message names the possible ones.
[[nodiscard]] Result<std::uint64_t> label_bytes(const LabelShape& label, const LabelOutput& output);

/// Expands a label: writes label_bytes(label.shape, output) bytes to the start of `out`, which must
/// be aligned to the size of an element.
[[nodiscard]] Status expand_label(const LabelView& label, const LabelOutput& output,
                                  std::span<std::byte> out);

}  // namespace hotpack
