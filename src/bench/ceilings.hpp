// What plain loops reach with the same records and as much memory: one Turn each, of the same threads as the Loader it is compared with.
//
// Ownership: a Turn borrows the records and buffers, which must outlive it. Thread-safety: none. Failure: code `usage` for a form that the
// records cannot have.
#pragma once

#include <cstdint>

#include "bench/measure.hpp"
#include "bench/records.hpp"
#include "bench/workers.hpp"
#include "hotpack/expand.hpp"
#include "hotpack/schema.hpp"

namespace hotpack::bench {

struct Crew {
  const RecordList* records = nullptr;
  ThreadBuffers* buffers = nullptr;
  unsigned threads = 1;
};

// memcpy of image and label of each record.
[[nodiscard]] Turn copy_records(Crew crew);

// The expansion that the Loader does, without the Loader: from the records straight into the buffers.
[[nodiscard]] Result<Turn> expand_records(Crew crew, const Schema& schema, const ImageOutput& image, const LabelOutput& label);

// Streaming stores of as many bytes per sample as a batch row has.
[[nodiscard]] Turn fill_rows(Crew crew, std::uint64_t row_bytes);

}  // namespace hotpack::bench
