// The rows of a --pairs file: CSV, TSV, words or JSON lines, told apart by content.
//
// A view of the text, which must outlive it; rows are read one at a time, so that a table of millions costs its text alone. Not
// thread-safe. Failure: code `data` naming file and line.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hotpack/result.hpp"
#include "pipeline/text_lines.hpp"

namespace hotpack::pipeline {

struct PairRow {
  std::size_t line = 0;
  std::string image;  // never empty
  std::string label;  // a file or a class; empty where the row or the table has none
  std::string split;  // empty where the table has none
};

class PairTable {
 public:
  // A first row of column names (image, file_name, filename, path, …; label, mask, annotation, class, …; split, subset, …) is a header;
  // without one the columns are image, label, split. JSON lines have such names as keys.
  [[nodiscard]] static Result<PairTable> open(std::string_view text, const std::string& path);

  // "a table of comma-separated values": for people.
  [[nodiscard]] std::string_view form() const;
  // The next row, nothing at the end.
  [[nodiscard]] Result<std::optional<PairRow>> next();

 private:
  struct Columns {
    std::optional<std::size_t> image, label, split;
    std::size_t count = 0;
  };

  PairTable(std::string_view text, const std::string& path) : lines_(text), path_(path) {}
  [[nodiscard]] Status read_columns();
  [[nodiscard]] Result<Columns> named_columns(const std::vector<std::string>& names, std::size_t line) const;
  [[nodiscard]] Result<Columns> usual_columns(const std::vector<std::string>& fields, std::size_t line) const;
  [[nodiscard]] Result<std::vector<std::string>> fields_of(const TextLine& line) const;
  [[nodiscard]] Result<PairRow> json_row(const TextLine& line) const;
  [[nodiscard]] Result<PairRow> row_of(const std::vector<std::string>& fields, const Columns& columns, std::size_t line) const;
  [[nodiscard]] Error error_at(std::size_t line, const std::string& what) const;

  TextLines lines_;
  std::string path_;
  char separator_ = ',';  // '{' for JSON lines
  Columns columns_;
  std::optional<TextLine> pending_;  // read ahead, not yet given
};

// Whether a column or key of this name says which file the image is ("file_name").
[[nodiscard]] bool names_an_image(std::string_view column);

}  // namespace hotpack::pipeline
