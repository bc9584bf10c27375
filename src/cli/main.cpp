#include <cstdint>

#include "cli/command.hpp"

// Highway's shared library measures the processor's timer while it is loaded, which takes a third
// of the CPU time of a short command. Only its benchmarks use the result, and this program has
// none. The dynamic linker prefers the definition of the program.
namespace hwy::platform {
__attribute__((visibility("default"))) std::uint64_t TimerResolution();
std::uint64_t TimerResolution() { return 1; }
}  // namespace hwy::platform

int main(int argc, char** argv) { return hotpack::cli::run_main(argc, argv); }
