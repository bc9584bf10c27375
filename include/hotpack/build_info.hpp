// What this copy of the library is made of, for bug reports.
//
// Ownership: plain values. Thread-safe. Nothing here fails.
#pragma once

#include <string>

namespace hotpack {

struct BuildInfo {
  std::string version;   ///< of hotpack: "0.1.0"
  std::string compiler;  ///< name and version
  std::string zstd;      ///< the version of Zstandard in use: "1.5.4"
  /// The vector instructions that the kernels use on this processor: "avx512", "avx2", "sse4",
  /// "ssse3", "neon", "sve", "other", or "portable" if none.
  std::string instructions;
};

[[nodiscard]] BuildInfo build_info();

}  // namespace hotpack
