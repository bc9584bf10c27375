// The memory of batches: allocated once, or when many are held; untouched while leased; released at
// the end.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "hotpack/loader.hpp"
#include "support/catch.hpp"
#include "support/forms.hpp"
#include "support/loader_pack.hpp"
#include "support/one_hot.hpp"
#include "support/slot_allocators.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

// Blocks of any size in a single window of memory, which repeats: for batches of more bytes than
// the machine has. A row keeps its last contents until a later row is written.
class RepeatingAllocator final : public SlotAllocator {
 public:
  Result<std::byte*> allocate(std::size_t bytes) override {
    const int file = ::memfd_create("hotpack-test", 0);
    if (file < 0 || ::ftruncate(file, kWindow) != 0) return usage_error("no window");
    void* const memory = ::mmap(nullptr, whole(bytes), PROT_NONE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return usage_error("no room for the windows");
    auto* const begin = static_cast<std::byte*>(memory);
    for (std::size_t at = 0; at < whole(bytes); at += kWindow) {
      void* const window =
          ::mmap(begin + at, kWindow, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
      if (window == MAP_FAILED) return usage_error("no window");
    }
    ::close(file);
    return begin;
  }
  void release(std::byte* memory, std::size_t bytes) noexcept override {
    ::munmap(memory, whole(bytes));
  }

 private:
  static constexpr std::size_t kWindow = std::size_t{4} << 20;
  static std::size_t whole(std::size_t bytes) { return (bytes + kWindow - 1) / kWindow * kWindow; }
};

}  // namespace

TEST_CASE("slots are allocated once, not per epoch, and all released") {
  const TinyPack pack;
  const auto allocator = std::make_shared<CountingAllocator>();
  LoaderOptions options;
  options.global_batch_size = 4;
  options.prefetch_batches = 5;
  options.allocator = allocator;
  {
    Loader loader = open_loader(pack.open(), options);
    CHECK(allocator->taken == 5);
    for (int epoch = 0; epoch < 100; ++epoch) CHECK(rest_of_epoch(loader).size() == 3);
    for (std::uint64_t epoch = 0; epoch < 100; ++epoch) REQUIRE(loader.seek(epoch, 1).ok());
    CHECK(allocator->taken == 5);
    CHECK(allocator->released == 0);
  }
  CHECK(allocator->released == 5);
}

TEST_CASE("slots of mixed sizes grow up to the largest record") {
  const TinyPack pack(all_forms().at("mixed"), 9, 9);
  const auto allocator = std::make_shared<CountingAllocator>();
  LoaderOptions options = in_file_order(1);
  options.allocator = allocator;
  {
    Loader loader = open_loader(pack.open(), options);
    for (int epoch = 0; epoch < 25; ++epoch) CHECK(rest_of_epoch(loader).size() == 9);
    CHECK(allocator->taken <= 3 * 6);  // each of the slots grows at most six times
  }
  CHECK(allocator->released == allocator->taken);
}

TEST_CASE("a slot that cannot be allocated fails and the others are freed") {
  const TinyPack pack;
  const auto allocator = std::make_shared<CountingAllocator>();
  allocator->failing_from = 2;
  LoaderOptions options;
  options.global_batch_size = 4;
  options.allocator = allocator;
  CHECK_THAT(refusal_of(pack.open(), options), ContainsSubstring("bytes for a slot"));
  CHECK(allocator->taken == 2);
  CHECK(allocator->released == 2);
}

TEST_CASE("a slot that cannot grow is an error of its step") {
  const TinyPack pack(all_forms().at("mixed"), 9, 9);
  const auto allocator = std::make_shared<CountingAllocator>();
  allocator->failing_from = 0;
  LoaderOptions options = in_file_order(1);
  options.allocator = allocator;
  Loader loader = open_loader(pack.open(), options);
  CHECK_THAT(next_error(loader).message, ContainsSubstring("bytes for a slot"));
  allocator->failing_from = 1 << 30;
  REQUIRE(loader.seek(0).ok());
  CHECK(next_batch(loader).step() == 0);
}

TEST_CASE("a leased slot is not written, however far the loader runs") {
  const TinyPack pack({}, 24, 6);
  LoaderOptions options;
  options.global_batch_size = 4;
  options.threads = 4;
  options.prefetch_batches = 4;
  Loader loader = open_loader(pack.open(), options);
  std::vector<Batch> held;
  std::vector<BatchCopy> as_given;
  for (int i = 0; i < 2; ++i) {
    held.push_back(next_batch(loader));
    as_given.push_back(copy_of(held.back()));
  }
  skip(loader, 4);
  REQUIRE(at_end_of_epoch(loader));
  for (int epoch = 0; epoch < 10; ++epoch) {
    skip(loader, 6);
    REQUIRE(at_end_of_epoch(loader));
  }
  REQUIRE(loader.seek(3, 3).ok());
  skip(loader, 3);
  for (std::size_t i = 0; i < 2; ++i) CHECK(copy_of(held[i]) == as_given[i]);
}

TEST_CASE("writes into a batch do not affect other batches") {
  const TinyPack pack({}, 8, 8);
  const Dataset dataset = pack.open();
  LoaderOptions options = in_file_order(4);
  options.prefetch_batches = 2;
  Loader loader = open_loader(dataset, options);
  for (int round = 0; round < 6; ++round) {
    REQUIRE(loader.seek(0).ok());
    const Batch batch = next_batch(loader);
    CHECK(copy_of(batch).rows[0] == expected_row(dataset, options, 0));
    std::fill(batch.image().bytes.begin(), batch.image().bytes.end(), std::byte{0x77});
  }
}

TEST_CASE("batches that are held cost memory, and nothing else") {
  const TinyPack pack({}, 24, 6);
  const Dataset dataset = pack.open();
  const auto allocator = std::make_shared<CountingAllocator>();
  LoaderOptions options;
  options.global_batch_size = 4;
  options.threads = 2;
  options.prefetch_batches = GENERATE(2u, 3u, 4u);
  options.allocator = allocator;
  Loader loader = open_loader(dataset, options);
  const std::uint64_t bytes_per_slot = loader.slot_bytes() / loader.slots();
  for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{20}}) {
    CAPTURE(count, options.prefetch_batches);
    std::vector<Batch> held;
    std::vector<BatchCopy> as_given;
    int taken = 0;
    for (std::uint64_t epoch = 0; epoch < 8; ++epoch) {
      REQUIRE(loader.seek(epoch).ok());
      for (std::uint64_t step = 0; step < 6; ++step) {
        const Batch batch = next_batch(loader);
        const auto samples = expected_samples(24, options, epoch, step);
        REQUIRE(std::ranges::equal(batch.indices(), samples));
        REQUIRE(copy_of(batch).rows[0] == expected_row(dataset, options, samples[0]));
        if (held.size() == count) continue;
        held.push_back(batch);
        as_given.push_back(copy_of(batch));
      }
      if (epoch == 4) taken = allocator->taken;  // by then, all of them are held
      if (epoch > 4) CHECK(allocator->taken == taken);
      CHECK(loader.leased() == held.size());
      CHECK(loader.slots() >= held.size() + 2);
      CHECK(loader.slots() <= std::max<std::size_t>(options.prefetch_batches + 8, count + 3));
      CHECK(loader.slot_bytes() == loader.slots() * bytes_per_slot);
    }
    for (std::size_t i = 0; i < count; ++i) CHECK(copy_of(held[i]) == as_given[i]);
    held.clear();
    CHECK(loader.leased() == 0);
    CHECK(loader.slots() <= options.prefetch_batches + 8);
    CHECK(static_cast<std::size_t>(allocator->taken - allocator->released) == loader.slots());
  }
}

TEST_CASE("a batch that is held in an added slot outlives the loader") {
  const TinyPack pack({}, 24, 6);
  const auto allocator = std::make_shared<CountingAllocator>();
  LoaderOptions options = in_file_order(4);
  options.prefetch_batches = 2;
  options.allocator = allocator;
  std::vector<Batch> held;
  std::vector<BatchCopy> as_given;
  {
    Loader loader = open_loader(pack.open(), options);
    for (int step = 0; step < 6; ++step) {
      held.push_back(next_batch(loader));
      as_given.push_back(copy_of(held.back()));
    }
    CHECK(at_end_of_epoch(loader));
  }
  CHECK(allocator->released == 0);
  for (std::size_t i = 0; i < held.size(); ++i) CHECK(copy_of(held[i]) == as_given[i]);
  held.clear();
  CHECK(allocator->released == allocator->taken);
}

TEST_CASE("the slot that memory is lacking for is not made, and no batch is lost") {
  const TinyPack pack({}, 24, 6);
  const auto allocator = std::make_shared<CountingAllocator>();
  LoaderOptions options = in_file_order(4);
  options.allocator = allocator;
  Loader loader = open_loader(pack.open(), options);
  allocator->failing_from = 3;
  std::vector<Batch> held;
  for (int step = 0; step < 3; ++step) held.push_back(next_batch(loader));
  CHECK_THAT(next_error(loader).message,
             ContainsSubstring("all 3 slots are leased, and another one cannot be made: no ") &&
                 ContainsSubstring("release a batch"));
  allocator->failing_from = 1 << 30;
  for (std::uint64_t step = 3; step < 6; ++step) {
    held.push_back(next_batch(loader));
    CHECK(held.back().step() == step);
  }
  CHECK(loader.slots() == 3 + 3);
}

TEST_CASE("records of different sizes can be held, too") {
  const TinyPack pack(all_forms().at("mixed"), 9, 9);
  const Dataset dataset = pack.open();
  const LoaderOptions options = in_file_order(1);
  Loader loader = open_loader(dataset, options);
  std::vector<Batch> held;
  for (int sample = 0; sample < 9; ++sample) held.push_back(next_batch(loader));
  for (std::int64_t sample = 0; sample < 9; ++sample)
    CHECK(copy_of(held[static_cast<std::size_t>(sample)]).rows[0] ==
          expected_row(dataset, options, sample));
}

TEST_CASE("a memory budget limits the slots of batches that are held") {
  const TinyPack pack({}, 24, 6);
  const Dataset dataset = pack.open();
  const auto allocator = std::make_shared<CountingAllocator>();
  LoaderOptions options = in_file_order(4);
  options.allocator = allocator;
  const std::uint64_t three = open_loader(dataset, options).slot_bytes();
  options.memory_budget_bytes = three / 3 * 5 + three / 6;  // five slots and a half
  allocator->taken = 0;
  Loader loader = open_loader(dataset, options);
  std::vector<Batch> held;
  for (int step = 0; step < 5; ++step) held.push_back(next_batch(loader));
  const Error error = next_error(loader);
  CHECK(error.code == ErrorCode::busy);
  CHECK_THAT(error.message, ContainsSubstring("all 5 slots are leased") &&
                                ContainsSubstring("memory_budget_bytes"));
  CHECK(allocator->taken == 5);
  CHECK(loader.slot_bytes() <= options.memory_budget_bytes);
  held.pop_back();
  CHECK(next_batch(loader).step() == 5);
}

TEST_CASE("a memory budget fixes the number of slots of different sizes") {
  const TinyPack pack(all_forms().at("mixed"), 9, 9);
  LoaderOptions options = in_file_order(1);
  options.memory_budget_bytes = std::uint64_t{1} << 30;
  Loader loader = open_loader(pack.open(), options);
  std::vector<Batch> held;
  for (int step = 0; step < 3; ++step) held.push_back(next_batch(loader));
  CHECK(next_error(loader).code == ErrorCode::busy);
}

TEST_CASE("next fails while all slots are leased and works after a release") {
  const TinyPack pack({}, 24, 6);
  const Dataset dataset = pack.open();
  LoaderOptions options = in_file_order(4);
  options.prefetch_batches = 2;
  options.timeout = std::chrono::milliseconds(0);
  Loader loader = open_loader(dataset, with_fixed_slots(dataset, options));
  Batch first = next_batch(loader);
  const Batch second = next_batch(loader);
  const auto third = loader.next();
  REQUIRE_FALSE(third.ok());
  CHECK(third.error().code == ErrorCode::busy);
  CHECK_THAT(third.error().message, ContainsSubstring("all 2 slots are leased"));
  CHECK_FALSE(loader.next_into({}).ok());
  first.release();
  first.release();
  CHECK(next_batch(loader).step() == 2);
}

TEST_CASE("a batch outlives the loader and the data set") {
  const auto pack = std::make_unique<TinyPack>();
  const auto allocator = std::make_shared<CountingAllocator>();
  LoaderOptions options = in_file_order(4);
  options.allocator = allocator;
  std::optional<Batch> batch;
  std::vector<Row> expected;
  {
    const Dataset dataset = pack->open();
    Loader loader = open_loader(dataset, options);
    for (std::int64_t sample = 0; sample < 4; ++sample)
      expected.push_back(expected_row(dataset, options, sample));
    batch = next_batch(loader);
  }
  CHECK(allocator->released == 0);
  CHECK(copy_of(*batch).rows == expected);
  CHECK(batch->key(3) == "street/sample 0003");
  batch.reset();
  CHECK(allocator->released == 3);
}

TEST_CASE("the loader outlives its data set") {
  const TinyPack pack({}, 12, 2);
  std::optional<Dataset> dataset = pack.open();
  const Dataset other = pack.open();
  const LoaderOptions options = in_file_order(4);
  Loader loader = open_loader(*dataset, options);
  dataset.reset();
  for (int epoch = 0; epoch < 2; ++epoch) {
    std::int64_t sample = 0;
    for (const BatchCopy& batch : rest_of_epoch(loader)) {
      for (const Row& row : batch.rows) CHECK(row == expected_row(other, options, sample++));
    }
    CHECK(sample == 12);
  }
}

#if !defined(__SANITIZE_THREAD__)  // which would need four times as much memory
TEST_CASE("a batch of more than 2^31 elements has every row in place") {
  TinyForm form;
  form.storage = LabelStorage::index;
  form.classes = 255;
  form.size = Extent{512, 256};
  const TinyPack pack(form, 2, 2);
  const Dataset dataset = pack.open();
  LoaderOptions options =
      in_file_order(67);  // rows of 33,423,360 elements: the last two begin behind 2^31
  options.last_batch = LastBatch::wrap;
  options.prefetch_batches = 2;
  options.label = {LabelForm::one_hot, ElementType::u8, AxisOrder::channels_first, false, {}};
  options.allocator = std::make_shared<RepeatingAllocator>();
  Loader loader = open_loader(dataset, options);
  const Batch batch = next_batch(loader, 15 * kLong);  // so many rows take long under qemu
  REQUIRE(batch.label().bytes.size() > (std::uint64_t{1} << 31));
  // The end of the last row was written last.
  const auto sample = static_cast<std::uint64_t>(batch.indices()[66]);
  CHECK(sample == 0);
  const auto expected = dataset.sample(sample);
  std::vector<std::uint8_t> stored(expected->label_shape().size_bytes()),
      flags(test::one_hot_elements(expected->label_shape()));
  REQUIRE(
      test::expand_one_hot(*expected->read_label(stored), AxisOrder::channels_first, flags).ok());
  const std::size_t end = std::size_t{3} << 20;
  const auto written = batch.label().bytes.last(end);
  CHECK(std::equal(written.begin(), written.end(),
                   std::as_bytes(std::span(flags)).last(end).begin()));
}
#endif
