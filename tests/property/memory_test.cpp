// Makes every single allocation fail. This must always give an error of code io that names the
// reason, never report damage, end the process or leak memory.

#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>

#include "hotpack/dataset.hpp"
#include "hotpack/loader.hpp"
#include "hotpack/verify.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_shard.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

// Settings of the replaced operator new.
std::atomic<bool> armed{false};
std::atomic<bool> lasting{false};          // after the first failure, all later allocations fail
std::atomic<std::int64_t> allocations{0};  // since it was armed
std::atomic<std::int64_t> failing_at{-1};  // the allocation that fails; negative: none
std::atomic<std::int64_t> live{0};         // blocks that are not freed

bool fails() {
  if (!armed) return false;
  const std::int64_t number = allocations++;
  const std::int64_t wanted = failing_at;
  return wanted >= 0 && (lasting ? number >= wanted : number == wanted);
}

void* allocate(std::size_t size, std::size_t alignment) noexcept {
  if (fails()) return nullptr;
  void* const block =
      alignment <= alignof(std::max_align_t)
          ? std::malloc(size != 0 ? size : 1)
          : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (block != nullptr) ++live;
  return block;
}

void release(void* block) noexcept {
  if (block != nullptr) --live;
  std::free(block);
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  if (void* const block = allocate(size, alignment)) return block;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return allocate_or_throw(size, 1); }
void* operator new[](std::size_t size) { return allocate_or_throw(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 1); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 1); }
void operator delete(void* block) noexcept { release(block); }
void operator delete[](void* block) noexcept { release(block); }
void operator delete(void* block, std::size_t) noexcept { release(block); }
void operator delete[](void* block, std::size_t) noexcept { release(block); }
void operator delete(void* block, std::align_val_t) noexcept { release(block); }
void operator delete[](void* block, std::align_val_t) noexcept { release(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { release(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept { release(block); }

namespace {

// The outcome of one run as plain values, because nothing may be allocated while allocations fail.
struct Outcome {
  bool good = false;
  ErrorCode code = ErrorCode::internal;
  char text[160] = {};

  template <class T>
  static Outcome of(const Result<T>& result) {
    return result.ok() ? Outcome{true, {}, {}} : of(result.error());
  }
  static Outcome of(const Error& error) {
    Outcome outcome{false, error.code, {}};
    error.message.copy(outcome.text, sizeof outcome.text - 1);
    return outcome;
  }
};

using Work = std::function<Outcome()>;

Outcome run_failing(const Work& work, std::int64_t at, bool for_good) {
  allocations = 0;
  failing_at = at;
  lasting = for_good;
  armed = true;
  const Outcome outcome = work();
  armed = false;
  return outcome;
}

// Of many allocations, the later ones are tested in steps.
constexpr std::int64_t kEach = 300, kStep = 7;

// Fails each allocation in turn: only this one, and this one with all later ones.
void check_each(const char* name, const Work& work) {
  REQUIRE(work().good);  // also allocates what is kept until the process ends
  REQUIRE(run_failing(work, -1, false).good);
  const std::int64_t count = allocations;
  REQUIRE(count > 0);
  for (const bool for_good : {false, true}) {
    for (std::int64_t at = 0; at < count; at += at < kEach ? 1 : kStep) {
      std::int64_t before = live;
      Outcome outcome = run_failing(work, at, for_good);
      if (live != before) {  // memory kept until the process ends is allocated only once
        before = live;
        outcome = run_failing(work, at, for_good);
      }
      const std::int64_t after = live;
      INFO(name << ": allocation " << at << " of " << count << (for_good ? " and all after it" : "")
                << ": " << outcome.text);
      REQUIRE(after == before);
      if (outcome.good) continue;  // succeeded without it, for example with fewer threads
      REQUIRE(outcome.code == ErrorCode::io);
      REQUIRE(std::string(outcome.text).find("memory") != std::string::npos);
    }
  }
}

VerifyOptions one_thread() {
  VerifyOptions options;
  options.threads = 1;
  return options;
}

// A report with only lack of memory is not damage either.
Outcome of_report(const Result<VerifyReport>& report) {
  if (!report.ok()) return Outcome::of(report.error());
  for (const VerifyFinding& finding : report->findings) {
    Outcome outcome{false, finding.code, {}};
    finding.text.copy(outcome.text, sizeof outcome.text - 1);
    return outcome;
  }
  return {true, {}, {}};
}

Outcome read_all(const std::string& folder) {
  const auto dataset = Dataset::open(folder);
  if (!dataset.ok()) return Outcome::of(dataset);
  for (std::uint64_t number = 0; number < dataset->records(); ++number) {
    const auto sample = dataset->sample(number);
    if (!sample.ok()) return Outcome::of(sample);
  }
  return Outcome::of(dataset->find("street/sample 0001"));
}

Outcome load(const Dataset& dataset) {
  LoaderOptions options;
  options.global_batch_size = 2;
  options.threads = 1;
  options.prefetch_batches = 2;
  auto loader = Loader::open(dataset, options);
  return Outcome::of(loader);
}

struct PackFolder {
  explicit PackFolder(const TinyForm& form) {
    (void)write_pack(folder.path(), form, tiny_records(form, 3), 2);
  }
  [[nodiscard]] std::string shard() const { return folder / "shard-00000-of-00002.safetensors"; }
  TempFolder folder;
};

TinyForm zstd_form() {
  TinyForm form;
  form.image_zstd = form.label_zstd = true;
  return form;
}

TinyForm mixed_form() {
  TinyForm form;
  form.size.reset();
  return form;
}

TinyForm later_form() {
  TinyForm form;
  form.later = true;
  return form;
}

}  // namespace

TEST_CASE("lack of memory while opening or reading is not reported as damage") {
  for (const TinyForm& form : {TinyForm{}, zstd_form(), mixed_form(), later_form()}) {
    const PackFolder pack(form);
    const std::string folder = pack.folder.path();
    check_each("Dataset", [&] { return read_all(folder); });
  }
}

TEST_CASE("lack of memory while comparing packs is reported as such") {
  TinyForm chw;
  chw.layout = AxisOrder::channels_first;
  const PackFolder one{TinyForm{}}, other(chw);
  check_each("Dataset of two", [&] {
    const auto dataset = Dataset::open({one.folder.path(), other.folder.path()});
    if (!dataset.ok() && dataset.error().code == ErrorCode::usage)
      return Outcome{true, {}, {}};  // as it must be
    return dataset.ok() ? Outcome{} : Outcome::of(dataset.error());
  });
}

TEST_CASE("lack of memory while a shard is opened is not damage") {
  for (const TinyForm& form : {TinyForm{}, zstd_form(), mixed_form(), later_form()}) {
    const PackFolder pack(form);
    const std::string path = pack.shard();
    check_each("Shard", [&] { return Outcome::of(Shard::open(path)); });
  }
}

TEST_CASE("lack of memory while a pack is verified is not damage") {
  for (const TinyForm& form : {TinyForm{}, zstd_form()}) {
    const PackFolder pack(form);
    const std::string folder = pack.folder.path(), path = pack.shard();
    check_each("verify_dataset", [&] { return of_report(verify_dataset(folder, one_thread())); });
    check_each("verify_shard", [&] { return of_report(verify_shard(path, one_thread())); });
  }
}

TEST_CASE("lack of memory while a state is parsed is reported as such") {
  const PackFolder pack{TinyForm{}};
  const Dataset dataset = Dataset::open(pack.folder.path()).value();
  const std::string text = Loader::open(dataset, {.global_batch_size = 2}).value().state().text();
  check_each("LoaderState", [&] { return Outcome::of(LoaderState::parse(text)); });
}

TEST_CASE("lack of memory while a loader is opened is not damage") {
  const PackFolder pack{TinyForm{}};
  const Dataset dataset = Dataset::open(pack.folder.path()).value();
  check_each("Loader", [&] { return load(dataset); });
}
