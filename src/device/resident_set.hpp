// The packed records of a whole data set in memory: pinned, or of each device. With their keys, and the errors of those that cannot be
// read.
//
// Ownership: owns the memory. Thread-safety: const members from any thread once it is loaded.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/handles.hpp"
#include "device/record_blocks.hpp"
#include "hotpack/result.hpp"

namespace hotpack::device {

// The keys of all samples, one after the other.
class KeyArena {
 public:
  explicit KeyArena(std::uint64_t records) : spans_(records) {}
  // Those of samples `first` and on, so many characters each. From one thread at a time.
  void add(std::uint64_t first, std::string_view characters, const std::vector<std::uint32_t>& lengths);
  [[nodiscard]] std::string_view operator[](std::uint64_t sample) const;

 private:
  struct Span {
    std::uint64_t at = 0;
    std::uint32_t length = 0;
  };
  std::string characters_;
  std::vector<Span> spans_;
};

// Blocks lie in the order of the samples, as RecordBlocks::begin says. Either `pinned` or `devices` holds them.
struct ResidentSet {
  explicit ResidentSet(std::shared_ptr<const RecordBlocks> all) : blocks(std::move(all)), keys(blocks->records()) {}

  std::shared_ptr<const RecordBlocks> blocks;
  PinnedMemory pinned;
  std::vector<DeviceMemory> devices;  // a part each
  KeyArena keys;
  std::map<std::uint64_t, Error> errors;  // by sample, as a host Loader would give them
};

}  // namespace hotpack::device
