// Trains a few steps and saves its position. The next run continues there, with the same batches as
// a run that never stopped.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <hotpack/hotpack.hpp>
#include <iterator>
#include <stdexcept>
#include <string>

int main(int argc, char* argv[]) try {
  using namespace hotpack;
  const auto dataset = Dataset::open(argc > 1 ? argv[1] : "packed/train").value();
  const std::string state_file = argc > 2 ? argv[2] : "loader.state";
  const int steps = argc > 3 ? std::stoi(argv[3]) : 100;

  LoaderOptions options;
  options.global_batch_size = 2;
  options.seed = 7;
  if (std::ifstream file(state_file); file) {
    const std::string text(std::istreambuf_iterator<char>(file), {});
    options.resume = LoaderState::parse(text).value();  // Loader::open() says if it does not fit
  }
  auto loader = Loader::open(dataset, options).value();

  for (int step = 0; step < steps;) {
    const auto batch = loader.next().value();
    if (!batch) continue;  // the end of an epoch; the next one follows
    std::printf("epoch %d, step %d: %s\n", static_cast<int>(batch->epoch()),
                static_cast<int>(batch->step()), std::string(batch->key(0)).c_str());
    ++step;
  }
  std::ofstream file(state_file + ".new");  // next to the model's checkpoint
  file << loader.state().text();
  file.close();
  if (!file) throw std::runtime_error("cannot write " + state_file + ".new");
  std::filesystem::rename(state_file + ".new",
                          state_file);  // leaves the old state or the new one, never a part
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
