// Types for Loader::next_into() and DeviceLoader::next_into(), which write batches into memory of
// the caller.
//
// Plain values, copied freely. A BatchBuffers points to the caller's memory and does not own it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hotpack/augment.hpp"
#include "hotpack/expand.hpp"

namespace hotpack {

/// The rows of a batch, on a host or on devices.
struct BatchRows {
  std::uint64_t epoch = 0;
  std::uint64_t step = 0;
  std::size_t batch_size = 0;  ///< rows of this rank
  std::size_t num_valid = 0;   ///< rows with a sample, which come first
  std::vector<std::int64_t> indices;
  std::vector<std::string> keys;
  std::vector<SampleCrop> crops;
};

/// A batch that Loader::next_into() copied.
struct BatchInfo : BatchRows {
  std::vector<std::int64_t> image_shape;
  std::vector<std::int64_t> label_shape;
  ElementType image_dtype = ElementType::u8;
  ElementType label_dtype = ElementType::u8;
};

/// The caller's memory for Loader::next_into(): `image` of at least image_batch_bytes() bytes and
/// `label` of at least label_batch_bytes() bytes, aligned to the size of an element. A last batch
/// with fewer rows (LastBatch::keep) needs buffers of the same sizes and is written to their
/// beginning. An empty `image` or `label` means that next_into() does not copy that field.
struct BatchBuffers {
  std::span<std::byte> image = {};
  std::span<std::byte> label = {};
};

}  // namespace hotpack
