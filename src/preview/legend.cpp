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

constexpr int kWidestName = 280;  // columns of text at scale 1; longer names are shortened
constexpr int kSpace = 6;         // between the parts of an entry
constexpr int kColumnGap = 28;

// An entry as it is drawn.
struct Row {
  std::optional<RgbColor> color;
  std::u32string id, name, share;
};

// Widths of the parts over all rows, at scale 1.
struct Widths {
  int id = 0, name = 0, share = 0;
  [[nodiscard]] int row() const { return kSwatchSide + kSpace + id + (id > 0 ? kSpace : 0) + name + 2 * kSpace + share; }
};

std::vector<Row> rows_of(const Legend& legend, int most_columns) {
  std::vector<Row> rows;
  for (const LegendEntry& entry : legend.entries) {
    const bool named_by_id = entry.class_id && entry.name == std::to_string(*entry.class_id);
    const std::string id = entry.class_id && !named_by_id ? std::to_string(*entry.class_id) : "";
    rows.push_back({entry.class_id ? std::optional(entry.color) : std::nullopt, drawn_text(id),
                    shortened(drawn_text(entry.name), std::min(kWidestName, most_columns)), drawn_text(class_share_text(entry.share))});
  }
  return rows;
}

Widths widths_of(const std::vector<Row>& rows) {
  Widths widths;
  for (const Row& row : rows) {
    widths.id = std::max(widths.id, text_columns(row.id));
    widths.name = std::max(widths.name, text_columns(row.name));
    widths.share = std::max(widths.share, text_columns(row.share));
  }
  return widths;
}

void draw_row(const Row& row, const Widths& widths, int x, int y, int scale, Canvas& canvas) {
  draw_swatch(row.color, x, y + (kLineHeight - kSwatchSide) / 2 * scale, scale, canvas);
  int at = kSwatchSide + kSpace;
  canvas.write(row.id, x + (at + widths.id - text_columns(row.id)) * scale, y, kFaintInk, scale);
  if (widths.id > 0) at += widths.id + kSpace;
  canvas.write(row.name, x + at * scale, y, kInk, scale);
  at += widths.name + 2 * kSpace + widths.share - text_columns(row.share);
  canvas.write(row.share, x + at * scale, y, kFaintInk, scale);
}

// The classes to list: all, or those with the largest shares in the order of their ids.
std::vector<std::size_t> listed_classes(const std::vector<double>& shares) {
  std::vector<std::size_t> ids(shares.size());
  std::iota(ids.begin(), ids.end(), std::size_t{0});
  if (ids.size() <= kMostLegendClasses) return ids;
  std::stable_sort(ids.begin(), ids.end(), [&](std::size_t a, std::size_t b) { return shares[a] > shares[b]; });
  ids.resize(kMostLegendClasses);
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace

ClassShares shares_of_counts(const std::vector<std::uint64_t>& counts, std::uint64_t ignored, std::string of) {
  const std::uint64_t sum = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  ClassShares shares{std::move(of), {}, std::nullopt};
  for (const std::uint64_t count : counts) shares.classes.push_back(sum > 0 ? static_cast<double>(count) / static_cast<double>(sum) : 0.0);
  if (ignored > 0) shares.ignored = static_cast<double>(ignored) / static_cast<double>(ignored + sum);
  return shares;
}

Legend make_legend(const std::vector<ClassInfo>& classes, const std::vector<RgbColor>& colors, const ClassShares& shares) {
  Legend legend{"classes, and their shares of the " + shares.of, {}, 0};
  for (const std::size_t id : listed_classes(shares.classes))
    legend.entries.push_back({id, classes[id].name, colors[id], shares.classes[id]});
  legend.left_out = classes.size() - legend.entries.size();
  if (shares.ignored) legend.entries.push_back({std::nullopt, "ignored (of all)", {}, *shares.ignored});
  return legend;
}

std::string class_share_text(double share) {
  if (share <= 0) return "0 %";
  if (share < 0.00005) return "< 0.01 %";
  return percent_text(share);
}

std::string left_out_text(std::size_t classes) {
  return std::to_string(classes) + (classes == 1 ? " more class with a smaller share" : " more classes with smaller shares");
}

void draw_legend(const Legend& legend, int margin, int scale, Canvas& canvas) {
  const int room = (canvas.size().width - 2 * margin) / scale;
  const std::vector<Row> rows = rows_of(legend, room / 2);
  const Widths widths = widths_of(rows);
  const auto count = static_cast<int>(rows.size());
  const int columns = std::clamp((room + kColumnGap) / (widths.row() + kColumnGap), 1, std::max(count, 1));
  const int lines = (count + columns - 1) / columns;
  const int line = kLineHeight * scale, top = canvas.size().height;
  canvas.grow((lines + 1 + (legend.left_out > 0 ? 1 : 0)) * line + margin);
  canvas.write(shortened(drawn_text(legend.heading), room), margin, top, kFaintInk, scale);
  for (int i = 0; i < count; ++i) {
    const int x = margin + i / lines * (widths.row() + kColumnGap) * scale, y = top + (1 + i % lines) * line;
    draw_row(rows[static_cast<std::size_t>(i)], widths, x, y, scale, canvas);
  }
  if (legend.left_out == 0) return;
  canvas.write(drawn_text("… and " + left_out_text(legend.left_out)), margin, top + (1 + lines) * line, kFaintInk, scale);
}

void draw_swatch(std::optional<RgbColor> color, int x, int y, int scale, Canvas& canvas) {
  const Region area{x, y, kSwatchSide * scale, kSwatchSide * scale};
  canvas.hatch(area, color.value_or(kHatchDark), color.value_or(kHatchLight), 3 * scale);
  canvas.frame(area, kInk, scale);
}

}  // namespace hotpack::preview
