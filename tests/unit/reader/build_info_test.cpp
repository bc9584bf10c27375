#include "hotpack/build_info.hpp"

#include <zstd.h>

#include <hwy/targets.h>

#include "expand/processor.hpp"
#include "hotpack/version.hpp"
#include "support/catch.hpp"

using namespace hotpack;

TEST_CASE("build info: names the versions") {
  const BuildInfo info = build_info();
  CHECK(info.version == HOTPACK_VERSION);
  CHECK(info.zstd == ZSTD_versionString());
  CHECK(info.compiler.find_first_of("0123456789") != std::string::npos);
}

TEST_CASE("build info: names the instructions that the kernels use") {
  CHECK(build_info().instructions == expand::vector_instructions());
}

#if HWY_ARCH_X86
TEST_CASE("build info: uses the best instructions of the processor") {
  // Highway asks the processor itself, so this does not depend on the compiler's library.
  const auto supported = hwy::SupportedTargets();
  const std::string expected = (supported & (HWY_AVX3 | HWY_AVX3_DL)) != 0 ? "avx512"
                               : (supported & HWY_AVX2) != 0               ? "avx2"
                               : (supported & HWY_SSE4) != 0               ? "sse4"
                               : (supported & HWY_SSSE3) != 0              ? "ssse3"
                                                                           : "";
  if (!expected.empty()) CHECK(build_info().instructions == expected);
}
#endif
