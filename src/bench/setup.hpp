// What all stages of a benchmark share: the properties of the data set, sizes that fit into memory,
// and the options of Loaders.
//
// Plain values; thread-safe as such. Failure: as Dataset::open; `usage` for a data set without
// samples.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/report.hpp"
#include "hotpack/dataset.hpp"
#include "hotpack/loader.hpp"

namespace hotpack::bench {

// A pair of output forms and its name in the report.
struct Outputs {
  std::string name;
  ImageOutput image;
  LabelOutput label;
};

struct Setup {
  std::vector<std::string> folders;
  std::vector<std::string> shard_paths;
  Schema schema;
  std::uint64_t records = 0;
  std::uint64_t batch = 1;
  unsigned slots = 3;
  unsigned rounds = 5;
  double seconds = 1;
  unsigned cores = 1;
  std::vector<unsigned> threads;
  std::uint64_t memory_bytes = 0;  // limit for slots and buffers
  Outputs plain;     // u8 as stored; class ids, or bits if a pixel may have several classes
  Outputs training;  // f32, normalized, and f32 one-hot, channels first
  std::vector<std::string> notes;

  // `notes` of the result names each value that had to be reduced.
  [[nodiscard]] static Result<Setup> make(std::span<const std::string> folders,
                                          const BenchOptions& options);
  [[nodiscard]] Result<Dataset> open_dataset() const { return Dataset::open(folders); }
  // Returns options of a Loader that delivers every sample: if the last batch of an epoch is not
  // full, the first samples of the epoch fill it (LastBatch::wrap).
  [[nodiscard]] LoaderOptions loader_options(unsigned loader_threads, const Outputs& outputs,
                                             BatchContent content,
                                             VerifyChecksums verify_checksums) const;
};

// Returns 1, 2, 4, … below `cores`, then `cores`.
[[nodiscard]] std::vector<unsigned> thread_counts(unsigned cores);

// Returns the bytes of a batch row with a record of `size`.
[[nodiscard]] Result<std::uint64_t> row_bytes(const Schema& schema, const Outputs& outputs,
                                              PixelSize size);

}  // namespace hotpack::bench
