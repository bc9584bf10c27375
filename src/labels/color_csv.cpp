#include "labels/color_csv.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include "base/try.hpp"
#include "labels/class_table_builder.hpp"
#include "labels/table_text.hpp"

namespace hotpack::labels {
namespace {

constexpr std::string_view kExpected = "expected a row name,r,g,b";
constexpr std::size_t kFirstFurther = 4;  // column after name,r,g,b

// One pass over the rows.
class ColorCsvParser {
 public:
  ColorCsvParser(const std::vector<CsvRow>& rows, const std::string& path)
      : rows_(rows), path_(path), builder_(path) {}

  Result<ClassTable> parse() {
    if (rows_.empty()) return builder_.finish();
    HOTPACK_TRY(read_form());
    for (std::size_t i = has_header_ ? 1 : 0; i < rows_.size(); ++i) HOTPACK_TRY(add_row(rows_[i]));
    warn();
    return builder_.finish();
  }

 private:
  // Examines the first row: decides if it is a header, and if classes have names.
  Status read_form() {
    const CsvRow& first = rows_.front();
    if (first.fields.size() < 3)
      return line_error(first.line,
                        "has " + columns_text(first.fields.size()) + "; " + std::string(kExpected),
                        path_);
    named_ = first.fields.size() > 3;
    const std::span<const std::string> colors = std::span(first.fields).subspan(first_color(), 3);
    has_header_ = std::none_of(colors.begin(), colors.end(), [](const std::string& field) {
      return number_of(field).has_value();
    });
    return has_header_ ? check_header(first) : Status();
  }

  Status check_header(const CsvRow& header) const {
    const std::string first = lower(header.fields.front());
    for (const std::string_view index_name :
         {"class_index", "class index", "class_id", "class id"}) {
      if (first == index_name)
        return line_error(header.line,
                          "this is a table of whole-image classes ('" + header.fields.front() +
                              "'), without colors; " + std::string(kExpected) +
                              ". Pack whole-image labels with --image-folders",
                          path_);
    }
    return {};
  }

  Status add_row(const CsvRow& row) {
    if (named_ ? row.fields.size() < 4 : row.fields.size() != 3) {
      const std::string expected =
          named_ ? std::string(kExpected) : "expected r,g,b as in the rows before";
      return line_error(row.line, "has " + columns_text(row.fields.size()) + "; " + expected,
                        path_);
    }
    RgbColor color{};
    bool fraction = false;
    for (std::size_t i = 0; i < color.size(); ++i) {
      HOTPACK_ASSIGN(color[i],
                     color_value(row, row.fields[first_color() + i], kExpected, fraction, path_));
    }
    if (fraction && first_fraction_ == 0) first_fraction_ = row.line;
    return builder_.add(
        row.line, named_ ? row.fields.front() : "class_" + std::to_string(builder_.size()), color);
  }

  void warn() {
    if (!named_)
      builder_.warn("the class file has no names: classes are called class_0, class_1, …");
    if (first_fraction_ != 0)
      builder_.warn("the class file has colors that are not whole numbers (first in line " +
                    std::to_string(first_fraction_) + "); their fractions are dropped");
    if (named_ && has_further_columns())
      builder_.warn("columns of the class file after the fourth are ignored" + further_names() +
                    further_advice());
  }

  bool has_further_columns() const {
    const auto has_text = [](const std::string& field) { return !field.empty(); };
    return std::any_of(rows_.begin(), rows_.end(), [&](const CsvRow& row) {
      return row.fields.size() > kFirstFurther &&
             std::any_of(row.fields.begin() + kFirstFurther, row.fields.end(), has_text);
    });
  }

  std::string further_names() const {
    std::string names;
    if (!has_header_) return names;
    const std::vector<std::string>& header = rows_.front().fields;
    for (std::size_t i = kFirstFurther; i < header.size(); ++i)
      names += (i == kFirstFurther ? ": " : ", ") + header[i];
    return names;
  }

  // Returns advice about columns after the colors: such a column may say which classes are used (1)
  // or not (0), or which classes they become. Returns "" if it can be neither.
  std::string further_advice() const {
    const std::string unused = unmarked_classes();
    if (!unused.empty())
      return "; if the fifth column marks classes as not used, give --ignore for each class with "
             "0: " +
             unused;
    const std::vector<std::string>& header = rows_.front().fields;
    if (!has_header_ || header.size() <= kFirstFurther) return {};
    const std::string column = lower(header[kFirstFurther]);
    const bool names_new = column.starts_with("to") || column.starts_with("new");
    return names_new ? "; to merge classes by such a column, give the file with --map" : "";
  }

  // Returns the names of the first classes that have a 0 in the column after the colors, if this
  // column contains only 0 and 1.
  std::string unmarked_classes() const {
    constexpr std::size_t kListed = 5;
    std::string names;
    std::size_t count = 0;
    for (std::size_t i = has_header_ ? 1 : 0; i < rows_.size(); ++i) {
      const std::vector<std::string>& fields = rows_[i].fields;
      if (fields.size() <= kFirstFurther ||
          (fields[kFirstFurther] != "0" && fields[kFirstFurther] != "1"))
        return {};
      if (fields[kFirstFurther] == "1" || ++count > kListed) continue;
      names += (names.empty() ? "'" : ", '") + fields.front() + "'";
    }
    return count > kListed ? names + ", …" : names;
  }

  [[nodiscard]] std::size_t first_color() const { return named_ ? 1 : 0; }

  const std::vector<CsvRow>& rows_;
  const std::string& path_;
  ClassTableBuilder builder_;
  bool has_header_ = false;
  bool named_ = true;
  std::size_t first_fraction_ = 0;  // the line of the first fraction
};

}  // namespace

Result<ClassTable> parse_color_csv(const std::vector<CsvRow>& rows, const std::string& path) {
  return ColorCsvParser(rows, path).parse();
}

}  // namespace hotpack::labels
