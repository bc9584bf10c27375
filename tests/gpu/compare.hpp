// Compares the batches of a DeviceLoader, bit by bit, with those of a Loader with the same options.
// Also the setup of cases that step loaders.
//
// Failure: exceptions of registry.hpp that name step and row. Not thread-safe.
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

// All places where records may stay. `automatic` chooses one of these.
inline constexpr std::array kPlaces{Residency::page, Residency::device};

// Returns options with one thread and small budgets, so that thousands of loaders open quickly.
[[nodiscard]] DeviceLoaderOptions small_options(const LoaderOptions& loader,
                                                Residency residency = Residency::page);

// Returns all that a batch contains, in the form in which copy_of() gives a host batch. Waits for
// the stream.
[[nodiscard]] test::BatchCopy copy_of(const Machine& machine, const DeviceBatch& batch,
                                      StreamHandle stream);
void check_same(const test::BatchCopy& found, const test::BatchCopy& expected,
                const std::string& what);

[[nodiscard]] DeviceBatch next_batch(
    DeviceLoader& loader,
    StreamHandle stream);  // continues in the next epoch if one has ended
[[nodiscard]] DeviceLoader open_device(const Dataset& dataset, const DeviceLoaderOptions& options);

// Closes the loader. Fails if that takes a second or more.
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

// Compares `epochs` epochs of both loaders. If the host loader refuses the options, the device
// loader must refuse them too.
void compare_with_host(const Machine& machine, const Dataset& dataset,
                       const DeviceLoaderOptions& options, const std::string& what,
                       StreamHandle stream, unsigned epochs = 1);

}  // namespace hotpack::gpu
