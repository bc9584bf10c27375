// Mutates a shard and corrects its checksums, so that fuzzing gets past them to the rules after
// them.
//
// Plain functions over the fuzzer's memory; not thread-safe (libFuzzer's mutator is not).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hotpack::fuzz {

// One mutation: of the header's text (the length L stays, the rest is blank), of the tables, of a
// record, or of any byte. Then corrects the sums of records, header and tables, if the header can
// be read.
std::size_t mutate_shard(std::uint8_t* data, std::size_t size, std::size_t max_size,
                         unsigned int seed);

// Corrects the sums of records, header and tables, if the header can be read.
void mend_shard(std::span<std::byte> file);

}  // namespace hotpack::fuzz
