// C's view of memory running out: operator new of this program fails when a test requests it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>

#include "hotpack/hotpack.h"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_shard.hpp"

namespace {
thread_local int allocations_left = -1;  // of this thread until one fails; −1: none fails
}

void* operator new(std::size_t bytes) {
  if (allocations_left == 0) {
    allocations_left = -1;
    throw std::bad_alloc();
  }
  if (allocations_left > 0) --allocations_left;
  if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return operator new(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

using namespace hotpack::test;

TEST_CASE("a call that finds no memory loses no batch") {
  const TempFolder folder;
  const TinyForm form;
  (void)write_pack(folder.path(), form, tiny_records(form, 12), 4);
  hotpack_dataset* dataset = nullptr;
  hotpack_loader* loader = nullptr;
  hotpack_loader_options options;
  REQUIRE(hotpack_loader_options_init(&options, sizeof options) == HOTPACK_OK);
  options.global_batch_size = 1;
  options.threads = 1;
  REQUIRE(hotpack_dataset_open(folder.path().c_str(), &dataset) == HOTPACK_OK);
  REQUIRE(hotpack_loader_open(dataset, &options, &loader) == HOTPACK_OK);
  int failures = 0;
  std::uint64_t step = 0;
  for (int enough = 0; step < 8; ++enough) {
    hotpack_batch* batch = nullptr;
    allocations_left = enough;
    const hotpack_status status = hotpack_loader_next(loader, &batch);
    allocations_left = -1;
    if (status != HOTPACK_OK) {
      ++failures;
      CHECK(status == HOTPACK_ERROR_IO);
      CHECK(std::string(hotpack_loader_error(loader)).find("memory") != std::string::npos);
      CHECK(batch == nullptr);
      continue;
    }
    hotpack_batch_info info;
    info.struct_size = sizeof info;
    REQUIRE(hotpack_batch_describe(batch, &info) == HOTPACK_OK);
    CHECK(info.step == step++);
    hotpack_batch_release(batch);
  }
  CHECK(failures > 0);
  hotpack_loader_close(loader);
  hotpack_dataset_close(dataset);
}
