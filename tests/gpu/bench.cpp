#include "gpu/bench.hpp"

#include <cstdio>
#include <fstream>
#include <optional>

#include "bench/device_stage.hpp"
#include "cli/device_report.hpp"
#include "gpu/bench_pack.hpp"
#include "gpu/machine.hpp"
#include "support/temp_folder.hpp"

namespace hotpack::gpu {

void run_bench(const BenchArguments& arguments) {
  if (const auto reason = no_device()) throw Skip(*reason);
  std::optional<TempFolder> made;
  std::string pack = arguments.pack;
  if (pack.empty()) {
    pack = made.emplace().path();
    std::fprintf(stderr, "making a pack of %zu samples of 512x512 in %s\n", arguments.records, pack.c_str());
    write_bench_pack(pack, {.records = arguments.records});
  }
  bench::BenchOptions options;
  options.seconds = arguments.seconds;
  options.progress = [](std::string_view stage) {
    std::fprintf(stderr, "measuring: %.*s\n", static_cast<int>(stage.size()), stage.data());
    return true;
  };
  auto report = require(bench::run_device_bench({&pack, 1}, options, 0));
  if (made) report.folders = {std::to_string(arguments.records) + " samples of 512x512 and 12 classes, made for this"};
  std::fputs(cli::device_text(report).c_str(), stdout);
  if (arguments.json.empty()) return;
  std::ofstream file(arguments.json, std::ios::binary);
  file << cli::device_json(report);
  if (!file.flush()) throw Failure("cannot write " + arguments.json);
}

}  // namespace hotpack::gpu
