// Finds classes whose share differs much between splits.
//
// Compares the largest split with every other split. A class is reported if all of this is true:
//   - in both splits, at least 30 labels have some class;
//   - the share of the class, averaged over labels, is at least 1 % in one split and at least
//     three times as large there as in the other;
//   - the two averages differ by at least five standard errors.
// Therefore small splits and classes in few labels cause no false alarm. But images of one video
// are more alike than standard errors assume, so videos may cause one. A class that is missing from
// one split is reported elsewhere.
//
// Memory: a few numbers per split and class. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "check/diagnostics.hpp"
#include "pack/inspection.hpp"

namespace hotpack::pipeline {

class ClassBalance {
 public:
  ClassBalance(std::size_t splits, std::size_t classes);

  // Adds a label: the pixels of each class in it, and the number of all its pixels.
  void add(std::size_t split, const std::vector<ValueCount>& classes, std::uint64_t pixels);
  // Adds an image with one class.
  void add(std::size_t split, std::uint32_t class_id);

  void finish(const std::vector<std::string>& splits, const std::vector<std::string>& classes,
              Diagnostics& diagnostics) const;

 private:
  // Sums of the shares of one class in the labels of one split.
  struct Sums {
    double shares = 0, squares = 0;
  };
  struct SplitSums {
    std::uint64_t labels = 0;
    std::vector<Sums> classes;
    [[nodiscard]] double mean(std::size_t c) const {
      return classes[c].shares / static_cast<double>(labels);
    }
    [[nodiscard]] double squared_error(std::size_t c) const;  // squared standard error of the mean
  };
  [[nodiscard]] static bool jumps(const SplitSums& a, const SplitSums& b, std::size_t c);
  [[nodiscard]] std::size_t largest() const;

  std::vector<SplitSums> splits_;
};

}  // namespace hotpack::pipeline
