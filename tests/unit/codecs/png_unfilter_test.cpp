#include "codecs/png_unfilter.hpp"

#include <random>
#include <vector>

#include "codecs/png_filters.hpp"
#include "codecs/png_runs.hpp"
#include "support/catch.hpp"
#include "support/vector_targets.hpp"

using namespace hotpack::codecs;

namespace {

using Samples = std::vector<std::uint8_t>;

struct Shape {
  std::size_t width, height, pixel_bytes;
  [[nodiscard]] std::size_t size() const { return width * pixel_bytes; }
};

// What the bytes of filtered rows look like.
enum class Look { noise, small, runs, flat };

// Rows with random filters. `filters` holds those that may occur.
Samples filtered_rows(const Shape& shape, std::vector<std::uint8_t> filters, Look look,
                      std::mt19937& random) {
  Samples coded;
  for (std::size_t y = 0; y < shape.height; ++y) {
    coded.push_back(filters[random() % filters.size()]);
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const auto value = static_cast<unsigned>(random());
      const bool is_change = look == Look::noise || value % (look == Look::flat ? 200 : 30) == 0;
      if (look == Look::small)
        coded.push_back(static_cast<std::uint8_t>(value % 7 - 3));
      else
        coded.push_back(is_change ? static_cast<std::uint8_t>(value >> 8) : std::uint8_t{0});
    }
  }
  return coded;
}

Samples row_by_row(const Shape& shape, const Samples& coded) {
  const std::size_t size = shape.size();
  Samples out(size * shape.height), zeros(size);
  const std::uint8_t* above = zeros.data();
  for (std::size_t y = 0; y < shape.height; ++y) {
    const std::uint8_t* const in = coded.data() + y * (size + 1);
    undo_filter(in[0], in + 1, above, out.data() + y * size, size, shape.pixel_bytes);
    above = out.data() + y * size;
  }
  return out;
}

Samples at_once(const Shape& shape, Samples coded, Content content) {
  coded.resize(coded.size() + kWavefrontSlack, 0xA5);
  const Samples zeros(shape.size() + kWavefrontSlack);
  Samples out(shape.size() * shape.height, 0x5A);
  undo_filters({coded.data(), out.data(), shape.size(), shape.size(), shape.pixel_bytes},
               shape.height, content, zeros.data());
  return out;
}

constexpr Look kLooks[] = {Look::noise, Look::small, Look::runs, Look::flat};

void check_all(const Shape& shape, const std::vector<std::uint8_t>& filters, std::mt19937& random) {
  for (const Look look : kLooks) {
    const Samples coded = filtered_rows(shape, filters, look, random);
    const Samples truth = row_by_row(shape, coded);
    for (const Content content : {Content::varied, Content::runs}) {
      CAPTURE(shape.width, shape.height, shape.pixel_bytes, filters, look, content);
      REQUIRE(at_once(shape, coded, content) == truth);
    }
  }
}

}  // namespace

TEST_CASE("whole images are unfiltered as row by row") {
  hotpack::test::for_each_vector_target([] {
    std::mt19937 random(3);
    for (const std::size_t pixel_bytes : {1u, 3u})
      for (int round = 0; round < 120; ++round)
        check_all({1 + random() % 90, 1 + random() % 40, pixel_bytes}, {0, 1, 2, 3, 4}, random);
  });
}

TEST_CASE("every mix of filters is undone in all widths") {
  hotpack::test::for_each_vector_target([] {
    std::mt19937 random(4);
    for (const std::size_t pixel_bytes : {1u, 3u})
      for (std::size_t width = 1; width <= 70; ++width)
        for (const std::vector<std::uint8_t>& filters :
             {std::vector<std::uint8_t>{4}, {3}, {1}, {2, 4}, {0, 1, 2, 4}, {1, 3}, {2, 2, 2, 4}})
          check_all({width, 8 + width % 9, pixel_bytes}, filters, random);
  });
}

namespace {

// Appends two rows of 512 pixels. In the first, `corner` and `above` alternate; in the second, each
// of 256 left neighbors is followed by what Paeth predicts from it, to which nothing is added.
void append_predictions(int corner, int above, Samples& coded) {
  coded.push_back(0);
  for (int left = 0; left < 256; ++left) {
    coded.push_back(static_cast<std::uint8_t>(corner));
    coded.push_back(static_cast<std::uint8_t>(above));
  }
  coded.push_back(4);
  for (int left = 0, before = 0; left < 256; ++left) {
    const int predicted = left == 0 ? corner : paeth(before, corner, above);
    coded.push_back(static_cast<std::uint8_t>(left - predicted));
    coded.push_back(0);
    before = paeth(left, above, corner);
  }
}

}  // namespace

TEST_CASE("vectors predict as Paeth's definition from neighbors of all kinds") {
  constexpr int kStep = 5;  // of the values above and in the corner
  hotpack::test::for_each_vector_target([] {
    const Shape shape{512, 2 * 52, 1};
    for (int corner = 0; corner < 256; corner += kStep) {
      Samples coded;
      for (int above = 0; above < 256; above += kStep) append_predictions(corner, above, coded);
      REQUIRE(at_once(shape, coded, Content::varied) == row_by_row(shape, coded));
    }
  });
}

TEST_CASE("runs of one color are decoded as pixel by pixel") {
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    const std::size_t step = round % 2 == 0 ? 1 : 3, size = step * (1 + random() % 60);
    Samples above(size), in(size), out(size), truth(size);
    for (std::size_t i = step; i < size; ++i) {
      above[i] = random() % 20 == 0 ? static_cast<std::uint8_t>(random()) : above[i - step];
      in[i] = random() % 25 == 0 ? static_cast<std::uint8_t>(random()) : std::uint8_t{0};
    }
    undo_filter(4, in.data(), above.data(), truth.data(), size, step);
    undo_paeth_runs(in.data(), above.data(), out.data(), size, step);
    REQUIRE(out == truth);
  }
}
