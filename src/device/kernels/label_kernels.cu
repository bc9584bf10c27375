// Placeholder.
#include "device/kernels/label_args.hpp"

extern "C" __global__ void hotpack_label_placeholder(hotpack::device::LabelArgs) {}
