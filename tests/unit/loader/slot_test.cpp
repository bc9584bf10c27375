#include "loader/slot.hpp"

#include <cstring>
#include <limits>
#include <utility>

#include "support/catch.hpp"
#include "support/slot_allocators.hpp"

using namespace hotpack;
using namespace hotpack::loader;
using hotpack::test::CountingAllocator;

TEST_CASE("slot memory is given back once, by whoever holds it last") {
  const auto allocator = std::make_shared<CountingAllocator>();
  {
    SlotMemory first = SlotMemory::take(allocator, 100).value();
    CHECK(first.size() == 100);
    std::byte* const data = first.data();
    SlotMemory second = std::move(first);
    CHECK(second.data() == data);
    CHECK(first.data() == nullptr);
    first = std::move(second);
    CHECK(first.data() == data);
    CHECK(allocator->released == 0);
  }
  CHECK(allocator->taken == 1);
  CHECK(allocator->released == 1);
}

TEST_CASE("no bytes need no memory") {
  const auto allocator = std::make_shared<CountingAllocator>();
  const SlotMemory none = SlotMemory::take(allocator, 0).value();
  CHECK(none.data() == nullptr);
  CHECK(allocator->taken == 0);
}

TEST_CASE("grow aligns both fields to pages and reallocates only for more") {
  const auto allocator = std::make_shared<CountingAllocator>();
  Slot slot;
  REQUIRE(grow(slot, allocator, 5000, 300).ok());
  CHECK(slot.image.bytes.size() == 5000);
  CHECK(slot.label.bytes.size() == 300);
  CHECK(slot.label.bytes.data() == slot.image.bytes.data() + 8192);
  std::memset(slot.label.bytes.data(), 1, slot.label.bytes.size());
  REQUIRE(grow(slot, allocator, 4096, 10).ok());
  CHECK(slot.label.bytes.data() == slot.image.bytes.data() + 4096);
  CHECK(allocator->taken == 1);
  REQUIRE(grow(slot, allocator, 50000, 300).ok());
  CHECK(allocator->taken == 2);
  CHECK(allocator->released == 1);
}

TEST_CASE("a slot that could not grow can do so later") {
  const auto allocator = std::make_shared<CountingAllocator>();
  Slot slot;
  REQUIRE(grow(slot, allocator, 5000, 300).ok());
  allocator->failing_from = 1;
  CHECK_FALSE(grow(slot, allocator, 50000, 300).ok());
  CHECK(allocator->released == 1);
  allocator->failing_from = 9;
  REQUIRE(grow(slot, allocator, 5000, 300).ok());
  std::memset(slot.image.bytes.data(), 1, slot.image.bytes.size());
}

TEST_CASE("the size of a block: no less than grow takes, and nothing on overflow") {
  const auto allocator = std::make_shared<CountingAllocator>();
  for (const std::uint64_t image : {0u, 1u, 4096u, 4097u}) {
    for (const std::uint64_t label : {0u, 1u, 5000u}) {
      Slot slot;
      REQUIRE(grow(slot, allocator, image, label).ok());
      CHECK(slot_block_bytes(image, label).value() >= slot.memory.size());
    }
  }
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  CHECK_FALSE(slot_block_bytes(most, 1));
  CHECK_FALSE(slot_block_bytes(most - 5000, 1));
}

TEST_CASE("pages of ordinary memory are aligned, writable and zero") {
  const auto allocator = page_allocator();
  const SlotMemory memory = SlotMemory::take(allocator, 10000).value();
  CHECK(reinterpret_cast<std::uintptr_t>(memory.data()) % 4096 == 0);
  CHECK(memory.data()[9999] == std::byte{0});
  std::memset(memory.data(), 7, memory.size());
}

TEST_CASE("failing to allocate a slot is an error with the requested size") {
  const auto refused = SlotMemory::take(page_allocator(), std::size_t{1} << 60);
  REQUIRE_FALSE(refused.ok());
  CHECK_THAT(refused.error().message, ContainsSubstring("1152921504606846976 bytes"));
}
