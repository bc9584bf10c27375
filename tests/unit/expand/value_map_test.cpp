#include "expand/value_map.hpp"

#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::expand;

TEST_CASE("The usual mean and std are exact by arithmetic and need no tables", "[expand]") {
  CHECK(make_value_map(ElementType::f32, {0.485f, 0.456f, 0.406f}, {0.229f, 0.224f, 0.225f})
            .arithmetic.exact);
  CHECK(make_value_map(ElementType::f16, {0.5f, 0.5f, 0.5f}, {0.5f, 0.5f, 0.5f}).arithmetic.exact);
  CHECK(make_value_map(ElementType::bf16, {0.0f}, {1.0f}).arithmetic.exact);
}

TEST_CASE("Arithmetic is not used if steps could be subnormal or overflow", "[expand]") {
  CHECK_FALSE(make_value_map(ElementType::f32, {0.3f}, {3e38f}).arithmetic.exact);
  CHECK_FALSE(make_value_map(ElementType::f32, {0.3f}, {1e-39f}).arithmetic.exact);
  CHECK_FALSE(make_value_map(ElementType::f32, {1e-40f}, {0.5f}).arithmetic.exact);
  CHECK_FALSE(
      make_value_map(ElementType::f32, {0.5f, 0.5f, 3e38f}, {0.5f, 0.5f, 0.5f}).arithmetic.exact);
}
