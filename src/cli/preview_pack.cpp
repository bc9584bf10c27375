#include "cli/preview_pack.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/try.hpp"

namespace hotpack::cli {

namespace {

namespace fs = std::filesystem;

}  // namespace

Result<PackSource> PackSource::open(const std::vector<std::string>& folders) {
  Result<Dataset> dataset = Dataset::open(folders);
  if (dataset.ok()) return PackSource(std::move(dataset).value());
  Error error = std::move(dataset).error();
  if (folders.size() > 1 && error.code != ErrorCode::io)
    error.message += ". Packs that differ cannot be shown together; name one of them";
  return error;
}

std::string PackSource::name() const {
  std::string names;
  for (const PackInfo& pack : dataset_.packs()) names += (names.empty() ? "" : ", ") + pack.folder;
  return names;
}

Result<std::optional<Statistics>> PackSource::statistics() const {
  HOTPACK_ASSIGN(Statistics statistics, dataset_.statistics());
  return std::optional(std::move(statistics));
}

Result<std::vector<std::uint64_t>> PackSource::find(const std::string& key) {
  std::vector<std::uint64_t> numbers;
  if (dataset_.packs().size() == 1) {
    HOTPACK_ASSIGN(const auto number, dataset_.find(key));
    if (number) numbers.push_back(*number);
    return numbers;
  }
  for (std::uint64_t number = 0; number < dataset_.records(); ++number) {
    HOTPACK_ASSIGN(const Sample sample, dataset_.sample(number));
    HOTPACK_ASSIGN(const std::string own, sample.copied_key());
    if (!key.ends_with(own)) continue;
    const std::string pack = fs::path(folder_of(number)).filename().string();
    if (key == own || key == pack + "/" + own) numbers.push_back(number);
  }
  return numbers;
}

Result<std::string> PackSource::key(std::uint64_t number) {
  HOTPACK_ASSIGN(const Sample sample, dataset_.sample(number));
  return sample.copied_key();
}

Result<Extent> PackSource::size(std::uint64_t number) {
  HOTPACK_ASSIGN(const Sample sample, dataset_.sample(number));
  const ImageShape shape = sample.image_shape();
  return Extent{static_cast<int>(shape.width), static_cast<int>(shape.height)};
}

Result<preview::SheetSample> PackSource::load(std::uint64_t number) {
  HOTPACK_ASSIGN(const Sample sample, dataset_.sample(number));
  preview::SheetSample shown;
  HOTPACK_ASSIGN(shown.key, sample.copied_key());
  if (has_remarks()) shown.remark = folder_of(number);
  HOTPACK_ASSIGN(shown.image, sample.copy_image(image_));
  if (sample.has_label()) {
    HOTPACK_ASSIGN(shown.label, sample.copy_label(label_));
  }
  return shown;
}

Result<std::optional<LabelView>> PackSource::load_label(std::uint64_t number) {
  HOTPACK_ASSIGN(const Sample sample, dataset_.sample(number));
  if (!sample.has_label()) return std::optional<LabelView>();
  HOTPACK_ASSIGN(const LabelView label, sample.copy_label(label_));
  return std::optional(label);
}

const std::string& PackSource::folder_of(std::uint64_t number) const {
  const auto shards = dataset_.shards();
  const auto after = std::upper_bound(
      shards.begin(), shards.end(), number,
      [](std::uint64_t wanted, const ShardInfo& shard) { return wanted < shard.first; });
  return dataset_.packs()[std::prev(after)->pack].folder;
}

}  // namespace hotpack::cli
