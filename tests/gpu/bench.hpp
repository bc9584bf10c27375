// The acceptance benchmark of hotpack_gpu_check. Failure: exceptions of registry.hpp.
#pragma once

#include <cstdint>
#include <string>

#include "gpu/bench_pack.hpp"

namespace hotpack::gpu {

struct BenchArguments {
  std::string json;    // a file for the report; empty: none
  std::string pack;    // the caller's pack; if empty, a pack of 512×512 pixels is made
  double seconds = 1;  // of each row
  std::uint64_t batch = 32;
  BenchPack made;  // the pack to make if `pack` is empty
};

// Prints the table and writes the JSON. After a failure, both contain the rows that were measured
// before it.
void run_bench(const BenchArguments& arguments);

}  // namespace hotpack::gpu
