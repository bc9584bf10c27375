// The table of classes in the reports of `check` and of packs of several splits. Each row is a
// class; columns are its shares of pixels: in all splits together and, if there are two to four
// splits, in each of them.
//
// Pure; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hotpack::cli {

struct ClassShares {
  struct Split {
    std::string name;
    std::vector<std::uint64_t> pixels;   // by class
    std::vector<std::uint64_t> samples;  // samples with the class, by class
    std::uint64_t ignored = 0;           // pixels without a class
  };
  std::string counted;  // the samples: "labels", "images"
  std::vector<std::string> classes;
  std::vector<bool> ignored_classes;  // by class: --ignore names it; empty without classes
  std::vector<Split> splits;
};

// `columns` limits the width; 0: no limit.
[[nodiscard]] std::string class_table(const ClassShares& shares, std::size_t columns);

}  // namespace hotpack::cli
