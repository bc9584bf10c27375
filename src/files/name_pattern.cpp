#include "files/name_pattern.hpp"

#include <algorithm>
#include <array>
#include <functional>
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

// Two placeholders without text between them.
constexpr auto kNoText = R"((\{key\}|\{class\}|\*)(?1))";
// A placeholder such as "{name}" that has no meaning.
constexpr auto kUnknown = R"(\{(?!key\}|class\})[^{}/,]+\})";

std::optional<std::string_view> find_in(const std::string& text, const std::string& expression) {
  return PathPattern::compile(expression, "pattern").value().find(text).value();
}

}  // namespace

Result<NamePattern> NamePattern::parse(const std::string& text, const std::string& about) {
  if (find_in(text, kNoText))
    return usage_error(about +
                       "text between {key}, {class} and * must show where one ends and the other "
                       "begins");
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
    if (std::ranges::find(found, match) == found.end() && valid_key(match.key))
      found.push_back(match);
  }
  std::ranges::stable_sort(found, std::greater(), [](const Match& way) { return way.key.size(); });
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
  if (const auto unknown = find_in(value, kUnknown); unknown && !is_folder(value))
    return usage_error(option_text(option, value) + std::string(*unknown) +
                       " is no placeholder: the only one is {key}, which may stand for several "
                       "folders, and * stands for any text without '/'");
  const auto placeholder_from = [&](std::size_t at) {
    return std::min({value.find(kKey, at), value.find(kClass, at), value.find(kStar, at)});
  };
  std::size_t first = placeholder_from(0);
  for (std::size_t end; first != std::string::npos; first = placeholder_from(end)) {
    end = std::min(value.find('/', first), value.size());
    if (!is_folder(value.substr(0, end))) break;
  }
  if (first == std::string::npos) return PlacedPattern{value, {}};
  const std::size_t slash = value.rfind('/', first);
  PlacedPattern divided{
      slash == std::string::npos ? "." : value.substr(0, std::max<std::size_t>(slash, 1)), {}};
  HOTPACK_ASSIGN(divided.pattern,
                 NamePattern::of_files(slash == std::string::npos ? value : value.substr(slash + 1),
                                       option_text(option, value)));
  return divided;
}

}  // namespace hotpack::pipeline
