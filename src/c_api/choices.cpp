#include "c_api/choices.hpp"

#include <algorithm>
#include <array>

#include "hotpack/hotpack.h"

namespace hotpack::c_api {

namespace {

// In the order of hotpack_dtype, from HOTPACK_DTYPE_U8 on.
constexpr std::array kTypes{ElementType::u8,  ElementType::u16,  ElementType::i32, ElementType::i64,
                            ElementType::f16, ElementType::bf16, ElementType::f32};
static_assert(HOTPACK_DTYPE_DEFAULT == 0 && HOTPACK_DTYPE_U8 == 1 &&
              HOTPACK_DTYPE_F32 == kTypes.size());

}  // namespace

Result<std::optional<ElementType>> type_choice(const char* option, std::int32_t number) {
  using Choice = std::optional<ElementType>;
  return choose<Choice>(
      option, number,
      {std::nullopt, kTypes[0], kTypes[1], kTypes[2], kTypes[3], kTypes[4], kTypes[5], kTypes[6]});
}

std::int32_t type_number(ElementType type) {
  return static_cast<std::int32_t>(std::ranges::find(kTypes, type) - kTypes.begin()) +
         HOTPACK_DTYPE_U8;
}

Result<bool> flag(const char* option, std::int32_t number) {
  return choose(option, number, {false, true});
}

}  // namespace hotpack::c_api
