// Batches of a DeviceLoader beside those of a Loader with the same options, bit by bit.
//
// Failure: exceptions of registry.hpp that name step and row. Thread-safety: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gpu/machine.hpp"
#include "hotpack/dataset.hpp"
#include "hotpack/device_loader.hpp"
#include "support/loader_pack.hpp"

namespace hotpack::gpu {

// One thread and small budgets, so that thousands of loaders open quickly.
[[nodiscard]] DeviceLoaderOptions small_options(const LoaderOptions& loader, Residency residency = Residency::page);

// All that a batch holds, as copy_of a host batch tells it; waits for the stream.
[[nodiscard]] test::BatchCopy copy_of(const Machine& machine, const DeviceBatch& batch, StreamHandle stream);
void check_same(const test::BatchCopy& found, const test::BatchCopy& expected, const std::string& what);

[[nodiscard]] DeviceBatch next_batch(DeviceLoader& loader, StreamHandle stream);  // over the ends of epochs
[[nodiscard]] DeviceLoader open_device(const Dataset& dataset, const DeviceLoaderOptions& options);

// Goes through `epochs` epochs of both. Where the host refuses the options, so must the device.
void compare_with_host(const Machine& machine, const Dataset& dataset, const DeviceLoaderOptions& options, const std::string& what,
                       StreamHandle stream, unsigned epochs = 1);

}  // namespace hotpack::gpu
