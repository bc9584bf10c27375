// Chooses the samples that a sheet shows.
//
// Reads labels only to find the samples with the most pixels of a class. Failure: `usage` for a key
// or class that does not exist, with the most similar one that does; the errors of the source.
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
  std::vector<std::string> keys;          // as given: each is a key, or several keys and commas
  std::optional<std::string> class_name;  // the name or the id of a class
  std::size_t most = 12;                  // the most samples to choose, unless `keys` names them
};

struct ChosenSample {
  std::uint64_t number = 0;
  std::string remark;  // the share of its pixels that has the class
};

// Returns the samples in the order of the sheet. With keys, the samples with these keys. With a
// class, those with the largest share of it, the largest first; if an image has one class, samples
// spread evenly over those of the class. Otherwise, samples spread evenly over all. Empty if a stop
// was requested.
[[nodiscard]] Result<std::vector<ChosenSample>> choose_samples(PreviewSource& source,
                                                               const PreviewChoice& choice,
                                                               Terminal& terminal);

// Returns `count` numbers spread evenly over 0 … total − 1, ascending; all of them if `total` is
// smaller than `count`.
[[nodiscard]] std::vector<std::uint64_t> spread_evenly(std::uint64_t total, std::size_t count);

}  // namespace hotpack::cli
