#include "cli/pack_faults.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/text.hpp"

namespace hotpack::cli {

namespace {

constexpr std::size_t kMostNamed = 10;

std::string fault_of(const ShardInfo& shard) {
  std::error_code failed;
  const auto size = std::filesystem::file_size(shard.path, failed);
  if (failed == std::errc::no_such_file_or_directory) return shard.path + ": is missing";
  if (failed) return shard.path + ": cannot be examined: " + failed.message();
  if (size == shard.size_bytes) return "";
  return shard.path + ": has " + counted_text(size, "byte") + ", dataset.json says " +
         number_text(shard.size_bytes);
}

}  // namespace

std::vector<std::string> missing_shards(const Dataset& dataset) {
  std::vector<std::string> faults;
  for (const ShardInfo& shard : dataset.shards())
    if (std::string fault = fault_of(shard); !fault.empty()) faults.push_back(std::move(fault));
  if (faults.size() <= kMostNamed) return faults;
  const std::size_t more = faults.size() - kMostNamed;
  faults.resize(kMostNamed);
  faults.push_back(counted_text(more, "more shard") +
                   " missing, or of a size other than dataset.json says");
  return faults;
}

std::string repair_text(const std::string& folder) {
  return "to repair this pack, repeat the `hotpack pack` command that made " + quoted_text(folder) +
         ", with --repair added: it packs damaged and missing shards again and keeps the others";
}

}  // namespace hotpack::cli
