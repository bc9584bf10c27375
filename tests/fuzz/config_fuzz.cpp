// The --config file.

#include "cli/config_text.hpp"
#include "fuzz/fuzz.hpp"

using namespace hotpack;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<std::vector<cli::ConfigEntry>> entries =
      cli::parse_config(fuzz::text_of(data, size));
  fuzz::require_told(entries);
  if (!entries.ok()) return 0;
  for (const cli::ConfigEntry& entry : *entries)
    fuzz::require(!entry.key.empty() && entry.line > 0, "an entry has a key and a line");
  return 0;
}
