#include "base/csv.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"

namespace hotpack {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool ends_line(char c) { return c == '\n' || c == '\r'; }

class CsvParser {
 public:
  CsvParser(std::string_view text, const std::string& path, char separator)
      : text_(text), path_(path), separator_(separator) {}

  Result<std::vector<CsvRow>> parse() {
    std::vector<CsvRow> rows;
    while (at_ < text_.size()) {
      HOTPACK_ASSIGN(CsvRow row, parse_row());
      const bool has_text = std::any_of(row.fields.begin(), row.fields.end(),
                                        [](const std::string& field) { return !field.empty(); });
      if (has_text) rows.push_back(std::move(row));
    }
    return rows;
  }

  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }

  Result<CsvRow> parse_row() {
    CsvRow row{line_, {}};
    while (true) {
      while (separator_ == ' ' && at_ < text_.size() && is_blank(text_[at_])) ++at_;
      if (separator_ == ' ' && (at_ >= text_.size() || ends_line(text_[at_]))) break;
      HOTPACK_ASSIGN(std::string field, parse_field());
      row.fields.push_back(std::move(field));
      if (at_ >= text_.size() || !separates(text_[at_])) break;
      ++at_;
    }
    if (at_ < text_.size()) skip_line_end();
    return row;
  }

 private:
  Result<std::string> parse_field() {
    while (at_ < text_.size() && skips(text_[at_])) ++at_;
    if (at_ < text_.size() && text_[at_] == '"') return parse_quoted();
    const std::size_t begin = at_;
    while (at_ < text_.size() && !ends_field(text_[at_])) ++at_;
    return std::string(trimmed(text_.substr(begin, at_ - begin)));
  }

  // Precondition: the position is at the opening quote.
  Result<std::string> parse_quoted() {
    const std::size_t first_line = line_;
    std::string field;
    for (++at_; at_ < text_.size();) {
      if (text_[at_] != '"') {
        if (ends_line(text_[at_])) {
          field += '\n';
          skip_line_end();
        } else {
          field += text_[at_++];
        }
      } else if (text_.substr(at_, 2) == "\"\"") {
        field += '"';
        at_ += 2;
      } else {
        ++at_;
        HOTPACK_TRY(expect_field_end());
        return field;
      }
    }
    return error(first_line, "a quote is opened and never closed");
  }

  Status expect_field_end() {
    while (at_ < text_.size() && skips(text_[at_])) ++at_;
    if (at_ >= text_.size() || ends_field(text_[at_])) return {};
    return error(line_,
                 "text after a closing quote; a quote inside quotes is written twice (\"\")");
  }

  [[nodiscard]] bool separates(char c) const {
    return c == separator_ || (separator_ == ' ' && c == '\t');
  }
  [[nodiscard]] bool ends_field(char c) const { return separates(c) || ends_line(c); }
  [[nodiscard]] bool skips(char c) const { return is_blank(c) && !separates(c); }

  // Precondition: the position is at a CR or LF.
  void skip_line_end() {
    at_ += text_.substr(at_, 2) == "\r\n" ? 2u : 1u;
    ++line_;
  }

  Error error(std::size_t line, const std::string& message) const {
    return data_error("line " + std::to_string(line) + ": " + message, path_);
  }

  std::string_view text_;
  const std::string& path_;
  char separator_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto skipped = [](char c) { return is_blank(c) || c == '\r'; };
  while (!text.empty() && skipped(text.front())) text.remove_prefix(1);
  while (!text.empty() && skipped(text.back())) text.remove_suffix(1);
  return text;
}

char separator_of(std::string_view text) {
  const std::string_view first = text.substr(0, text.find_first_of("\r\n"));
  char best = ',';
  for (const char separator : {';', '\t'})
    if (std::count(first.begin(), first.end(), separator) >
        std::count(first.begin(), first.end(), best))
      best = separator;
  return best;
}

Result<std::vector<CsvRow>> parse_csv(std::string_view text, const std::string& path,
                                      char separator) {
  return CsvParser(text, path, separator).parse();
}

Result<std::vector<std::string>> parse_csv_line(std::string_view line, char separator) {
  const std::string no_path;
  CsvParser parser(line, no_path, separator);
  HOTPACK_ASSIGN(CsvRow row, parser.parse_row());
  if (!parser.at_end()) return data_error("a line ends inside the text");
  return std::move(row.fields);
}

}  // namespace hotpack
