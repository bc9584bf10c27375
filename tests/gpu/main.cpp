// hotpack_gpu_check: tests hotpack on the GPU of this machine, and measures it. scripts/gpu-check
// runs it. Exit: 0 passed, 1 failed, 2 a wrong call, 77 skipped, as everywhere without a GPU.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "gpu/gpu.hpp"

namespace hotpack::gpu {

namespace {

constexpr int kPassed = 0, kFailed = 1, kUsage = 2, kSkipped = 77;

constexpr const char* kHelp =
    "usage: hotpack_gpu_check --list (of cases) | --run CASE | --device\n"
    "       hotpack_gpu_check --bench [--json FILE] [--seconds S] [--batch N] [PACK]\n"
    "       hotpack_gpu_check --make-pack DIR [PACK]    for other programs\n"
    "PACK: [--records N] [--size WxH]\n";

// Runs `work` and returns the exit code. Explains anything but success on stderr.
template <class Work>
int outcome(Work work) {
  try {
    work();
    return kPassed;
  } catch (const Skip& skip) {
    std::fprintf(stderr, "skipped: %s\n", skip.what());
    return kSkipped;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "failed: %s\n", failure.what());
    return kFailed;
  }
}

void describe_devices() {
  if (const auto reason = no_device()) throw Skip(*reason);
  const CudaInfo info = require(cuda_info());
  for (const CudaDevice& device : info.devices)
    std::printf("device %d: %s, sm_%d%d\n", device.ordinal, device.name.c_str(), device.major,
                device.minor);
  std::printf("driver: %d; kernels: %s\n", info.driver_version, info.kernels.c_str());
}

// Reads the options from word `first` on. Each option has a value.
bool read_options(const std::vector<std::string>& words, std::size_t first,
                  BenchArguments& arguments) {
  Extent& size = *arguments.pack.size;
  for (std::size_t i = first; i < words.size(); i += 2) {
    if (i + 1 == words.size()) return false;
    const char* const value = words[i + 1].c_str();
    if (words[i] == "--json")
      arguments.json = value;
    else if (words[i] == "--seconds")
      arguments.seconds = std::strtod(value, nullptr);
    else if (words[i] == "--records")
      arguments.records = std::strtoull(value, nullptr, 10);
    else if (words[i] == "--batch")
      arguments.batch = std::strtoull(value, nullptr, 10);
    else if (words[i] != "--size" || std::sscanf(value, "%dx%d", &size.width, &size.height) != 2)
      return false;
  }
  return arguments.seconds > 0 && arguments.batch > 0 && arguments.records > 0 && size.width > 0 &&
         size.height > 0;
}

int run(const std::vector<std::string>& words) {
  BenchArguments arguments;
  if (words.size() == 2 && words[0] == "--run") {
    for (const Case& known : all_cases())
      if (known.name == words[1]) return outcome(known.run);
    std::fprintf(stderr, "there is no case %s; --list shows all cases\n", words[1].c_str());
    return kUsage;
  }
  if (words.size() == 1 && words[0] == "--device") return outcome(describe_devices);
  if (words.size() == 1 && words[0] == "--list") {
    for (const Case& known : all_cases()) std::puts(known.name.c_str());
    return kPassed;
  }
  if (words.size() >= 2 && words[0] == "--make-pack" && read_options(words, 2, arguments))
    return outcome([&] {
      std::filesystem::create_directories(words[1]);
      write_bench_pack(words[1], arguments);
    });
  if (!words.empty() && words[0] == "--bench" && read_options(words, 1, arguments))
    return outcome([&] { run_bench(arguments); });
  std::fputs(kHelp, stderr);
  return kUsage;
}

}  // namespace

}  // namespace hotpack::gpu

int main(int count, char** words) { return hotpack::gpu::run({words + 1, words + count}); }
