#include "files/name_pattern.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "files/key_text.hpp"
#include "files/tree_walk.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::string_view kKey = "{key}";
constexpr std::string_view kClass = "{class}";
constexpr std::string_view kStar = "*";
constexpr std::string_view kKeyGroup = "(?<key>(?s:.)+)";

constexpr std::array kPlaces{Placeholder{kKey, kKeyGroup}, Placeholder{kClass, "([^/]+)"},
                             Placeholder{kStar, "[^/]*"}};

std::string option_text(std::string_view option, const std::string& value) {
  return std::string(option) + " '" + value + "': ";
}

bool holds(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }
bool holds_once(std::string_view text, std::string_view part) {
  return holds(text, part) && text.find(part) == text.rfind(part);
}

// Returns a placeholder such as "{name}" that has no meaning; "" if there is none.
std::string_view unknown_placeholder(std::string_view text) {
  for (std::size_t open = 0; (open = text.find('{', open)) != text.npos; ++open) {
    const std::string_view place = text.substr(open, text.find('}', open) + 1 - open);
    const std::string_view name = place.substr(1, place.size() - 2);
    const bool is_name = place.ends_with('}') && name.find_first_of("{/,") == name.npos;
    if (is_name && !name.empty() && place != kKey && place != kClass) return place;
  }
  return {};
}

}  // namespace

Result<NamePattern> NamePattern::parse(const std::string& text, const std::string& about) {
  for (const Placeholder& one : kPlaces)
    for (const Placeholder& next : kPlaces)
      if (holds(text, std::string(one.text).append(next.text)))
        return usage_error(about +
                           "text between {key}, {class} and * must show where one ends and "
                           "the other begins");
  std::string expression = placeholder_pattern(text, kPlaces);
  const std::size_t first = expression.find(kKeyGroup);
  for (std::size_t at; (at = expression.rfind(kKeyGroup)) != first;)
    expression.replace(at, kKeyGroup.size(), "\\k<key>");
  NamePattern pattern;
  const std::string_view option = std::string_view(about).substr(0, about.find(' '));
  HOTPACK_ASSIGN(pattern.pattern_,
                 PathPattern::compile("^" + expression + "$(?C)", option, {.shown = text}));
  if (holds(text, kClass)) {
    const bool key_first = text.find(kKey) < text.find(kClass);
    pattern.key_group_ = key_first ? 1 : 2;
    pattern.name_group_ = key_first ? 2 : 1;
  }
  pattern.has_star_ = holds(text, kStar);
  pattern.has_star_in_name_ = holds(std::string_view(text).substr(text.rfind('/') + 1), kStar);
  return pattern;
}

Result<NamePattern> NamePattern::of_masks(const std::string& text) {
  const std::string about = option_text("--mask-per-class", text);
  if (!holds_once(text, kKey) || !holds_once(text, kClass))
    return usage_error(
        about + "must hold {key} and {class} once each, such as {key}_{class} or {class}/{key}");
  return parse(text, about);
}

Result<NamePattern> NamePattern::of_files(const std::string& text, const std::string& about) {
  if (holds(text, kClass))
    return usage_error(about +
                       "{class} is a placeholder of --mask-per-class: give the folder of the masks "
                       "here, and the rest of the pattern there");
  if (!holds(text, kKey))
    return usage_error(about +
                       "a pattern needs {key}, which is the same text in the paths of an image and "
                       "of its labels, such as images/{key}.jpg and masks/{key}_*.png");
  if (text.ends_with(kKey))
    return usage_error(about +
                       "the pattern is for whole names: write an extension behind {key}, "
                       "such as {key}.png or {key}.*");
  HOTPACK_ASSIGN(NamePattern pattern, parse(text, about));
  pattern.whole_names_ = true;
  return pattern;
}

Result<std::vector<NamePattern::Match>> NamePattern::matches(std::string_view path) const {
  HOTPACK_ASSIGN(const std::vector<PathPattern::Parts> ways, pattern_->ways(path));
  std::vector<Match> found;
  for (const PathPattern::Parts& way : ways) {
    const Match match{*way[key_group_], name_group_ == 0 ? std::string_view() : *way[name_group_]};
    const bool known = std::any_of(found.begin(), found.end(), [&](const Match& each) {
      return each.key == match.key && each.name == match.name;
    });
    if (!known && valid_key(match.key)) found.push_back(match);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Match& a, const Match& b) { return a.key.size() > b.key.size(); });
  return found;
}

Result<std::vector<NamePattern::Match>> NamePattern::matches(const FileList& list,
                                                             const SourceFile& file) const {
  if (!given()) return std::vector<Match>{{list.stem(file), {}}};
  return matches(whole_names_ ? list.below(file) : list.stem(file));
}

bool NamePattern::fits(std::string_view path) const {
  const Result<PathPattern::Parts> match = pattern_->match(path);
  return !match.ok() || !match->empty();
}

Result<PlacedPattern> parse_placed_pattern(const std::string& value, std::string_view option) {
  if (const std::string_view unknown = unknown_placeholder(value);
      !unknown.empty() && !is_folder(value))
    return usage_error(option_text(option, value) + std::string(unknown) +
                       " is no placeholder: the only one is {key}, which may stand for several "
                       "folders, and * stands for any text without '/'");
  const std::size_t first = std::min({value.find(kKey), value.find(kClass), value.find(kStar)});
  if (first == std::string::npos || (!holds(value, kKey) && is_folder(value)))
    return PlacedPattern{value, {}};
  const std::size_t slash = value.rfind('/', first);
  PlacedPattern divided{
      slash == std::string::npos ? "." : value.substr(0, std::max<std::size_t>(slash, 1)), {}};
  HOTPACK_ASSIGN(divided.pattern,
                 NamePattern::of_files(slash == std::string::npos ? value : value.substr(slash + 1),
                                       option_text(option, value)));
  return divided;
}

}  // namespace hotpack::pipeline
