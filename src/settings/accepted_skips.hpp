// The value of --accept-skips: how many skipped samples still count as success.
//
// Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "settings/options.hpp"

namespace hotpack::pipeline {

// Parses a number such as 20, or a percentage such as 0.1% with at most six decimals. Nothing for
// any other text, and for more than 100%.
[[nodiscard]] std::optional<AcceptedSkips> parse_accepted_skips(std::string_view text);

// The most samples that may be skipped, of `samples`: the number itself, or the largest whole
// number that is not above the percentage of `samples`. Exact.
[[nodiscard]] std::uint64_t most_accepted(const AcceptedSkips& accepted, std::uint64_t samples);

}  // namespace hotpack::pipeline
