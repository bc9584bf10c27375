// Computes the sum of the values and the sum of their squares for each channel of a record's
// pixels.
//
// Pure; thread-safe.
#pragma once

#include "base/fit.hpp"
#include "base/pixels.hpp"
#include "format/sums.hpp"

namespace hotpack::pipeline {

// Adds the pixels of `record` that lie inside `region` to the members channel_sums, channel_squares
// and pixels_counted of `sums`.
void add_channel_sums(ConstPixels record, Region region, format::Sums& sums);

}  // namespace hotpack::pipeline
