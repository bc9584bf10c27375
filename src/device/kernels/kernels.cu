// The kernels: the body of portable.hpp for every type and order of the output. The second launch
// bound leaves enough registers for every path.
#include "device/kernels/image.hpp"
#include "device/kernels/label.hpp"

#define HOTPACK_KERNEL(name, ...)                                                              \
  extern "C" __global__ void __launch_bounds__(256, 3)                                         \
      hotpack_##name(const __grid_constant__ hotpack::device::KernelArgs args) {               \
    using namespace hotpack::device;                                                           \
    __VA_ARGS__(args, {threadIdx.x, blockDim.x, blockIdx.x, blockIdx.y, gridDim.x, gridDim.y}); \
  }
#define HOTPACK_BOTH(name, ...)                                \
  HOTPACK_KERNEL(name##_last, expand<__VA_ARGS__, false>)      \
  HOTPACK_KERNEL(name##_first, expand<__VA_ARGS__, true>)
#define HOTPACK_IMAGE(name, type) HOTPACK_BOTH(image_##name, ImageRow<type>)
#define HOTPACK_IDS(name, type) \
  HOTPACK_KERNEL(label_ids_##name, expand<LabelRow<LabelKind::ids, type>, true>)
#define HOTPACK_ONE_HOT(name, type) HOTPACK_BOTH(label_one_hot_##name, LabelRow<LabelKind::one_hot, type>)

HOTPACK_IMAGE(u8, AsU8)
HOTPACK_IMAGE(f16, AsF16)
HOTPACK_IMAGE(bf16, AsBf16)
HOTPACK_IMAGE(f32, AsF32)
HOTPACK_IDS(u8, std::uint8_t)
HOTPACK_IDS(u16, std::uint16_t)
HOTPACK_IDS(i32, std::uint32_t)
HOTPACK_IDS(i64, std::uint64_t)
HOTPACK_ONE_HOT(b8, std::uint8_t)
HOTPACK_ONE_HOT(b16, std::uint16_t)
HOTPACK_ONE_HOT(b32, std::uint32_t)
HOTPACK_KERNEL(label_bits, expand<LabelRow<LabelKind::bits, std::uint8_t>, false>)
