// One process with several devices: a loader for each, which takes the share of one rank.
#include <cstdio>
#include <exception>
#include <hotpack/hotpack.hpp>
#include <string>
#include <vector>

int main(int argc, char* argv[]) try {
  using namespace hotpack;
  const auto dataset = Dataset::open(argc > 1 ? argv[1] : "packed/train").value();
  const auto devices = cuda_info().value().devices;  // throws without a driver or a device

  std::vector<DeviceLoader> loaders;
  for (const CudaDevice& device : devices) {
    DeviceLoaderOptions options;
    options.loader.global_batch_size = 4;  // over all devices
    options.loader.seed = 7;               // the same for all
    options.loader.rank = loaders.size();
    options.loader.world_size = devices.size();
    options.device = device.ordinal;
    loaders.push_back(DeviceLoader::open(dataset, options).value());
  }

  CUstream_st* const stream = nullptr;  // each device has its own; here the default streams
  for (std::uint64_t step = 0; step < loaders.front().steps_per_epoch(); ++step) {
    for (DeviceLoader& loader : loaders) {
      const auto batch = loader.next(stream).value();
      // cudaSetDevice(batch->device()); kernels on the stream see batch->batch_size() rows in
      // batch->image().data and batch->label().data
      for (std::size_t row = 0; row < batch->num_valid(); ++row) {
        std::printf("step %d: %s, device %d\n", static_cast<int>(batch->step()),
                    std::string(batch->key(row)).c_str(), batch->device());
      }
    }
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
