#include "label_setup/label_words.hpp"

#include <charconv>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/words.hpp"
#include "labels/packed_color.hpp"

namespace hotpack::pipeline {

namespace {

using labels::ClassTable;
using labels::UnknownPolicy;

constexpr std::string_view kNearest = "nearest";

// "nearest" or "nearest:D"
std::optional<UnknownPolicy> parse_nearest(std::string_view word) {
  if (!word.starts_with(kNearest)) return std::nullopt;
  word.remove_prefix(kNearest.size());
  if (word.empty()) return UnknownPolicy{UnknownPolicy::Kind::nearest};
  const auto distance = word.starts_with(':') ? whole_number(word.substr(1)) : std::nullopt;
  if (!distance || *distance < 0 || *distance > labels::kMaxColorDistance) return std::nullopt;
  return UnknownPolicy{UnknownPolicy::Kind::nearest, 0, static_cast<int>(*distance)};
}

}  // namespace

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

Status resolve_ignored(const std::vector<std::string>& words, const ClassTable& table,
                       labels::LabelRules& rules) {
  const bool ids = rules.kind == LabelKind::index;
  const std::int64_t end = ids ? 65536 : static_cast<std::int64_t>(table.classes.size());
  for (const std::string& word : words) {
    const std::optional<int> named = table.find(word);
    const std::optional<std::int64_t> number = whole_number(word);
    const std::optional<RgbColor> color = hex_color(word);
    const bool is_id = number && *number >= 0 && *number < end;
    if (named && is_id && *named != *number)
      return usage_error("--ignore " + word + ": is both an id and the name of class " +
                         std::to_string(*named) + "; rename that class in the class file");
    if (!named && !is_id && !color)
      return usage_error("--ignore " + word + ": is neither a class name, an id from 0 to " +
                         std::to_string(end - 1) + ", nor #rrggbb");
    if (ids && is_id)
      rules.ignore_ids.push_back(*number);
    else if (named || is_id)
      rules.ignore_classes.push_back(named ? *named : static_cast<int>(*number));
    else
      rules.ignore_colors.push_back(*color);
  }
  return {};
}

Result<UnknownPolicy> resolve_unknown(const std::string& word, const ClassTable& table) {
  using Kind = UnknownPolicy::Kind;
  if (word == "error") return UnknownPolicy{Kind::error};
  if (word == "ignore") return UnknownPolicy{Kind::ignore};
  if (const auto nearest = parse_nearest(word)) return *nearest;
  if (const auto id = table.find(word); id && !word.starts_with(kNearest))
    return UnknownPolicy{Kind::to_class, *id};
  return usage_error("--unknown " + word +
                     ": must be error, ignore, nearest, nearest:D with D from 0 to " +
                     std::to_string(labels::kMaxColorDistance) + ", or the name of a class");
}

std::string unknown_text(const UnknownPolicy& unknown, const ClassTable& table) {
  switch (unknown.kind) {
    case UnknownPolicy::Kind::error:
      return "error";
    case UnknownPolicy::Kind::ignore:
      return "ignore";
    case UnknownPolicy::Kind::nearest:
      return std::string(kNearest) + ":" + std::to_string(unknown.max_distance);
    case UnknownPolicy::Kind::to_class:
      break;
  }
  return table.classes[static_cast<std::size_t>(unknown.class_id)].name;
}

Result<std::uint16_t> resolve_pad(const std::string& word, const ClassTable& table) {
  if (word == "ignore") return labels::kIgnored;
  if (const auto id = table.find(word)) return static_cast<std::uint16_t>(*id);
  return usage_error("--pad-label " + word + ": must be ignore or the name of a class");
}

std::vector<std::string> warnings_of_reserved_names(const ClassTable& table) {
  std::vector<std::string> warnings;
  for (const ClassInfo& info : table.classes) {
    if (info.name != "error" && info.name != "ignore" && !info.name.starts_with(kNearest)) continue;
    warnings.push_back("class '" + info.name +
                       "' is named like a keyword of --unknown, --pad-label or --map, which takes "
                       "precedence in these options; rename the class to choose it with them");
  }
  return warnings;
}

}  // namespace hotpack::pipeline
