// Packs of many records for measurements, written quickly: a few images, each of them many times.
//
// Images are u8 [H,W,3], labels class ids. Failure throws std::logic_error. Thread-safety: none.
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

// Into an existing folder.
void write_bench_pack(const std::string& folder, const BenchPack& pack);

}  // namespace hotpack::gpu
