// The kernels that write a batch's tensors, each compared with a copy within the device.
//
// Ownership: borrows the Station and the records. Thread-safety: none. Failure: as Station.
#pragma once

#include "bench/device_meter.hpp"
#include "bench/device_report.hpp"
#include "bench/records.hpp"
#include "bench/setup.hpp"

namespace hotpack::bench {

// Adds a row for each form of image (f32, f16, u8) and of one-hot label, in both orders: bytes read and written a second over B. Images and
// labels of several batches take turns, so that none is in the device's cache.
[[nodiscard]] Status measure_kernels(const Station& station, const Setup& setup, const RecordList& records, DeviceReport& report);

}  // namespace hotpack::bench
