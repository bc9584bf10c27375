#include "labels/unknown_counter.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/words.hpp"
#include "labels/packed_color.hpp"

namespace hotpack::labels {
namespace {

constexpr std::size_t kMaxListed = 16;
constexpr int kKindShift = 24;  // values have at most 24 bits

FoundValue value_of(std::uint32_t key) {
  return {static_cast<FoundValue::Kind>(key >> kKindShift), key & ((1u << kKindShift) - 1)};
}

std::string text_of(FoundValue found) {
  switch (found.kind) {
    case FoundValue::Kind::color: {
      const auto [red, green, blue] = unpacked_color(found.value);
      return "color (" + std::to_string(red) + "," + std::to_string(green) + "," +
             std::to_string(blue) + ")";
    }
    case FoundValue::Kind::palette_index:
      return "palette index " + std::to_string(found.value);
    case FoundValue::Kind::id:
      break;
  }
  return "id " + std::to_string(found.value);
}

UnknownValue listed_value(FoundValue found, std::uint64_t count, int x, int y) {
  UnknownValue value{text_of(found), {}, count, x, y};
  if (found.kind == FoundValue::Kind::color) value.color = unpacked_color(found.value);
  return value;
}

}  // namespace

void UnknownCounter::add(FoundValue found, int x, int y) {
  ++pixels_;
  const std::uint32_t key = static_cast<std::uint32_t>(found.kind) << kKindShift | found.value;
  if (seen_.size() < kMaxUnknownKinds || seen_.contains(key))
    ++seen_.try_emplace(key, Seen{0, x, y}).first->second.count;
}

void UnknownCounter::finish(DecodeReport& report) const {
  std::vector<std::pair<std::uint32_t, Seen>> all(seen_.begin(), seen_.end());
  const auto before = [](const auto& a, const auto& b) {
    return std::tuple(b.second.count, a.second.y, a.second.x) <
           std::tuple(a.second.count, b.second.y, b.second.x);
  };
  const std::size_t listed = std::min(all.size(), kMaxListed);
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(listed), all.end(),
                    before);
  report.unknown.clear();
  for (std::size_t i = 0; i < listed; ++i) {
    const auto& [key, seen] = all[i];
    report.unknown.push_back(listed_value(value_of(key), seen.count, seen.x, seen.y));
  }
  report.unknown_pixels = pixels_;
  report.unknown_kinds = seen_.size();
  report.nearest_pixels = nearest_pixels_;
}

}  // namespace hotpack::labels
