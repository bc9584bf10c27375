// The image kernels without vector instructions. The vector kernels use them for the ends of rows.
//
// Ownership, thread-safety and failure: as image_kernels.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "expand/image_kernels.hpp"

namespace hotpack::expand::portable {

void split(const std::uint8_t* in, std::size_t pixels, std::uint8_t* out, std::size_t plane);
void join(const std::uint8_t* in, std::size_t plane, std::size_t pixels, std::uint8_t* out);
void mirror(const std::uint8_t* in, std::size_t pixels, std::size_t channels, std::uint8_t* out);
void convert(const ValueMap& map, const std::uint8_t* in, std::size_t count, std::byte* out);
void across(const std::uint8_t* in, std::size_t channels, const ColumnTap* taps,
            std::size_t columns, std::int16_t* out);
void between(const std::int16_t* upper, int upper_weight, const std::int16_t* lower,
             int lower_weight, std::size_t count, std::uint8_t* out);

}  // namespace hotpack::expand::portable
