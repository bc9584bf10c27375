// Brings all records of a data set into memory that was taken for it, by threads that read it in the order of its files.
//
// Failure: the driver's and `io`; the memory must not be used then. A record that cannot be read is none: its error is kept in the set.
#pragma once

#include <memory>

#include "device/resident_lanes.hpp"
#include "loader/batch_form.hpp"
#include "loader/record_source.hpp"

namespace hotpack::device {

// All is written when this returns, and what the load alone needed is given back.
[[nodiscard]] Result<std::shared_ptr<const ResidentSet>> load_resident(ResidentMemory memory, const loader::RecordSource& source,
                                                                       const loader::BatchForm& form);

}  // namespace hotpack::device
