// Reads samples of your own choice into your own memory, with threads: for samplers, indexes and
// evaluation. A Loader is faster for whole epochs, because it reads ahead.
//
//   auto shapes = hotpack::read_batch_shapes(dataset, indices, options).value();
//   std::vector<std::byte> image(shapes.image_bytes), label(shapes.label_bytes);
//   auto info = hotpack::read_batch(dataset, indices, options, {image, label}).value();
//
// Ownership: nothing is kept after a call. Thread-safety: several threads may call these functions
// at once, with memory of their own.
// Failure: as Loader: `usage` for options that do not fit the data set, for samples that do not
// exist and for memory that is too small; `damaged` and `io` for records, the first in the order of
// `indices`. The memory then holds some of the rows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hotpack/batch_copy.hpp"
#include "hotpack/dataset.hpp"
#include "hotpack/loader_options.hpp"
#include "hotpack/result.hpp"

namespace hotpack {

/// As the options of a Loader with the same names.
struct ReadOptions {
  // <api: cpp ReadOptions>
  /// Element type, axis order and normalization of images.
  ImageOutput image = {};
  /// Form and element type of labels. Unlabeled data sets need the default.
  LabelOutput label = {};
  /// Pads each record on the right and at the bottom to this size (black; labels: ignored).
  /// Required if record sizes differ, unless a crop is set or a batch has one row.
  std::optional<PixelSize> pad_to = {};
  /// Threads that read and expand records. 0: the cores that this process may use, at most 8.
  unsigned threads = 0;
  /// When to check the CRC-32C of a record. VerifyChecksums::first_read: once in this process.
  /// VerifyChecksums::always: at every read. VerifyChecksums::never: not at all.
  VerifyChecksums verify_checksums = VerifyChecksums::first_read;
  // </api>
};

/// The memory that a batch needs.
struct BatchShapes {
  std::vector<std::int64_t> image;  ///< as BatchField::shape
  std::vector<std::int64_t> label;  ///< empty without labels
  ElementType image_dtype = ElementType::u8;
  ElementType label_dtype = ElementType::u8;
  std::uint64_t image_bytes = 0;
  std::uint64_t label_bytes = 0;
};

/// The memory that read_batch() needs for these samples. Records of different sizes need `pad_to`,
/// unless there is one index.
[[nodiscard]] Result<BatchShapes> read_batch_shapes(const Dataset& dataset,
                                                    std::span<const std::uint64_t> indices,
                                                    const ReadOptions& options = {});

/// Reads these samples, in this order; an index may occur several times. An empty buffer skips its
/// field. `epoch` and `step` of the result are 0.
[[nodiscard]] Result<BatchInfo> read_batch(const Dataset& dataset,
                                           std::span<const std::uint64_t> indices,
                                           const ReadOptions& options, const BatchBuffers& into);

}  // namespace hotpack
