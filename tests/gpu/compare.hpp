// Batches of a DeviceLoader next to those of a Loader with the same options, bit by bit, and the
// setup of cases that step loaders.
//
// Failure: exceptions of registry.hpp that name step and row. Thread-safety: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "gpu/machine.hpp"
#include "hotpack/dataset.hpp"
#include "hotpack/device_loader.hpp"
#include "support/loader_pack.hpp"

namespace hotpack::gpu {

// Where records may stay; `automatic` is one of these.
inline constexpr std::array kPlaces{Residency::page, Residency::pinned, Residency::device};

// One thread and small budgets, so that thousands of loaders open quickly.
[[nodiscard]] DeviceLoaderOptions small_options(const LoaderOptions& loader,
                                                Residency residency = Residency::page);

// All that a batch holds, as copy_of a host batch tells it; waits for the stream.
[[nodiscard]] test::BatchCopy copy_of(const Machine& machine, const DeviceBatch& batch,
                                      StreamHandle stream);
void check_same(const test::BatchCopy& found, const test::BatchCopy& expected,
                const std::string& what);

[[nodiscard]] DeviceBatch next_batch(DeviceLoader& loader,
                                     StreamHandle stream);  // over the ends of epochs
[[nodiscard]] DeviceLoader open_device(const Dataset& dataset, const DeviceLoaderOptions& options);

// Fails where it takes a second or more.
void close_quickly(DeviceLoader& loader);

// Setup of most cases: a GPU, a stream of the program, and a pack that could train a network.
struct Training {
  explicit Training(std::size_t records = 40);
  [[nodiscard]] static LoaderOptions batches();  // of four, images and labels f16
  [[nodiscard]] DeviceLoader open(Residency residency = Residency::page) const;
  [[nodiscard]] Loader open_host() const;

  Machine machine;
  const UserStream own_stream{machine, false};
  const StreamHandle stream = own_stream.handle();
  const test::TinyPack pack;
  const Dataset dataset;
};

// Goes through `epochs` epochs of both. Where the host refuses the options, so must the device.
void compare_with_host(const Machine& machine, const Dataset& dataset,
                       const DeviceLoaderOptions& options, const std::string& what,
                       StreamHandle stream, unsigned epochs = 1);

}  // namespace hotpack::gpu
