// Output memory that is lent to the caller; all copies of a DeviceBatch share one lease.
//
// Ownership: keeps the Core, and with it the pool to which its memory returns. Thread-safety as
// DeviceBatch. Failure: as DeviceBatch::record_stream(); the destructor never throws and never
// waits.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "device/core.hpp"
#include "device/outputs.hpp"
#include "hotpack/device_loader.hpp"
#include "hotpack/result.hpp"

namespace hotpack::device {

// Returns the error for lack of host memory, after a std::bad_alloc.
[[nodiscard]] Error no_memory_error();

// A lease of one OutputMemory. It begins with hold().
class Output {
 public:
  Output(std::shared_ptr<Core> core, DeviceBatchInfo info);
  ~Output();  // returns the memory to the pool, with the streams that used it
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  // Begins the lease: `memory` contains the batch.
  void hold(std::unique_ptr<OutputMemory> memory) noexcept { memory_ = std::move(memory); }
  [[nodiscard]] const DeviceBatchInfo& info() const { return info_; }
  [[nodiscard]] Status record_stream(CUstream_st* stream, std::size_t part);

 private:
  [[nodiscard]] Status note_use(CUstream_st* stream, std::size_t part);

  std::shared_ptr<Core> core_;
  std::unique_ptr<OutputMemory> memory_;
  DeviceBatchInfo info_;
  std::mutex mutex_;
  std::vector<StreamUse> uses_;
};

}  // namespace hotpack::device
