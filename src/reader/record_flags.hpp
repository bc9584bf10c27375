// A few flags per record. Any thread can set a flag; flags are never cleared.
//
// Owns its bits. Thread-safe; setting a flag publishes no other memory. The constructor may throw
// std::bad_alloc.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace hotpack::reader {

class RecordFlags {
 public:
  enum class Flag : std::size_t {
    read,           // read completely in this process
    checked,        // checked against its CRC-32C
    image_checked,  // its image alone, as `checked`
    label_checked,  // its label alone, as `checked`
  };

  explicit RecordFlags(std::uint64_t records)
      : words_(records / kBits + 1),
        bits_(std::make_unique<std::atomic<std::uint64_t>[]>(kFlags * words_)) {}

  [[nodiscard]] bool has(Flag flag, std::uint64_t record) const noexcept {
    return (word(flag, record).load(std::memory_order_relaxed) & bit(record)) != 0;
  }
  // Sets a flag. Does not write if the flag is set already: all threads read the same cache lines,
  // and a write would make each of them load its line again.
  void set(Flag flag, std::uint64_t record) noexcept {
    if (!has(flag, record)) word(flag, record).fetch_or(bit(record), std::memory_order_relaxed);
  }

 private:
  static constexpr std::uint64_t kBits = 64;
  static constexpr std::size_t kFlags = 4;
  static std::uint64_t bit(std::uint64_t record) { return std::uint64_t{1} << (record % kBits); }
  [[nodiscard]] std::atomic<std::uint64_t>& word(Flag flag, std::uint64_t record) const {
    return bits_[static_cast<std::size_t>(flag) * words_ + record / kBits];
  }

  std::size_t words_;
  std::unique_ptr<std::atomic<std::uint64_t>[]> bits_;
};

}  // namespace hotpack::reader
