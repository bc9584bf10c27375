#include "geometry/nearest.hpp"
#include "base/words.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include "support/catch.hpp"
#include "support/reference_resize.hpp"

using namespace hotpack;
using namespace hotpack::geometry;

namespace {

constexpr LabelFilter kFilters[] = {LabelFilter::nearest, LabelFilter::nearest_cv,
                                    LabelFilter::nearest_pil};

int reference_index(LabelFilter filter, int i, int source, int target) {
  if (filter == LabelFilter::nearest) return reference::center_index(i, source, target);
  if (filter == LabelFilter::nearest_cv) return reference::opencv_index(i, source, target);
  return reference::pillow_index(i, source, target);
}

std::vector<int> indices_of(LabelFilter filter, int source, int target) {
  std::vector<int> indices;
  nearest_indices(filter, source, target, indices);
  return indices;
}

struct Ids {
  int width, height;
  std::vector<std::uint16_t> values;

  Ids(int w, int h) : width(w), height(h), values(static_cast<std::size_t>(w * h)) {}
  ConstIds view() const {
    return {values.data(), width, height, 1, static_cast<std::size_t>(width) * 2};
  }
  MutableIds view() {
    return {values.data(), width, height, 1, static_cast<std::size_t>(width) * 2};
  }
  std::uint16_t at(int x, int y) const { return values[static_cast<std::size_t>(y * width + x)]; }
};

Ids random_ids(int width, int height, std::mt19937& random) {
  Ids ids(width, height);
  for (std::uint16_t& id : ids.values) id = static_cast<std::uint16_t>(random());
  return ids;
}

// The number of pixels of `record` that differ from the formulas.
int wrong_pixels(const Ids& source, Region region, LabelFilter filter, std::uint16_t pad,
                 const Ids& record) {
  int wrong = 0;
  for (int y = 0; y < record.height; ++y) {
    for (int x = 0; x < record.width; ++x) {
      const int u = x - region.x, v = y - region.y;
      const bool inside = u >= 0 && u < region.width && v >= 0 && v < region.height;
      const std::uint16_t wanted =
          inside ? source.at(reference_index(filter, u, source.width, region.width),
                             reference_index(filter, v, source.height, region.height))
                 : pad;
      wrong += record.at(x, y) != wanted;
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("label filters have names that read back") {
  CHECK(word_of(LabelFilter::nearest) == "nearest");
  CHECK(word_of(LabelFilter::nearest_cv) == "nearest-cv");
  CHECK(word_of(LabelFilter::nearest_pil) == "nearest-pil");
  for (const LabelFilter filter : kFilters) CHECK(value_of<LabelFilter>(word_of(filter)) == filter);
  CHECK_FALSE(value_of<LabelFilter>("linear"));
  CHECK_FALSE(value_of<LabelFilter>(""));
}

TEST_CASE("nearest indices follow the formula of each filter") {
  std::mt19937 random(1);
  for (int round = 0; round < 600; ++round) {
    const int source = 1 + static_cast<int>(random() % 900),
              target = 1 + static_cast<int>(random() % 900);
    for (const LabelFilter filter : kFilters) {
      const std::vector<int> indices = indices_of(filter, source, target);
      REQUIRE(indices.size() == static_cast<std::size_t>(target));
      int wrong = 0;
      double pillow = static_cast<double>(source) / target * 0.5;
      for (int i = 0; i < target; ++i, pillow += static_cast<double>(source) / target) {
        const int wanted = filter == LabelFilter::nearest_pil
                               ? static_cast<int>(pillow)
                               : reference_index(filter, i, source, target);
        wrong += indices[static_cast<std::size_t>(i)] != wanted;
      }
      INFO(word_of(filter) << " " << source << " -> " << target);
      REQUIRE(wrong == 0);
    }
  }
}

TEST_CASE("nearest indices stay inside the source and never decrease") {
  for (const LabelFilter filter : kFilters) {
    for (const auto& [source, target] : std::vector<std::pair<int, int>>{
             {1, 1}, {1, 100000}, {100000, 1}, {3, 100003}, {65535, 65521}, {49, 100000}}) {
      const std::vector<int> indices = indices_of(filter, source, target);
      INFO(word_of(filter) << " " << source << " -> " << target);
      CHECK(std::is_sorted(indices.begin(), indices.end()));
      CHECK(indices.front() >= 0);
      CHECK(indices.back() < source);
    }
  }
}

TEST_CASE("at exact halves each library's pixel is chosen") {
  CHECK(indices_of(LabelFilter::nearest, 8, 4) == std::vector<int>{1, 3, 5, 7});
  CHECK(indices_of(LabelFilter::nearest_cv, 8, 4) == std::vector<int>{0, 2, 4, 6});
  CHECK(indices_of(LabelFilter::nearest_pil, 8, 4) == std::vector<int>{1, 3, 5, 7});
}

TEST_CASE("OpenCV's reciprocal differs from the integer quotient, and is kept") {
  int differ = 0;
  for (int source = 1; source < 200; ++source) {
    for (int target = 1; target < 200; ++target) {
      const std::vector<int> indices = indices_of(LabelFilter::nearest_cv, source, target);
      for (int i = 0; i < target; ++i)
        differ += indices[static_cast<std::size_t>(i)] != i * source / target;
    }
  }
  CHECK(differ > 0);
}

TEST_CASE("large sizes do not overflow the center formula") {
  const std::vector<int> indices = indices_of(LabelFilter::nearest, 2000000000, 3);
  CHECK(indices == std::vector<int>{333333333, 1000000000, 1666666666});
}

TEST_CASE("NearestPlacer places, clips and pads as the formulas say") {
  std::mt19937 random(2);
  const auto size = [&] { return 1 + static_cast<int>(random() % 40); };
  const auto corner = [&] { return static_cast<int>(random() % 60) - 30; };
  NearestPlacer placer;
  for (int round = 0; round < 500; ++round) {
    const Ids source = random_ids(size(), size(), random);
    Region region{corner(), corner(), size(), size()};
    if (round % 3 == 0) region.width = source.width;
    if (round % 6 == 0) region.height = source.height;
    Ids record = random_ids(size(), size(), random);
    const LabelFilter filter = kFilters[random() % 3];
    placer.place(source.view(), region, filter, 65535, record.view());
    INFO(round << ": " << source.width << "x" << source.height << " to " << region.width << "x"
               << region.height << " at " << region.x << "," << region.y);
    REQUIRE(wrong_pixels(source, region, filter, 65535, record) == 0);
  }
}

TEST_CASE("NearestLayout: record_column inverts source_columns") {
  std::mt19937 random(4);
  const auto size = [&] { return 1 + static_cast<int>(random() % 40); };
  const auto corner = [&] { return static_cast<int>(random() % 60) - 30; };
  NearestLayout layout;
  for (int round = 0; round < 500; ++round) {
    const Region region{corner(), corner(), size(), size()};
    layout.update({size(), size()}, region, kFilters[random() % 3], {size(), size()});
    if (layout.left() == layout.right()) continue;
    const auto columns = layout.source_columns();
    REQUIRE(columns.size() == static_cast<std::size_t>(layout.right() - layout.left()));
    for (int x = layout.first_source_column(); x <= layout.last_source_column() + 1; ++x) {
      const auto before =
          std::count_if(columns.begin(), columns.end(), [x](int column) { return column < x; });
      REQUIRE(layout.record_column(x) == layout.left() + before);
    }
  }
}

TEST_CASE("NearestPlacer is correct after changes of filter or size") {
  std::mt19937 random(3);
  const Ids wide = random_ids(30, 20, random), tall = random_ids(20, 30, random);
  NearestPlacer placer;
  const auto check = [&](const Ids& source, Region region, LabelFilter filter) {
    Ids record(25, 25);
    placer.place(source.view(), region, filter, 7, record.view());
    CHECK(wrong_pixels(source, region, filter, 7, record) == 0);
  };
  check(wide, {0, 0, 25, 25}, LabelFilter::nearest);
  check(wide, {0, 0, 25, 25}, LabelFilter::nearest_cv);
  check(tall, {0, 0, 25, 25}, LabelFilter::nearest_cv);
  check(tall, {0, 4, 25, 17}, LabelFilter::nearest_cv);
  check(wide, {3, 0, 17, 25}, LabelFilter::nearest_pil);
}

TEST_CASE("NearestPlacer stays within the rows of a strided record") {
  Ids source(2, 2);
  source.values = {1, 2, 3, 4};
  std::vector<std::uint16_t> memory(3 * 10, 99);
  NearestPlacer().place(source.view(), {0, 0, 4, 3}, LabelFilter::nearest, 0,
                        {memory.data(), 4, 3, 1, 20});
  const std::vector<std::uint16_t> wanted{1, 1, 2, 2, 99, 99, 99, 99, 99, 99,
                                          3, 3, 4, 4, 99, 99, 99, 99, 99, 99,
                                          3, 3, 4, 4, 99, 99, 99, 99, 99, 99};
  CHECK(memory == wanted);
}

TEST_CASE("NearestPlacer: a region wholly outside leaves nothing but padding") {
  Ids source(2, 2), record(3, 3);
  NearestPlacer().place(source.view(), {3, 0, 2, 2}, LabelFilter::nearest, 5, record.view());
  CHECK(std::all_of(record.values.begin(), record.values.end(),
                    [](std::uint16_t id) { return id == 5; }));
  NearestPlacer().place(source.view(), {-2147483647, 0, 2, 2}, LabelFilter::nearest, 6,
                        record.view());
  CHECK(std::all_of(record.values.begin(), record.values.end(),
                    [](std::uint16_t id) { return id == 6; }));
}

TEST_CASE("a region far larger than its record needs no more memory") {
  Ids source(1, 3), record(4, 4);
  source.values = {1, 2, 3};
  for (const LabelFilter filter : {LabelFilter::nearest, LabelFilter::nearest_cv}) {
    NearestPlacer().place(source.view(), {0, -1073741823, 4, 2147483647}, filter, 9, record.view());
    CHECK(std::all_of(record.values.begin(), record.values.end(),
                      [](std::uint16_t id) { return id == 2; }));
  }
}
