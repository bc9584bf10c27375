// Your own kernel on batches: first in memory of the loader, then in your own buffer, with a CUDA graph.
#include <cuda_runtime.h>

#include <cstdio>
#include <exception>
#include <hotpack/hotpack.hpp>
#include <stdexcept>

namespace {

__global__ void count_labeled(const unsigned char* label, std::size_t pixels, unsigned long long* labeled) {
  const std::size_t pixel = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (pixel < pixels && label[pixel] != 255) atomicAdd(labeled, 1ULL);
}

void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

}  // namespace

int main(int argc, char* argv[]) try {
  using namespace hotpack;
  const auto dataset = Dataset::open(argc > 1 ? argv[1] : "packed/train").value();
  DeviceLoaderOptions options;
  options.loader.global_batch_size = 4;
  options.loader.label.dtype = ElementType::u8;  // ids, 255 where a pixel has no class
  auto loader = DeviceLoader::open(dataset, options).value();

  cudaStream_t stream = nullptr;
  unsigned long long* labeled = nullptr;
  const std::size_t pixels = loader.label_batch_bytes();
  const unsigned blocks = static_cast<unsigned>((pixels + 255) / 256);
  check(cudaStreamCreate(&stream));
  check(cudaMalloc(&labeled, 2 * sizeof *labeled));
  check(cudaMemsetAsync(labeled, 0, 2 * sizeof *labeled, stream));

  while (const auto batch = loader.next(stream).value()) {  // the kernel finds the batch written, and nobody waits
    count_labeled<<<blocks, 256, 0, stream>>>(static_cast<const unsigned char*>(batch->label().data), pixels, labeled);
    check(cudaGetLastError());
  }

  // A graph reads fixed addresses, so each batch goes into a buffer of the program before each launch.
  DeviceBuffers buffers;  // no image: that field is skipped
  buffers.label_bytes = pixels;
  check(cudaMalloc(&buffers.label, pixels));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t step = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  count_labeled<<<blocks, 256, 0, stream>>>(static_cast<const unsigned char*>(buffers.label), pixels, labeled + 1);
  check(cudaGetLastError());
  check(cudaStreamEndCapture(stream, &graph));
  check(cudaGraphInstantiate(&step, graph, 0));
  if (const auto again = loader.seek(0); !again.ok()) throw std::runtime_error(again.error().describe());
  while (loader.next_into(buffers, stream).value()) check(cudaGraphLaunch(step, stream));

  unsigned long long counts[2] = {};
  check(cudaMemcpyAsync(counts, labeled, sizeof counts, cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  std::printf("%llu pixels have a class, counted by the graph: %llu\n", counts[0], counts[1]);
  return counts[0] != 0 && counts[0] == counts[1] ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
