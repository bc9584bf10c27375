// Batches on a CUDA device if there is one, else the same batches in host memory, with the reason.
#include <cstdio>
#include <exception>
#include <hotpack/hotpack.hpp>
#include <string>

namespace {

// Your model learns here, from memory of the device or of the host.
void learn(const hotpack::DeviceBatch& batch) { static_cast<void>(batch.image().data); }
void learn(const hotpack::Batch& batch) { static_cast<void>(batch.image().bytes.data()); }

// `next` returns a batch of either kind, or an empty optional at the end of an epoch.
template <class Next>
void train(Next next) {
  for (int epoch = 0; epoch < 2; ++epoch) {
    while (const auto batch = next().value()) {
      learn(*batch);
      std::printf("epoch %d, step %d, first sample %s\n", static_cast<int>(batch->epoch()),
                  static_cast<int>(batch->step()), std::string(batch->key(0)).c_str());
    }
  }
}

}  // namespace

int main(int argc, char* argv[]) try {
  using namespace hotpack;
  const auto dataset = Dataset::open(argc > 1 ? argv[1] : "packed/train").value();

  DeviceLoaderOptions options;
  options.loader.global_batch_size = argc > 2 ? std::stoul(argv[2]) : 8;
  options.loader.seed = 7;
  options.loader.image = {ElementType::f16,
                          AxisOrder::channels_first,
                          {0.485f, 0.456f, 0.406f},
                          {0.229f, 0.224f, 0.225f}};

  auto on_device = DeviceLoader::open(dataset, options);
  if (on_device.ok()) {
    train([&] { return on_device->next(nullptr); });
  } else {  // no driver, no device, no kernels for it, too little memory, …; wrong options also
            // fail on the host
    std::printf("batches come in host memory: %s\n", on_device.error().describe().c_str());
    auto loader = Loader::open(dataset, options.loader).value();
    train([&] { return loader.next(); });
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
