// The image kernels: image_body.hpp for every type and order of the output.
//
// The parameter `blocks` is the least number of blocks of 256 threads that a multiprocessor must
// hold at once. The numbers leave enough registers for every path.
#include "device/kernels/image_body.hpp"

namespace {

__device__ hotpack::device::ThreadPlace this_place() {
  return {threadIdx.x, blockDim.x, blockIdx.x, blockIdx.y, blockIdx.z, gridDim.x, gridDim.y, gridDim.z};
}

}  // namespace

#define HOTPACK_IMAGE_KERNEL(name, element, planes, blocks)                                      \
  extern "C" __global__ void __launch_bounds__(256, blocks)                                      \
      hotpack_image_##name(const __grid_constant__ hotpack::device::ImageArgs args) {            \
    hotpack::device::expand_images<hotpack::device::image::element, planes>(args, this_place()); \
  }

HOTPACK_IMAGE_KERNEL(u8_last, AsU8, false, 3)
HOTPACK_IMAGE_KERNEL(u8_first, AsU8, true, 3)
HOTPACK_IMAGE_KERNEL(f16_last, AsF16, false, 4)
HOTPACK_IMAGE_KERNEL(f16_first, AsF16, true, 4)
HOTPACK_IMAGE_KERNEL(bf16_last, AsBf16, false, 4)
HOTPACK_IMAGE_KERNEL(bf16_first, AsBf16, true, 4)
HOTPACK_IMAGE_KERNEL(f32_last, AsF32, false, 4)
HOTPACK_IMAGE_KERNEL(f32_first, AsF32, true, 4)
