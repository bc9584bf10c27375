// Finds single labels whose ids are all one higher than those of the other labels, as happens when some files were made with ids from 0
// and others with ids from 1.
//
// A label that uses the last class shows it: its highest id is one that no class has. Another one holds valid ids throughout, and only the
// shares of its classes tell: they are the other labels' when every id is lowered by one, and unlike them as they are. Where labels of a
// data set have little in common, that cannot be told, and nothing is said.
//
// Memory: the shares of at most kMostSuspects labels. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "check/findings.hpp"
#include "pack/inspection.hpp"

namespace hotpack::pipeline {

class IdShift {
 public:
  static constexpr std::size_t kMostSuspects = 4096;

  explicit IdShift(std::size_t class_count) : class_count_(class_count) {}

  // `ids`: ascending. The id 255 counts as ignored.
  void add(const std::string& path, const std::vector<ValueCount>& ids);
  [[nodiscard]] Sightings shifted() const;

 private:
  static constexpr std::size_t kIds = 256;

  // A label without id 0.
  struct Suspect {
    std::string path;
    std::vector<std::pair<std::uint8_t, float>> shares;
    bool beyond = false;  // its highest id is one more than the last class
  };
  [[nodiscard]] std::string evidence_against(const Suspect& suspect) const;  // empty: none

  std::size_t class_count_;
  std::uint64_t labels_ = 0;
  std::uint64_t with_zero_ = 0;
  std::array<double, kIds> sums_{};  // of the labels' shares
  std::vector<Suspect> suspects_;
};

}  // namespace hotpack::pipeline
