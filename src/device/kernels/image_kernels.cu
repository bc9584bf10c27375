// Placeholder.
#include "device/kernels/image_args.hpp"

extern "C" __global__ void hotpack_image_placeholder(hotpack::device::ImageArgs) {}
