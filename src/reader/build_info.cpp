#include "hotpack/build_info.hpp"

#include <zstd.h>

#include "expand/processor.hpp"
#include "hotpack/version.hpp"

namespace hotpack {

namespace {

std::string compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#elif defined(__GNUC__)
  return "gcc " __VERSION__;
#else
  return "unknown";
#endif
}

}  // namespace

BuildInfo build_info() {
  return {.version = HOTPACK_VERSION,
          .compiler = compiler(),
          .zstd = ZSTD_versionString(),
          .instructions = std::string(expand::vector_instructions())};
}

}  // namespace hotpack
