// The rows of a --pairs file. Its form is recognized by its content: CSV, TSV, words separated by
// spaces, or JSON lines.
//
// A view of the text, which must outlive it; rows are read one at a time, so a table of millions
// costs only its text. Text before the end of the last row may be overwritten. Not thread-safe.
// Failure: code `data` with file and line.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "files/text_lines.hpp"
#include "hotpack/result.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

struct PairRow {
  std::size_t line = 0;
  std::size_t end = 0;  // of the row in the text of the table; no later row begins before it
  std::string image;    // never empty
  std::string label;    // a file or a class; empty if the row or the table has none
  std::string split;    // empty if the table has none
};

class PairTable {
 public:
  // Opens a table. Its first row is a header if `given` names columns, or if a name is usual
  // (image, file_name, path, …; label, mask, class, …; split, subset, …). Without a header the
  // first column names an image, by the extension of one or as `is_file` says, and the columns are
  // image, label, split; any other first row is refused. JSON lines have such names as keys. A line
  // that begins with '#' is a comment unless it names an image; a first line such as "sep=;" names
  // the separator.
  using IsFile = std::function<bool(const std::string& path)>;
  [[nodiscard]] static Result<PairTable> open(std::string_view text, const std::string& path,
                                              const ColumnNames& given = {},
                                              const IsFile& is_file = {});

  // True if there is a label column or, in JSON lines, if the first line has a label.
  [[nodiscard]] bool has_labels() const { return columns_.label.has_value(); }
  // True if the label column has a name of files, such as "mask" or "label_path".
  [[nodiscard]] bool labels_are_files() const;
  // Returns the columns with unknown names, such as "'species', 'breed'"; of JSON lines, the
  // unknown keys of the first line. Returns "" if there are none.
  [[nodiscard]] const std::string& unused() const { return unused_; }
  // A column with an unknown name that contains only words for splits ("train", "Test"), at least
  // two different ones. split_words() returns it, or nothing if there is no such column; call
  // split_words() after the last row.
  struct SplitWords {
    std::string column;
    std::vector<std::string> words;  // ascending
  };
  [[nodiscard]] std::optional<SplitWords> split_words() const;
  // "a table of comma-separated values": for people.
  [[nodiscard]] std::string_view form() const;
  // The next row, nothing at the end.
  [[nodiscard]] Result<std::optional<PairRow>> next();

 private:
  struct Columns {
    std::optional<std::size_t> image, label, split;
    std::size_t count = 0;
  };

  PairTable(std::string_view text, const std::string& path, const ColumnNames& given)
      : text_(text), lines_(text), path_(path), given_(given) {}
  [[nodiscard]] std::optional<TextLine> next_line();
  [[nodiscard]] Status read_columns(const IsFile& is_file);
  [[nodiscard]] bool is_given(std::string_view name) const;
  [[nodiscard]] bool is_header(const std::vector<std::string>& fields) const;
  [[nodiscard]] Error no_sample(const std::vector<std::string>& fields, std::size_t line) const;
  [[nodiscard]] Error class_file(const std::vector<std::string>& fields, std::size_t line) const;
  [[nodiscard]] static std::string naming_advice();
  [[nodiscard]] Status read_names(const std::vector<std::string>& names, std::size_t line);
  [[nodiscard]] Result<Columns> named_columns(const std::vector<std::string>& names,
                                              std::size_t line) const;
  [[nodiscard]] Result<Columns> usual_columns(const std::vector<std::string>& fields,
                                              std::size_t line) const;
  [[nodiscard]] Result<std::vector<std::string>> fields_of(const TextLine& line) const;
  // Names and values of the strings and integers of an object.
  struct JsonFields {
    std::vector<std::string> names, values;
  };
  [[nodiscard]] Result<JsonFields> json_fields(const TextLine& line) const;
  [[nodiscard]] std::size_t end_of(const TextLine& line) const;  // in the text
  [[nodiscard]] Result<PairRow> row_at(const TextLine& line);
  [[nodiscard]] Result<PairRow> json_row(const TextLine& line);
  [[nodiscard]] Result<PairRow> row_of(const std::vector<std::string>& fields,
                                       const Columns& columns, std::size_t line) const;
  void note_unused(const std::vector<std::string>& names, const std::vector<std::string>& values);
  [[nodiscard]] Error error_at(std::size_t line, const std::string& what) const;

  // A column that is not used, and its words as long as all are words for splits.
  struct UnusedColumn {
    std::string name;
    std::set<std::string> words;
    bool only_splits = true;
  };

  std::string_view text_;
  TextLines lines_;
  std::string path_;
  ColumnNames given_;
  char separator_ = ',';  // '{' for JSON lines
  Columns columns_;
  std::string unused_;
  std::vector<std::string> names_;  // of a header
  std::vector<UnusedColumn> unused_columns_;
  std::optional<TextLine> pending_;  // read ahead, not yet given
};

}  // namespace hotpack::pipeline
