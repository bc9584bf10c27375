// The packed records of a whole data set on each device, their keys, and the errors of records that
// cannot be read.
//
// Ownership: owns the memory. Thread-safety: any thread may call const members once the set is
// loaded.
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

// The keys of all samples, one after another.
class KeyArena {
 public:
  explicit KeyArena(std::uint64_t records) : spans_(records) {}
  // Sets the keys of consecutive samples, from `first` on. `characters` has all their characters,
  // and `lengths` the number of characters of each key. Only one thread at a time may call this.
  void add(std::uint64_t first, std::string_view characters,
           const std::vector<std::uint32_t>& lengths);
  [[nodiscard]] std::string_view operator[](std::uint64_t sample) const;

 private:
  struct Span {
    std::uint64_t at = 0;
    std::uint32_t length = 0;
  };
  std::string characters_;
  std::vector<Span> spans_;
};

// Resident records and what belongs to them. Their blocks are in the order of the samples, as in
// RecordBlocks::begin.
struct ResidentSet {
  explicit ResidentSet(std::shared_ptr<const RecordBlocks> all)
      : blocks(std::move(all)), keys(blocks->records()) {}

  std::shared_ptr<const RecordBlocks> blocks;
  std::vector<DeviceMemory> devices;  // one per part
  KeyArena keys;
  std::map<std::uint64_t, Error> errors;  // by sample; the text is that of a host Loader
};

}  // namespace hotpack::device
