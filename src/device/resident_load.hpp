// Brings all records of a data set into resident memory, by threads that read it in the order of its files.
//
// Ownership: what the load needs besides is given back by its end. Failure: memory and driver, `io`. A record that cannot be read is none:
// its error is kept in the set.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "device/resident_set.hpp"
#include "loader/batch_form.hpp"
#include "loader/record_source.hpp"

namespace hotpack::device {

struct LoadOptions {
  unsigned threads = 1;
  std::uint64_t chunk_bytes = std::uint64_t{8} << 20;      // that a thread reads at once, but one record at least
  std::uint64_t buffer_budget_bytes = ~std::uint64_t{0};   // of pinned memory to copy from: fewer threads and smaller chunks keep to it
};

class ResidentLoad {
 public:
  // Takes the memory: of all parts' devices, or pinned. What fails here is the driver's refusal.
  [[nodiscard]] static Result<std::unique_ptr<ResidentLoad>> take(Residency residency, std::shared_ptr<const RecordBlocks> blocks,
                                                                  const std::vector<std::shared_ptr<const Context>>& contexts,
                                                                  const LoadOptions& options);
  virtual ~ResidentLoad() = default;
  ResidentLoad(const ResidentLoad&) = delete;
  ResidentLoad& operator=(const ResidentLoad&) = delete;

  // Once. The memory is written when this returns.
  [[nodiscard]] Result<std::shared_ptr<const ResidentSet>> run(const loader::RecordSource& source, const loader::BatchForm& form);
  [[nodiscard]] std::uint64_t copied_bytes() const { return copied_bytes_; }  // host to device

 protected:
  ResidentLoad() = default;
  std::uint64_t copied_bytes_ = 0;
};

}  // namespace hotpack::device
