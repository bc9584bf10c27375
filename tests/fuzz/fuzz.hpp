// Shared by fuzz targets: the input as text or bytes, an assertion that ends the run, pieces of
// an input, libFuzzer's own mutator.
//
// Plain functions and values over the fuzzer's memory; not thread-safe. A failed assertion
// aborts, which fuzzers report as a finding.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace hotpack::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline std::span<const std::byte> bytes_of_input(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span(data, size));
}

// Ends the process, which libFuzzer reports as a finding, unless the condition holds.
inline void require(bool holds, const char* claim) {
  if (holds) return;
  std::fprintf(stderr, "fuzz target: it does not hold that %s\n", claim);
  std::abort();
}

// Every refusal has a message.
template <class Outcome>
void require_told(const Outcome& outcome) {
  require(outcome.ok() || !outcome.error().message.empty(), "an error has a message");
}

// Reads numbers and pieces from the front of an input; after its end returns zeros and empty
// pieces.
class Pieces {
 public:
  Pieces(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

  [[nodiscard]] bool empty() const { return rest_.empty(); }
  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const std::uint8_t value = rest_.front();
    rest_ = rest_.subspan(1);
    return value;
  }
  std::uint64_t number(int bytes) {
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) value = value << 8 | byte();
    return value;
  }
  std::span<const std::uint8_t> take(std::size_t size) {
    const auto piece = rest_.first(std::min(size, rest_.size()));
    rest_ = rest_.subspan(piece.size());
    return piece;
  }

 private:
  std::span<const std::uint8_t> rest_;
};

}  // namespace hotpack::fuzz
