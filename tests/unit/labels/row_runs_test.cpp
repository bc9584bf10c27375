#include "labels/row_runs.hpp"

#include <iterator>
#include <random>
#include <vector>

#include "support/catch.hpp"
#include "support/vector_targets.hpp"

using namespace hotpack;
using namespace hotpack::labels;
using hotpack::test::for_each_vector_target;

namespace {

using Ids = std::vector<std::uint16_t>;
using Begins = std::vector<std::uint32_t>;

// Runs of `length` pixels on average.
Ids random_row(std::size_t width, unsigned length, std::mt19937& random) {
  Ids ids(width, 7);
  for (std::size_t x = 1; x < width; ++x)
    ids[x] = random() % length == 0 ? static_cast<std::uint16_t>(random() % 5 * 256) : ids[x - 1];
  return ids;
}

Begins begins_of(const Ids& ids) {
  Begins begins{0};
  for (std::size_t x = 1; x < ids.size(); ++x)
    if (ids[x] != ids[x - 1]) begins.push_back(static_cast<std::uint32_t>(x));
  return begins;
}

// RGB pixels. Most pairs of colors differ in one channel only.
std::vector<std::uint8_t> colors_of(const Ids& ids) {
  constexpr std::uint8_t kColors[8][3] = {{9, 9, 9}, {8, 9, 9}, {9, 8, 9}, {9, 9, 8},
                                          {0, 9, 9}, {9, 0, 9}, {9, 9, 0}, {1, 2, 3}};
  std::vector<std::uint8_t> rgb;
  for (const std::uint16_t id : ids)
    rgb.insert(rgb.end(), std::begin(kColors[id]), std::end(kColors[id]));
  return rgb;
}

}  // namespace

TEST_CASE("RowRuns finds each run, in rows of every width") {
  for_each_vector_target([] {
    std::mt19937 random(41);
    RowRuns runs;
    for (std::size_t width = 1; width < 400; ++width) {
      const Ids ids = random_row(width, 30, random);
      INFO(width << " pixels");
      REQUIRE(runs.find(ids));
      REQUIRE(Begins(runs.begins().begin(), runs.begins().end()) == begins_of(ids));
    }
  });
}

TEST_CASE("RowRuns finds a run of one pixel at every place") {
  for_each_vector_target([] {
    RowRuns runs;
    for (std::size_t x = 0; x < 200; ++x) {
      Ids ids(200, 0xFF00);
      ids[x] = 0xFFFF;
      INFO("pixel " << x);
      REQUIRE(runs.find(ids));
      REQUIRE(Begins(runs.begins().begin(), runs.begins().end()) == begins_of(ids));
    }
  });
}

TEST_CASE("RowRuns declines rows of short runs and takes the next row") {
  for_each_vector_target([] {
    RowRuns runs;
    for (const std::size_t width : {std::size_t{10}, std::size_t{64}, std::size_t{1000}}) {
      Ids ids(width);
      for (std::size_t x = 0; x < width; ++x) ids[x] = static_cast<std::uint16_t>(x);
      CHECK_FALSE(runs.find(ids));
      CHECK(runs.find(Ids(width, 3)));
      CHECK(runs.begins().size() == 1);
    }
  });
}

TEST_CASE("RowRuns reads no pixel beyond the row") {
  for_each_vector_target([] {
    RowRuns runs;
    Ids ids(300, 9);
    for (std::size_t width = 1; width < ids.size(); ++width) {
      ids[width] = 1;
      REQUIRE(runs.find({ids.data(), width}));
      REQUIRE(runs.begins().size() == 1);
      ids[width] = 9;
    }
  });
}

TEST_CASE("RowRuns finds runs of colors, in rows of every width") {
  for_each_vector_target([] {
    std::mt19937 random(42);
    RowRuns runs;
    for (std::size_t width = 1; width < 300; ++width) {
      Ids ids = random_row(width, 30, random);
      for (std::uint16_t& id : ids) id = static_cast<std::uint16_t>(id > 7 ? id / 256 : id);
      const std::vector<std::uint8_t> rgb = colors_of(ids);
      INFO(width << " pixels");
      REQUIRE(runs.find_colors(rgb.data(), width));
      REQUIRE(Begins(runs.begins().begin(), runs.begins().end()) == begins_of(ids));
    }
  });
}

TEST_CASE("RowRuns finds a color of one pixel at every place") {
  for_each_vector_target([] {
    RowRuns runs;
    for (std::size_t byte = 0; byte < 600; ++byte) {
      std::vector<std::uint8_t> rgb(600, 1);
      rgb[byte] = 255;
      const auto x = static_cast<std::uint32_t>(byte / 3);
      Begins wanted{0};
      if (x > 0) wanted.push_back(x);
      if (x < 199) wanted.push_back(x + 1);
      INFO("byte " << byte);
      REQUIRE(runs.find_colors(rgb.data(), 200));
      REQUIRE(Begins(runs.begins().begin(), runs.begins().end()) == wanted);
    }
  });
}

TEST_CASE("RowRuns declines rows of short runs of colors") {
  for_each_vector_target([] {
    RowRuns runs;
    std::vector<std::uint8_t> rgb(3000);
    for (std::size_t byte = 0; byte < rgb.size(); ++byte)
      rgb[byte] = static_cast<std::uint8_t>(byte * 7);
    CHECK_FALSE(runs.find_colors(rgb.data(), 1000));
    CHECK_FALSE(runs.find_colors(rgb.data(), 20));
  });
}
