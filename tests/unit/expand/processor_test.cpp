#include "expand/processor.hpp"

#include <cstdint>
#include <vector>

#include "support/catch.hpp"
#include "support/vector_targets.hpp"

using namespace hotpack::expand;

TEST_CASE("The name of the vector instructions follows the chosen target", "[expand]") {
  const hotpack::test::RestoreTarget restore;
  [[maybe_unused]] const std::int64_t possible = hwy::SupportedTargets();
  const auto name_with = [](std::int64_t target) {
    hotpack::test::RestoreTarget::choose(target);
    return vector_instructions();
  };
  if (HWY_STATIC_TARGET == HWY_SCALAR) CHECK(name_with(HWY_SCALAR) == "portable");
#if HWY_ARCH_X86
  if ((possible & HWY_AVX2) != 0) CHECK(name_with(HWY_AVX2) == "avx2");
  if ((possible & HWY_AVX3) != 0) CHECK(name_with(HWY_AVX3) == "avx512");
  if ((possible & HWY_AVX3_DL) != 0) CHECK(name_with(HWY_AVX3_DL) == "avx512");
#endif
}

TEST_CASE("A streaming copy is exact at every size and alignment", "[expand]") {
  std::vector<std::uint8_t> in(70000);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint8_t>(i * i / 7 + i);
  hotpack::test::for_each_vector_target([&] {
    for (const std::size_t bytes : {0u, 1u, 15u, 63u, 64u, 65u, 200u, 4096u, 16383u, 16384u, 16385u,
                                    33000u, 65536u, 69000u}) {
      for (const std::size_t shift : {0u, 1u, 16u, 31u, 63u}) {
        std::vector<std::uint8_t> out(bytes + 200, 0xA5);
        const std::size_t at = bytes_to_line(out.data()) + shift;
        std::vector<std::uint8_t> wanted = out;
        std::copy_n(in.begin() + 3, bytes, wanted.begin() + static_cast<std::ptrdiff_t>(at));
        stream_copy(out.data() + at, in.data() + 3, bytes);
        store_fence();
        CAPTURE(bytes, shift);
        REQUIRE(out == wanted);
      }
    }
  });
}

TEST_CASE("Bytes to the next cache line", "[expand]") {
  alignas(64) std::uint8_t line[128];
  CHECK(bytes_to_line(line) == 0);
  CHECK(bytes_to_line(line + 1) == 63);
  CHECK(bytes_to_line(line + 63) == 1);
  CHECK(bytes_to_line(line + 64) == 0);
}
