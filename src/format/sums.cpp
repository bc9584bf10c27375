#include "format/sums.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace hotpack::format {
namespace {

__extension__ using Wide = unsigned __int128;

using Values = std::vector<std::optional<double>>;

std::optional<double> mean_of(std::uint64_t sum, std::uint64_t count) {
  if (count == 0) return {};
  return static_cast<double>(sum) / static_cast<double>(count) / 255.0;
}

std::optional<double> deviation_of(std::uint64_t sum, std::uint64_t squares, std::uint64_t count) {
  if (count == 0) return {};
  const Wide spread = Wide{count} * squares - Wide{sum} * sum;
  return std::sqrt(static_cast<double>(spread)) / static_cast<double>(count) / 255.0;
}

Values inverse_weights(const std::vector<Sums::ClassCount>& classes) {
  Wide total = 0;
  for (const auto& one : classes) total += one.pixels;
  Values weights;
  for (const auto& one : classes) {
    const Wide share = Wide{classes.size()} * one.pixels;
    weights.push_back(share == 0
                          ? std::nullopt
                          : std::optional(static_cast<double>(total) / static_cast<double>(share)));
  }
  return weights;
}

// Returns the share of a class in the labeled pixels of the samples that contain it.
std::optional<double> frequency(const Sums::ClassCount& one) {
  if (one.pixels == 0 || one.labeled == 0) return {};
  return static_cast<double>(one.pixels) / static_cast<double>(one.labeled);
}

Values median_weights(const std::vector<Sums::ClassCount>& classes) {
  std::vector<double> seen;
  for (const auto& one : classes) {
    if (const auto value = frequency(one)) seen.push_back(*value);
  }
  std::sort(seen.begin(), seen.end());
  const double middle =
      seen.empty() ? 0.0 : (seen[(seen.size() - 1) / 2] + seen[seen.size() / 2]) / 2.0;
  Values weights;
  for (const auto& one : classes) {
    const auto value = frequency(one);
    weights.push_back(value ? std::optional(middle / *value) : std::nullopt);
  }
  return weights;
}

}  // namespace

void Sums::clear() { *this = Sums(channels, classes.size()); }

void Sums::add(const Sums& other) {
  for (std::size_t c = 0; c < channel_sums.size(); ++c) {
    channel_sums[c] += other.channel_sums[c];
    channel_squares[c] += other.channel_squares[c];
  }
  pixels_counted += other.pixels_counted;
  ignored += other.ignored;
  skipped += other.skipped;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    classes[c].pixels += other.classes[c].pixels;
    classes[c].samples += other.classes[c].samples;
    classes[c].labeled += other.classes[c].labeled;
  }
}

std::vector<std::uint64_t> Sums::numbers() const {
  std::vector<std::uint64_t> out;
  out.reserve(number_count(channels, classes.size()));
  out.insert(out.end(), channel_sums.begin(), channel_sums.begin() + channels);
  out.insert(out.end(), channel_squares.begin(), channel_squares.begin() + channels);
  out.insert(out.end(), {pixels_counted, ignored, skipped});
  for (const auto& one : classes) out.insert(out.end(), {one.pixels, one.samples, one.labeled});
  return out;
}

Sums Sums::from_numbers(std::span<const std::uint64_t> numbers, int channels,
                        std::size_t class_count) {
  Sums sums(channels, class_count);
  auto next = numbers.begin();
  for (int c = 0; c < channels; ++c) sums.channel_sums[static_cast<std::size_t>(c)] = *next++;
  for (int c = 0; c < channels; ++c) sums.channel_squares[static_cast<std::size_t>(c)] = *next++;
  sums.pixels_counted = *next++;
  sums.ignored = *next++;
  sums.skipped = *next++;
  for (auto& one : sums.classes) {
    one.pixels = *next++;
    one.samples = *next++;
    one.labeled = *next++;
  }
  return sums;
}

Statistics statistics_of(const Sums& total) {
  Statistics out;
  for (std::size_t c = 0; c < static_cast<std::size_t>(total.channels); ++c) {
    out.mean.push_back(mean_of(total.channel_sums[c], total.pixels_counted));
    out.std.push_back(
        deviation_of(total.channel_sums[c], total.channel_squares[c], total.pixels_counted));
  }
  for (const auto& one : total.classes) {
    out.pixels.push_back(one.pixels);
    out.samples.push_back(one.samples);
  }
  out.ignored = total.ignored;
  out.weights_inverse = inverse_weights(total.classes);
  out.weights_median = median_weights(total.classes);
  return out;
}

}  // namespace hotpack::format
