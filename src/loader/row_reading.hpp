// Reads one sample's record into one row of a batch.
//
// Free functions; thread-safe, each thread with its own RowScratch. Failure: as RecordSource's, and
// `damaged` if the shard was replaced after the shape of the record was read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "expand/placement.hpp"
#include "expand/scratch.hpp"
#include "hotpack/result.hpp"
#include "loader/batch_form.hpp"
#include "loader/record_source.hpp"

namespace hotpack::loader {

// Memory that a thread reuses between rows.
struct RowScratch {
  RecordScratch record;
  expand::Scratch pixels;
  std::string key;
};

// Where a row goes, and how. Borrows `record` and `placement`.
struct RowTarget {
  const RecordShape& record;  // the row was prepared for this shape
  const expand::Placement& placement;
  std::byte* image = nullptr;
  std::byte* label = nullptr;  // null without a label
  bool as_stored = false;      // copies the record's own bytes, whatever the form
};

// Writes the record into the row, and its key into `key`. After the last row, the caller must
// execute a store fence.
[[nodiscard]] Status read_into(const RecordSource& source, const BatchForm& form,
                               std::uint64_t sample, const RowTarget& target, RowScratch& scratch,
                               std::string& key);

}  // namespace hotpack::loader
