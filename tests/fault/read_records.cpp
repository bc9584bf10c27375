// read_records FOLDER MAPPED|CALLS SHARD: reads the first record, then lets reads of files whose
// path contains SHARD fail (failing_files is loaded before this program) and reads the first and
// the second one, then lets them work again and reads both. Prints the result of each.
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "loader/record_source.hpp"

using namespace hotpack;

namespace {

void read(const loader::RecordSource& source, std::uint64_t number) {
  loader::RecordScratch scratch;
  const Status status = source.read(
      number, scratch, [](void*, const loader::Record&) {}, nullptr);
  std::cout << number << ": " << (status.ok() ? "read" : status.error().describe()) << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto dataset = Dataset::open(argv[1]);
  if (!dataset.ok()) return 3;
  const FileAccess access =
      std::string_view(argv[2]) == "CALLS" ? FileAccess::read : FileAccess::map;
  const auto source = loader::RecordSource::make(*dataset, VerifyChecksums::always, access);
  if (!source.ok()) return 4;
  read(**source, 0);
  ::setenv("FAIL_READS_OF", argv[3], 1);
  read(**source, 0);
  read(**source, 1);
  ::unsetenv("FAIL_READS_OF");
  read(**source, 0);
  read(**source, 1);
}
