// A shard's header and tables, in memory: every rule of the format before any pointer is formed.

#include "format/safetensors.hpp"
#include "format/shard_check.hpp"
#include "format/shard_header.hpp"
#include "fuzz/fuzz.hpp"
#include "fuzz/shard_mender.hpp"

using namespace hotpack;

namespace {

void look_at(std::span<const std::byte> file, const format::ShardHeader& header) {
  fuzz::require_told(format::check_form(file, header));
  fuzz::require_told(format::check_fillers(file, header));
  fuzz::require_told(format::later_fields(header));
  fuzz::require_told(format::check_region_sums(file, header));
  const Status tables = format::check_tables(file, header);
  fuzz::require_told(tables);
  if (!tables.ok()) return;
  (void)format::read_sums(file, header);
  (void)format::digest_of(file, header);
}

void compare_readers(std::span<const std::byte> file) {
  const Result<format::Container> fast = format::read_container(file);
  const Result<format::Container> general = format::read_container_generally(file);
  fuzz::require(fast.ok() == general.ok() &&
                    (!fast.ok() ||
                     (fast->header_bytes == general->header_bytes &&
                      fast->metadata == general->metadata && fast->tensors == general->tensors)),
                "the fast reader of headers agrees with the general parser");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> file = fuzz::bytes_of_input(data, size);
  compare_readers(file);
  const Result<format::ShardHeader> header = format::decode_header(file);
  fuzz::require_told(header);
  if (header.ok()) look_at(file, *header);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned int seed);
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned int seed) {
  return fuzz::mutate_shard(data, size, max_size, seed);
}
