// Plain loops over records: the limits that a Loader is compared with. A loop uses the same
// records, as much memory and as many threads as the Loader.
//
// Ownership: a Measurement borrows the records and buffers, which must outlive it. Thread-safety:
// none. Failure: code `usage` for a form of output that the records cannot have.
#pragma once

#include <cstdint>

#include "bench/measure.hpp"
#include "bench/records.hpp"
#include "bench/workers.hpp"
#include "hotpack/expand.hpp"
#include "hotpack/schema.hpp"

namespace hotpack::bench {

struct Workers {
  const RecordList* records = nullptr;
  ThreadBuffers* buffers = nullptr;
  unsigned threads = 1;
};

// Copies image and label of each record with memcpy.
[[nodiscard]] Measurement copy_records(Workers workers);

// Expands the records as the Loader does, but without the Loader: straight into the buffers.
[[nodiscard]] Result<Measurement> expand_records(Workers workers, const Schema& schema,
                                                 const ImageOutput& image,
                                                 const LabelOutput& label);

// Writes `row_bytes` bytes per sample with streaming stores: as many as a batch row has.
[[nodiscard]] Measurement fill_rows(Workers workers, std::uint64_t row_bytes);

}  // namespace hotpack::bench
