// DLPack tensors of host batches in C; loader/dlpack_test.cpp has the tensors themselves.
#include "hotpack/hotpack_dlpack.h"

#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "c_api/loader_options.hpp"
#include "hotpack/hotpack.h"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_shard.hpp"

using namespace hotpack;
using namespace hotpack::c_api;
using namespace hotpack::test;

namespace {

// The first batch of a pack of ten samples; the loader and the pack are gone.
hotpack_batch* batch_of(bool labeled) {
  const TempFolder folder;
  TinyForm form;
  form.labeled = labeled;
  (void)write_pack(folder.path(), form, tiny_records(form, 10), 4);
  hotpack_dataset* dataset = nullptr;
  REQUIRE(hotpack_dataset_open(folder.path().c_str(), &dataset) == HOTPACK_OK);
  hotpack_loader_options options = default_options();
  options.global_batch_size = 3;
  hotpack_loader* loader = nullptr;
  REQUIRE(hotpack_loader_open(dataset, &options, &loader) == HOTPACK_OK);
  hotpack_batch* batch = nullptr;
  REQUIRE(hotpack_loader_next(loader, &batch) == HOTPACK_OK);
  hotpack_loader_close(loader);
  hotpack_dataset_close(dataset);
  return batch;
}

}  // namespace

TEST_CASE("a tensor in C shares the memory of a host batch") {
  hotpack_batch* const batch = batch_of(true);
  hotpack_batch_info info{};
  info.struct_size = sizeof info;
  REQUIRE(hotpack_batch_describe(batch, &info) == HOTPACK_OK);
  DLManagedTensorVersioned* image = nullptr;
  DLManagedTensor* label = nullptr;
  REQUIRE(hotpack_batch_dlpack(batch, HOTPACK_FIELD_IMAGE, &image) == HOTPACK_OK);
  REQUIRE(hotpack_batch_dlpack_legacy(batch, HOTPACK_FIELD_LABEL, &label) == HOTPACK_OK);
  CHECK(image->dl_tensor.data == info.image.data);
  CHECK(image->dl_tensor.device.device_type == kDLCPU);
  CHECK(label->dl_tensor.data == info.label.data);
  const auto* const bytes = static_cast<const char*>(image->dl_tensor.data);
  const std::vector<char> wanted(bytes, bytes + info.image.bytes);
  hotpack_batch_release(batch);
  CHECK(std::memcmp(image->dl_tensor.data, wanted.data(), wanted.size()) == 0);
  std::thread([=] { image->deleter(image); }).join();
  label->deleter(label);
}

TEST_CASE("fields that are not there give no tensor in C") {
  hotpack_batch* const batch = batch_of(false);
  auto* tensor = reinterpret_cast<DLManagedTensorVersioned*>(batch);
  CHECK(hotpack_batch_dlpack(batch, HOTPACK_FIELD_LABEL, &tensor) == HOTPACK_NOT_FOUND);
  CHECK(tensor == nullptr);
  CHECK(hotpack_batch_dlpack(batch, 2, &tensor) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_batch_dlpack(nullptr, HOTPACK_FIELD_IMAGE, &tensor) == HOTPACK_ERROR_USAGE);
  CHECK(hotpack_batch_dlpack_legacy(batch, HOTPACK_FIELD_IMAGE, nullptr) == HOTPACK_ERROR_USAGE);
  hotpack_batch_release(batch);
}
