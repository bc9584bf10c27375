#include "hotpack/dlpack.hpp"

#include "base/error.hpp"
#include "loader/dlpack_tensor.hpp"

namespace hotpack {

namespace loader {

DLDataType dlpack_type(ElementType type) {
  const auto bits = static_cast<std::uint8_t>(element_bytes(type) * 8);
  switch (type) {
    case ElementType::f16:
    case ElementType::f32:
      return {kDLFloat, bits, 1};
    case ElementType::bf16:
      return {kDLBfloat, bits, 1};
    case ElementType::i32:
    case ElementType::i64:
      return {kDLInt, bits, 1};
    case ElementType::u8:
    case ElementType::u16:
      break;
  }
  return {kDLUInt, bits, 1};
}

std::vector<std::int64_t> compact_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    step *= shape[i];
  }
  return strides;
}

}  // namespace loader

namespace {

template <class Managed>
Result<DlpackPointer<Managed>> tensor_of(const Batch& batch, Field field) {
  if (batch.batch_size() == 0)
    return usage_error("the batch was released, so it has no memory to share");
  const BatchField& chosen = field == Field::image ? batch.image() : batch.label();
  if (chosen.shape.empty()) return DlpackPointer<Managed>();
  return loader::make_tensor<Managed>({chosen.bytes.data(), chosen.shape, chosen.dtype},
                                      std::make_shared<Batch>(batch));
}

}  // namespace

Result<DlpackPointer<DLManagedTensorVersioned>> to_dlpack(const Batch& batch, Field field) {
  return tensor_of<DLManagedTensorVersioned>(batch, field);
}

Result<DlpackPointer<DLManagedTensor>> to_dlpack_legacy(const Batch& batch, Field field) {
  return tensor_of<DLManagedTensor>(batch, field);
}

}  // namespace hotpack
