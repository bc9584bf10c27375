#include "gpu/bench.hpp"

#include <cstdio>
#include <fstream>
#include <optional>

#include "gpu/acceptance/report_text.hpp"
#include "gpu/acceptance/stage.hpp"
#include "gpu/bench_pack.hpp"
#include "gpu/machine.hpp"
#include "support/temp_folder.hpp"

namespace hotpack::gpu {

namespace {

std::string text_of(const BenchPack& pack) {
  return std::to_string(pack.records) + " samples of " + std::to_string(pack.width) + "x" +
         std::to_string(pack.height);
}

}  // namespace

void run_bench(const BenchArguments& arguments) {
  if (const auto reason = no_device()) throw Skip(*reason);
  std::optional<TempFolder> made;
  std::string pack = arguments.pack;
  if (pack.empty()) {
    pack = made.emplace().path();
    std::fprintf(stderr, "making a pack of %s in %s\n", text_of(arguments.made).c_str(),
                 pack.c_str());
    write_bench_pack(pack, arguments.made);
  }
  bench::BenchOptions options;
  options.seconds = arguments.seconds;
  options.batch = arguments.batch;
  options.progress = [](std::string_view stage) {
    std::fprintf(stderr, "measuring: %.*s\n", static_cast<int>(stage.size()), stage.data());
    return true;
  };
  auto report = require(run_acceptance({&pack, 1}, options, 0));
  if (made)
    report.folders = {text_of(arguments.made) + " and " + std::to_string(arguments.made.classes) +
                      " classes, made for this"};
  std::fputs(acceptance_text(report).c_str(), stdout);
  if (!arguments.json.empty()) {
    std::ofstream file(arguments.json, std::ios::binary);
    file << acceptance_json(report);
    if (!file.flush()) throw Failure("cannot write " + arguments.json);
  }
  if (report.failed) throw Failure(report.failed->describe());
}

}  // namespace hotpack::gpu
