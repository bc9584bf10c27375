#include "hotpack/expand.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <string>

#include "base/checked.hpp"
#include "base/endian.hpp"
#include "base/error.hpp"
#include "base/try.hpp"

namespace hotpack {

namespace {

using Half = std::uint16_t;  // the bits of an IEEE half

template <class T>
constexpr T kOne = T{1};
template <>
constexpr Half kOne<Half> = 0x3C00;

// The eight elements that a byte of bits stands for.
template <class T>
using BitTable = std::array<std::array<T, 8>, 256>;

template <class T>
constexpr BitTable<T> make_bit_table() {
  BitTable<T> table{};
  for (std::size_t byte = 0; byte < 256; ++byte) {
    for (std::size_t bit = 0; bit < 8; ++bit) table[byte][bit] = (byte >> bit & 1) != 0 ? kOne<T> : T{};
  }
  return table;
}

template <class T>
constexpr BitTable<T> kBitTable = make_bit_table<T>();

template <class T>
void expand_bits_last(const LabelView& label, T* out) {
  const std::size_t whole = label.shape.class_count / 8;
  const std::size_t rest = label.shape.class_count % 8;
  const std::uint8_t* in = label.bytes.data();
  for (std::uint64_t p = label.shape.vectors(); p > 0; --p) {
    for (std::size_t b = 0; b < whole; ++b, out += 8) std::memcpy(out, kBitTable<T>[*in++].data(), 8 * sizeof(T));
    if (rest == 0) continue;
    std::memcpy(out, kBitTable<T>[*in++].data(), rest * sizeof(T));
    out += rest;
  }
}

template <class T>
void expand_bits_first(const LabelView& label, T* out) {
  const std::uint64_t pixels = label.shape.vectors();
  const std::size_t step = label.shape.vector_bytes();
  for (std::size_t c = 0; c < label.shape.class_count; ++c, out += pixels) {
    const std::uint8_t* const in = label.bytes.data() + c / 8;
    const unsigned bit = static_cast<unsigned>(c % 8);
    for (std::uint64_t p = 0; p < pixels; ++p) out[p] = (in[p * step] >> bit & 1) != 0 ? kOne<T> : T{};
  }
}

template <class T>
void expand_bytes_last(const LabelView& label, T* out) {
  std::transform(label.bytes.begin(), label.bytes.begin() + static_cast<std::ptrdiff_t>(label.shape.size_bytes()), out,
                 [](std::uint8_t byte) { return byte != 0 ? kOne<T> : T{}; });
}

template <class T>
void expand_bytes_first(const LabelView& label, T* out) {
  const std::uint64_t pixels = label.shape.vectors();
  const std::size_t classes = label.shape.class_count;
  for (std::size_t c = 0; c < classes; ++c, out += pixels) {
    const std::uint8_t* const in = label.bytes.data() + c;
    for (std::uint64_t p = 0; p < pixels; ++p) out[p] = in[p * classes] != 0 ? kOne<T> : T{};
  }
}

// Calls `use(p, id)` for every vector of an index label; ids as stored.
template <class Use>
void for_each_id(const LabelView& label, Use use) {
  const std::uint64_t pixels = label.shape.vectors();
  const std::uint8_t* const in = label.bytes.data();
  if (label.shape.vector_bytes() == 1) {
    for (std::uint64_t p = 0; p < pixels; ++p) use(p, std::uint16_t{in[p]});
  } else {
    const auto* const wide = reinterpret_cast<const std::byte*>(in);
    for (std::uint64_t p = 0; p < pixels; ++p) use(p, load_le<std::uint16_t>(wide + 2 * p));
  }
}

template <class T>
void expand_index(const LabelView& label, AxisOrder order, T* out) {
  const std::uint64_t pixels = label.shape.vectors();
  const std::size_t classes = label.shape.class_count;
  std::fill_n(out, pixels * classes, T{});
  const bool last = order == AxisOrder::channels_last;
  const std::uint64_t pixel_step = last ? classes : 1;
  const std::uint64_t class_step = last ? 1 : pixels;
  for_each_id(label, [&](std::uint64_t p, std::uint16_t id) {
    if (id < classes) out[p * pixel_step + id * class_step] = kOne<T>;
  });
}

template <class T>
void expand(const LabelView& label, AxisOrder order, std::span<std::byte> bytes) {
  T* const out = reinterpret_cast<T*>(bytes.data());
  const bool last = order == AxisOrder::channels_last;
  switch (label.shape.storage) {
    case LabelStorage::bits:
      return last ? expand_bits_last(label, out) : expand_bits_first(label, out);
    case LabelStorage::onehot:
      return last ? expand_bytes_last(label, out) : expand_bytes_first(label, out);
    case LabelStorage::index:
      return expand_index(label, order, out);
  }
}

Status check_view(const LabelView& label) {
  if (label.bytes.size() >= label.shape.size_bytes()) return {};
  return usage_error("the label has " + std::to_string(label.bytes.size()) + " bytes, its shape needs " +
                     std::to_string(label.shape.size_bytes()));
}

// The lowest class of a one-hot vector of `count` classes.
std::uint16_t lowest_bit(const std::uint8_t* vector, std::size_t count) {
  for (std::size_t c = 0; c < count; c += 8) {
    const std::uint8_t byte = vector[c / 8];
    if (byte == 0) continue;
    const std::size_t found = c + static_cast<std::size_t>(std::countr_zero(byte));
    return found < count ? static_cast<std::uint16_t>(found) : kIgnoredId;
  }
  return kIgnoredId;
}

std::uint16_t lowest_byte(const std::uint8_t* vector, std::size_t count) {
  const std::uint8_t* const found = std::find_if(vector, vector + count, [](std::uint8_t byte) { return byte != 0; });
  return found != vector + count ? static_cast<std::uint16_t>(found - vector) : kIgnoredId;
}

}  // namespace

std::size_t element_bytes(ElementType type) {
  switch (type) {
    case ElementType::u8:
      return 1;
    case ElementType::f16:
      return 2;
    case ElementType::f32:
      break;
  }
  return 4;
}

std::uint64_t one_hot_bytes(const LabelShape& label, ElementType type) {
  const auto vector = checked_mul(label.class_count, element_bytes(type));
  const auto whole = vector ? checked_mul(label.vectors(), *vector) : vector;
  return whole.value_or(std::numeric_limits<std::uint64_t>::max());
}

Status expand_one_hot(const LabelView& label, ElementType type, AxisOrder order, std::span<std::byte> out) {
  HOTPACK_TRY(check_view(label));
  const std::uint64_t needed = one_hot_bytes(label.shape, type);
  if (out.size() < needed) {
    return usage_error("the buffer has " + std::to_string(out.size()) + " bytes, the one-hot label needs " + std::to_string(needed));
  }
  if (reinterpret_cast<std::uintptr_t>(out.data()) % element_bytes(type) != 0) {
    return usage_error("the buffer is not aligned to its elements");
  }
  switch (type) {
    case ElementType::u8:
      expand<std::uint8_t>(label, order, out);
      break;
    case ElementType::f16:
      expand<Half>(label, order, out);
      break;
    case ElementType::f32:
      expand<float>(label, order, out);
      break;
  }
  return {};
}

Status expand_ids(const LabelView& label, std::span<std::uint16_t> out) {
  HOTPACK_TRY(check_view(label));
  if (out.size() < label.shape.vectors()) {
    return usage_error("the buffer has " + std::to_string(out.size()) + " ids, the label " + std::to_string(label.shape.vectors()));
  }
  const std::size_t classes = label.shape.class_count;
  if (label.shape.storage == LabelStorage::index) {
    for_each_id(label, [&](std::uint64_t p, std::uint16_t id) { out[p] = id < classes ? id : kIgnoredId; });
    return {};
  }
  const auto lowest = label.shape.storage == LabelStorage::bits ? lowest_bit : lowest_byte;
  const std::uint8_t* in = label.bytes.data();
  for (std::uint64_t p = 0; p < label.shape.vectors(); ++p, in += label.shape.vector_bytes()) out[p] = lowest(in, classes);
  return {};
}

}  // namespace hotpack
