// The benchmark of hotpack_gpu_check. Failure: exceptions of registry.hpp.
#pragma once

#include <string>

namespace hotpack::gpu {

struct BenchArguments {
  std::string json;    // a file for the report; empty: none
  std::string pack;    // a pack of the caller's; empty: one of 512×512 pixels is made
  double seconds = 1;  // of each row
  std::size_t records = 512;
};

// Prints the table, and writes the JSON.
void run_bench(const BenchArguments& arguments);

}  // namespace hotpack::gpu
