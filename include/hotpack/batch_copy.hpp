// What Loader::next_into() and DeviceLoader::next_into() need and return: batches in the caller's
// memory.
//
// Plain values, copied freely; a BatchBuffers borrows the caller's memory.
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
  ElementType image_type = ElementType::u8;
  ElementType label_type = ElementType::u8;
};

/// The caller's memory for Loader::next_into(): at least image_batch_bytes() and
/// label_batch_bytes(), aligned to the elements. An empty span skips the field.
struct BatchBuffers {
  std::span<std::byte> image = {};
  std::span<std::byte> label = {};
};

}  // namespace hotpack
