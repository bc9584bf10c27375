#include "labels/markup.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/csv.hpp"
#include "base/foreign_format.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "labels/class_table_builder.hpp"
#include "labels/table_text.hpp"

namespace hotpack::labels {
namespace {

constexpr std::string_view kNames = "names:", kCount = "nc:";
constexpr std::array<std::string_view, 3> kImages{".png", ".jpg", ".jpeg"};

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
}

bool is_ini(std::string_view line) {
  const std::size_t equals = line.find('=');
  return (line.starts_with('[') && line.ends_with(']') &&
          is_word(line.substr(1, line.size() - 2))) ||
         (equals != std::string_view::npos && is_word(trimmed(line.substr(0, equals))));
}

bool is_python(std::string_view line) {
  const std::size_t equals = line.find('=');
  const std::string_view value =
      equals == std::string_view::npos ? "" : trimmed(line.substr(equals + 1));
  const bool assigns =
      !value.empty() && std::string_view("([{'\"").find(value.front()) != std::string_view::npos;
  return (assigns && is_word(trimmed(line.substr(0, equals)))) || line.starts_with(')') ||
         line.ends_with('(') || line.starts_with("import ") || line.starts_with("def ") ||
         (line.starts_with('\'') && line.ends_with("',"));
}

bool is_json(std::string_view line) {
  return std::string_view("{}[]").find(line.front()) != std::string_view::npos ||
         line.ends_with('{') || line.ends_with('[') ||
         (line.starts_with('"') && (line.ends_with("\",") || line.find("\":") != line.npos));
}

bool is_xml(std::string_view line) { return line.starts_with('<') && line.ends_with('>'); }

bool is_yaml(std::string_view line) {
  const std::size_t colon = line.find(':');
  return line.starts_with("- ") || line.starts_with("---") ||
         (is_word(line.substr(0, std::min(colon, line.size()))) && colon != line.npos &&
          (colon + 1 == line.size() || line[colon + 1] == ' '));
}

bool is_markdown(std::string_view line) {
  return line.starts_with("* ") || line.starts_with("```") || line.starts_with('|');
}

struct Format {
  std::string_view name;
  bool (*has)(std::string_view line);
};
constexpr std::array<Format, 6> kFormats{{{"Python", is_python},
                                          {"INI", is_ini},
                                          {"JSON", is_json},
                                          {"XML", is_xml},
                                          {"YAML", is_yaml},
                                          {"Markdown", is_markdown}}};

bool has_image_name(std::string_view text) {
  const std::string name = lower(trimmed(text));
  return foreign_extension(name) ||
         std::any_of(kImages.begin(), kImages.end(), [&](std::string_view extension) {
           return name.size() > extension.size() && name.ends_with(extension);
         });
}

// ---- `names:` of a YAML file

struct Item {
  std::size_t line = 0;
  std::string_view text;
};

// True if the quote at `at` begins a text in quotes. Elsewhere it is a character: "driver's seat".
bool opens_quote(std::string_view text, std::size_t at) {
  const std::size_t before = text.substr(0, at).find_last_not_of(" \t");
  return before == std::string_view::npos ||
         std::string_view("[{,:-").find(text[before]) != std::string_view::npos;
}

// The text without a comment, which begins with '#' after a blank, outside of quotes.
std::string_view without_comment(std::string_view text) {
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0)
      quote = c == quote ? '\0' : quote;
    else if ((c == '"' || c == '\'') && opens_quote(text, i))
      quote = c;
    else if (c == '#' && (i == 0 || text[i - 1] == ' ' || text[i - 1] == '\t'))
      return trimmed(text.substr(0, i));
  }
  return trimmed(text);
}

class YamlNames {
 public:
  YamlNames(std::string_view text, const std::string& path)
      : lines_(lines_of(text)), path_(path), builder_(path) {}

  std::optional<Result<ClassTable>> parse() {
    const auto key = [](std::string_view line) {
      return line.starts_with(kNames) &&
             (line.size() == kNames.size() || trimmed(line.substr(kNames.size(), 1)).empty());
    };
    const auto first = std::find_if(lines_.begin(), lines_.end(), key);
    if (first == lines_.end()) return std::nullopt;
    const auto second = std::find_if(first + 1, lines_.end(), key);
    if (second != lines_.end()) return error(number(second), "has the key names: again");
    return table(static_cast<std::size_t>(first - lines_.begin()));
  }

 private:
  using Line = std::vector<std::string_view>::const_iterator;

  Result<ClassTable> table(std::size_t at) {
    HOTPACK_ASSIGN(const std::vector<Item> items, items_at(at));
    const bool numbered = !items.empty() && id_of(items.front().text).has_value();
    for (const Item& item : items) {
      std::string_view text = item.text;
      if (numbered) {
        const auto id = id_of(text);
        if (!id || *id != std::to_string(builder_.size()))
          return error(item.line, quoted_text(text) + "; expected the id " +
                                      std::to_string(builder_.size()) +
                                      ": ids must be 0…N−1, in this order");
        text = trimmed(text.substr(id->size() + 1));
      }
      HOTPACK_ASSIGN(std::string name, scalar(item.line, text));
      HOTPACK_TRY(builder_.add(item.line, std::move(name), std::nullopt));
    }
    HOTPACK_TRY(check_count());
    return builder_.finish();
  }

  // The entries of the list or of the mapping that begins in this line.
  Result<std::vector<Item>> items_at(std::size_t at) const {
    const std::string_view value = without_comment(lines_[at].substr(kNames.size()));
    if (value.starts_with('[') || value.starts_with('{')) return flow_items(at);
    if (!value.empty()) return error(at + 1, quoted_text(value) + " is not a list");
    std::vector<Item> items;
    bool dashes = false;
    for (std::size_t i = at + 1; i < lines_.size(); ++i) {
      std::string_view text = without_comment(lines_[i]);
      if (text.empty()) continue;
      const bool dash = text.starts_with("- ") || text == "-";
      if (!dash && lines_[i].front() != ' ') break;  // the next key
      if (items.empty()) dashes = dash;
      if (dash != dashes || (!dash && !id_of(text)))
        return error(
            i + 1, quoted_text(text) + " is not of the form '" + (dashes ? "- name'" : "0: name'"));
      items.push_back({i + 1, dash ? trimmed(text.substr(1)) : text});
    }
    return items;
  }

  // The entries of a list in brackets, which may have several lines.
  Result<std::vector<Item>> flow_items(std::size_t at) const {
    std::vector<Item> items;
    std::string_view rest = without_comment(lines_[at].substr(kNames.size()));
    const char end = rest.front() == '[' ? ']' : '}';
    rest.remove_prefix(1);
    for (std::size_t i = at;;) {
      char quote = 0;
      std::size_t begin = 0;
      for (std::size_t c = 0; c < rest.size(); ++c) {
        const bool is_quote = rest[c] == '"' || rest[c] == '\'';
        if (quote != 0 || (is_quote && opens_quote(rest, c))) {
          if (quote == 0 || rest[c] == quote) quote = quote == 0 ? rest[c] : '\0';
          continue;
        }
        if (rest[c] != ',' && rest[c] != end) continue;
        const std::string_view item = trimmed(rest.substr(begin, c - begin));
        if (item.empty() && rest[c] == ',') return error(i + 1, "has an entry without text");
        if (!item.empty()) items.push_back({i + 1, item});
        begin = c + 1;
        if (rest[c] != end) continue;
        if (!trimmed(rest.substr(begin)).empty()) return error(i + 1, "has text after the list");
        return items;
      }
      if (quote != 0 || !trimmed(rest.substr(begin)).empty())
        return error(i + 1, "ends inside an entry of the list");
      if (++i == lines_.size()) return error(at + 1, "begins a list that has no end");
      rest = without_comment(lines_[i]);
    }
  }

  // The digits before a colon: "0" of "0: void".
  static std::optional<std::string_view> id_of(std::string_view text) {
    const std::size_t end = text.find_first_not_of("0123456789");
    if (end == 0 || end == std::string_view::npos || text.substr(end, 2) != ": ")
      return std::nullopt;
    return text.substr(0, end);
  }

  Result<std::string> scalar(std::size_t line, std::string_view text) const {
    const char first = text.empty() ? '\0' : text.front();
    if (first == '"' || first == '\'') {
      const std::string_view inner =
          text.substr(1, text.size() - std::min<std::size_t>(2, text.size()));
      if (text.size() > 2 && text.back() == first && inner.find(first) == std::string_view::npos &&
          inner.find('\\') == std::string_view::npos)
        return std::string(inner);
    } else if (std::string_view("[]{}&*!|>%@`?,~\0", 16).find(first) == std::string_view::npos &&
               text.find(": ") == std::string_view::npos && !text.ends_with(':')) {
      return std::string(text);
    }
    return error(line, quoted_text(text) + " is not a name");
  }

  // Fails if the file says how many classes there are, and the number differs.
  [[nodiscard]] Status check_count() const {
    for (auto line = lines_.begin(); line != lines_.end(); ++line) {
      if (!line->starts_with(kCount)) continue;
      const std::string_view value = without_comment(line->substr(kCount.size()));
      if (value != std::to_string(builder_.size()))
        return error(number(line), "nc: is " + std::string(value) + ", and names: has " +
                                       counted_text(builder_.size(), "class", "classes"));
    }
    return {};
  }

  [[nodiscard]] std::size_t number(Line line) const {
    return static_cast<std::size_t>(line - lines_.begin()) + 1;
  }
  [[nodiscard]] Error error(std::size_t line, const std::string& message) const {
    return line_error(line,
                      message +
                          "; of a YAML file hotpack reads names: [a, b], or lines '- a' or "
                          "'0: a' below names:. Else write one class name per line",
                      path_);
  }

  std::vector<std::string_view> lines_;
  const std::string& path_;
  ClassTableBuilder builder_;
};

}  // namespace

std::string_view markup_of(std::string_view line) {
  if (line.empty()) return {};
  const auto* const found = std::find_if(kFormats.begin(), kFormats.end(),
                                         [&](const Format& format) { return format.has(line); });
  return found == kFormats.end() ? std::string_view() : found->name;
}

std::string_view image_of(std::string_view line) {
  const std::string_view field = trimmed(line.substr(0, line.find_first_of(",;|\t")));
  const std::string_view word = field.substr(0, field.find(' '));
  return has_image_name(field) || has_image_name(word) ? "the name of an image" : "";
}

std::string_view sentence_of(std::string_view line) {
  constexpr std::ptrdiff_t kLeastBlanks = 3;
  const bool ends = line.find(". ") != line.npos || line.find_last_of(".:!?") + 1 == line.size();
  return ends && std::count(line.begin(), line.end(), ' ') >= kLeastBlanks ? "a sentence" : "";
}

std::optional<Result<ClassTable>> parse_yaml_names(std::string_view text, const std::string& path) {
  return YamlNames(text, path).parse();
}

}  // namespace hotpack::labels
