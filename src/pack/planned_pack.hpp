// `pack --plan`: packs a part of a plan, or all of it, without looking at inputs that are not its
// own.
//
// Call it once per run, inside the arena of the run. Failure: as pack(); an input that changed
// since the plan was made is an error of code `data` that names the file.
#pragma once

#include "hotpack/result.hpp"
#include "pack/pack_report.hpp"
#include "pack/receipt.hpp"
#include "settings/observer.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// Only `options.run` is used; `book` may be null. With `dry_run`, writes nothing.
[[nodiscard]] Result<PackRun> pack_planned(const PackOptions& options, bool dry_run,
                                           ReceiptBook* book, Observer& observer);

}  // namespace hotpack::pipeline
