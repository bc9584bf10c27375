#include "device/kernels/image_body.hpp"
#include "support/fake_cuda/host_kernels.hpp"
#include "support/fake_cuda/run_threads.hpp"

namespace hotpack::test {
namespace {

using namespace device::image;

template <class Element, bool kPlanes>
void run_image_kernel(const void* args, const device::LaunchSize& size) {
  const auto& image_args = *static_cast<const device::ImageArgs*>(args);
  run_threads(size, [&](const device::ThreadPlace& place) {
    device::expand_images<Element, kPlanes>(image_args, place);
  });
}

struct Entry {
  const char* name;
  HostKernel kernel;
};

// As image_kernels.cu has them.
constexpr Entry kKernels[] = {
    {"hotpack_image_u8_last", run_image_kernel<AsU8, false>},
    {"hotpack_image_u8_first", run_image_kernel<AsU8, true>},
    {"hotpack_image_f16_last", run_image_kernel<AsF16, false>},
    {"hotpack_image_f16_first", run_image_kernel<AsF16, true>},
    {"hotpack_image_bf16_last", run_image_kernel<AsBf16, false>},
    {"hotpack_image_bf16_first", run_image_kernel<AsBf16, true>},
    {"hotpack_image_f32_last", run_image_kernel<AsF32, false>},
    {"hotpack_image_f32_first", run_image_kernel<AsF32, true>},
};

}  // namespace

HostKernel find_image_kernel(const std::string& name) {
  for (const Entry& entry : kKernels) {
    if (name == entry.name) return entry.kernel;
  }
  return nullptr;
}

}  // namespace hotpack::test
