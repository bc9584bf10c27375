#include "cli/shortage.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <system_error>

#include "cli/exit_code.hpp"

namespace hotpack::cli {

namespace {

// oneTBB throws a std::runtime_error whose text begins like this.
constexpr const char* kThreadOfTbb = "pthread_create";

bool lacks_threads(const std::exception& thrown) {
  const auto* const failed = dynamic_cast<const std::system_error*>(&thrown);
  if (failed != nullptr) return failed->code() == std::errc::resource_unavailable_try_again;
  return std::strncmp(thrown.what(), kThreadOfTbb, std::strlen(kThreadOfTbb)) == 0;
}

std::atomic<ShortageForm> form_of_process{ShortageForm{}};

iovec piece(const char* text) { return {const_cast<char*>(text), std::strlen(text)}; }

void write_line(int descriptor, const char* begin, const char* text, const char* end) {
  const std::array<iovec, 4> line = {piece(begin), piece(text), piece(end), piece("\n")};
  [[maybe_unused]] const ssize_t ignored =
      ::writev(descriptor, line.data(), static_cast<int>(line.size()));
}

void report_and_end() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::exception& thrown) {
    if (const char* const text = shortage_text(thrown)) {
      print_shortage(STDOUT_FILENO, STDERR_FILENO, text);
      std::_Exit(kExitIo);
    }
  } catch (...) {  // another exception, which is no lack of memory or threads
  }
  std::abort();
}

}  // namespace

const char* shortage_text(const std::exception& thrown) {
  if (dynamic_cast<const std::bad_alloc*>(&thrown) != nullptr)
    return "out of memory; use a smaller number with -j";
  if (lacks_threads(thrown))
    return "the system starts no more threads (Resource temporarily unavailable); use a smaller "
           "number with -j";
  return nullptr;
}

void set_shortage_form(ShortageForm form) { form_of_process = form; }

void print_shortage(int output, int messages, const char* text) {
  const ShortageForm form = form_of_process;
  if (form.json_result)
    write_line(output, R"({"type":"error","code":"io","exit":3,"message":")", text,
               R"(","path":null,"offset":null,"option":null,"problems":[]})");
  if (form.json_message)
    write_line(messages, R"({"type":"message","level":"error","text":")", text,
               R"(. Run the same command again to continue"})");
  else
    write_line(messages, "error: ", text, ". Run the same command again to continue");
}

void report_uncaught_shortages() { std::set_terminate(report_and_end); }

}  // namespace hotpack::cli
