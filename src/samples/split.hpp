// Divides one set of samples into splits by shares.
//
// Pure functions of keys and options: the same samples give the same splits on every machine, for
// any order of files. Failure: code `usage` for shares and expressions that cannot be used, `data`
// if a split stays empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hotpack/result.hpp"
#include "samples/sample_list.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// Samples that are packed into one folder. `name` is empty for a single set.
struct Split {
  std::string name;
  SampleList list;
};

// Checks names of splits that options give: each must be a valid folder name, none may occur twice.
[[nodiscard]] Status check_split_names(const std::vector<SplitOptions::Part>& parts);

// Shares such as 80 and 20, 0.8 and 0.2, or 4 and 1, as the smallest integers in that proportion.
[[nodiscard]] Result<std::vector<std::uint64_t>> parse_shares(
    const std::vector<SplitOptions::Part>& parts);

// Divides the samples among the parts of `options`; all samples of a group (--group, or the
// augmented copies of an image) go to one part. Method ratio takes groups in the order of
// format::shuffle_rank(seed, group), each for the part that lacks most samples. Method hash takes
// XXH3-64 of the group, modulo the sum of the shares. Appends lines about groups to `about`.
[[nodiscard]] Result<std::vector<Split>> divide_by_share(SampleList list,
                                                         const SplitOptions& options,
                                                         std::string& about);

// Returns the name of the image, with its folders, of which Roboflow made an augmented copy:
// "a_jpg.rf.<32 hex digits>" is a copy of "a_jpg". Nothing if the key has another form.
[[nodiscard]] std::optional<std::string_view> roboflow_original(std::string_view key);

}  // namespace hotpack::pipeline
