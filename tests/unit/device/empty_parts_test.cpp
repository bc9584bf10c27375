// Records of different sizes come in batches of one row per device, and at the last step of a
// padded epoch some devices have none. The parts equal a host Loader's of that rank.
#include <string>
#include <vector>

#include "device_runs.hpp"
#include "support/catch.hpp"
#include "support/forms.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

struct Shares {
  std::uint64_t world_size;
  int devices;
};

// Batches of each device's rank.
std::vector<std::vector<BatchCopy>> by_device(const Dataset& dataset, LoaderOptions options,
                                              int devices) {
  std::vector<std::vector<BatchCopy>> all;
  const std::uint64_t first = options.rank * static_cast<std::uint64_t>(devices);
  options.world_size *= static_cast<std::uint64_t>(devices);
  for (int device = 0; device < devices; ++device) {
    options.rank = first + static_cast<std::uint64_t>(device);
    all.push_back(host_batches(dataset, options));
  }
  return all;
}

void check_part(const Download& got, std::size_t part, const BatchCopy& wanted) {
  INFO("step " << wanted.step << " part " << part << " valid " << wanted.valid);
  CHECK(got.info.parts[part].num_valid == wanted.valid);
  CHECK(got.info.parts[part].image.shape == wanted.image_shape);
  CHECK(got.info.parts[part].label.shape == wanted.label_shape);
  CHECK(got.info.indices[part] == wanted.rows[0].sample);
  CHECK(got.parts[part].image == wanted.rows[0].image);
  CHECK(got.parts[part].label == wanted.rows[0].label);
}

void check_rank(const Dataset& dataset, const DeviceLoaderOptions& options) {
  const auto devices = static_cast<int>(options.devices.size());
  const auto wanted = by_device(dataset, options.loader, devices);
  FakeDriver fake({.devices = devices});
  {
    Program program(fake, devices);
    Streams streams;
    for (const int device : options.devices) streams.push_back(fake.stream(device));
    DeviceLoader loader = open_on(fake, dataset, options);
    for (std::uint64_t step = 0; step < loader.steps_per_epoch(); ++step)
      program.download(next_batch(loader, streams), streams);
    program.synchronize(streams);
    for (std::size_t step = 0; step < loader.steps_per_epoch(); ++step) {
      for (std::size_t part = 0; part < streams.size(); ++part)
        check_part(program.downloads()[step], part, wanted[part][step]);
    }
    fake.run_all();
  }
  check_nothing_left(fake);
}

}  // namespace

TEST_CASE("a part with one empty row equals a host loader's") {
  for (const char* const form_name :
       {"mixed", "mixed-index-300", "mixed-sample", "mixed-unlabeled"}) {
    const TinyForm form = all_forms().at(form_name);
    const TinyPack pack(form, 7, 4);
    for (const Shares shares : {Shares{1, 2}, Shares{2, 1}, Shares{2, 2}, Shares{1, 3}}) {
      for (const Residency residency : kResidencies) {
        for (std::uint64_t rank = 0; rank < shares.world_size; ++rank) {
          INFO(form_name << " rank " << rank << " of " << shares.world_size << " with "
                         << shares.devices << " devices " << residency_name(residency));
          LoaderOptions options =
              small_batches(shares.world_size * static_cast<std::uint64_t>(shares.devices));
          if (!form.labeled) options.label = {};
          options.last_batch = LastBatch::pad;
          options.rank = rank;
          options.world_size = shares.world_size;
          std::vector<int> devices;
          for (int device = 0; device < shares.devices; ++device) devices.push_back(device);
          check_rank(pack.open(), device_options(options, devices, residency));
        }
      }
    }
  }
}
