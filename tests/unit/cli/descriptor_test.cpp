#include "cli/descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <thread>

#include "child.hpp"
#include "cli/signals.hpp"
#include "support/catch.hpp"

using namespace hotpack::cli;

TEST_CASE("writing waits for a full pipe that does not block") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  REQUIRE(::fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0);
  const std::string sent(1 << 20, 'x');
  std::size_t received = 0;
  std::thread reader([&] {
    std::array<char, 4096> piece{};
    for (ssize_t got = 0; (got = ::read(ends[0], piece.data(), piece.size())) > 0;)
      received += static_cast<std::size_t>(got);
  });
  CHECK(write_fully(ends[1], sent) == 0);
  ::close(ends[1]);
  reader.join();
  ::close(ends[0]);
  CHECK(received == sent.size());
}

TEST_CASE("a closed pipe is an error, not the end of the process") {
  survive_failing_writes();
  std::array<int, 2> ends{};
  REQUIRE(::pipe2(ends.data(), O_CLOEXEC) == 0);
  ::close(ends[0]);
  CHECK(write_fully(ends[1], "x") == EPIPE);
  ::close(ends[1]);
}

TEST_CASE("closed standard descriptors are reserved, and writing still fails") {
  CHECK(status_of_child([] {
          ::close(0);
          ::close(1);
          occupy_standard_descriptors();
          const int opened = ::open("/dev/null", O_RDONLY);
          ::_exit(opened > 2 && write_fully(1, "x") == EBADF ? 0 : 1);
        }) == 0);
}
