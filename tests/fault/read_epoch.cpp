// read_epoch FOLDER: reads one epoch of batches and prints a hash of them, or an error, with the
// exit codes of the command. Used by the fault lane.
#include <cstdio>
#include <new>
#include <string>

#include "base/checksum.hpp"
#include "cli/exit_code.hpp"
#include "hotpack/loader.hpp"

using namespace hotpack;

namespace {

int tell(const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.describe().c_str());
  return cli::exit_code_of(error);
}

int read_epoch(const char* folder) {
  const auto dataset = Dataset::open(folder);
  if (!dataset.ok()) return tell(dataset.error());
  LoaderOptions options;
  options.global_batch_size = 2;
  options.threads = 2;
  auto loader = Loader::open(*dataset, options);
  if (!loader.ok()) return tell(loader.error());
  std::uint64_t sum = 0;
  for (;;) {
    const auto batch = loader->next();
    if (!batch.ok()) return tell(batch.error());
    if (!*batch) break;
    sum = sum * 31 + xxh3_64((*batch)->image().bytes) + xxh3_64((*batch)->label().bytes);
  }
  std::printf("%016llx\n", static_cast<unsigned long long>(sum));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return argc == 2 ? read_epoch(argv[1]) : 2;
  } catch (const std::bad_alloc&) {  // the program's own strings
    std::fputs("error: out of memory\n", stderr);
    return cli::kExitIo;
  }
}
