#include "pack/jpeg_scale.hpp"

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;

TEST_CASE("a JPEG is scaled as far as its filter allows") {
  const auto denominator = [](ImageFilter filter, int times) {
    return jpeg_denominator(filter, {100 * times / 100, 1000 * times / 100}, {1, 10});
  };
  for (const ImageFilter filter : {ImageFilter::triangle, ImageFilter::cubic,
                                   ImageFilter::lanczos}) {
    CHECK(denominator(filter, 549) == 1);
  }
}
