#include "check/label_context.hpp"

#include "base/words.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace hotpack::pipeline {

namespace {

// Parses "#rrggbb".
std::optional<RgbColor> parse_color(const std::string& text) {
  std::uint32_t value = 0;
  const char* const end = text.data() + text.size();
  if (text.size() != 7 || text[0] != '#' ||
      std::from_chars(text.data() + 1, end, value, 16).ptr != end)
    return std::nullopt;
  return RgbColor{static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 8),
                  static_cast<std::uint8_t>(value)};
}

void learn_id(const LabelSource& source, bool of_class, LabelContext& context) {
  const auto* id = std::get_if<std::int64_t>(&source);
  if (id == nullptr || *id < 0 || *id > 65535) return;
  context.known_ids.set(static_cast<std::size_t>(*id));
  if (of_class) context.last_id = std::max(context.last_id, static_cast<std::uint32_t>(*id));
}

void learn_classes(const labels::ClassTable& table, LabelContext& context) {
  context.numbered = true;
  for (std::size_t c = 0; c < table.classes.size(); ++c) {
    const ClassInfo& info = table.classes[c];
    context.class_names.push_back(info.name);
    context.numbered = context.numbered && info.name == std::to_string(c);
    for (const LabelSource& source : info.sources) {
      learn_id(source, true, context);
      const auto* text = std::get_if<std::string>(&source);
      if (const auto color = text != nullptr ? parse_color(*text) : std::nullopt)
        context.colors.push_back({*color, c});
    }
  }
  for (const LabelSource& source : table.ignore) learn_id(source, false, context);
}

LabelContext::Reading reading_of(const LabelSetup& setup) {
  if (setup.scope != LabelScope::pixel) return LabelContext::Reading::none;
  if (setup.threshold) return LabelContext::Reading::binary;
  switch (value_of<LabelKind>(setup.label_kind).value_or(LabelKind::automatic)) {
    case LabelKind::index:
      return LabelContext::Reading::ids;
    case LabelKind::color:
    case LabelKind::palette_color:
      return LabelContext::Reading::colors;
    case LabelKind::automatic:
    case LabelKind::binary:
    case LabelKind::rgb_id:
    case LabelKind::instances:
      break;
  }
  return LabelContext::Reading::none;
}

}  // namespace

std::optional<LabelContext::NearColor> LabelContext::nearest(RgbColor color) const {
  const auto distance_squared = [&](const KnownColor& known) {
    int sum = 0;
    for (std::size_t i = 0; i < color.size(); ++i)
      sum += (known.color[i] - color[i]) * (known.color[i] - color[i]);
    return sum;
  };
  const auto found = std::min_element(
      colors.begin(), colors.end(),
      [&](const auto& a, const auto& b) { return distance_squared(a) < distance_squared(b); });
  if (found == colors.end()) return std::nullopt;
  return NearColor{found->class_id,
                   static_cast<int>(std::ceil(std::sqrt(distance_squared(*found))))};
}

LabelContext context_of(const LabelSetup& setup) {
  LabelContext context;
  context.reading = reading_of(setup);
  context.refuses_unknown = setup.refuses_unknown();
  context.unknown = setup.unknown;
  context.threshold = setup.threshold.value_or(0);
  context.one_class_per_mask = setup.multi;
  learn_classes(setup.table, context);
  const bool by_value = context.reading == LabelContext::Reading::ids ||
                        context.reading == LabelContext::Reading::colors;
  for (const ClassInfo& info : setup.table.classes)
    context.ignored.push_back(by_value && setup.map.empty() && !setup.multi &&
                              info.sources.empty());
  return context;
}

}  // namespace hotpack::pipeline
