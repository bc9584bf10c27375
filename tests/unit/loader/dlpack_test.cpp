#include "hotpack/dlpack.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "hotpack/loader.hpp"
#include "loader/dlpack_tensor.hpp"
#include "support/catch.hpp"
#include "support/loader_pack.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

int memory = 0;  // nothing here follows the pointer

template <class Managed>
DlpackPointer<Managed> tensor_of(const std::vector<std::int64_t>& shape,
                                 ElementType type = ElementType::f32,
                                 std::shared_ptr<void> keeper = nullptr) {
  return loader::make_tensor<Managed>({&memory, shape, type, {kDLCUDA, 3}}, std::move(keeper));
}

// Code, bits and lanes.
std::vector<int> type_of(ElementType type) {
  const auto tensor = tensor_of<DLManagedTensorVersioned>({2}, type);
  const DLDataType told = tensor->dl_tensor.dtype;
  return {told.code, told.bits, told.lanes};
}

std::vector<std::int64_t> strides_of(const DLTensor& tensor) {
  return {tensor.strides, tensor.strides + tensor.ndim};
}
std::vector<std::int64_t> shape_of(const DLTensor& tensor) {
  return {tensor.shape, tensor.shape + tensor.ndim};
}

LoaderOptions two_slots() {
  LoaderOptions options;
  options.global_batch_size = 4;
  options.prefetch_batches = 2;
  return options;
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
  const auto tensor = tensor_of<DLManagedTensorVersioned>({2, 3, 5, 7});
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
  CHECK(strides_of(tensor_of<DLManagedTensor>({9})->dl_tensor) == std::vector<std::int64_t>{1});
  CHECK(strides_of(tensor_of<DLManagedTensor>({4, 1})->dl_tensor) ==
        std::vector<std::int64_t>{1, 1});
  CHECK(strides_of(tensor_of<DLManagedTensor>({1, 70000, 70000})->dl_tensor) ==
        std::vector<std::int64_t>{4900000000, 70000, 1});
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
  TestType* const tensor =
      tensor_of<TestType>({2, 3}, ElementType::f32, std::move(keeper)).release();
  CHECK(watched.use_count() == 1);
  CHECK(shape_of(tensor->dl_tensor) == std::vector<std::int64_t>{2, 3});
  std::thread([tensor] { tensor->deleter(tensor); }).join();
  CHECK(watched.expired());
}

TEST_CASE("a tensor of a batch shares its slot and outlives loader and batch") {
  const TinyPack pack;
  std::optional<Loader> loader = open_loader(pack.open(), two_slots());
  Batch batch = next_batch(*loader);
  const BatchField image = batch.image();
  auto tensor = to_dlpack(batch, Field::image).value();
  auto label = to_dlpack_legacy(batch, Field::label).value();
  REQUIRE(tensor);
  CHECK(tensor->dl_tensor.data == image.bytes.data());
  CHECK(shape_of(tensor->dl_tensor) == image.shape);
  CHECK(tensor->dl_tensor.device.device_type == kDLCPU);
  CHECK(tensor->flags == 0);
  CHECK(shape_of(label->dl_tensor) == batch.label().shape);
  const std::vector<std::byte> wanted(image.bytes.begin(), image.bytes.end());
  batch.release();
  CHECK(loader->leased() == 1);
  label.reset();
  CHECK(loader->leased() == 1);
  CHECK(to_dlpack(batch, Field::image).error().code == ErrorCode::usage);
  SECTION("the slot is reused when the last tensor ends, in any thread") {
    std::thread([gone = std::move(tensor)]() mutable { gone.reset(); }).join();
    CHECK(loader->leased() == 0);
  }
  SECTION("the memory outlives the loader") {
    loader.reset();
    const auto* const bytes = static_cast<const std::byte*>(tensor->dl_tensor.data);
    CHECK(std::vector<std::byte>(bytes, bytes + wanted.size()) == wanted);
  }
}

TEST_CASE("a batch without labels has no tensor of labels") {
  TinyForm form;
  form.labeled = false;
  const TinyPack pack(form);
  Loader loader = open_loader(pack.open(), two_slots());
  const Batch batch = next_batch(loader);
  CHECK(to_dlpack(batch, Field::label).value() == nullptr);
  CHECK(to_dlpack_legacy(batch, Field::label).value() == nullptr);
}
