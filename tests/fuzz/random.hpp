// Random numbers for mutators: the same for the same seed, on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hotpack::fuzz {

using Bytes = std::vector<std::uint8_t>;

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  [[nodiscard]] std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
  }
  [[nodiscard]] std::size_t below(std::size_t count) {
    return count == 0 ? 0 : static_cast<std::size_t>(next() % count);
  }
  [[nodiscard]] std::size_t between(std::size_t first, std::size_t last) {
    return first + below(last - first + 1);
  }
  [[nodiscard]] bool percent(std::size_t chance) { return below(100) < chance; }
  [[nodiscard]] std::uint8_t byte() { return static_cast<std::uint8_t>(next() >> 56); }

 private:
  std::uint64_t state_;
};

// Changes, removes, inserts or repeats some bytes.
inline void scramble(Bytes& bytes, Random& random) {
  if (bytes.empty()) {
    bytes.push_back(random.byte());
    return;
  }
  const std::size_t at = random.below(bytes.size());
  const auto here = bytes.begin() + static_cast<std::ptrdiff_t>(at);
  switch (random.below(6)) {
    case 0:
      bytes[at] = random.byte();
      break;
    case 1:
      bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ 1U << random.below(8));
      break;
    case 2:
      bytes.erase(here);
      break;
    case 3:
      bytes.insert(here, random.byte());
      break;
    case 4:
      bytes[at] = random.percent(50) ? 0 : 255;
      break;
    default: {
      const std::size_t count = random.between(1, bytes.size() - at < 8 ? bytes.size() - at : 8);
      const Bytes again(here, here + static_cast<std::ptrdiff_t>(count));
      bytes.insert(here, again.begin(), again.end());
    }
  }
}

}  // namespace hotpack::fuzz
