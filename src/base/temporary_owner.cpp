#include "base/temporary_owner.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <optional>
#include <string>
#include <string_view>

#include "base/checksum.hpp"
#include "base/interrupted.hpp"

namespace hotpack {

namespace {

// The parts of a number, from the most significant bits on.
constexpr unsigned kSystemBits = 20;
constexpr unsigned kProcessBits = 22;  // the kernel's limit of process IDs
constexpr unsigned kStartBits = 14;
constexpr unsigned kCounterBits = 8;
static_assert(kSystemBits + kProcessBits + kStartBits + kCounterBits == 64);

constexpr std::uint64_t low_bits(std::uint64_t number, unsigned bits) {
  return number & ((std::uint64_t{1} << bits) - 1);
}

std::string content_of(const char* path) {
  const int descriptor = ::open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {};
  std::array<char, 1024> text{};
  const ssize_t n = retry_interrupted([&] { return ::read(descriptor, text.data(), text.size()); });
  ::close(descriptor);
  return n > 0 ? std::string(text.data(), static_cast<std::size_t>(n)) : std::string();
}

std::string target_of_link(const char* path) {
  std::array<char, 256> text{};
  const ssize_t n = ::readlink(path, text.data(), text.size());
  return n > 0 ? std::string(text.data(), static_cast<std::size_t>(n)) : std::string();
}

// Returns a hash of this boot of this machine and of the PID namespace, in which process IDs mean
// what they mean here; never 0. Returns 0 if the system does not tell, or if /proc shows the
// processes of another namespace.
std::uint64_t hash_of_system() {
  const std::string boot = content_of("/proc/sys/kernel/random/boot_id");
  const std::string processes = target_of_link("/proc/self/ns/pid");
  if (boot.empty() || processes.empty()) return 0;
  if (target_of_link("/proc/self") != std::to_string(::getpid())) return 0;
  std::array<char, 256> host{};
  (void)::gethostname(host.data(), host.size() - 1);
  const std::uint64_t hash =
      xxh3_64(bytes_of(boot + "\n" + processes + "\n" + std::string(host.data())));
  return low_bits(hash, kSystemBits) == 0 ? 1 : low_bits(hash, kSystemBits);
}

std::uint64_t this_system() {
  static const std::uint64_t hash = hash_of_system();
  return hash;
}

// What /proc/PID/stat tells of a process.
struct ProcessState {
  bool ended = false;       // a zombie: its parent has not asked for its end yet
  std::uint64_t start = 0;  // a hash of when it began
};

std::optional<ProcessState> state_of(std::uint64_t process) {
  const std::string text = content_of(("/proc/" + std::to_string(process) + "/stat").c_str());
  // The fields after the name, which stands in parentheses and may contain anything: the state is
  // the first of them, the start the 20th.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= text.size()) return std::nullopt;
  std::string_view fields = std::string_view(text).substr(name_end + 2);
  const char state = fields.front();
  for (int field = 1; field < 20; ++field) {
    const std::size_t space = fields.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    fields.remove_prefix(space + 1);
  }
  const std::string_view start = fields.substr(0, fields.find(' '));
  return ProcessState{state == 'Z' || state == 'X', low_bits(xxh3_64(bytes_of(start)), kStartBits)};
}

// Returns the hash of this process's start, or nothing if the system does not tell. It is read once
// per thread; a child after a fork reads its own.
std::optional<std::uint64_t> start_of_this_process(pid_t process) {
  thread_local pid_t known = 0;
  thread_local std::uint64_t start = 0;
  if (known == process) return start;
  const std::optional<ProcessState> state = state_of(static_cast<std::uint64_t>(process));
  if (!state) return std::nullopt;
  known = process;
  start = state->start;
  return start;
}

std::uint64_t random_number() {
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != static_cast<ssize_t>(sizeof random))
    random = static_cast<std::uint64_t>(::getpid());
  return random;
}

}  // namespace

std::uint64_t new_temporary_number() {
  static std::atomic<std::uint64_t> counter{0};
  const std::uint64_t system = this_system();
  const pid_t process = ::getpid();
  const std::optional<std::uint64_t> start = start_of_this_process(process);
  if (system == 0 || !start) return low_bits(random_number(), 64 - kSystemBits);
  std::uint64_t number = system;
  number = number << kProcessBits | low_bits(static_cast<std::uint64_t>(process), kProcessBits);
  number = number << kStartBits | *start;
  return number << kCounterBits | low_bits(counter++, kCounterBits);
}

Owner owner_of(std::uint64_t number) {
  const std::uint64_t system = number >> (64 - kSystemBits);
  if (system == 0 || system != this_system()) return Owner::unknown;
  const std::uint64_t process = low_bits(number >> (kStartBits + kCounterBits), kProcessBits);
  if (process == 0) return Owner::unknown;  // kill(0) would mean a whole group
  if (::kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH) return Owner::gone;
  const std::optional<ProcessState> state = state_of(process);
  if (!state) return Owner::alive;  // /proc hides processes of other users
  const bool other = state->start != low_bits(number >> kCounterBits, kStartBits);
  return state->ended || other ? Owner::gone : Owner::alive;
}

}  // namespace hotpack
