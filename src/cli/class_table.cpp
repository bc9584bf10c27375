#include "cli/class_table.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/text.hpp"
#include "cli/table.hpp"
#include "cli/text.hpp"

namespace hotpack::cli {

namespace {

constexpr std::size_t kMostListed = 32;
constexpr std::size_t kNameWidth = 28;

std::uint64_t total_of(const std::vector<std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

std::string percent_or_dash(bool any, std::uint64_t part, std::uint64_t whole) {
  return any ? percent_of(part, whole) : "–";
}

class Table {
 public:
  explicit Table(const ClassShares& shares)
      : shares_(shares), each_split_(shares.splits.size() > 1 && shares.splits.size() <= 4) {
    for (const auto& split : shares.splits) {
      total_ += total_of(split.pixels);
      ignored_ += split.ignored;
    }
  }

  [[nodiscard]] std::string text(std::size_t columns) const {
    std::vector<Cells> rows{header()};
    const std::vector<bool> shown = shown_classes();
    for (std::size_t c = 0; c < shown.size(); ++c)
      if (shown[c]) rows.push_back(class_row(c));
    const std::size_t not_shown = shown.size() + 1 - rows.size();
    if (ignored_ > 0) rows.push_back(ignored_row());
    if (not_shown > 0)
      rows.push_back({"… and " + counted_text(not_shown, "more class", "more classes")});
    return table_text(rows, {.align = "lr", .columns = columns});
  }

 private:
  [[nodiscard]] Cells header() const {
    Cells row{"class", "share", shares_.counted};
    if (each_split_)
      for (const auto& split : shares_.splits)
        row.push_back(truncated(printable_name(split.name), kNameWidth));
    return row;
  }

  [[nodiscard]] std::uint64_t pixels_of(std::size_t c) const {
    std::uint64_t sum = 0;
    for (const auto& split : shares_.splits) sum += split.pixels[c];
    return sum;
  }

  // Marks the classes that get a row: all, or the most frequent ones if there are many.
  [[nodiscard]] std::vector<bool> shown_classes() const {
    std::vector<std::pair<std::uint64_t, std::size_t>> by_pixels;
    for (std::size_t c = 0; c < shares_.classes.size(); ++c)
      by_pixels.emplace_back(pixels_of(c), c);
    const std::size_t count = std::min(kMostListed, by_pixels.size());
    std::partial_sort(by_pixels.begin(), by_pixels.begin() + static_cast<std::ptrdiff_t>(count),
                      by_pixels.end(), [](const auto& a, const auto& b) {
                        return a.first != b.first ? a.first > b.first : a.second < b.second;
                      });
    std::vector<bool> shown(by_pixels.size());
    for (std::size_t i = 0; i < count; ++i) shown[by_pixels[i].second] = true;
    return shown;
  }

  [[nodiscard]] bool is_ignored(std::size_t c) const {
    return c < shares_.ignored_classes.size() && shares_.ignored_classes[c];
  }

  [[nodiscard]] Cells class_row(std::size_t c) const {
    std::uint64_t samples = 0;
    for (const auto& split : shares_.splits) samples += split.samples[c];
    Cells row{truncated(printable_name(shares_.classes[c]), kNameWidth),
              samples > 0     ? percent_of(pixels_of(c), total_)
              : is_ignored(c) ? "ignored"
                              : "never",
              samples > 0 ? number_text(samples) : ""};
    for (const auto& split : shares_.splits)
      if (each_split_)
        row.push_back(
            percent_or_dash(split.samples[c] > 0, split.pixels[c], total_of(split.pixels)));
    return row;
  }

  [[nodiscard]] Cells ignored_row() const {
    Cells row{"(ignored, of all)", percent_of(ignored_, total_ + ignored_), ""};
    for (const auto& split : shares_.splits)
      if (each_split_)
        row.push_back(percent_or_dash(split.ignored > 0, split.ignored,
                                      total_of(split.pixels) + split.ignored));
    return row;
  }

  const ClassShares& shares_;
  bool each_split_;
  std::uint64_t total_ = 0, ignored_ = 0;  // pixels of all splits
};

}  // namespace

std::string class_table(const ClassShares& shares, std::size_t columns) {
  return Table(shares).text(columns);
}

}  // namespace hotpack::cli
