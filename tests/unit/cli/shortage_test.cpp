#include "cli/shortage.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

#include "cli/exit_code.hpp"
#include "support/catch.hpp"

using namespace hotpack::cli;

namespace {

// What a process says on stderr, and its wait status, when `thrown` leaves a thread.
template <class Exception>
std::string last_words(const Exception& thrown, int& status) {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], 2);
    ::signal(SIGABRT, SIG_DFL);
    end_shortages_in_words();
    std::thread([&] { throw thrown; }).join();
  }
  ::close(ends[1]);
  std::array<char, 512> text{};
  const ssize_t size = ::read(ends[0], text.data(), text.size());
  ::close(ends[0]);
  ::waitpid(child, &status, 0);
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(0, size))};
}

}  // namespace

TEST_CASE("too little memory and too few threads are known by their exceptions") {
  CHECK_THAT(shortage_text(std::bad_alloc()), ContainsSubstring("out of memory"));
  CHECK_THAT(shortage_text(std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again))),
             ContainsSubstring("threads"));
  CHECK_THAT(shortage_text(std::runtime_error("pthread_create has failed: Resource temporarily unavailable")),
             ContainsSubstring("threads"));
  CHECK(shortage_text(std::runtime_error("else")) == nullptr);
  CHECK(shortage_text(std::system_error(std::make_error_code(std::errc::io_error))) == nullptr);
}

TEST_CASE("an uncatchable shortage ends with a message, and a bug aborts") {
  int status = 0;
  const std::string words = last_words(std::bad_alloc(), status);
  CHECK(words == "error: out of memory; -j with a smaller number needs less. Run the same command again to go on\n");
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == kExitIo));
  CHECK(last_words(std::runtime_error("a bug"), status).empty());
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT));
}
