// A time-out, cancel() or close() wakes a consumer that waits for a batch.
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "hotpack/loader.hpp"
#include "support/catch.hpp"
#include "support/forms.hpp"
#include "support/loader_pack.hpp"
#include "support/slot_allocators.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

using std::chrono::milliseconds;

// A loader whose threads block until they are released.
struct HeldLoader {
  std::shared_ptr<HoldingAllocator> allocator = std::make_shared<HoldingAllocator>();
  TinyPack pack{all_forms().at("mixed"), 9, 9};
  std::optional<Loader> loader;

  explicit HeldLoader(milliseconds timeout = milliseconds(0)) {
    LoaderOptions options = in_file_order(1);
    options.allocator = allocator;
    options.timeout = timeout;
    loader = open_loader(pack.open(), options);
    allocator->await_thread();
  }
  ~HeldLoader() { allocator->hold = false; }
  HeldLoader(const HeldLoader&) = delete;
  HeldLoader& operator=(const HeldLoader&) = delete;

  // The error of a next() that waits while another thread calls `act`.
  template <class Act>
  Error error_while(Act act) {
    std::thread other([&] {
      std::this_thread::sleep_for(milliseconds(10));  // next() waits by now, or will see the effect
      act();
    });
    const auto batch = loader->next();
    allocator->hold = false;
    other.join();
    if (batch.ok()) return {};
    return batch.error();
  }
};

}  // namespace

TEST_CASE("a late batch is a time-out and is not lost") {
  HeldLoader held(milliseconds(5));
  for (int call = 0; call < 2; ++call) {
    const auto late = call == 0 ? held.loader->next() : held.loader->next(milliseconds(7));
    REQUIRE_FALSE(late.ok());
    CHECK(late.error().code == ErrorCode::timeout);
    CHECK_THAT(late.error().message, ContainsSubstring("step 0 of epoch 0 was not ready after " +
                                                       std::string(call == 0 ? "5" : "7")));
  }
  const auto copied = held.loader->next_into({});
  REQUIRE_FALSE(copied.ok());
  CHECK(copied.error().code == ErrorCode::timeout);
  CHECK(held.loader->state().samples == 0);
  held.allocator->hold = false;
  CHECK(next_batch(*held.loader).step() == 0);
}

TEST_CASE("cancel from another thread wakes next, and seek and restore continue") {
  HeldLoader held;
  const Error woken = held.error_while([&] { held.loader->cancel(); });
  CHECK(woken.code == ErrorCode::cancelled);
  CHECK(next_error(*held.loader).code == ErrorCode::cancelled);
  CHECK(held.loader->next_into({}).error().code == ErrorCode::cancelled);
  const LoaderState state = held.loader->state();
  CHECK(state.samples == 0);
  REQUIRE(held.loader->restore(state).ok());
  CHECK(next_batch(*held.loader).step() == 0);
  held.loader->cancel();
  CHECK(next_error(*held.loader).code == ErrorCode::cancelled);
  REQUIRE(held.loader->seek(0, 7).ok());
  CHECK(next_batch(*held.loader).step() == 7);
}

TEST_CASE("close from another thread wakes a waiting next and joins") {
  HeldLoader held;
  const Error woken = held.error_while([&] { held.loader->close(); });
  CHECK(woken.code == ErrorCode::usage);
  CHECK(woken.message == "the loader is closed; open another one");
}

TEST_CASE("close works twice, after cancel, after errors and concurrently") {
  const TinyPack pack;
  const Dataset dataset = pack.open();
  Loader loader = open_loader(dataset, in_file_order(4));
  const Batch batch = next_batch(loader);
  SECTION("twice") { loader.close(); }
  SECTION("after cancel") { loader.cancel(); }
  SECTION("from two threads at once") {
    std::thread other([&] { loader.close(); });
    loader.close();
    other.join();
  }
  loader.close();
  CHECK(next_error(loader).message == "the loader is closed; open another one");
  CHECK(loader.seek(0).error().message == "the loader is closed; open another one");
  CHECK_FALSE(loader.restore(loader.state()).ok());
  CHECK(loader.state().samples == 4);
  CHECK(copy_of(batch).rows[1] == expected_row(dataset, in_file_order(4), 1));
}

TEST_CASE("close works at any moment while threads run") {
  const TinyPack pack({}, 24, 6);
  const Dataset dataset = pack.open();
  LoaderOptions options;
  options.global_batch_size = 4;
  options.threads = 3;
  for (unsigned steps = 0; steps < 100; ++steps) {
    Loader loader = open_loader(dataset, options);
    skip(loader, steps % 4);
    if (steps % 3 == 0) loader.close();
  }
}
