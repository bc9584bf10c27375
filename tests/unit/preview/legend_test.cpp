#include "preview/legend.hpp"

#include <algorithm>

#include "drawn.hpp"
#include "preview/class_colors.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::preview;
using namespace hotpack::test;

namespace {

std::vector<ClassInfo> named(std::size_t count) {
  std::vector<ClassInfo> classes;
  for (std::size_t i = 0; i < count; ++i)
    classes.push_back({"class number " + std::to_string(i), {}, {}});
  return classes;
}

}  // namespace

TEST_CASE("shares as people read them") {
  CHECK(class_share_text(0) == "0 %");
  CHECK(class_share_text(0.00001) == "< 0.01 %");
  CHECK(class_share_text(0.25908) == "25.91 %");
  CHECK(class_share_text(1) == "100.00 %");
}

TEST_CASE("shares are those of the labeled pixels, the ignored part is of all") {
  const ClassShares shares = shares_of_counts({30, 10, 0}, 10, "pixels");
  CHECK(shares.classes == std::vector<double>{0.75, 0.25, 0});
  CHECK(shares.ignored == 0.2);
  CHECK_FALSE(shares_of_counts({1}, 0, "pixels").ignored);
  CHECK(shares_of_counts({0, 0}, 0, "pixels").classes == std::vector<double>{0, 0});
}

TEST_CASE("a legend lists every class in the order of ids, then what is ignored") {
  const auto classes = named(3);
  const auto colors = class_colors(classes).colors;
  const Legend legend = make_legend(
      classes, colors, shares_of_counts({1, 2, 1}, 4, "labeled pixels of the data set"));
  REQUIRE(legend.entries.size() == 4);
  CHECK(legend.entries[1].class_id == 1);
  CHECK(legend.entries[1].color == colors[1]);
  CHECK(legend.entries[1].share == 0.5);
  CHECK_FALSE(legend.entries[3].class_id);
  CHECK(legend.left_out == 0);
  CHECK_THAT(legend.heading, ContainsSubstring("labeled pixels of the data set"));
}

TEST_CASE("of very many classes the legend keeps those with the largest shares") {
  const auto classes = named(1000);
  std::vector<std::uint64_t> counts(1000, 1);
  counts[999] = 500;
  const Legend legend =
      make_legend(classes, class_colors(classes).colors, shares_of_counts(counts, 0, "pixels"));
  CHECK(legend.entries.size() == kMostLegendClasses);
  CHECK(legend.left_out == 1000 - kMostLegendClasses);
  CHECK(legend.entries.back().class_id == 999);
  CHECK(std::is_sorted(legend.entries.begin(), legend.entries.end(),
                       [](const auto& a, const auto& b) { return a.class_id < b.class_id; }));
}

TEST_CASE("a drawn legend shows every class color and grows with its lines") {
  const auto classes = named(30);
  const auto colors = class_colors(classes).colors;
  const Legend legend = make_legend(
      classes, colors, shares_of_counts(std::vector<std::uint64_t>(30, 1), 1, "pixels"));
  Canvas wide({1600, 800}, {255, 255, 255}), narrow({400, 800}, {255, 255, 255});
  draw_legend(legend, 12, 14, wide);
  draw_legend(legend, 12, 14, narrow);
  CHECK(narrow.size().height - 800 > 2 * (wide.size().height - 800));
  for (const RgbColor color : colors) {
    CHECK(count(wide.image(), color) > 0);
    CHECK(count(narrow.image(), color) > 0);
  }
}

TEST_CASE("the text of a legend gets smaller before it outgrows the samples") {
  const auto classes = named(60);
  const Legend legend =
      make_legend(classes, class_colors(classes).colors,
                  shares_of_counts(std::vector<std::uint64_t>(60, 1), 0, "pixels"));
  Canvas high({1000, 3000}, {255, 255, 255}), low({1000, 800}, {255, 255, 255});
  draw_legend(legend, 12, 30, high);
  draw_legend(legend, 12, 30, low);
  CHECK(high.size().height - 3000 > 800);
  CHECK(low.size().height - 800 < 400);
}

TEST_CASE("a white class's swatch has an outline") {
  Canvas canvas({40, 40}, {255, 255, 255});
  draw_swatch(RgbColor{255, 255, 255}, 5, 5, 15, canvas);
  CHECK(color_at(canvas.image(), 5, 15)[0] < 60);
  CHECK(color_at(canvas.image(), 10, 15)[0] == 255);
}
