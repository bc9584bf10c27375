// read_samples FOLDER: reads every sample once, one after the other, without a Loader, and prints
// each number. Waits for a byte on stdin, or its end, after the first. Ends with an error and the
// exit codes of the command.
#include <cstdio>
#include <vector>

#include "cli/exit_code.hpp"
#include "hotpack/dataset.hpp"

using namespace hotpack;

namespace {

Status read(const Dataset& dataset, std::uint64_t number) {
  const auto sample = dataset.sample(number);
  if (!sample.ok()) return sample.error();
  std::vector<std::uint8_t> scratch;
  if (const auto key = sample->copied_key(); !key.ok()) return key.error();
  if (const auto image = sample->load_image(scratch); !image.ok()) return image.error();
  if (const auto label = sample->load_label(scratch); !label.ok()) return label.error();
  return {};
}

int tell(const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.describe().c_str());
  return cli::exit_code_of(error);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto dataset = Dataset::open(argv[1]);
  if (!dataset.ok()) return tell(dataset.error());
  for (std::uint64_t number = 0; number < dataset->size(); ++number) {
    if (const Status status = read(*dataset, number); !status.ok()) return tell(status.error());
    std::fprintf(stderr, "%llu\n", static_cast<unsigned long long>(number));
    if (number == 0) std::getchar();
  }
}
