// Steps that the benchmarks of host and device share.
//
// Thread-safety: none. Failure: warm_up() as Loader's functions; begin_stage() has code `cancelled`
// if the user stops the run.
#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "bench/report.hpp"
#include "bench/setup.hpp"
#include "hotpack/dataset.hpp"

namespace hotpack::bench {

[[nodiscard]] Status begin_stage(const BenchOptions& options, const std::string& stage);

struct WarmUp {
  std::uint64_t steps = 0;        // steps of the first epoch that are in memory now
  std::uint64_t samples = 0;      // in these steps
  double packed_batch_bytes = 0;  // mean
  std::string note;               // the reason if this is not the whole epoch
};

// Reads and checks every sample once, or as many as memory and time allow.
[[nodiscard]] Result<WarmUp> warm_up(const Setup& setup, const Dataset& dataset);

// Each fills in its members of the report.
void describe_setup(const Setup& setup, const Dataset& dataset, BenchReport& report);
void describe_warm_up(const WarmUp& warm, BenchReport& report);

// Returns the Error for a lack of memory or threads: code `io`.
[[nodiscard]] Error refused_by_system(const std::exception& refused);

}  // namespace hotpack::bench
