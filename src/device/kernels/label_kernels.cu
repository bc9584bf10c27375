// The label kernels of the device: each a body of label_body.hpp, one thread a call.
#include "device/kernels/label_body.hpp"

namespace {

__device__ hotpack::device::ThreadPlace this_thread() {
  return {threadIdx.x, blockDim.x, blockIdx.x, blockIdx.y, blockIdx.z, gridDim.x, gridDim.y, gridDim.z};
}

}  // namespace

#define HOTPACK_LABEL_KERNEL(name, bounds, ...)                                                   \
  extern "C" __global__ void bounds hotpack_label_##name(const hotpack::device::LabelArgs args) { \
    hotpack::device::__VA_ARGS__(args, this_thread());                                            \
  }

// Kernels by planes hold several pixels a thread; asked for no more blocks than that, the compiler has registers enough to spill none.
#define HOTPACK_FLAT __launch_bounds__(256)
#define HOTPACK_PLANES __launch_bounds__(256, 3)

HOTPACK_LABEL_KERNEL(index_u8, HOTPACK_FLAT, label_index_body<std::uint8_t>)
HOTPACK_LABEL_KERNEL(index_u16, HOTPACK_FLAT, label_index_body<std::uint16_t>)
HOTPACK_LABEL_KERNEL(index_i32, HOTPACK_FLAT, label_index_body<std::uint32_t>)
HOTPACK_LABEL_KERNEL(index_i64, HOTPACK_FLAT, label_index_body<std::uint64_t>)
HOTPACK_LABEL_KERNEL(bits, HOTPACK_FLAT, label_bits_body)
HOTPACK_LABEL_KERNEL(one_hot_u8_last, HOTPACK_FLAT, label_one_hot_last_body<std::uint8_t>)
HOTPACK_LABEL_KERNEL(one_hot_b16_last, HOTPACK_FLAT, label_one_hot_last_body<std::uint16_t>)
HOTPACK_LABEL_KERNEL(one_hot_b32_last, HOTPACK_FLAT, label_one_hot_last_body<std::uint32_t>)
HOTPACK_LABEL_KERNEL(one_hot_u8_first, HOTPACK_PLANES, label_one_hot_first_body<std::uint8_t>)
HOTPACK_LABEL_KERNEL(one_hot_b16_first, HOTPACK_PLANES, label_one_hot_first_body<std::uint16_t>)
HOTPACK_LABEL_KERNEL(one_hot_b32_first, HOTPACK_PLANES, label_one_hot_first_body<std::uint32_t>)
