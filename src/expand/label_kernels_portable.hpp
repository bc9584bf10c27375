// The label kernels without vector instructions. Processors without vectors use them for
// everything, the vector kernels for the ends of runs.
//
// Ownership, thread-safety and failure: as label_kernels.hpp.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "expand/label_kernels.hpp"

namespace hotpack::expand::portable {

// Each function does what the kernel of the same name does, but only for the elements i … count −
// 1. If the output is bits, i must be a multiple of 8.
void ids_equal(const std::uint8_t* ids, std::size_t i, std::size_t count, std::uint32_t id,
               std::uint8_t* bits);
void wide_ids_equal(const std::uint8_t* ids, std::size_t i, std::size_t count, std::uint32_t id,
                    std::uint8_t* bits);
void bytes_have(const std::uint8_t* bytes, std::size_t i, std::size_t count, std::uint8_t mask,
                std::uint8_t* bits);
void byte_plane(const std::uint8_t* vectors, std::size_t vector_bytes, std::size_t byte,
                std::size_t i, std::size_t count, std::uint8_t* plane);
void lowest_bit(const std::uint8_t* plane, std::size_t i, std::size_t count, std::uint8_t mask,
                std::uint8_t base, std::uint8_t* ids);
// Where byte `byte` of each of 64 vectors lies if the vectors fill `vector_bytes` registers of 64
// bytes: its place in the register, and a mask per register of the vectors whose byte is in that
// register.
struct PlanePicks {
  alignas(64) std::array<std::uint8_t, 64> places;
  std::array<std::uint64_t, 64> masks;
};
[[nodiscard]] PlanePicks plane_picks(std::size_t vector_bytes, std::size_t byte);

// Word is an unsigned integer of the element's size; `one` has the bits of the value 1.
template <class Word>
void write_ones(const std::uint8_t* bits, std::size_t i, std::size_t count, Word one, Word* out);
extern template void write_ones(const std::uint8_t*, std::size_t, std::size_t, std::uint8_t,
                                std::uint8_t*);
extern template void write_ones(const std::uint8_t*, std::size_t, std::size_t, std::uint16_t,
                                std::uint16_t*);
extern template void write_ones(const std::uint8_t*, std::size_t, std::size_t, std::uint32_t,
                                std::uint32_t*);

// Converts ids. The compiler vectorizes this loop for each instruction set that includes it.
template <class Id, class Out>
[[gnu::always_inline]] inline void convert(const std::uint8_t* ids, std::size_t count,
                                           const IdRule& rule, std::byte* bytes) {
  Out* const out = reinterpret_cast<Out*>(bytes);
  const Id limit = static_cast<Id>(rule.class_count);
  const Out ignored = static_cast<Out>(rule.ignored);
  for (std::size_t i = 0; i < count; ++i) {
    Id id;
    std::memcpy(&id, ids + i * sizeof(Id), sizeof id);
    out[i] = id < limit ? static_cast<Out>(id) : ignored;
  }
}

template <class Id>
[[gnu::always_inline]] inline void convert_to(const std::uint8_t* ids, std::size_t count,
                                              const IdRule& rule, ElementType type,
                                              std::byte* out) {
  switch (type) {
    case ElementType::u8:
      return convert<Id, std::uint8_t>(ids, count, rule, out);
    case ElementType::u16:
      return convert<Id, std::uint16_t>(ids, count, rule, out);
    case ElementType::i32:
      return convert<Id, std::int32_t>(ids, count, rule, out);
    default:
      return convert<Id, std::int64_t>(ids, count, rule, out);
  }
}

}  // namespace hotpack::expand::portable
