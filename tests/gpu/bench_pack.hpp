// Writes packs of many records for measurements. It is fast, because a few images are used many
// times.
//
// Images are u8 [H,W,3], labels are class ids. Failure: std::logic_error. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace hotpack::gpu {

struct BenchPack {
  std::size_t records = 512;
  int width = 512;
  int height = 512;
  int classes = 12;
  std::size_t per_shard = 128;
};

// Writes the pack into an existing folder.
void write_bench_pack(const std::string& folder, const BenchPack& pack);

}  // namespace hotpack::gpu
