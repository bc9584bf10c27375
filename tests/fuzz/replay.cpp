// Runs files through a fuzz target without a fuzzer: `<target>_fuzz FILE|FOLDER…`. Prints the
// number of inputs at the end, or dies in the input that standard error names last. `--mutations
// N` also runs N mutations of each input, made by the target's own mutator if it has one.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

extern "C" {
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
__attribute__((weak)) int LLVMFuzzerInitialize(int* count, char*** arguments);
__attribute__((weak)) std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                                          std::size_t max_size, unsigned seed);
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);
}

namespace {

using Bytes = std::vector<std::uint8_t>;

std::uint32_t dice = 1;
std::uint32_t roll() { return dice = dice * 1664525u + 1013904223u; }

Bytes read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::cerr << path.string() << ": cannot be read\n";
    std::exit(3);
  }
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The files of an argument, sorted by name.
std::vector<std::filesystem::path> files_of(const std::filesystem::path& named) {
  if (!std::filesystem::is_directory(named)) return {named};
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(named)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// A copy of exact size, so that a sanitizer sees the first byte beyond the end.
void run(Bytes input) {
  input.shrink_to_fit();
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

Bytes mutated(const Bytes& input, unsigned seed) {
  Bytes changed = input;
  changed.resize(input.size() + 256);
  std::size_t size = input.size();
  if (LLVMFuzzerCustomMutator != nullptr) {
    size = LLVMFuzzerCustomMutator(changed.data(), size, changed.size(), seed);
  } else {
    for (unsigned i = 0; i <= seed % 6; ++i)
      size = LLVMFuzzerMutate(changed.data(), size, changed.size());
  }
  changed.resize(size);
  return changed;
}

void run_mutations(const Bytes& input, unsigned count) {
  for (unsigned i = 0; i < count; ++i) run(mutated(input, i + 1));
}

}  // namespace

// Replaces the fuzzer's mutator: sets a byte, removes the last one or adds one.
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size) {
  const std::uint32_t choice = roll() >> 16;
  if (choice % 8 == 0 && size > 1) return size - 1;
  if (choice % 8 == 1 && size < max_size)
    return data[size] = static_cast<std::uint8_t>(roll() >> 24), size + 1;
  if (size > 0) data[roll() % size] = static_cast<std::uint8_t>(roll() >> 24);
  return size;
}

int main(int count, char** arguments) {
  if (LLVMFuzzerInitialize != nullptr) LLVMFuzzerInitialize(&count, &arguments);
  unsigned mutations = 0;
  std::size_t inputs = 0;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = arguments[i];
    if (word == "--mutations" && i + 1 < count) {
      mutations = static_cast<unsigned>(std::atoi(arguments[++i]));
      continue;
    }
    for (const auto& file : files_of(word)) {
      std::cerr << file.string() << '\n';
      const Bytes input = read_file(file);
      run(input);
      run_mutations(input, mutations);
      ++inputs;
    }
  }
  std::cout << inputs << " inputs ran without a finding\n";
  return inputs == 0 ? 2 : 0;
}
