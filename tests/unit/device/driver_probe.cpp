// Prints the result of cuda_info(), or its error and exits with 1: a program that links hotpack,
// on a machine with or without CUDA.
// `driver_probe again NAME=VALUE` first tries in vain, then sets the variable. `driver_probe
// fork` tries in the parent, then in a child.
// `driver_probe relink LINK FIRST SECOND` links LINK to FIRST, tries in vain, then links it to
// SECOND.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "hotpack/device_loader.hpp"

namespace {

int probe() {
  const auto info = hotpack::cuda_info();
  if (!info.ok()) {
    std::printf("%s: %s\n", info.error().code == hotpack::ErrorCode::usage ? "usage" : "other",
                info.error().describe().c_str());
    return 1;
  }
  std::printf("CUDA %d; kernels: %s; devices: %zu\n", info->driver_version, info->kernels.c_str(),
              info->devices.size());
  for (const auto& device : info->devices) {
    std::printf("%d: %s, %d.%d, %llu of %llu bytes free\n", device.ordinal, device.name.c_str(),
                device.major, device.minor, static_cast<unsigned long long>(device.free_bytes),
                static_cast<unsigned long long>(device.memory_bytes));
  }
  return 0;
}

int probe_again(const std::string& assignment) {
  if (probe() == 0) return 2;
  const auto equals = assignment.find('=');
  ::setenv(assignment.substr(0, equals).c_str(), assignment.substr(equals + 1).c_str(), 1);
  return probe();
}

int probe_relinked(const char* link, const char* first, const char* second) {
  (void)::unlink(link);
  if (::symlink(first, link) != 0 || probe() == 0) return 2;
  (void)::unlink(link);
  return ::symlink(second, link) == 0 ? probe() : 3;
}

int probe_in_child() {
  if (probe() != 0) return 2;
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) std::exit(probe());
  int status = 0;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

}  // namespace

int main(int count, char** words) {
  const std::string mode = count > 1 ? words[1] : "";
  if (mode == "again" && count > 2) return probe_again(words[2]);
  if (mode == "relink" && count > 4) return probe_relinked(words[2], words[3], words[4]);
  return mode == "fork" ? probe_in_child() : probe();
}
