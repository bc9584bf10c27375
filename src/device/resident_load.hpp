// Loads all records of a data set into its resident memory. Several threads read, in the order of
// the files.
//
// Failure: `io`, also from the driver; the memory must not be used then. A record that cannot be
// read is not a failure: its error is stored in the set.
#pragma once

#include <memory>

#include "device/resident_lanes.hpp"
#include "loader/batch_form.hpp"
#include "loader/record_source.hpp"

namespace hotpack::device {

// Returns when everything is written and memory that only the load needed is released.
[[nodiscard]] Result<std::shared_ptr<const ResidentSet>> load_resident(
    ResidentMemory memory, const loader::RecordSource& source, const loader::BatchForm& form);

}  // namespace hotpack::device
