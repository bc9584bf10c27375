// Measures the kernels that write a batch's tensors. Each is compared with a copy within the
// device.
//
// Ownership: borrows the DeviceSession and the records. Not thread-safe. Failure: as DeviceSession.
#pragma once

#include "gpu/acceptance/meter.hpp"
#include "gpu/acceptance/report.hpp"

namespace hotpack::gpu {

// Adds a row for each form of image (f32, f16, u8) and of one-hot label, in both orders. A row
// compares the bytes that the kernel reads and writes per second with the device's memory
// bandwidth. The launches use several batches in turn, so that none is in the device's cache.
[[nodiscard]] Status measure_kernels(const DeviceSession& session, const Setup& setup,
                                     const RecordList& records, AcceptanceReport& report);

}  // namespace hotpack::gpu
