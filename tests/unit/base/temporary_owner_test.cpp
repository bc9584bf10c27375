#include "base/temporary_owner.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include "support/catch.hpp"

using namespace hotpack;

namespace {

// A child process that tells its number and then waits for its end.
class Child {
 public:
  Child() {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    process_ = ::fork();
    REQUIRE(process_ >= 0);
    if (process_ == 0) {
      const std::uint64_t own = new_temporary_number();
      (void)!::write(ends[1], &own, sizeof own);
      while (true) ::pause();
    }
    REQUIRE(::read(ends[0], &number_, sizeof number_) == sizeof number_);
    ::close(ends[0]);
    ::close(ends[1]);
  }
  ~Child() {
    kill();
    bury();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] std::uint64_t number() const { return number_; }
  // Ends the process; it stays a zombie.
  void kill() const {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    siginfo_t ignored{};
    ::waitid(P_PID, static_cast<id_t>(process_), &ignored, WEXITED | WNOWAIT);
  }
  void bury() {
    if (process_ > 0) ::waitpid(process_, nullptr, 0);
    process_ = 0;
  }

 private:
  pid_t process_ = 0;
  std::uint64_t number_ = 0;
};

}  // namespace

TEST_CASE("a process that runs owns its files") {
  CHECK(owner_of(new_temporary_number()) == Owner::alive);
  const Child child;
  CHECK(owner_of(child.number()) == Owner::alive);
}

TEST_CASE("a process that was killed is gone, also before its parent knows") {
  Child child;
  child.kill();
  CHECK(owner_of(child.number()) == Owner::gone);
  child.bury();
  CHECK(owner_of(child.number()) == Owner::gone);
}

TEST_CASE("a later process with the same ID is not the owner") {
  const std::uint64_t another_start = new_temporary_number() ^ (std::uint64_t{1} << 8);
  CHECK(owner_of(another_start) == Owner::gone);
}

TEST_CASE("other systems and random numbers have an unknown owner") {
  CHECK(owner_of(new_temporary_number() ^ (std::uint64_t{1} << 63)) == Owner::unknown);
  CHECK(owner_of(0) == Owner::unknown);
  CHECK(owner_of(new_temporary_number() & ((std::uint64_t{1} << 44) - 1)) == Owner::unknown);
}

TEST_CASE("the next 256 numbers of a process differ") {
  std::set<std::uint64_t> numbers;
  for (int i = 0; i < 256; ++i) numbers.insert(new_temporary_number());
  CHECK(numbers.size() == 256);
}
