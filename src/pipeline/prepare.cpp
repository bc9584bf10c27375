#include "pipeline/prepare.hpp"

#include <sys/statvfs.h>

#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "format/json.hpp"
#include "writer/frame_compressor.hpp"

namespace hotpack::pipeline {

namespace {

constexpr int kMaxSide = 65535;

// The start of keys: empty, or parts that each end with '/'.
bool valid_prefix(std::string_view prefix) {
  if (!format::valid_utf8(prefix)) return false;
  while (!prefix.empty()) {
    const std::string_view part = prefix.substr(0, prefix.find('/'));
    if (part.empty() || part == "." || part == ".." || part.find('\0') != std::string_view::npos) return false;
    prefix.remove_prefix(part.size() + 1);
  }
  return true;
}

// Root folders with their key prefixes.
Result<std::vector<Root>> roots_of(const std::vector<std::string>& folders, const std::vector<std::string>& prefixes,
                                   std::string_view option) {
  if (!prefixes.empty() && prefixes.size() != folders.size())
    return usage_error("--key-prefix is given " + std::to_string(prefixes.size()) + " times, " + std::string(option) + " " +
                       std::to_string(folders.size()) + " times: give one prefix a folder");
  std::vector<Root> roots;
  for (std::size_t i = 0; i < folders.size(); ++i) {
    std::string folder = folders[i];
    while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
    std::string prefix = prefixes.empty() ? "" : prefixes[i];
    if (!prefix.empty() && prefix.back() != '/') prefix += '/';
    if (!valid_prefix(prefix))
      return usage_error("--key-prefix " + prefixes[i] + ": must be a relative path in UTF-8 without empty, . or .. parts");
    roots.push_back({std::move(folder), std::move(prefix)});
  }
  return roots;
}

std::string joined(const std::vector<std::string>& folders) {
  std::string text;
  for (const std::string& folder : folders) text += (text.empty() ? "" : ", ") + folder;
  return text;
}

Error no_samples(const std::vector<std::string>& folders, std::uint64_t other_files) {
  return data_error("no PNG or JPEG picture was found below " + joined(folders) +
                    (other_files > 0 ? " (" + std::to_string(other_files) + " other files; a suffix option may be wrong)" : std::string()));
}

Status check_sources(const InputOptions& input) {
  if (input.images.empty() == input.image_folders.empty())
    return usage_error("say where the pictures are: --images DIR (with --labels DIR, or alone), or --image-folders DIR for class folders");
  if (!input.image_folders.empty() && !input.labels.empty())
    return usage_error("--labels goes with --images; with --image-folders the folder's name is the label");
  return {};
}

}  // namespace

Status check_options(const PackOptions& options) {
  HOTPACK_TRY(check_sources(options.input));
  const Extent size = options.record.size;
  if (size.width < 1 || size.height < 1 || size.width > kMaxSide || size.height > kMaxSide)
    return usage_error("--size WIDTHxHEIGHT is required, each from 1 to " + std::to_string(kMaxSide));
  if (options.shard.shard_bytes == 0) return usage_error("--shard-size must be at least 1 byte");
  if (options.shard.shard_samples == 0) return usage_error("--shard-samples must be at least 1");
  if (!writer::valid_level(options.shard.zstd_level)) return usage_error("the level of --zstd must be from 1 to 19");
  if (options.run.threads < 1) return usage_error("-j must be at least 1");
  if (!options.run.skip_errors && (options.run.max_errors || !options.run.skipped_file.empty()))
    return usage_error("--max-errors and --skipped go with --on-error skip");
  return {};
}

Result<SampleList> gather_samples(const InputOptions& options, PlanSummary& summary, ProblemLog& problems) {
  const bool class_folders = !options.image_folders.empty();
  const std::vector<std::string>& folders = class_folders ? options.image_folders : options.images;
  HOTPACK_ASSIGN(const std::vector<Root> roots, roots_of(folders, options.key_prefixes, class_folders ? "--image-folders" : "--images"));
  ProblemLog found;
  HOTPACK_ASSIGN(FileList images, class_folders ? scan_class_folders(roots, options.image_suffix, found)
                                                : scan_pictures(roots, options.image_suffix, found));
  summary.other_files = images.other_files;
  if (images.files.empty() && found.count() == 0) return no_samples(folders, images.other_files);
  SampleList list;
  if (options.labels.empty()) {
    list = images_alone(std::move(images), found);
  } else {
    HOTPACK_ASSIGN(const std::vector<Root> label_roots, roots_of(options.labels, options.key_prefixes, "--labels"));
    HOTPACK_ASSIGN(FileList labels, scan_pictures(label_roots, options.label_suffix, found));
    summary.other_files += labels.other_files;
    if (labels.files.empty() && found.count() == 0) return no_samples(options.labels, labels.other_files);
    list = pair_by_key(std::move(images), std::move(labels), options.skip_orphans, found, summary.orphans_left_out);
  }
  if (options.skip_orphans) summary.orphans_left_out += found.forget(ProblemKind::unsupported_file);
  problems.append(found);
  if (list.samples.empty() && problems.count() == 0)
    return data_error("no image and label share a key: nothing to pack below " + joined(folders) + " (are the suffixes right?)");
  return list;
}

std::optional<std::uint64_t> free_bytes_at(const std::string& folder) {
  std::error_code failure;
  std::filesystem::path path = std::filesystem::absolute(folder, failure);
  struct statvfs status {};
  while (!failure && ::statvfs(path.c_str(), &status) != 0) {
    if (path == path.parent_path()) return std::nullopt;
    path = path.parent_path();
  }
  if (failure) return std::nullopt;
  return static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize;
}

}  // namespace hotpack::pipeline
