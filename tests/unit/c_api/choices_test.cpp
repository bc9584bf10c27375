#include "c_api/choices.hpp"

#include <string>

#include "hotpack/hotpack.h"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::c_api;

TEST_CASE("element types convert in both directions") {
  for (const ElementType type :
       {ElementType::u8, ElementType::u16, ElementType::i32, ElementType::i64, ElementType::f16,
        ElementType::bf16, ElementType::f32}) {
    CHECK(type_choice("image_dtype", type_number(type)).value() == type);
  }
  CHECK(type_number(ElementType::f32) == HOTPACK_DTYPE_F32);
  CHECK_FALSE(type_choice("image_dtype", HOTPACK_DTYPE_DEFAULT).value().has_value());
}

TEST_CASE("an unknown number is refused by the option's name") {
  for (const int number : {-1, 8, 1000}) {
    const auto refused = type_choice("image_dtype", number);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == ErrorCode::usage);
    CHECK(refused.error().message.find("image_dtype is " + std::to_string(number)) == 0);
  }
  CHECK(flag("multi", 1).value());
  CHECK_FALSE(flag("multi", 2).ok());
}
