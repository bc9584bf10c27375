#include <chrono>
#include <vector>

#include "base/words.hpp"
#include "geometry/resample.hpp"
#include "geometry/resize_cases.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::geometry;

TEST_CASE("the stored hashes are those of OpenCV 4.6, non-integer area included") {
  // another library may differ; resize_engine() then reports it
  if (resize_library() != "opencv-4.6.0") return;
  for (const ResizeCase& resize_case : stored_resize_cases()) {
    INFO(word_of(resize_case.filter)
         << " " << resize_case.channels << " channels, " << resize_case.source.width << "x"
         << resize_case.source.height << " to " << resize_case.target.width << "x"
         << resize_case.target.height);
    CHECK(resize_hash(resize_case) == resize_case.hash);
  }
  CHECK(resize_engine().empty());
}

TEST_CASE("the self-test covers filters, channel counts and fractional factors") {
  const auto has = [](auto&& wanted) {
    const auto cases = stored_resize_cases();
    return std::any_of(cases.begin(), cases.end(), wanted);
  };
  for (const ImageFilter filter : {ImageFilter::linear, ImageFilter::area, ImageFilter::nearest}) {
    for (const int channels : {1, 3})
      CHECK(has([&](const ResizeCase& c) { return c.filter == filter && c.channels == channels; }));
  }
  CHECK(has([](const ResizeCase& c) {
    return c.filter == ImageFilter::area && c.source.width % c.target.width != 0;
  }));
  CHECK(has([](const ResizeCase& c) {
    return c.filter == ImageFilter::linear && c.source.width == 2 * c.target.width;
  }));
}

TEST_CASE("one result that differs names the library") {
  const auto stored = stored_resize_cases();
  std::vector<ResizeCase> cases(stored.begin(), stored.end());
  for (ResizeCase& resize_case : cases) resize_case.hash = resize_hash(resize_case);
  CHECK(engine_of(cases).empty());
  cases.back().hash ^= 1;
  CHECK(engine_of(cases) == "resize:" + resize_library());
}

TEST_CASE("the engine is a token or empty, and never changes") {
  const std::string engine = resize_engine();
  CHECK((engine.empty() || engine == "resize:" + resize_library()));
  CHECK(resize_engine() == engine);
  CHECK_THAT(resize_library(), ContainsSubstring("opencv-"));
}
