#include "cli/signals.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

#include "child.hpp"
#include "support/catch.hpp"

using namespace hotpack::cli;

TEST_CASE("a stop signal only sets a flag, and is raised again on request") {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const int status = status_of_child([number] {
      const StopSignals guard;
      if (stop_signal() != 0) ::_exit(1);
      ::raise(number);
      if (stop_signal() != number) ::_exit(2);
      reraise_stop_signal();
    });
    CHECK(killed_by(status, number));
  }
}

TEST_CASE("the first of several signals counts and the third ends the process") {
  CHECK(status_of_child([] {
          const StopSignals guard;
          ::raise(SIGTERM);
          ::raise(SIGINT);
          ::_exit(stop_signal() == SIGTERM ? 0 : 1);
        }) == 0);
  CHECK(killed_by(status_of_child([] {
                    const StopSignals guard;
                    for (int i = 0; i < 3; ++i) ::raise(SIGINT);
                  }),
                  SIGINT));
}

TEST_CASE("signals that were ignored stay ignored") {
  CHECK(status_of_child([] {
          ::signal(SIGHUP, SIG_IGN);
          const StopSignals guard;
          ::raise(SIGHUP);
          ::_exit(stop_signal() == 0 ? 0 : 1);
        }) == 0);
}

TEST_CASE("the guard restores the previous signal actions") {
  CHECK(killed_by(status_of_child([] {
                    { const StopSignals guard; }
                    ::raise(SIGTERM);
                  }),
                  SIGTERM));
}

TEST_CASE("without a signal nothing is raised") {
  CHECK(status_of_child([] {
          const StopSignals guard;
          reraise_stop_signal();
        }) == 0);
}

TEST_CASE("a write beyond the limit of file sizes fails and does not kill") {
  CHECK(status_of_child([] {
          survive_failing_writes();
          const rlimit none{0, 0};
          std::FILE* const file = std::tmpfile();
          ::setrlimit(RLIMIT_FSIZE, &none);
          ::_exit(::write(::fileno(file), "x", 1) == -1 && errno == EFBIG ? 0 : 1);
        }) == 0);
}
