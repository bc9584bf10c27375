// `pack`: packs the inputs that the options name into one data set, or into one per split.
//
// Call it once per run. It uses at most RunOptions::threads threads. If the inputs are refused, it
// returns a PackRun with the problems; any other failure is an Error. No incomplete file is ever
// left under its final name.
#pragma once

#include <string>

#include "hotpack/result.hpp"
#include "pack/pack_report.hpp"
#include "settings/observer.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// With `dry_run`, pack writes nothing.
[[nodiscard]] Result<PackRun> pack(const PackOptions& options, bool dry_run, Observer& observer);

// `plan`: decides everything that a pack needs to know, and writes it to the file `path`. pack()
// with RunOptions::plan_file packs that plan. In the result, `sets` describe the plan of each
// split.
[[nodiscard]] Result<PackRun> plan(const PackOptions& options, const std::string& path,
                                   Observer& observer);

}  // namespace hotpack::pipeline
