#include "c_api/choices.hpp"

#include "hotpack/hotpack.h"

namespace hotpack::c_api {

Result<std::optional<ElementType>> type_choice(const char* option, std::int32_t number) {
  using Choice = std::optional<ElementType>;
  return choose<Choice>(option, number,
                        {std::nullopt, ElementType::u8, ElementType::u16, ElementType::i32, ElementType::i64, ElementType::f16,
                         ElementType::bf16, ElementType::f32});
}

std::int32_t type_number(ElementType type) {
  switch (type) {
    case ElementType::u8:
      return HOTPACK_TYPE_U8;
    case ElementType::u16:
      return HOTPACK_TYPE_U16;
    case ElementType::i32:
      return HOTPACK_TYPE_I32;
    case ElementType::i64:
      return HOTPACK_TYPE_I64;
    case ElementType::f16:
      return HOTPACK_TYPE_F16;
    case ElementType::bf16:
      return HOTPACK_TYPE_BF16;
    case ElementType::f32:
      return HOTPACK_TYPE_F32;
  }
  return HOTPACK_TYPE_DEFAULT;
}

Result<bool> flag(const char* option, std::int32_t number) { return choose(option, number, {false, true}); }

}  // namespace hotpack::c_api
