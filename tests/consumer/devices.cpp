// One process with two devices. Each takes its share of every batch, as a rank would.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <hotpack/hotpack.hpp>
#include <vector>

int main(int argc, char* argv[]) try {
  using namespace hotpack;
  const auto dataset = Dataset::open(argc > 1 ? argv[1] : "packed/train").value();
  const auto cuda = cuda_info();
  if (!cuda.ok()) {
    std::printf("%s\n", cuda.error().describe().c_str());
    return 0;
  }

  DeviceLoaderOptions options;
  options.loader.global_batch_size = 4;  // over both
  options.loader.seed = 7;
  options.devices.clear();
  for (const CudaDevice& device : cuda.value().devices) options.devices.push_back(device.ordinal);
  options.devices.resize(std::min<std::size_t>(options.devices.size(), 2));
  auto loader = DeviceLoader::open(dataset, options).value();

  const std::vector<CUstream_st*> streams(loader.devices(),
                                          nullptr);  // one per device; here the default streams
  while (const auto batch = loader.next(streams).value()) {
    for (const DevicePart& part : batch->parts()) {
      // cudaSetDevice(part.device); kernels on part.stream see part.batch_size rows in
      // part.image.data and part.label.data
      for (std::size_t row = part.first_row; row < part.first_row + part.num_valid; ++row) {
        std::printf("step %d: %s, device %d\n", static_cast<int>(batch->step()),
                    batch->info().keys[row].c_str(), part.device);
      }
    }
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
