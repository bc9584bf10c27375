// hotpack_gpu_check: tests hotpack on the GPU of this machine, and measures it. scripts/gpu-check
// runs it.
//
//   hotpack_gpu_check --list                         names of the cases
//   hotpack_gpu_check --run NAME                     exit 0: passed, 1: failed, 77: skipped, as
//                                                    everywhere without a GPU
//   hotpack_gpu_check --all [--json FILE]            each case in a process of its own; 77 without
//                                                    a GPU
//   hotpack_gpu_check --device                       name of the device, driver, kernels; 77
//                                                    without one
//   hotpack_gpu_check --bench [--json FILE] [--seconds S] [--batch N] [--records N] [--size WxH]
//                     [--pack DIR]
//   hotpack_gpu_check --make-pack DIR [--records N] [--size WxH]
//                     the benchmark's pack for other programs: labels are class ids; needs no GPU

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "format/json.hpp"
#include "gpu/bench.hpp"
#include "gpu/machine.hpp"
#include "gpu/registry.hpp"

namespace hotpack::gpu {

namespace {

constexpr int kPassed = 0, kFailed = 1, kUsage = 2, kSkipped = 77;

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

int run_case(const std::string& name) {
  for (const Case& known : all_cases())
    if (known.name == name) return outcome(known.run);
  std::fprintf(stderr, "there is no case %s; --list shows all cases\n", name.c_str());
  return kUsage;
}

// Runs a case in its own process, because a case may leave a context that has failed.
int run_apart(const std::string& name) {
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "hotpack_gpu_check", "--run", name.c_str(), nullptr);
    _exit(kFailed);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return kFailed;
  if (WIFSIGNALED(status)) std::fprintf(stderr, "failed: ended by signal %d\n", WTERMSIG(status));
  return WIFEXITED(status) ? WEXITSTATUS(status) : kFailed;
}

const char* word(int code) {
  return code == kPassed ? "passed" : code == kSkipped ? "skipped" : "FAILED";
}

int run_all(const std::string& json_path) {
  format::Json json{{"report", "hotpack-gpu-check/1"}};
  json["cases"] = format::Json::array();
  std::map<std::string, int> counts;
  for (const Case& known : all_cases()) {
    const auto began = std::chrono::steady_clock::now();
    const int code = run_apart(known.name);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    std::printf("%-32s %-8s %7.1f s\n", known.name.c_str(), word(code), seconds);
    std::fflush(stdout);
    ++counts[word(code)];
    json["cases"].push_back({{"name", known.name}, {"outcome", word(code)}, {"seconds", seconds}});
  }
  std::printf("%zu cases: %d passed, %d failed, %d skipped\n", all_cases().size(), counts["passed"],
              counts["FAILED"], counts["skipped"]);
  if (!json_path.empty())
    std::ofstream(json_path, std::ios::binary) << format::canonical_json(json) << "\n";
  if (counts["FAILED"] > 0) return kFailed;
  return counts["passed"] > 0 ? kPassed : kSkipped;
}

void tell_device() {
  if (const auto reason = no_device()) throw Skip(*reason);
  const CudaInfo info = require(cuda_info());
  for (const CudaDevice& device : info.devices)
    std::printf("device %d: %s, sm_%d%d, %.1f GiB\n", device.ordinal, device.name.c_str(),
                device.major, device.minor, static_cast<double>(device.memory_bytes) / (1 << 30));
  std::printf("driver for CUDA %d.%d; kernels: %s\n", info.driver_version / 1000,
              info.driver_version % 1000 / 10, info.kernels.c_str());
}

void make_pack(const std::string& folder, const BenchPack& pack) {
  std::filesystem::create_directories(folder);
  if (!std::filesystem::is_empty(folder))
    throw Failure(folder + " is not empty; a pack is made in a new folder or in an empty one");
  write_bench_pack(folder, pack);
  std::printf("%zu samples of %dx%d, %d classes: %s\n", pack.records, pack.width, pack.height,
              pack.classes, folder.c_str());
}

int usage() {
  std::fputs(
      "usage: hotpack_gpu_check --list | --run NAME | --all [--json FILE] | --device\n"
      "       hotpack_gpu_check --bench [--json FILE] [--seconds S] [--batch N] [--records N] "
      "[--size WxH] [--pack DIR]\n"
      "       hotpack_gpu_check --make-pack DIR [--records N] [--size WxH]\n"
      "exit: 0 passed, 1 failed, 77 skipped, as without a GPU\n",
      stderr);
  return kUsage;
}

// Reads the options after the first word. Each option has a value.
bool read_options(const std::vector<std::string>& words, BenchArguments& arguments) {
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (i + 1 == words.size()) return false;
    const std::string& value = words[i + 1];
    if (words[i] == "--json") {
      arguments.json = value;
    } else if (words[i] == "--pack") {
      arguments.pack = value;
    } else if (words[i] == "--seconds") {
      arguments.seconds = std::strtod(value.c_str(), nullptr);
    } else if (words[i] == "--records") {
      arguments.made.records = std::strtoull(value.c_str(), nullptr, 10);
    } else if (words[i] == "--batch") {
      arguments.batch = std::strtoull(value.c_str(), nullptr, 10);
    } else if (words[i] == "--size") {
      if (std::sscanf(value.c_str(), "%dx%d", &arguments.made.width, &arguments.made.height) != 2)
        return false;
    } else {
      return false;
    }
  }
  const BenchPack& made = arguments.made;
  return arguments.seconds > 0 && arguments.batch > 0 && made.records > 0 && made.width > 0 &&
         made.height > 0;
}

int run(const std::vector<std::string>& words) {
  if (words.empty()) return usage();
  const std::vector<std::string> rest(words.begin() + 1, words.end());
  BenchArguments arguments;
  if (words[0] == "--run" && rest.size() == 1) return run_case(rest[0]);
  if (words[0] == "--device" && rest.empty()) return outcome(tell_device);
  if (words[0] == "--list" && rest.empty()) {
    for (const Case& known : all_cases()) std::puts(known.name.c_str());
    return kPassed;
  }
  if (words[0] == "--make-pack") {
    if (rest.empty() || !read_options({rest.begin() + 1, rest.end()}, arguments)) return usage();
    return outcome([&] { make_pack(rest[0], arguments.made); });
  }
  if (!read_options(rest, arguments)) return usage();
  if (words[0] == "--all") {
    if (const auto reason = no_device()) return outcome([&] { throw Skip(*reason); });
    return run_all(arguments.json);
  }
  if (words[0] == "--bench") return outcome([&] { run_bench(arguments); });
  return usage();
}

}  // namespace

}  // namespace hotpack::gpu

int main(int count, char** words) { return hotpack::gpu::run({words + 1, words + count}); }
