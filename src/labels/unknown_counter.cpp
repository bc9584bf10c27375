#include "labels/unknown_counter.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace hotpack::labels {
namespace {

constexpr std::size_t kMaxListed = 16;
constexpr int kKindShift = 24;  // values have at most 24 bits

std::string text_of(std::uint32_t key) {
  const std::uint32_t value = key & ((1u << kKindShift) - 1);
  switch (static_cast<FoundValue::Kind>(key >> kKindShift)) {
    case FoundValue::Kind::color:
      return "colour (" + std::to_string(value >> 16) + "," + std::to_string(value >> 8 & 255) + "," + std::to_string(value & 255) + ")";
    case FoundValue::Kind::palette_index:
      return "palette index " + std::to_string(value);
    case FoundValue::Kind::id:
      break;
  }
  return "id " + std::to_string(value);
}

}  // namespace

void UnknownCounter::add(FoundValue found, int x, int y) {
  ++pixels_;
  const std::uint32_t key = static_cast<std::uint32_t>(found.kind) << kKindShift | found.value;
  if (seen_.size() < kMaxUnknownKinds || seen_.contains(key)) ++seen_.try_emplace(key, Seen{0, x, y}).first->second.count;
}

void UnknownCounter::finish(DecodeReport& report) const {
  std::vector<std::pair<std::uint32_t, Seen>> all(seen_.begin(), seen_.end());
  const auto before = [](const auto& a, const auto& b) {
    return std::tuple(b.second.count, a.second.y, a.second.x) < std::tuple(a.second.count, b.second.y, b.second.x);
  };
  const std::size_t listed = std::min(all.size(), kMaxListed);
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(listed), all.end(), before);
  report.unknown.clear();
  for (std::size_t i = 0; i < listed; ++i)
    report.unknown.push_back({text_of(all[i].first), all[i].second.count, all[i].second.x, all[i].second.y});
  report.unknown_pixels = pixels_;
  report.unknown_kinds = seen_.size();
}

}  // namespace hotpack::labels
