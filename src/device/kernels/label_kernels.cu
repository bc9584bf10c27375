// The label kernels of the device: each calls one body of label_body.hpp per thread.
#include "device/kernels/label_body.hpp"

namespace {

__device__ hotpack::device::ThreadPlace this_thread() {
  return {threadIdx.x, blockDim.x, blockIdx.x, blockIdx.y, blockIdx.z, gridDim.x, gridDim.y, gridDim.z};
}

}  // namespace

// The parameter `blocks` is the number of blocks that a multiprocessor should hold at once. The
// compiler would choose a larger number, and would then store registers in memory.
#define HOTPACK_LABEL_KERNEL(name, blocks, ...)                                                                           \
  extern "C" __global__ void __launch_bounds__(256, blocks) hotpack_label_##name(const hotpack::device::LabelArgs args) { \
    hotpack::device::__VA_ARGS__(args, this_thread());                                                                    \
  }

HOTPACK_LABEL_KERNEL(index_u8, 4, label_index_body<std::uint8_t>)
HOTPACK_LABEL_KERNEL(index_u16, 4, label_index_body<std::uint16_t>)
HOTPACK_LABEL_KERNEL(index_i32, 4, label_index_body<std::uint32_t>)
HOTPACK_LABEL_KERNEL(index_i64, 4, label_index_body<std::uint64_t>)
HOTPACK_LABEL_KERNEL(bits, 4, label_bits_body)
HOTPACK_LABEL_KERNEL(one_hot_u8_last, 4, label_one_hot_last_body<std::uint8_t>)
HOTPACK_LABEL_KERNEL(one_hot_b16_last, 4, label_one_hot_last_body<std::uint16_t>)
HOTPACK_LABEL_KERNEL(one_hot_b32_last, 4, label_one_hot_last_body<std::uint32_t>)
HOTPACK_LABEL_KERNEL(one_hot_u8_first, 2, label_one_hot_first_body<std::uint8_t>)
HOTPACK_LABEL_KERNEL(one_hot_b16_first, 3, label_one_hot_first_body<std::uint16_t>)
HOTPACK_LABEL_KERNEL(one_hot_b32_first, 3, label_one_hot_first_body<std::uint32_t>)
