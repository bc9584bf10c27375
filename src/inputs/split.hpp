// One set of samples becomes several: by shares or by folder.
//
// Pure functions of keys and options: the same samples give the same splits on every machine, whatever the order of their files.
// Failure: code `usage` for shares and expressions that cannot be used, `data` where a split stays empty.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hotpack/result.hpp"
#include "inputs/sample_list.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// Samples that are packed into one folder. `name` is empty where there is one set only, without a name.
struct Split {
  std::string name;
  SampleList list;
};

// Names of splits that the options give: each can be a folder, none occurs twice.
[[nodiscard]] Status check_split_names(const std::vector<SplitOptions::Part>& parts);

// Shares such as 80 and 20, 0.8 and 0.2, or 4 and 1, as the smallest whole numbers of their proportion.
[[nodiscard]] Result<std::vector<std::uint64_t>> parse_shares(const std::vector<SplitOptions::Part>& parts);

// ratio: samples (or groups) in the order of format::shuffle_rank(seed, key or group) each go to the part that lacks most; without groups
// the counts are exact, fractions going to the largest remainders. hash: XXH3-64 of the key or group, modulo the sum of the shares.
// `about` gains a line for people where keys did not match --group.
[[nodiscard]] Result<std::vector<Split>> divide_by_share(const SampleList& list, const SplitOptions& options, std::string& about);

// How many of `total` each share gets: the whole part of its due, then one each to the largest remainders, earlier parts first.
[[nodiscard]] std::vector<std::uint64_t> largest_remainders(const std::vector<std::uint64_t>& shares, std::uint64_t total);

// No key may be in two of `splits`, which lists or a table made. `source` is for the message.
[[nodiscard]] Status check_disjoint(const std::vector<Split>& splits, const std::string& source);

// Files by the first part of their keys, which is taken off. Files whose key has one part only are an error.
struct FolderPart {
  std::string name;
  FileList files;
};
[[nodiscard]] Result<std::vector<FolderPart>> divide_by_folder(const FileList& list);

}  // namespace hotpack::pipeline
