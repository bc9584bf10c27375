// The statistics of a shard as integers (`shard.sums`), and the statistics in the manifest, which
// are computed from these integers.
//
// The result of adding integers does not depend on their order, so threads and partitions change no
// digit.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hotpack/result.hpp"
#include "hotpack/statistics.hpp"

namespace hotpack::format {

// Counts of one record or of a shard. `classes` has one entry per class (none without labels).
struct Sums {
  struct ClassCount {
    std::uint64_t pixels = 0;   // pixels of this class
    std::uint64_t samples = 0;  // samples that contain it
    std::uint64_t labeled = 0;  // labeled pixels of those samples
    bool operator==(const ClassCount&) const = default;
  };
  std::array<std::uint64_t, 3> channel_sums{};  // one per channel; the rest is unused
  std::array<std::uint64_t, 3> channel_squares{};
  std::uint64_t pixels_counted = 0;  // image pixels inside source.region ∩ record
  std::uint64_t ignored = 0;         // label pixels without a class, padding included
  std::uint64_t skipped = 0;         // samples planned but not packed
  std::vector<ClassCount> classes;
  int channels = 3;

  Sums() = default;
  Sums(int channel_count, std::size_t class_count)
      : classes(class_count), channels(channel_count) {}
  void clear();
  void add(const Sums& other);  // precondition: same channels and number of classes
  bool operator==(const Sums&) const = default;

  // The numbers of `shard.sums` in order: 2k + 3 + 3C of them.
  [[nodiscard]] std::vector<std::uint64_t> numbers() const;
  [[nodiscard]] static std::size_t number_count(int channels, std::size_t class_count) {
    return 2 * static_cast<std::size_t>(channels) + 3 + 3 * class_count;
  }
  // Precondition: numbers.size() == number_count(channels, class_count).
  [[nodiscard]] static Sums from_numbers(std::span<const std::uint64_t> numbers, int channels,
                                         std::size_t class_count);
};

// Computes the statistics from the integers of all shards, by the formulas of FORMAT.md
// ("Statistics"): one IEEE double operation per step, in the order given there.
[[nodiscard]] Statistics statistics_of(const Sums& total);

}  // namespace hotpack::format
