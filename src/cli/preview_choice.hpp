// The choice of the samples that a sheet shows.
//
// Pure but for the labels that are read to find the samples richest in a class. Failure: `usage`
// for a key or class that does not exist, with the nearest one that does; what the source fails
// with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/preview_source.hpp"
#include "cli/terminal.hpp"
#include "hotpack/result.hpp"

namespace hotpack::cli {

struct PreviewChoice {
  std::vector<std::string> keys;          // as given, each a key or several with commas between
  std::optional<std::string> class_name;  // or its id
  std::size_t most = 12;                  // samples, unless keys say which
};

struct ChosenSample {
  std::uint64_t number = 0;
  std::string remark;  // which part of its pixels the class has
};

// In the order of the sheet: those with the keys; else those with the largest part of the class,
// largest first (for whole-image labels: spread over those that have it); else spread evenly over
// all. Empty where a stop was requested.
[[nodiscard]] Result<std::vector<ChosenSample>> choose_samples(PreviewSource& source,
                                                               const PreviewChoice& choice,
                                                               Terminal& terminal);

// `count` numbers spread evenly over 0 … total − 1, ascending; all where there are no more.
[[nodiscard]] std::vector<std::uint64_t> spread_evenly(std::uint64_t total, std::size_t count);

}  // namespace hotpack::cli
