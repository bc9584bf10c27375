// Chooses the samples that a contact sheet shows.
//
// Reads labels only if the samples with the most pixels of a class are wanted. Failure: `usage` for
// a key or class that does not exist, with the most similar one that does; the errors of the
// source.
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

// Returns the samples to show, in the order of the sheet. If `choice` has keys, these are the
// samples with these keys. If it has a class, these are the samples with the largest share of that
// class, the largest first; for labels of whole images, samples spread evenly over all of that
// class. Otherwise, samples spread evenly over the source. Empty if the user requested a stop.
[[nodiscard]] Result<std::vector<ChosenSample>> choose_samples(PreviewSource& source,
                                                               const PreviewChoice& choice,
                                                               Terminal& terminal);

// Returns `count` numbers spread evenly over 0 … total − 1, ascending; all of them if `total` is
// smaller than `count`.
[[nodiscard]] std::vector<std::uint64_t> spread_evenly(std::uint64_t total, std::size_t count);

}  // namespace hotpack::cli
