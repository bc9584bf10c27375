#include "preview/legend.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/text.hpp"
#include "preview/font.hpp"
#include "preview/ink.hpp"
#include "preview/overlay.hpp"

namespace hotpack::preview {

namespace {

constexpr int kWidestName = 26;  // in em; longer names are shortened
constexpr int kLeastText = 13;

// An entry of the legend, ready to be drawn.
struct Row {
  std::optional<RgbColor> color;
  std::u32string id, name, share;
  int id_width = 0, name_width = 0, share_width = 0;
};

std::vector<Row> rows_of(const Legend& legend, int size, int widest_name, Font& font) {
  std::vector<Row> rows;
  for (const LegendEntry& entry : legend.entries) {
    const bool named_by_id = entry.class_id && entry.name == std::to_string(*entry.class_id);
    const std::string id = entry.class_id && !named_by_id ? std::to_string(*entry.class_id) : "";
    Row row{entry.class_id ? std::optional(entry.color) : std::nullopt, drawn_text(id),
            font.shortened(drawn_text(entry.name), size, widest_name),
            drawn_text(class_share_text(entry.share))};
    row.id_width = font.width(row.id, size);
    row.name_width = font.width(row.name, size);
    row.share_width = font.width(row.share, size);
    rows.push_back(std::move(row));
  }
  return rows;
}

// The widths of a column's parts; each is the largest width in any row.
struct Column {
  int id = 0, name = 0, share = 0;
  [[nodiscard]] int width(int size) const { return name_at(size) + name + size + share; }
  [[nodiscard]] int name_at(int size) const {
    return swatch_side(size) + size / 2 + id + (id > 0 ? size / 2 : 0);
  }
};

// All rows, arranged in columns: down the first column, then down the next.
struct Table {
  int size = 0;  // of the text
  int lines = 1;
  std::vector<Row> rows;
  std::vector<Column> columns;

  [[nodiscard]] int gap() const { return 2 * size; }
  [[nodiscard]] int width() const {
    int sum = -gap();
    for (const Column& column : columns) sum += column.width(size) + gap();
    return sum;
  }
  [[nodiscard]] const Column& column_of(std::size_t row) const {
    return columns[row / static_cast<std::size_t>(lines)];
  }
  void set_lines(int count) {
    lines = count;
    columns.clear();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i % static_cast<std::size_t>(lines) == 0) columns.emplace_back();
      Column& column = columns.back();
      column = {std::max(column.id, rows[i].id_width), std::max(column.name, rows[i].name_width),
                std::max(column.share, rows[i].share_width)};
    }
  }
};

Table table_of(const Legend& legend, int size, int room, Font& font) {
  Table table{size, 1, rows_of(legend, size, std::min(kWidestName * size, room / 2), font), {}};
  table.set_lines(1);
  while (table.columns.size() > 1 && table.width() > room) table.set_lines(table.lines + 1);
  return table;
}

Table fitting_table(const Legend& legend, int size, int room, Canvas& canvas) {
  Table table = table_of(legend, size, room, canvas.font());
  while (size > kLeastText && table.lines * line_height(size) > canvas.size().height / 3)
    table = table_of(legend, --size, room, canvas.font());
  return table;
}

void draw_row(const Row& row, const Column& column, int x, int y, int size, Canvas& canvas) {
  draw_swatch(row.color, x, y, size, canvas);
  const int name = x + column.name_at(size);
  if (column.id > 0) canvas.write(row.id, name - size / 2 - row.id_width, y, kFaintInk, size);
  canvas.write(row.name, name, y, kInk, size);
  canvas.write(row.share, x + column.width(size) - row.share_width, y, kFaintInk, size);
}

void draw_table(const Table& table, int x, int top, Canvas& canvas) {
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const auto line = static_cast<int>(i % static_cast<std::size_t>(table.lines));
    if (i > 0 && line == 0) x += table.column_of(i - 1).width(table.size) + table.gap();
    draw_row(table.rows[i], table.column_of(i), x, top + line * line_height(table.size), table.size,
             canvas);
  }
}

// Returns the ids of the classes that the legend lists, ascending: all classes or, if there are too
// many, those with the largest shares.
std::vector<std::size_t> listed_classes(const std::vector<double>& shares) {
  std::vector<std::size_t> ids(shares.size());
  std::iota(ids.begin(), ids.end(), std::size_t{0});
  if (ids.size() <= kMostLegendClasses) return ids;
  std::stable_sort(ids.begin(), ids.end(),
                   [&](std::size_t a, std::size_t b) { return shares[a] > shares[b]; });
  ids.resize(kMostLegendClasses);
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace

ClassShares shares_of_counts(const std::vector<std::uint64_t>& counts, std::uint64_t ignored,
                             std::string of) {
  const std::uint64_t sum = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  ClassShares shares{std::move(of), {}, std::nullopt};
  for (const std::uint64_t count : counts)
    shares.classes.push_back(sum > 0 ? static_cast<double>(count) / static_cast<double>(sum) : 0.0);
  if (ignored > 0)
    shares.ignored = static_cast<double>(ignored) / static_cast<double>(ignored + sum);
  return shares;
}

Legend make_legend(const std::vector<ClassInfo>& classes, const std::vector<RgbColor>& colors,
                   const ClassShares& shares) {
  Legend legend{"classes, and their shares of the " + shares.of, {}, 0};
  for (const std::size_t id : listed_classes(shares.classes))
    legend.entries.push_back({id, classes[id].name, colors[id], shares.classes[id]});
  legend.left_out = classes.size() - legend.entries.size();
  if (shares.ignored)
    legend.entries.push_back({std::nullopt, "ignored (of all)", {}, *shares.ignored});
  return legend;
}

std::string class_share_text(double share) {
  if (share <= 0) return "0 %";
  if (share < 0.00005) return "< 0.01 %";
  return percent_text(share);
}

std::string left_out_text(std::size_t classes) {
  return std::to_string(classes) +
         (classes == 1 ? " more class with a smaller share" : " more classes with smaller shares");
}

void draw_legend(const Legend& legend, int margin, int size, Canvas& canvas) {
  const int room = canvas.size().width - 2 * margin, top = canvas.size().height;
  const Table table = fitting_table(legend, size, room, canvas);
  const int line = line_height(table.size);
  canvas.grow((table.lines + 1 + (legend.left_out > 0 ? 1 : 0)) * line + 3 * margin / 2);
  canvas.fill({margin, top, room, std::max(1, size / 16)}, kRule);
  const int heading = top + margin / 2, rows = heading + line;
  canvas.write(canvas.font().shortened(drawn_text(legend.heading), table.size, room), margin,
               heading, kFaintInk, table.size);
  draw_table(table, margin, rows, canvas);
  if (legend.left_out == 0) return;
  canvas.write(drawn_text("… and " + left_out_text(legend.left_out)), margin,
               rows + table.lines * line, kFaintInk, table.size);
}

void draw_swatch(std::optional<RgbColor> color, int x, int y, int size, Canvas& canvas) {
  const int side = swatch_side(size);
  // The middle of the swatch is at the height of the middle of a capital letter.
  const Region area{x, y + baseline(size) - (73 * size / 100 + side) / 2, side, side};
  canvas.hatch(area, color.value_or(kHatchDark), color.value_or(kHatchLight),
               std::max(2, size / 5));
  canvas.frame(area, kInk, std::max(1, size / 20));
}

}  // namespace hotpack::preview
