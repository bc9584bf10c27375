#include "loader/row_reading.hpp"

#include <algorithm>
#include <cstring>

#include "base/try.hpp"
#include "loader/row_samples.hpp"

namespace hotpack::loader {

namespace {

constexpr std::size_t kUsualKeyBytes = 256;

// The state of one row while its record is read.
struct RowWork {
  const BatchForm& form;
  const RowTarget& target;
  expand::Scratch& pixels;
  char* key;
  std::size_t key_capacity;
  std::size_t key_bytes = 0;
  bool changed = false;  // the record has another shape now, because its file was overwritten
};

// Writes the record into one row of a batch. Runs under the fault guard (base/fault_guard.hpp), so
// it only copies and converts.
void write_row(void* context, const Record& record) {
  auto& work = *static_cast<RowWork*>(context);
  const RowTarget& to = work.target;
  work.changed = record.image.shape != to.record.image || record.label.shape != to.record.label;
  if (work.changed) return;
  work.key_bytes = record.key.size();
  std::memcpy(work.key, record.key.data(), std::min(work.key_bytes, work.key_capacity));
  if (to.as_stored) {
    BatchForm::copy_stored(record, to.image, to.label);
  } else {
    work.form.write(record, to.placement, work.pixels, to.image, to.label);
  }
}

}  // namespace

Status read_into(const RecordSource& source, const BatchForm& form, std::uint64_t sample,
                 const RowTarget& target, RowScratch& scratch, std::string& key) {
  if (!target.as_stored)
    scratch.pixels.reserve(form.scratch_bytes(target.record, target.placement));
  if (scratch.key.empty()) scratch.key.resize(kUsualKeyBytes);
  while (true) {
    RowWork work{form, target, scratch.pixels, scratch.key.data(), scratch.key.size()};
    HOTPACK_TRY(source.read(sample, scratch.record, write_row, &work));
    if (work.changed) return written_over(source, sample);
    if (work.key_bytes <= scratch.key.size()) {
      key.assign(scratch.key, 0, work.key_bytes);
      return {};
    }
    scratch.key.resize(work.key_bytes);  // the longest key so far
  }
}

}  // namespace hotpack::loader
