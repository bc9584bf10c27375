#include "base/fault_guard.hpp"

#include <setjmp.h>
#include <signal.h>

#include <filesystem>
#include <thread>
#include <vector>

#include "base/mapping.hpp"
#include "support/catch.hpp"
#include "support/own_process.hpp"
#include "support/sanitizers.hpp"
#include "support/temp_folder.hpp"

using namespace hotpack;
using hotpack::test::end_of_process;

namespace {

constexpr std::size_t kPage = 4096;

// A mapping of four pages of 'x', of which the file keeps `kept` pages.
struct ShrunkFile {
  explicit ShrunkFile(std::size_t kept) {
    folder.write("file", std::string(4 * kPage, 'x'));
    mapping = Mapping::open(folder / "file").value();
    std::filesystem::resize_file(folder / "file", kept);
  }
  TempFolder folder;
  Mapping mapping;
};

// Adds up bytes one by one, so that the place of a fault is exact.
struct Sum {
  std::span<const std::byte> bytes;
  volatile unsigned total = 0;
  void operator()() {
    for (const std::byte& byte : bytes)
      total = total + std::to_integer<unsigned>(*const_cast<const volatile std::byte*>(&byte));
  }
};

std::optional<std::size_t> fault_in(std::span<const std::byte> memory) {
  Sum sum{memory};
  return guarded(memory, sum);
}

// The disposition of SIGBUS belongs to the process, so each test that changes it runs in a
// process of its own.
constexpr int kDiedOfBusError = 1000 + SIGBUS;

sigjmp_buf out_of_earlier_handler;
volatile sig_atomic_t earlier_calls = 0;

void earlier_handler(int, siginfo_t*, void*) {
  earlier_calls = earlier_calls + 1;
  siglongjmp(out_of_earlier_handler, 1);
}

}  // namespace

TEST_CASE("guard: readable memory is read") {
  REQUIRE(install_fault_handler().ok());
  const ShrunkFile file(4 * kPage);
  Sum sum{file.mapping.bytes()};
  CHECK_FALSE(guarded(file.mapping.bytes(), sum).has_value());
  CHECK(sum.total == 4 * kPage * 'x');
}

TEST_CASE("guard: reports the offset of the first unreadable byte") {
  REQUIRE(install_fault_handler().ok());
  REQUIRE(install_fault_handler().ok());  // a second call changes nothing
  const ShrunkFile file(kPage + 10);
  for (int repeated = 0; repeated < 3; ++repeated) {
    CHECK(fault_in(file.mapping.bytes()) == 2 * kPage);
    CHECK(fault_in(file.mapping.bytes().subspan(10)) == 2 * kPage - 10);
    CHECK(fault_in(file.mapping.bytes().subspan(3 * kPage + 7)) == 0u);
    CHECK_FALSE(fault_in(file.mapping.bytes().first(2 * kPage)).has_value());
  }
}

TEST_CASE("guard: leaves SIGBUS in the thread's mask as it was") {
  REQUIRE(install_fault_handler().ok());
  const ShrunkFile file(0);
  CHECK(fault_in(file.mapping.bytes()) == 0u);
  sigset_t mask;
  REQUIRE(pthread_sigmask(SIG_BLOCK, nullptr, &mask) == 0);
  CHECK(sigismember(&mask, SIGBUS) == 0);
}

TEST_CASE("guard: threads fault at once, each for itself") {
  REQUIRE(install_fault_handler().ok());
  const ShrunkFile shrunk(kPage), whole(4 * kPage);
  std::vector<int> wrong(4, 0);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < wrong.size(); ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 50; ++i) {
          if (t % 2 == 0 ? fault_in(shrunk.mapping.bytes()) != kPage
                         : fault_in(whole.mapping.bytes()).has_value())
            ++wrong[t];
        }
      });
    }
  }
  CHECK(wrong == std::vector<int>(4, 0));
}

TEST_CASE("alone: a fault outside of any guard", "[.]") {
  signal(SIGBUS, SIG_DFL);
  REQUIRE(install_fault_handler().ok());
  const ShrunkFile file(0);
  Sum sum{file.mapping.bytes()};
  sum();
}

TEST_CASE("alone: a fault in other memory than the guarded", "[.]") {
  signal(SIGBUS, SIG_IGN);  // the system ignores this for faults
  REQUIRE(install_fault_handler().ok());
  const ShrunkFile whole(4 * kPage), other(0);
  Sum sum{other.mapping.bytes()};
  (void)guarded(whole.mapping.bytes(), sum);
}

TEST_CASE("alone: a signal that was sent", "[.]") {
  signal(SIGBUS, SIG_DFL);
  REQUIRE(install_fault_handler().ok());
  const ShrunkFile whole(4 * kPage);
  auto send = [] { raise(SIGBUS); };
  (void)guarded(whole.mapping.bytes(), send);
}

TEST_CASE("guard: other signals kill as before") {
  CHECK(end_of_process("alone: a fault outside of any guard") == kDiedOfBusError);
  CHECK(end_of_process("alone: a fault in other memory than the guarded") == kDiedOfBusError);
  CHECK(end_of_process("alone: a signal that was sent") == kDiedOfBusError);
}

TEST_CASE("alone: a signal that was sent and is ignored", "[.]") {
  signal(SIGBUS, SIG_IGN);
  REQUIRE(install_fault_handler().ok());
  raise(SIGBUS);
}

TEST_CASE("alone: a handler of before", "[.]") {
  struct sigaction action {};
  action.sa_sigaction = earlier_handler;
  action.sa_flags = SA_SIGINFO;
  REQUIRE(sigaction(SIGBUS, &action, nullptr) == 0);
  REQUIRE(install_fault_handler().ok());
  const ShrunkFile ours(0), other(0);
  for (int times = 1; times <= 2; ++times) {
    CHECK(fault_in(ours.mapping.bytes()) == 0u);
    if (sigsetjmp(out_of_earlier_handler, 1) == 0) {
      Sum sum{other.mapping.bytes()};
      sum();
      FAIL("the fault did not leave the loop");
    }
    CHECK(earlier_calls == times);
  }
}

TEST_CASE("alone: a handler of before that is to run once", "[.]") {
  struct sigaction action {};
  action.sa_handler = [](int) { earlier_calls = earlier_calls + 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  REQUIRE(sigaction(SIGBUS, &action, nullptr) == 0);
  REQUIRE(install_fault_handler().ok());
  const ShrunkFile file(0);
  Sum sum{file.mapping.bytes()};
  sum();  // faults again after the handler, and then kills
}

TEST_CASE("alone: a handler of later", "[.]") {
  REQUIRE(install_fault_handler().ok());
  struct sigaction action {};
  action.sa_sigaction = earlier_handler;
  action.sa_flags = SA_SIGINFO;
  REQUIRE(sigaction(SIGBUS, &action, nullptr) == 0);
  REQUIRE(install_fault_handler().ok());
  const ShrunkFile ours(0), other(0);
  CHECK(fault_in(ours.mapping.bytes()) == 0u);
  CHECK(earlier_calls == 0);
  for (int times = 1; times <= 2; ++times) {  // it leaves by a jump, and is called again
    if (sigsetjmp(out_of_earlier_handler, 1) == 0) {
      Sum sum{other.mapping.bytes()};
      sum();
      FAIL("the fault did not leave the loop");
    }
    CHECK(earlier_calls == times);
  }
}

// As Python's faulthandler does: puts back what was there before, and raises the signal again.
struct sigaction before_later_handler;
void later_handler(int signal) {
  earlier_calls = earlier_calls + 1;
  if (earlier_calls > 3) _exit(3);  // it came back
  sigaction(signal, &before_later_handler, nullptr);
  raise(signal);
}

TEST_CASE("alone: a handler of later that raises the signal again", "[.]") {
  signal(SIGBUS, SIG_DFL);  // not the handler of a sanitizer
  REQUIRE(install_fault_handler().ok());
  struct sigaction action {};
  action.sa_handler = later_handler;
  action.sa_flags = static_cast<int>(SA_NODEFER);
  REQUIRE(sigaction(SIGBUS, &action, &before_later_handler) == 0);
  REQUIRE(install_fault_handler().ok());
  const ShrunkFile file(0);
  Sum sum{file.mapping.bytes()};
  sum();
}

TEST_CASE("guard: is in front of a handler that was installed later") {
  CHECK(end_of_process("alone: a handler of later") == 0);
  // The thread sanitizer defers a signal that a handler raises until the handler has returned.
  if (HOTPACK_THREAD_SANITIZER == 0)
    CHECK(end_of_process("alone: a handler of later that raises the signal again") ==
          kDiedOfBusError);
}

TEST_CASE("guard: the earlier handler gets other signals") {
  CHECK(end_of_process("alone: a signal that was sent and is ignored") == 0);
  CHECK(end_of_process("alone: a handler of before") == 0);
  CHECK(end_of_process("alone: a handler of before that is to run once") == kDiedOfBusError);
}
