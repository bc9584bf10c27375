#include "pack/prepare.hpp"

#include <sys/statvfs.h>

#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "base/folder.hpp"
#include "base/try.hpp"
#include "base/words.hpp"
#include "format/pack_folder.hpp"
#include "pack/shard_delivery.hpp"
#include "writer/frame_compressor.hpp"

namespace hotpack::pipeline {

namespace {

constexpr int kMaxSide = 65535;

bool valid_side(int side) { return side >= 1 && side <= kMaxSide; }

Status check_size(const RecordOptions& record) {
  const bool given = record.size != Extent{};
  const Fit fit = record.resolved_fit();
  if (given && (!valid_side(record.size.width) || !valid_side(record.size.height)))
    return usage_error("--size WIDTHxHEIGHT: each from 1 to " + std::to_string(kMaxSide));
  if (!given && fit != Fit::none)
    return usage_error("--fit " + std::string(word_of(fit)) +
                       " needs --size WIDTHxHEIGHT; only --fit none works without it");
  if (given && fit == Fit::none)
    return usage_error(
        "--fit none keeps images at their own size; leave out --size, or choose another --fit");
  return {};
}

Status check_tile(const RecordOptions& record) {
  if (!record.tile) return {};
  const Extent size = record.tile->size;
  if (!valid_side(size.width) || !valid_side(size.height))
    return usage_error("--tile WIDTHxHEIGHT: each from 1 to " + std::to_string(kMaxSide));
  if (record.pad_multiple > 1)
    return usage_error("--pad-multiple and --tile exclude each other: tiles have one size");
  return {};
}

Status check_pad_multiple(const RecordOptions& record) {
  const int step = record.pad_multiple;
  if (step <= 1 || record.size == Extent{}) return {};
  const Extent padded{padded_length(record.size.width, step),
                      padded_length(record.size.height, step)};
  if (padded == record.size) return {};
  return usage_error("--pad-multiple " + std::to_string(step) + ": --size " +
                     std::to_string(record.size.width) + "x" + std::to_string(record.size.height) +
                     " is not a multiple; use --size " + std::to_string(padded.width) + "x" +
                     std::to_string(padded.height));
}

Status check_masks(const PackOptions& options) {
  if (options.input.mask_per_class.empty()) return {};
  if (options.record.size_mismatch == SizeMismatch::crop_min)
    return usage_error(
        "--size-mismatch crop-min needs one label per image; with --mask-per-class choose "
        "another --size-mismatch");
  return {};
}

// True if `path` is `folder`, or is in it.
bool is_below(const std::string& path, const std::string& folder) {
  std::error_code ignored;
  std::filesystem::path above = std::filesystem::weakly_canonical(path, ignored);
  const std::filesystem::path wanted =
      std::filesystem::weakly_canonical(std::filesystem::absolute(folder, ignored), ignored);
  for (above = std::filesystem::absolute(above, ignored); above.has_relative_path();
       above = above.parent_path())
    if (std::filesystem::weakly_canonical(above, ignored) == wanted) return true;
  return false;
}

// A folder for other files must neither be a pack nor be in the output folder, which holds a pack.
Status check_side_folder(const char* option, const std::string& folder, const RunOptions& run) {
  if (folder.empty()) return {};
  if (!run.output.empty() && is_below(folder, run.output))
    return usage_error(std::string(option) + " " + folder +
                       ": is the folder of -o or in it, which may hold only the pack; choose "
                       "another folder");
  const auto names = names_in_folder(folder);
  if (!names.ok()) return {};
  const format::PackFolder content = format::describe_pack_folder(*names);
  if (!content.has_manifest && content.shards.empty()) return {};
  return usage_error(std::string(option) + " " + folder + ": holds a pack; choose another folder");
}

// Without -o, the command of --on-shard takes the shards away, and only the receipt knows them.
Status check_without_output(const RunOptions& run) {
  if (run.scratch.empty())
    return usage_error("-o DIR is required: the folder for the packed data set");
  if (run.on_shard.empty())
    return usage_error(
        "-o DIR is required, or --on-shard COMMAND, which takes the shards out of --scratch");
  if (run.recheck || run.repair)
    return usage_error("--recheck and --repair need -o: they read finished shards");
  if (!run.skipped_file.empty())
    return usage_error("--skipped needs -o: the list names what finished shards lack");
  return {};
}

}  // namespace

Status check_delivery(const RunOptions& run) {
  if (!run.on_shard.empty() && run.on_shard.find(kPathPlace) == std::string::npos)
    return usage_error("--on-shard '" + run.on_shard +
                       "': has no {}, the place of the shard's path, as in 'aws s3 cp {} "
                       "s3://bucket/train/'");
  if (!run.on_shard.empty() && run.receipts.empty())
    return usage_error(
        "--on-shard needs --receipt DIR: the receipt tells the next run which shards the command "
        "has taken");
  HOTPACK_TRY(check_side_folder("--scratch", run.scratch, run));
  HOTPACK_TRY(check_side_folder("--receipt", run.receipts, run));
  if (run.output.empty()) return check_without_output(run);
  return {};
}

Status check_delivery_of_splits(const RunOptions& run, const std::vector<std::string>& splits) {
  if (run.on_shard.empty()) return {};
  if (splits.size() > 1 && !names_split(run.on_shard))
    return usage_error("--on-shard '" + run.on_shard + "': has no {split}, and the shards of the " +
                       std::to_string(splits.size()) +
                       " splits have the same names. Put {split} into the place where they go, as "
                       "in 'aws s3 cp {} s3://bucket/{split}/'");
  const bool quotes = run.on_shard.find_first_of("'\"`") != std::string::npos ||
                      run.on_shard.find("$(") != std::string::npos;
  if (!quotes || !names_split(run.on_shard)) return {};
  for (const std::string& split : splits)
    if (!is_plain_word(split))
      return usage_error("--on-shard '" + run.on_shard + "': the split '" + split +
                         "' needs quotes of its own in place of {split}. Write the command without "
                         "quotes, or give the split a name of letters, digits, '.', '_' and '-'");
  return {};
}

Status check_options(const PackOptions& options) {
  HOTPACK_TRY(check_size(options.record));
  HOTPACK_TRY(check_tile(options.record));
  HOTPACK_TRY(check_pad_multiple(options.record));
  HOTPACK_TRY(check_masks(options));
  if (options.shard.shard_bytes == 0) return usage_error("--shard-size must be at least 1 byte");
  if (options.shard.shard_samples == 0) return usage_error("--shard-samples must be at least 1");
  if (!writer::valid_level(options.shard.zstd_level))
    return usage_error("the level of --zstd must be from 1 to 19");
  return check_run_options(options.run);
}

Status check_run_options(const RunOptions& run) {
  if (run.threads < 1) return usage_error("-j must be at least 1");
  if (!run.skip_errors && (run.max_errors || !run.skipped_file.empty()))
    return usage_error("--max-errors and --skipped need --on-error skip");
  if (!run.skip_errors && run.accepted_skips)
    return usage_error("--accept-skips needs --on-error skip");
  return {};
}

std::optional<std::uint64_t> free_bytes_at(const std::string& folder) {
  std::error_code failure;
  std::filesystem::path path = std::filesystem::absolute(folder, failure);
  struct statvfs status {};
  while (!failure && ::statvfs(path.c_str(), &status) != 0) {
    if (path == path.parent_path()) return std::nullopt;
    path = path.parent_path();
  }
  if (failure || status.f_blocks == 0) return std::nullopt;  // an object storage counts no blocks
  return static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize;
}

Status check_free_space(const std::string& folder, std::uint64_t needed, bool exact) {
  const std::optional<std::uint64_t> free = free_bytes_at(folder);
  if (!free || *free >= needed) return {};
  return Error{ErrorCode::io,
               "the disk has " + std::to_string(*free) + " bytes free, but the pack needs " +
                   (exact ? "" : "up to ") + std::to_string(needed) +
                   ". Free some space, choose another disk, or make the pack smaller "
                   "(--label-storage bits or index, --zstd)",
               folder,
               {}};
}

}  // namespace hotpack::pipeline
