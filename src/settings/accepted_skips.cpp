#include "settings/accepted_skips.hpp"

#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

namespace hotpack::pipeline {

namespace {

constexpr std::size_t kDecimals = 6;
constexpr std::uint64_t kOne = 1'000'000;     // units of a percent, as many as six decimals have
constexpr std::uint64_t kWhole = 100 * kOne;  // 100%

std::optional<std::uint64_t> digits(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Returns the units of a percentage such as "0.1".
std::optional<std::uint64_t> units(std::string_view text) {
  const std::size_t point = text.find('.');
  const auto whole = digits(text.substr(0, point));
  if (!whole || *whole > 100) return std::nullopt;
  if (point == std::string_view::npos) return *whole * kOne;
  std::string decimals(text.substr(point + 1));
  if (decimals.empty() || decimals.size() > kDecimals) return std::nullopt;
  decimals.resize(kDecimals, '0');
  const auto fraction = digits(decimals);
  if (!fraction || *whole * kOne + *fraction > kWhole) return std::nullopt;
  return *whole * kOne + *fraction;
}

}  // namespace

std::optional<AcceptedSkips> parse_accepted_skips(std::string_view text) {
  if (!text.ends_with('%')) {
    const auto count = digits(text);
    return count ? std::optional(AcceptedSkips{*count, std::nullopt}) : std::nullopt;
  }
  const auto found = units(text.substr(0, text.size() - 1));
  if (!found) return std::nullopt;
  return AcceptedSkips{0, static_cast<double>(*found) / static_cast<double>(kOne)};
}

std::uint64_t most_accepted(const AcceptedSkips& accepted, std::uint64_t samples) {
  if (!accepted.percent) return accepted.count;
  // Back to whole units, so that 0.29% of 10,000 samples are 29 and not 28.999….
  const auto share =
      static_cast<std::uint64_t>(std::llround(*accepted.percent * static_cast<double>(kOne)));
  return samples / kWhole * share + samples % kWhole * share / kWhole;
}

}  // namespace hotpack::pipeline
