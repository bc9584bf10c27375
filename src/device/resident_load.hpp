// Loads all records of a data set into its resident memory. Several threads read, in the order of
// the files.
//
// Failure: `io`, also from the driver; `cancelled` if `progress` returns false. The memory must not
// be used then. A record that cannot be read is not a failure: its error is stored in the set.
#pragma once

#include <functional>
#include <memory>

#include "device/resident_lanes.hpp"
#include "hotpack/device_loader.hpp"
#include "loader/batch_form.hpp"
#include "loader/record_source.hpp"

namespace hotpack::device {

using LoadProgressFunction = std::function<bool(const LoadProgress&)>;

// Returns when everything is written and memory that only the load needed is released. `progress`
// as DeviceLoaderOptions::progress, or empty.
[[nodiscard]] Result<std::shared_ptr<const ResidentSet>> load_resident(
    ResidentMemory memory, const loader::RecordSource& source, const loader::BatchForm& form,
    const LoadProgressFunction& progress = {});

}  // namespace hotpack::device
