#include "expand/processor.hpp"

#include <cstdint>
#include <vector>

#include "support/catch.hpp"
#include "support/levels.hpp"

using namespace hotpack::expand;

TEST_CASE("The level is the best one until it is set, and never above it", "[expand]") {
  CHECK(current_level() == best_level());
  set_level(Level::portable);
  CHECK(current_level() == Level::portable);
  set_level(Level::avx512);
  CHECK(current_level() == best_level());
  CHECK(level_name(Level::portable) == "portable");
  CHECK(level_name(Level::avx2) == "avx2");
  CHECK(level_name(Level::avx512) == "avx512");
}

TEST_CASE("A streaming copy is exact at every size and alignment", "[expand]") {
  const hotpack::test::RestoreLevel restore;
  const Level level = GENERATE_REF(from_range(hotpack::test::levels()));
  set_level(level);
  std::vector<std::uint8_t> in(70000);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint8_t>(i * i / 7 + i);
  for (const std::size_t bytes :
       {0u, 1u, 15u, 63u, 64u, 65u, 200u, 4096u, 16383u, 16384u, 16385u, 33000u, 65536u, 69000u}) {
    for (const std::size_t shift : {0u, 1u, 16u, 31u, 63u}) {
      std::vector<std::uint8_t> out(bytes + 200, 0xA5);
      const std::size_t at = bytes_to_line(out.data()) + shift;
      std::vector<std::uint8_t> wanted = out;
      std::copy_n(in.begin() + 3, bytes, wanted.begin() + static_cast<std::ptrdiff_t>(at));
      stream_copy(out.data() + at, in.data() + 3, bytes);
      store_fence();
      CAPTURE(level_name(level), bytes, shift);
      REQUIRE(out == wanted);
    }
  }
}

TEST_CASE("Bytes to the next cache line", "[expand]") {
  alignas(64) std::uint8_t line[128];
  CHECK(bytes_to_line(line) == 0);
  CHECK(bytes_to_line(line + 1) == 63);
  CHECK(bytes_to_line(line + 63) == 1);
  CHECK(bytes_to_line(line + 64) == 0);
}
