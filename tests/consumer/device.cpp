// Batches in the memory of a CUDA device: images as normalized f16 NCHW, labels as class ids.
// Building it does not require CUDA.
#include <cstdio>
#include <exception>
#include <hotpack/hotpack.hpp>
#include <string>

namespace {

// Your model learns here. Kernels that you queue on `stream` see image and label, which are
// pointers to device memory.
void train(const hotpack::DeviceField& image, const hotpack::DeviceField& label,
           CUstream_st* stream) {
  static_cast<void>(image.data), static_cast<void>(label.data), static_cast<void>(stream);
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
  options.residency = Residency::automatic;  // records stay on the device if they fit
  // Without a driver or a device, value() throws; Loader::open() takes options.loader.
  auto loader = DeviceLoader::open(dataset, options).value();

  CUstream_st* const stream = nullptr;  // a cudaStream_t of the program; here the default stream
  for (int epoch = 0; epoch < 2; ++epoch) {
    while (auto batch = loader.next(stream).value()) {  // on return the work is queued, not done
      train(batch->image(), batch->label(), stream);
      std::printf("epoch %d, step %d, first sample %s\n", static_cast<int>(batch->epoch()),
                  static_cast<int>(batch->step()), std::string(batch->key(0)).c_str());
    }  // the batch is destroyed; its memory is freed after the work on `stream`
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
