#include "pack/output_probe.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/folder.hpp"
#include "base/try.hpp"
#include "format/manifest.hpp"
#include "format/pack_folder.hpp"
#include "pack/prepare.hpp"
#include "writer/atomic_file.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::uint64_t kLeastFreeBytes = 16 << 10;  // the smallest pack needs more
constexpr std::uint64_t kFarOffset = 8192;
constexpr int kAttempts = 16;

// Returns the folder itself, or the nearest folder above it that exists.
std::filesystem::path existing_folder(const std::string& folder) {
  std::error_code ignored;
  std::filesystem::path path = std::filesystem::absolute(folder, ignored).lexically_normal();
  if (path.filename().empty()) path = path.parent_path();  // "set/north/"
  while (path.has_relative_path() && !std::filesystem::exists(path, ignored))
    path = path.parent_path();
  return path;
}

bool has_manifest(const std::string& folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder + "/" + std::string(format::kManifestName), ignored);
}

bool has_shards(const std::string& folder) {
  const auto names = names_in_folder(folder);
  return names.ok() && !format::describe_pack_folder(*names).shards.empty();
}

Error cannot_write(const std::string& folder, const Error& error) {
  return Error{ErrorCode::io,
               "cannot write to this folder (" + error.message +
                   "). Choose another folder for -o. On a file system that cannot rename files or "
                   "write them out of order, such as some object storages, --scratch DIR makes the "
                   "shards on a local disk first",
               folder,
               {}};
}

// What is written last, the header, comes first in a shard.
Status write_out_of_order(const File& file) {
  const std::array<std::byte, 8> bytes{};
  HOTPACK_TRY(file.write_at(kFarOffset, bytes));
  return file.write_at(0, bytes);
}

Status check_free_space(const std::string& folder) {
  const std::optional<std::uint64_t> free = free_bytes_at(folder);
  if (!free || *free >= kLeastFreeBytes) return {};
  return Error{ErrorCode::io,
               "the disk has only " + std::to_string(*free) +
                   " bytes free. Free some space, or choose another disk",
               folder,
               {}};
}

// Precondition: `place` exists. Returns true if it has locks.
Result<bool> try_writing(const std::string& place) {
  HOTPACK_ASSIGN(writer::AtomicFile file,
                 writer::AtomicFile::create(place, std::string(format::kManifestName)));
  HOTPACK_TRY(write_out_of_order(file.file()));
  HOTPACK_TRY(file.file().sync_data());
  HOTPACK_TRY(file.rename_temporary());
  return file.is_locked();
}

void tell_of_missing_locks(const std::string& folder, Observer& observer) {
  observer.message(Level::info,
                   "the file system of '" + folder +
                       "' has no locks. Runs with other options into this folder at the same time "
                       "are not kept apart; temporary files of runs that were killed on other "
                       "machines stay until hotpack merge, or for a day");
}

bool is_manifest(std::string_view name) { return name == format::kManifestName; }

// `place` is `folder` or the nearest folder above it that exists.
Status probe(const std::string& folder, const std::string& place, Observer& observer) {
  if (has_manifest(place)) return {};
  std::error_code ignored;
  const bool exists = std::filesystem::equivalent(place, folder, ignored);
  // A run that was killed while it probed left its file next to the output folder. It does no harm
  // if it cannot be removed.
  if (!exists) (void)writer::remove_stale_temporaries(place, is_manifest);
  const auto may_be_finished = [&] { return exists && has_shards(folder); };
  if (Status enough = check_free_space(folder); !enough.ok() && !may_be_finished()) return enough;
  const Result<bool> locks = try_writing(place);
  if (locks.ok() && !*locks) tell_of_missing_locks(folder, observer);
  if (locks.ok() || may_be_finished()) return {};
  return cannot_write(folder, locks.error());
}

}  // namespace

Status probe_output(const std::string& folder, Observer& observer) {
  for (int attempt = 1;; ++attempt) {
    const std::string place = existing_folder(folder).string();
    Status status = probe(folder, place, observer);
    std::error_code ignored;
    // Another run removes a folder that it made and did not need.
    if (status.ok() || attempt == kAttempts || std::filesystem::exists(place, ignored))
      return status;
  }
}

}  // namespace hotpack::pipeline
