#include "pack/skipped_file.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>

#include "base/error.hpp"
#include "base/try.hpp"
#include "pack/output_folder.hpp"
#include "writer/atomic_file.hpp"

namespace hotpack::pipeline {

namespace {

namespace fs = std::filesystem;

Status add_earlier_skips(const std::string& folder, const std::string& shard_name,
                         const ShardPlan& shard, const SampleList& list, std::string& lines) {
  HOTPACK_ASSIGN(const std::vector<std::string> keys, read_keys(folder, shard_name));
  const std::set<std::string_view> packed(keys.begin(), keys.end());
  for (std::uint64_t s = shard.first; s < shard.first + shard.samples; ++s) {
    const Sample& sample = list.samples[static_cast<std::size_t>(s)];
    if (packed.count(list.key(sample)) == 0)
      lines += skipped_line(list.key(sample), list.image_path(sample), "skipped by an earlier run");
  }
  return {};
}

// Returns true if the file is empty or has lines of three fields, as an earlier run wrote it. Any
// other file must not be overwritten.
bool is_skipped_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string first(4096, '\0');
  file.read(first.data(), static_cast<std::streamsize>(first.size()));
  first.resize(static_cast<std::size_t>(file.gcount()));
  const std::string_view line = std::string_view(first).substr(0, first.find('\n'));
  return first.empty() || (line.find('\0') == std::string_view::npos &&
                           std::count(line.begin(), line.end(), '\t') == 2);
}

}  // namespace

std::string skipped_line(std::string_view key, std::string_view path, std::string_view reason) {
  std::string line;
  for (const std::string_view field : {key, path, reason}) {
    if (!line.empty()) line += '\t';
    for (const char c : field) line += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  }
  return line + "\n";
}

Status check_skipped_path(const RunOptions& options) {
  if (options.skipped_file.empty()) return {};
  std::error_code ignored;
  const fs::path path = fs::absolute(options.skipped_file, ignored).lexically_normal();
  const fs::file_status status = fs::symlink_status(path, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status))
    return usage_error("--skipped " + options.skipped_file + ": is not a regular file");
  if (fs::exists(status) && !is_skipped_file(path))
    return usage_error(
        "--skipped " + options.skipped_file +
        ": does not hold a list of skipped samples, so it is not overwritten; choose the name of a "
        "new file");
  if (!fs::is_directory(path.parent_path(), ignored))
    return usage_error("--skipped " + options.skipped_file + ": its folder does not exist");
  const fs::path output = fs::weakly_canonical(options.output, ignored);
  if (fs::weakly_canonical(path.parent_path(), ignored) == output)
    return usage_error(
        "--skipped " + options.skipped_file +
        ": is in the output folder, which may hold only packed files; choose another folder");
  return {};
}

Status write_skipped_file(const RunOptions& options, const Plan& plan, const SampleList& list,
                          const std::vector<std::optional<writer::FinishedShard>>& kept,
                          std::string lines) {
  if (options.skipped_file.empty()) return {};
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (kept[i] && kept[i]->sums.skipped > 0)
      HOTPACK_TRY(
          add_earlier_skips(options.output, kept[i]->row.file, plan.shards[i], list, lines));
  const fs::path path = fs::absolute(options.skipped_file).lexically_normal();
  return writer::write_file_atomically(path.parent_path().string(), path.filename().string(),
                                       lines);
}

}  // namespace hotpack::pipeline
