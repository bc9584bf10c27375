// Classes whose share jumps from one split to another.
//
// The rule: the largest split is compared with each other one. Both must have 30 labels or more that hold some class. The class's mean
// share of a label must be 1 % or more in one of them, there at least three times that in the other, and the two means must lie at least
// five standard errors apart, so that small splits and classes that fill few labels raise no alarm. Frames of one film resemble each other
// more than the rule supposes. A class that one of the two lacks is not told here.
//
// Memory: some numbers per split and class. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "check/findings.hpp"
#include "pack/inspection.hpp"

namespace hotpack::pipeline {

class ClassBalance {
 public:
  ClassBalance(std::size_t splits, std::size_t classes);

  // One label of a split: the pixels of each of its classes, and of all.
  void add(std::size_t split, const std::vector<ValueCount>& classes, std::uint64_t pixels);
  // A class of a whole image.
  void add(std::size_t split, std::uint32_t class_id);

  void finish(const std::vector<std::string>& splits, const std::vector<std::string>& classes, Findings& findings) const;

 private:
  // Shares of one class in the labels of one split.
  struct Sums {
    double shares = 0, squares = 0;
  };
  struct SplitSums {
    std::uint64_t labels = 0;
    std::vector<Sums> classes;
    [[nodiscard]] double mean(std::size_t c) const { return classes[c].shares / static_cast<double>(labels); }
    [[nodiscard]] double squared_error(std::size_t c) const;  // of the mean
  };
  [[nodiscard]] static bool jumps(const SplitSums& a, const SplitSums& b, std::size_t c);
  [[nodiscard]] std::size_t largest() const;

  std::vector<SplitSums> splits_;
};

}  // namespace hotpack::pipeline
