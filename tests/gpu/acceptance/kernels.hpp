// Kernels that write a batch's tensors, each compared with a copy within the device.
//
// Ownership: borrows the DeviceSession and the records. Thread-safety: none. Failure: as
// DeviceSession.
#pragma once

#include "gpu/acceptance/meter.hpp"
#include "gpu/acceptance/report.hpp"

namespace hotpack::gpu {

// Adds a row for each form of image (f32, f16, u8) and of one-hot label, in both orders: the bytes
// that it reads and writes per second, over the device's memory bandwidth. Images and labels of
// several batches take turns, so that none is in the device's cache.
[[nodiscard]] Status measure_kernels(const DeviceSession& session, const Setup& setup,
                                     const RecordList& records, AcceptanceReport& report);

}  // namespace hotpack::gpu
