// Plain loops over the same records with as much memory and as many threads as the Loader that they
// are compared with.
//
// Ownership: a Measurement borrows the records and buffers, which must outlive it. Thread-safety:
// none. Failure: code `usage` for a form that the records cannot have.
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

// memcpy of image and label of each record.
[[nodiscard]] Measurement copy_records(Workers workers);

// The expansion that the Loader does, without the Loader: from the records straight into the
// buffers.
[[nodiscard]] Result<Measurement> expand_records(Workers workers, const Schema& schema,
                                                 const ImageOutput& image,
                                                 const LabelOutput& label);

// Streaming stores of as many bytes per sample as a batch row has.
[[nodiscard]] Measurement fill_rows(Workers workers, std::uint64_t row_bytes);

}  // namespace hotpack::bench
