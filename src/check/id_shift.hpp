// Finds single labels whose ids are all one too high, because some programs count ids from 0 and
// others from 1.
//
// If such a shifted label contains the last class, its highest id is one more than that of any
// class, which is obvious. Otherwise all ids in the label are valid. IdShift then finds the label
// by its classes' shares of pixels: only if every id is lowered by one, they resemble the average
// shares of all labels. If the labels of a data set differ too much for such a comparison, nothing
// is reported.
//
// Memory: the shares of at most kMostSuspects labels. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "check/diagnostics.hpp"
#include "pack/inspection.hpp"

namespace hotpack::pipeline {

class IdShift {
 public:
  static constexpr std::size_t kMostSuspects = 4096;

  explicit IdShift(std::size_t class_count) : class_count_(class_count) {}

  // `ids` are ascending. Id 255 counts as ignored.
  void add(const std::string& path, const std::vector<ValueCount>& ids);
  [[nodiscard]] Occurrences shifted() const;

 private:
  static constexpr std::size_t kIds = 256;

  // A label without id 0, which may be shifted.
  struct Suspect {
    std::string path;
    std::vector<std::pair<std::uint8_t, float>> shares;
    bool beyond = false;  // its highest id is one more than the last class
  };
  [[nodiscard]] std::string evidence_against(const Suspect& suspect) const;  // empty: no evidence

  std::size_t class_count_;
  std::uint64_t labels_ = 0;
  std::uint64_t with_zero_ = 0;
  std::array<double, kIds> sums_{};  // sums of shares over all labels, by id
  std::vector<Suspect> suspects_;
};

}  // namespace hotpack::pipeline
