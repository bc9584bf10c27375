// One of several processes that train together. Each takes its share of every global batch. RANK
// and WORLD_SIZE come from torchrun, mpirun or another launcher.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <hotpack/hotpack.hpp>
#include <string>

namespace {

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::stoull(text);
}

}  // namespace

int main(int argc, char* argv[]) try {
  using namespace hotpack;
  const auto dataset = Dataset::open(argc > 1 ? argv[1] : "packed/train").value();

  LoaderOptions options;
  options.global_batch_size = 4;  // over all ranks
  options.seed = 7;               // the same on all ranks
  options.rank = number_from("RANK", 0);
  options.world_size = number_from("WORLD_SIZE", 1);
  auto loader = Loader::open(dataset, options).value();

  while (const auto batch = loader.next().value()) {  // the same number of steps on every rank
    for (std::size_t row = 0; row < batch->batch_size(); ++row) {
      std::printf("step %d: %s\n", static_cast<int>(batch->step()),
                  std::string(batch->key(row)).c_str());
    }
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
