// dataset.json. The mutator corrects the check at its end, so that fuzzing reaches the rules
// after it.

#include <algorithm>
#include <cstring>
#include <string>

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "format/manifest.hpp"
#include "format/manifest_rows.hpp"
#include "fuzz/fuzz.hpp"

using namespace hotpack;

namespace {

constexpr std::string_view kKey = "\"check\":\"";
constexpr std::size_t kHexDigits = 8;
constexpr std::string_view kEnd = "\"}\n";

// The correct check for the bytes before its key.
std::string tail_of(std::string_view body) {
  char hex[kHexDigits + 1];
  std::snprintf(hex, sizeof hex, "%08x", crc32c(bytes_of(body)));
  return std::string(kKey) + "crc32c:" + hex + std::string(kEnd);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const Result<format::Manifest> manifest = format::decode_manifest(text);
  fuzz::require_told(manifest);
  const Result<format::Manifest> general = format::decode_manifest_generally(text);
  fuzz::require(
      general.ok() == manifest.ok() && (!general.ok() || general->shards == manifest->shards),
      "the fast reader of rows agrees with the general parser");
  if (!manifest.ok()) return 0;
  const Result<format::Manifest> again =
      format::decode_manifest(format::encode_manifest(*manifest));
  fuzz::require(again.ok() && again->records() == manifest->records(),
                "a manifest that is written is read as it was");
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned int seed);
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned int seed) {
  if (seed % 16 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string_view text = fuzz::text_of(data, size);
  const std::size_t at = text.rfind(kKey);
  const std::size_t body = at == std::string_view::npos ? size : at;
  const std::size_t room = kKey.size() + 7 + kHexDigits + kEnd.size();
  if (max_size <= room) return size;
  const std::size_t mutated =
      LLVMFuzzerMutate(data, std::min(body, max_size - room), max_size - room);
  const std::string tail = tail_of(fuzz::text_of(data, mutated));
  std::memcpy(data + mutated, tail.data(), tail.size());
  return mutated + tail.size();
}
