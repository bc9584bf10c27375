// Loaders that are created, moved, destroyed and forked leave nothing behind.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "hotpack/loader.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/loader_pack.hpp"
#include "support/own_process.hpp"
#include "support/own_threads.hpp"
#include "support/sanitizers.hpp"
#include "support/slot_allocators.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

std::size_t entries_of(const char* folder) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    count += entry.path().empty() ? 0u : 1u;
  return count;
}

// The system resources of this process.
struct Holdings {
  std::size_t threads = own_threads().size();
  std::size_t descriptors = entries_of("/proc/self/fd");
  std::size_t mappings = 0;
  std::size_t resident = resident_kib();

  Holdings() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) ++mappings;
  }
};

void check_flat(const Holdings& before) {
  const std::size_t threads = threads_settled(before.threads);
  const Holdings after;
  CHECK(after.descriptors == before.descriptors);
  if (is_emulated()) return;  // qemu has threads and memory of its own
  CHECK(threads == before.threads);
  if (kSanitized) return;
  CHECK(after.mappings <= before.mappings + 10);    // the C library's own
  CHECK(after.resident <= before.resident + 2048);  // 2 MiB
}

// The signals that each thread of a loader blocks, as bits.
std::vector<unsigned long long> blocked_by_loader_threads() {
  std::vector<unsigned long long> masks;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name, word;
    std::ifstream(task.path() / "comm") >> name;
    if (!name.starts_with("hotpack/")) continue;
    std::ifstream status(task.path() / "status");
    while (status >> word && word != "SigBlk:") continue;
    if (status >> word) masks.push_back(std::stoull(word, nullptr, 16));
  }
  return masks;
}

// With a sanitizer a fork must not meet threads that allocate: takes all free slots of a loader, so
// that its threads have nothing to do. Precondition: the number of slots is fixed.
std::vector<Batch> rest_for_fork(Loader& loader) {
  std::vector<Batch> held;
  if (kForksAtAnyMoment) return held;
  while (loader.leased() < loader.slots()) held.push_back(next_batch(loader));
  wait_until_others_sleep();
  return held;
}

LoaderOptions usual_options() {
  LoaderOptions options;
  options.global_batch_size = 4;
  options.threads = 2;
  return options;
}

}  // namespace

TEST_CASE("1,000 epochs left early leave threads, files, mappings and memory flat") {
  const TinyPack pack({}, 24, 4);
  for (const FileAccess access : {FileAccess::map, FileAccess::read}) {
    LoaderOptions options = usual_options();
    options.access = access;
    Loader loader = open_loader(pack.open(), options);
    const auto leave_early = [&](std::uint64_t epoch) {
      skip(loader, 1 + epoch % 3);
      const std::optional<Batch> held = next_batch(loader);
      REQUIRE(loader.seek(epoch + 1).ok());
    };
    for (std::uint64_t epoch = 0; epoch < 100; ++epoch) leave_early(epoch);
    const Holdings before;
    for (std::uint64_t epoch = 100; epoch < 1100; ++epoch) leave_early(epoch);
    check_flat(before);
    std::vector<Batch> all;  // no slot is lost
    for (unsigned slot = 0; slot < options.prefetch_batches; ++slot)
      all.push_back(next_batch(loader));
  }
}

TEST_CASE("1,000 loaders closed early leave threads, files and memory flat") {
  const TinyPack pack({}, 24, 4);
  const Dataset dataset = pack.open();
  for (const FileAccess access : {FileAccess::map, FileAccess::read}) {
    LoaderOptions options = usual_options();
    options.access = access;
    const auto open_and_leave = [&](int i) {
      Loader loader = open_loader(dataset, options);
      if (i % 4 != 0) skip(loader, 2);
      if (i % 4 == 2) loader.close();
    };
    for (int i = 0; i < 50; ++i) open_and_leave(i);
    const Holdings before;
    for (int i = 0; i < (access == FileAccess::map ? 1000 : 200); ++i) open_and_leave(i);
    check_flat(before);
  }
}

TEST_CASE("data sets opened for each loader leave no mappings behind") {
  const TinyPack pack({}, 24, 4);
  const auto open_and_leave = [&] {
    Loader loader = open_loader(pack.open(), usual_options());
    skip(loader, 6);
  };
  for (int i = 0; i < 20; ++i) open_and_leave();
  const Holdings before;
  for (int i = 0; i < 200; ++i) open_and_leave();
  check_flat(before);
}

TEST_CASE("refused and failing openings leave nothing behind") {
  const TinyPack pack({}, 24, 4);
  const Dataset dataset = pack.open();
  const auto refused = [&] {
    LoaderOptions options = usual_options();
    options.memory_budget_bytes = 1;
    CHECK_FALSE(Loader::open(dataset, options).ok());
    options.memory_budget_bytes = 0;
    options.resume = LoaderState{};
    CHECK_FALSE(Loader::open(dataset, options).ok());
  };
  for (int i = 0; i < 20; ++i) refused();
  const Holdings before;
  for (int i = 0; i < 200; ++i) refused();
  check_flat(before);
}

TEST_CASE("loader threads block the program's signals, but not faults") {
  const TinyPack pack({}, 24, 4);
  const Loader loader = open_loader(pack.open(), usual_options());
  constexpr auto bit = [](int signal) { return 1ULL << (signal - 1); };
  const unsigned long long faults = bit(SIGBUS) | bit(SIGSEGV) | bit(SIGFPE);
  const unsigned long long others = bit(SIGINT) | bit(SIGTERM) | bit(SIGCHLD) | bit(SIGALRM);
  const auto as_wanted = [&](unsigned long long blocked) {
    return (blocked & (faults | others)) == others;
  };
  std::vector<unsigned long long> masks;
  for (int i = 0; i < 2000; ++i) {  // a thread that starts or ends blocks all signals for a moment
    masks = blocked_by_loader_threads();
    if (masks.size() == 2 && std::all_of(masks.begin(), masks.end(), as_wanted)) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(masks.size() == 2);
  CHECK(std::all_of(masks.begin(), masks.end(), as_wanted));
}

TEST_CASE("a moved loader continues, and the old one can be reassigned") {
  const TinyPack pack({}, 24, 4);
  const Dataset dataset = pack.open();
  Loader first = open_loader(dataset, in_file_order(4));
  skip(first, 1);
  Loader second = std::move(first);
  CHECK(next_batch(second).step() == 1);
  first.close();
  first.cancel();
  first = open_loader(dataset, in_file_order(4));
  CHECK(next_batch(first).step() == 0);
  first = std::move(second);
  CHECK(next_batch(first).step() == 2);
  second = open_loader(dataset, in_file_order(4));
  CHECK(next_batch(second).step() == 0);
}

TEST_CASE("assigning to a loader closes the previous one") {
  const TinyPack pack;
  const auto allocator = std::make_shared<CountingAllocator>();
  LoaderOptions options = in_file_order(4);
  Loader other = open_loader(pack.open(), options);
  options.allocator = allocator;
  Loader loader = open_loader(pack.open(), options);
  loader = std::move(other);
  CHECK(allocator->released == 3);
}

TEST_CASE("a moved batch keeps its slot, and the old one has none") {
  const TinyPack pack({}, 24, 4);
  LoaderOptions options = in_file_order(4);
  options.prefetch_batches = 2;
  const Dataset dataset = pack.open();
  Loader loader = open_loader(dataset, with_fixed_slots(dataset, options));
  Batch first = next_batch(loader);
  Batch second = std::move(first);
  first.release();
  CHECK(second.step() == 0);
  first = next_batch(loader);
  CHECK_FALSE(loader.next(std::chrono::milliseconds(0)).ok());  // both slots are leased
  second = std::move(first);                                    // returns the first slot
  CHECK(second.step() == 1);
  CHECK(next_batch(loader).step() == 2);
}

TEST_CASE("a forked child cannot use its parent's loader, but can open its own") {
  const TinyPack pack({}, 24, 4);
  const Dataset dataset = pack.open();
  std::optional<Loader> loader = open_loader(dataset, with_fixed_slots(dataset, in_file_order(4)));
  skip(*loader, 6);
  REQUIRE(at_end_of_epoch(*loader));
  std::optional<Batch> batch = next_batch(*loader);
  std::vector<Batch> held = rest_for_fork(*loader);
  const int status = status_of_child([&] {
    const auto before_a_fork = [](const auto& result) {
      return !result.ok() && result.error().code == ErrorCode::usage &&
             result.error().message.find("before a fork") != std::string::npos;
    };
    if (!before_a_fork(loader->next()) || !before_a_fork(loader->next_into({})) ||
        !before_a_fork(loader->seek(0)))
      return false;
    if (!before_a_fork(loader->restore(loader->state()))) return false;
    loader->cancel();
    loader->close();
    batch.reset();
    loader.reset();
    if (!kThreadsAfterFork || is_emulated()) return true;
    Loader own = open_loader(dataset, usual_options());
    return rest_of_epoch(own).size() == 6;
  });
  CHECK(status == 0);
  CHECK(batch->step() == 0);
  const std::uint64_t next_step = 1 + held.size();
  held.clear();
  CHECK(next_batch(*loader).step() == next_step);  // the parent's loader continues
}

TEST_CASE("a child forked at any moment of an epoch reads the same data set") {
  if (!kForksAtAnyMoment || is_emulated()) return;
  const TinyPack pack({}, 400, 1);  // so that shards are being opened most of the time
  LoaderOptions options = in_file_order(8);
  options.threads = 2;
  for (int i = 0; i < 20; ++i) {
    for (const FileAccess access : {FileAccess::map, FileAccess::read}) {
      const Dataset dataset = pack.open();
      options.access = access;
      Loader loader = open_loader(dataset, options);
      skip(loader, static_cast<std::uint64_t>(i % 5));
      std::this_thread::sleep_for(std::chrono::microseconds(37 * i));
      const int status = status_of_child([&] {
        Loader own = open_loader(dataset, options);
        return next_batch(own).step() == 0 && dataset.sample(399).ok() &&
               dataset.find("no such key").ok();
      });
      REQUIRE(status == 0);
    }
  }
}

TEST_CASE("samples from before a fork stay valid in the child") {
  const TinyPack pack({}, 24, 4);
  const Dataset dataset = pack.open();
  const Sample sample = dataset.sample(5).value();
  const std::string key(sample.key());
  REQUIRE(dataset.find(key).value() == 5);
  const int status = status_of_child([&] {
    const Sample own = dataset.sample(5).value();
    return sample.image().ok() && sample.key() == key && own.key() == key &&
           dataset.find(key).value() == 5;
  });
  CHECK(status == 0);
}

TEST_CASE("a batch held across a fork can outlive the loader in the child") {
  const TinyPack pack({}, 24, 4);
  const Dataset dataset = pack.open();
  std::optional<Loader> loader = open_loader(dataset, with_fixed_slots(dataset, in_file_order(4)));
  std::optional<Batch> batch = next_batch(*loader);
  const BatchCopy as_given = copy_of(*batch);
  const std::vector<Batch> held = rest_for_fork(*loader);
  const int status = status_of_child([&] {
    loader.reset();
    const bool same = copy_of(*batch) == as_given;
    batch.reset();
    return same;
  });
  CHECK(status == 0);
}

TEST_CASE("the child of a fork may close many loaders without waiting for threads") {
  const TinyPack pack({}, 24, 4);
  const Dataset dataset = pack.open();
  std::vector<Loader> loaders;
  std::vector<std::vector<Batch>> held;
  for (int i = 0; i < 6; ++i) {
    loaders.push_back(open_loader(dataset, with_fixed_slots(dataset, usual_options())));
    held.push_back(rest_for_fork(loaders.back()));
  }
  CHECK(status_of_child([&] {
          loaders.clear();
          return true;
        }) == 0);
}

TEST_CASE("a fork at any moment, whatever locks the loader's threads hold") {
  if (!kForksAtAnyMoment) return;
  const TinyPack pack({}, 24, 4);
  LoaderOptions options = usual_options();
  options.prefetch_batches = 8;
  options.threads = 4;
  options.global_batch_size = 8;
  std::optional<Loader> loader = open_loader(pack.open(), options);
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) {
      if (auto batch = loader->next(kLong); !batch.ok()) return;
    }
  });
  int failed = 0;
  for (int i = 0; i < 200 && failed == 0; ++i) {
    auto batch = loader->next(kLong);
    if (!batch.ok()) break;
    failed = status_of_child([&] {
      batch->reset();
      loader->cancel();
      const bool refused =
          !loader->next().ok() && !loader->seek(0).ok() && loader->state().global_batch_size == 8;
      loader->close();
      return refused;
    });
  }
  stop = true;
  busy.join();
  CHECK(failed == 0);
}
