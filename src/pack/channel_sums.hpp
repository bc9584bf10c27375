// Computes the sums and the sums of squares of a record's pixels, per channel.
//
// Pure; thread-safe.
#pragma once

#include "base/fit.hpp"
#include "base/pixels.hpp"
#include "format/sums.hpp"

namespace hotpack::pipeline {

// Adds the pixels of `record` that lie inside `region` to channel_sums, channel_squares and
// pixels_counted.
void add_channel_sums(ConstPixels record, Region region, format::Sums& sums);

}  // namespace hotpack::pipeline
