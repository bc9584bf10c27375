#include "c_api/dlpack.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "c_api/device_handles.hpp"
#include "hotpack/hotpack_device.h"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::c_api;

namespace {

int memory = 0;  // stands for device memory: nothing here follows the pointer

DeviceField field_of(std::vector<std::int64_t> shape, ElementType type = ElementType::f32) {
  std::uint64_t bytes = element_bytes(type);
  for (const std::int64_t extent : shape) bytes *= static_cast<std::uint64_t>(extent);
  return {&memory, bytes, std::move(shape), type};
}

template <class Managed>
TensorPointer<Managed> tensor_of(const DeviceField& field, std::shared_ptr<void> keeper = nullptr) {
  return make_tensor<Managed>(field, 3, std::move(keeper)).value();
}

// Code, bits and lanes.
std::vector<int> type_of(ElementType type) {
  const auto tensor = tensor_of<DLManagedTensorVersioned>(field_of({2}, type));
  const DLDataType told = tensor->dl_tensor.dtype;
  return {told.code, told.bits, told.lanes};
}

std::vector<std::int64_t> strides_of(const DLTensor& tensor) {
  return {tensor.strides, tensor.strides + tensor.ndim};
}
std::vector<std::int64_t> shape_of(const DLTensor& tensor) {
  return {tensor.shape, tensor.shape + tensor.ndim};
}

// A batch that next_into filled: the only kind that exists without a device.
void fill(hotpack_device_batch& batch) {
  batch.copied.batch_size = 2;
  batch.copied.indices = {4, -1};
  batch.copied.keys = {"four", ""};
  batch.copied.parts.resize(1);
  batch.copied.parts[0].image = field_of({2, 5, 6, 3});
  batch.crops.resize(2);
}

}  // namespace

TEST_CASE("the structures of DLPack have the layout of its ABI", "[abi]") {
  STATIC_REQUIRE(sizeof(DLDevice) == 8);
  STATIC_REQUIRE(sizeof(DLDataType) == 4);
  STATIC_REQUIRE(sizeof(DLTensor) == 48);
  STATIC_REQUIRE(offsetof(DLTensor, device) == 8);
  STATIC_REQUIRE(offsetof(DLTensor, ndim) == 16);
  STATIC_REQUIRE(offsetof(DLTensor, dtype) == 20);
  STATIC_REQUIRE(offsetof(DLTensor, shape) == 24);
  STATIC_REQUIRE(offsetof(DLTensor, strides) == 32);
  STATIC_REQUIRE(offsetof(DLTensor, byte_offset) == 40);
  STATIC_REQUIRE(sizeof(DLManagedTensor) == 64);
  STATIC_REQUIRE(offsetof(DLManagedTensor, manager_ctx) == 48);
  STATIC_REQUIRE(offsetof(DLManagedTensor, deleter) == 56);
  STATIC_REQUIRE(sizeof(DLManagedTensorVersioned) == 80);
  STATIC_REQUIRE(offsetof(DLManagedTensorVersioned, manager_ctx) == 8);
  STATIC_REQUIRE(offsetof(DLManagedTensorVersioned, deleter) == 16);
  STATIC_REQUIRE(offsetof(DLManagedTensorVersioned, flags) == 24);
  STATIC_REQUIRE(offsetof(DLManagedTensorVersioned, dl_tensor) == 32);
  STATIC_REQUIRE(kDLCPU == 1);
  STATIC_REQUIRE(kDLCUDA == 2);
  STATIC_REQUIRE(kDLCUDAHost == 3);
}

TEST_CASE("a tensor has the field's place and shape") {
  const auto tensor = tensor_of<DLManagedTensorVersioned>(field_of({2, 3, 5, 7}));
  CHECK(tensor->version.major == 1);
  CHECK(tensor->flags == 0);  // writable, and not a copy
  const DLTensor& told = tensor->dl_tensor;
  CHECK(told.data == &memory);
  CHECK(told.byte_offset == 0);
  CHECK(told.device.device_type == kDLCUDA);
  CHECK(told.device.device_id == 3);
  REQUIRE(told.ndim == 4);
  CHECK(shape_of(told) == std::vector<std::int64_t>{2, 3, 5, 7});
  CHECK(strides_of(told) == std::vector<std::int64_t>{105, 35, 7, 1});
}

TEST_CASE("every shape has strides") {
  CHECK(strides_of(tensor_of<DLManagedTensor>(field_of({9}))->dl_tensor) ==
        std::vector<std::int64_t>{1});
  CHECK(strides_of(tensor_of<DLManagedTensor>(field_of({4, 1}))->dl_tensor) ==
        std::vector<std::int64_t>{1, 1});
  CHECK(strides_of(tensor_of<DLManagedTensor>(field_of({1, 70000, 70000}))->dl_tensor) ==
        std::vector<std::int64_t>{4900000000, 70000, 1});
  const auto many = make_tensor<DLManagedTensor>(field_of({1, 1, 1, 1, 1}), 0, nullptr);
  REQUIRE_FALSE(many.ok());
  CHECK(many.error().code == ErrorCode::internal);
}

TEST_CASE("every element type has its DLPack name") {
  CHECK(type_of(ElementType::u8) == std::vector<int>{kDLUInt, 8, 1});
  CHECK(type_of(ElementType::u16) == std::vector<int>{kDLUInt, 16, 1});
  CHECK(type_of(ElementType::i32) == std::vector<int>{kDLInt, 32, 1});
  CHECK(type_of(ElementType::i64) == std::vector<int>{kDLInt, 64, 1});
  CHECK(type_of(ElementType::f16) == std::vector<int>{kDLFloat, 16, 1});
  CHECK(type_of(ElementType::bf16) == std::vector<int>{kDLBfloat, 16, 1});
  CHECK(type_of(ElementType::f32) == std::vector<int>{kDLFloat, 32, 1});
}

TEMPLATE_TEST_CASE("a tensor holds its memory until its deleter is called", "",
                   DLManagedTensorVersioned, DLManagedTensor) {
  auto keeper = std::make_shared<int>(7);
  const std::weak_ptr<int> watched = keeper;
  TestType* const tensor = tensor_of<TestType>(field_of({2, 3}), std::move(keeper)).release();
  CHECK(watched.use_count() == 1);
  CHECK(shape_of(tensor->dl_tensor) == std::vector<std::int64_t>{2, 3});
  std::thread([tensor] { tensor->deleter(tensor); }).join();
  CHECK(watched.expired());
}

TEST_CASE("several tensors of one field end independently") {
  auto keeper = std::make_shared<int>(7);
  auto first = tensor_of<DLManagedTensorVersioned>(field_of({2}), keeper);
  auto second = tensor_of<DLManagedTensor>(field_of({2}), keeper);
  CHECK(keeper.use_count() == 3);
  first.reset();
  CHECK(keeper.use_count() == 2);
  CHECK(second->dl_tensor.shape[0] == 2);
  second.reset();
  CHECK(keeper.use_count() == 1);
}

TEST_CASE("streams have the numbers of the protocol") {
  const auto handle = [](std::int64_t number) {
    return reinterpret_cast<std::uintptr_t>(consumer_stream(number).value().value());
  };
  CHECK(handle(1) == 1);
  CHECK(handle(2) == 2);
  CHECK(handle(0x7f0012345678) == 0x7f0012345678);
  CHECK_FALSE(consumer_stream(-1).value().has_value());
  for (const std::int64_t refused : {std::int64_t{0}, std::int64_t{-2}, INT64_MIN}) {
    const auto stream = consumer_stream(refused);
    REQUIRE_FALSE(stream.ok());
    CHECK(stream.error().code == ErrorCode::usage);
    CHECK(stream.error().message.find("is " + std::to_string(refused)) != std::string::npos);
    CHECK(stream.error().message.find("1 for the legacy default stream") != std::string::npos);
  }
}

TEST_CASE("memory of the caller is not shared as a tensor") {
  hotpack_device_batch batch;
  fill(batch);
  auto* const poison = reinterpret_cast<DLManagedTensorVersioned*>(&memory);
  DLManagedTensorVersioned* tensor = poison;
  CHECK(hotpack_device_batch_dlpack(&batch, 0, HOTPACK_FIELD_IMAGE, 1, &tensor) ==
        HOTPACK_ERROR_USAGE);
  CHECK(tensor == nullptr);
  CHECK(std::string(hotpack_device_batch_error(&batch)).find("next_into") != std::string::npos);
  tensor = poison;
  CHECK(hotpack_device_batch_dlpack(nullptr, 0, HOTPACK_FIELD_IMAGE, 1, &tensor) ==
        HOTPACK_ERROR_USAGE);
  CHECK(tensor == nullptr);
  CHECK(hotpack_device_batch_dlpack_legacy(&batch, 0, HOTPACK_FIELD_IMAGE, 1, nullptr) ==
        HOTPACK_ERROR_USAGE);
}
