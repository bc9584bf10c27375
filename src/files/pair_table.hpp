// The rows of a --pairs file. Its form is recognized by its content: CSV, TSV, words separated by
// spaces, or JSON lines.
//
// A view of the text, which must outlive it; rows are read one at a time, so a table of millions
// costs only its text. Not thread-safe. Failure: code `data` with file and line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/file_list.hpp"
#include "files/text_lines.hpp"
#include "hotpack/result.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

struct PairRow {
  TextLine line;      // of the table
  std::string image;  // never empty
  std::string label;  // a file or a class; empty if the row or the table has none
  std::string split;  // empty if the table has none
};

class PairTable {
 public:
  // Opens a table. Its first row is a header if `given` names columns, or if a name is usual
  // (image, file_name, path, …; label, mask, class, …; split, subset, …). Without a header the
  // first column names an image, by the extension of one or as `is_file` says, and the columns are
  // image, label, split; any other first row is refused. JSON lines have such names as keys, all of
  // them in the first line. A line that begins with '#' is a comment unless it names an image; a
  // first line such as "sep=;" names the separator.
  using IsFile = std::function<bool(const std::string& path)>;
  [[nodiscard]] static Result<PairTable> open(std::string_view text, const std::string& path,
                                              const ColumnNames& given = {},
                                              const IsFile& is_file = {});

  // True if there is a label column.
  [[nodiscard]] bool has_labels() const { return places_[kLabel].has_value(); }
  // True if the label column has a name of files, such as "mask" or "label_path".
  [[nodiscard]] bool labels_are_files() const;
  // Returns the columns with unknown names, such as "'species', 'breed'"; "" if there are none.
  [[nodiscard]] std::string unused() const;
  // True if all of them have names of texts or sizes, such as "caption", which are no labels.
  [[nodiscard]] bool only_texts() const;
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
  using Fields = std::vector<std::string>;
  enum Role : std::size_t { kImage, kLabel, kSplit };  // what a column holds

  PairTable(std::string_view text, const std::string& path, const ColumnNames& given)
      : text_(text), lines_(text), path_(path), given_{given.image, given.label, given.split} {}
  [[nodiscard]] std::optional<TextLine> next_line();
  [[nodiscard]] Status read_columns(bool has_given, const IsFile& is_file);
  [[nodiscard]] Status read_names();
  [[nodiscard]] Status find_column(Role role);
  [[nodiscard]] Error no_image(const Fields& fields, const std::string& why) const;
  [[nodiscard]] Result<Fields> fields_of(const TextLine& line) const;
  [[nodiscard]] Result<Fields> json_fields(const TextLine& line, Fields* names) const;
  [[nodiscard]] bool is_given(std::string_view name) const;
  [[nodiscard]] bool is_used(std::size_t column) const;
  void note_words(const Fields& fields);
  [[nodiscard]] Error error_at(std::size_t line, const std::string& what) const;

  std::string_view text_;
  TextLines lines_;
  std::string path_;
  std::array<std::string, 3> given_;  // names of columns, by role
  char separator_ = ',';              // '{' for JSON lines
  std::size_t columns_ = 0;
  std::array<std::optional<std::size_t>, 3> places_;         // of columns, by role
  Fields names_;                                             // of a header, or of a JSON object
  std::vector<std::optional<std::set<std::string>>> words_;  // of columns that hold only splits
  std::optional<TextLine> pending_;                          // read ahead, not yet given
};

// The text of a table, which becomes the text of the files that its rows name: a table of millions
// of samples is then in memory once.
class TableText {
 public:
  explicit TableText(std::string text) : text_(std::make_shared<std::string>(std::move(text))) {}

  [[nodiscard]] std::string_view table() const { return *text_; }
  // Returns where `path` starts in the arena that finish() returns: in its line of the table, or
  // behind the table if the line has it in another form.
  [[nodiscard]] std::uint64_t place(std::string_view path, const TextLine& line);
  // Ends the table.
  [[nodiscard]] TextArena finish();

 private:
  std::shared_ptr<std::string> text_;
  std::string more_;  // what follows the text
};

}  // namespace hotpack::pipeline
