// The tools with which `bench` measures, here by their short names.
#pragma once

#include "bench/batches.hpp"
#include "bench/measure.hpp"
#include "bench/records.hpp"
#include "bench/setup.hpp"

namespace hotpack::gpu {

using bench::batch_bytes;
using bench::Batches;
using bench::BenchOptions;
using bench::first_samples;
using bench::kStepOverService;
using bench::Measurement;
using bench::median;
using bench::now_seconds;
using bench::Outputs;
using bench::Rate;
using bench::rate_of;
using bench::RecordList;
using bench::RecordViews;
using bench::Setup;
using bench::take_turns;
using bench::Work;

}  // namespace hotpack::gpu
