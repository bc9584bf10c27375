// The samples of one shard as bytes, as a plan file stores them before compression.
//
// Pure functions; thread-safe. Failure: decoding fails with `damaged` for bytes that
// encode_samples() cannot have written.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "hotpack/result.hpp"
#include "samples/sample_list.hpp"

namespace hotpack::pipeline {

// `samples` are some samples of `list`, in write order.
[[nodiscard]] std::string encode_samples(const SampleList& list, std::span<const Sample> samples);

// Appends `count` samples to `list`, which has the roots of the list that was encoded. `classes` is
// the number of classes; ids must be below it.
[[nodiscard]] Status decode_samples(std::string_view bytes, std::uint64_t count,
                                    std::size_t classes, SampleList& list);

}  // namespace hotpack::pipeline
