// Tables of --pairs: CSV, TSV, words, JSON lines.

#include "files/pair_table.hpp"
#include "fuzz/fuzz.hpp"

using namespace hotpack;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Result<pipeline::PairTable> table =
      pipeline::PairTable::open(fuzz::text_of(data, size), "pairs.csv");
  fuzz::require_told(table);
  if (!table.ok()) return 0;
  (void)table->form();
  while (true) {
    const Result<std::optional<pipeline::PairRow>> row = table->next();
    fuzz::require_told(row);
    if (!row.ok() || !*row) return 0;
    fuzz::require(!(*row)->image.empty(), "a row names an image");
  }
}
