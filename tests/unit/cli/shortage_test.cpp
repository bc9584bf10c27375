#include "cli/shortage.hpp"

#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

#include "captured.hpp"
#include "child.hpp"
#include "cli/exit_code.hpp"
#include "support/catch.hpp"

using namespace hotpack::cli;

namespace {

// The stderr of a process, and its wait status, after `thrown` leaves a thread.
template <class Exception>
std::string last_words(const Exception& thrown, int& status) {
  const Captured messages;
  status = status_of_child([&] {
    ::dup2(messages.descriptor(), STDERR_FILENO);
    report_uncaught_shortages();
    std::thread([&] { throw thrown; }).join();
  });
  return messages.text();
}

}  // namespace

TEST_CASE("too little memory and too few threads are known by their exceptions") {
  CHECK_THAT(shortage_text(std::bad_alloc()), ContainsSubstring("out of memory"));
  CHECK_THAT(shortage_text(std::system_error(
                 std::make_error_code(std::errc::resource_unavailable_try_again))),
             ContainsSubstring("threads"));
  CHECK_THAT(shortage_text(
                 std::runtime_error("pthread_create has failed: Resource temporarily unavailable")),
             ContainsSubstring("threads"));
  CHECK(shortage_text(std::runtime_error("else")) == nullptr);
  CHECK(shortage_text(std::system_error(std::make_error_code(std::errc::io_error))) == nullptr);
}

TEST_CASE("an uncatchable shortage ends with a message, and a bug aborts") {
  int status = 0;
  const std::string words = last_words(std::bad_alloc(), status);
  CHECK(words ==
        "error: out of memory; use a smaller number with -j. Run the same command again to "
        "continue\n");
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == kExitIo));
  CHECK(last_words(std::runtime_error("a bug"), status).empty());
  CHECK(killed_by(status, SIGABRT));
}

TEST_CASE("a shortage is a JSON object where messages and results are") {
  const Captured output, messages;
  set_shortage_form({true, true});
  print_shortage(output.descriptor(), messages.descriptor(), "out of memory");
  set_shortage_form({});
  CHECK(output.text() ==
        R"({"type":"error","code":"io","exit":3,"message":"out of memory","path":null,)"
        R"("offset":null,"option":null,"problems":[]})"
        "\n");
  CHECK(messages.text() == R"({"type":"message","level":"error","text":"out of memory. )"
                           R"(Run the same command again to continue"})"
                           "\n");
}
