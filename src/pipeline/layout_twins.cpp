#include "pipeline/layout_twins.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/try.hpp"
#include "pipeline/file_kind.hpp"
#include "pipeline/file_list.hpp"
#include "pipeline/folder_pattern.hpp"
#include "pipeline/scan.hpp"
#include "pipeline/tree_walk.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::uint64_t kSameNamesPercent = 90;

// Stays where it is: `names` are views of the text of `files`.
struct Side {
  explicit Side(std::string folder_name) : name(std::move(folder_name)) {}
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  std::string name;
  FileList files;
  SortedNames names;
};

Status read_side(const std::string& folder, Side& side) {
  ProblemLog ignored;  // whoever packs the folder scans it again, and tells
  HOTPACK_ASSIGN(side.files, scan_pictures({{path_below(folder, side.name), ""}}, ignored));
  for (const FoundFile& file : side.files.files) side.names.push_back(side.files.key(file));
  std::sort(side.names.begin(), side.names.end());
  side.names.erase(std::unique(side.names.begin(), side.names.end()), side.names.end());
  return {};
}

Result<std::vector<std::string>> folders_with_pictures(const std::string& folder) {
  HOTPACK_ASSIGN(FolderContent content, read_folder(folder));
  std::vector<std::string> names;
  for (std::string& name : content.folders) {
    HOTPACK_ASSIGN(const Pictures pictures, pictures_below(path_below(folder, name)));
    if (pictures != Pictures::none) names.push_back(std::move(name));
  }
  return names;
}

// How the names of `shorter` become those of `longer`.
struct Match {
  const Side* shorter = nullptr;
  const Side* longer = nullptr;
  Affix affix;
  std::uint64_t pairs = 0;
};

void improve(const Side& shorter, const Side& longer, const Affix& affix, Match& best) {
  const std::uint64_t pairs = count_affixed(shorter.names, longer.names, affix);
  if (pairs > best.pairs) best = {&shorter, &longer, affix, pairs};
}

Match best_match(const Side& a, const Side& b) {
  Match best;
  improve(a, b, {}, best);
  for (const Affix& affix : likely_affixes(a.names, b.names)) improve(a, b, affix, best);
  for (const Affix& affix : likely_affixes(b.names, a.names)) improve(b, a, affix, best);
  return best;
}

// JPEG files are images rather than labels, and images are larger files.
std::pair<std::size_t, std::uint64_t> weight_as_images(const Side& side) {
  std::pair<std::size_t, std::uint64_t> weight;
  for (const FoundFile& file : side.files.files) {
    if (describe_name(side.files.text(file)).is_jpeg) ++weight.first;
    weight.second += file.bytes;
  }
  return weight;
}

// Whether the names of images are the longer ones.
bool images_have_affix(const Match& match) {
  static constexpr std::array<std::string_view, 6> kOfImages = {"img", "image", "sat", "rgb", "photo", "leftImg8bit"};
  const auto is_in_affix = [&](std::string_view word) { return match.affix.text.find(word) != std::string::npos; };
  const bool longer_named = is_images_word(match.longer->name), shorter_named = is_images_word(match.shorter->name);
  if (longer_named != shorter_named) return longer_named;
  if (!match.affix.text.empty()) return std::any_of(kOfImages.begin(), kOfImages.end(), is_in_affix);
  return weight_as_images(*match.longer) > weight_as_images(*match.shorter);
}

TwinFolders twins_of(const Match& match) {
  TwinFolders twins;
  twins.affix = match.affix;
  twins.on_images = images_have_affix(match);
  twins.pairs = match.pairs;
  const auto with_affix = [&](std::string_view name) {
    return match.affix.in_front ? match.affix.text + std::string(name) : std::string(name) + match.affix.text;
  };
  const auto first = std::find_if(match.shorter->names.begin(), match.shorter->names.end(), [&](std::string_view name) {
    return std::binary_search(match.longer->names.begin(), match.longer->names.end(), with_affix(name));
  });
  twins.images = match.shorter->name, twins.image_example = std::string(*first);
  twins.labels = match.longer->name, twins.label_example = with_affix(*first);
  if (twins.on_images) std::swap(twins.images, twins.labels), std::swap(twins.image_example, twins.label_example);
  return twins;
}

}  // namespace

Result<std::optional<TwinFolders>> find_twins(const std::string& folder) {
  HOTPACK_ASSIGN(const std::vector<std::string> names, folders_with_pictures(folder));
  if (names.size() != 2) return std::optional<TwinFolders>();
  Side first(names[0]), second(names[1]);
  HOTPACK_TRY(read_side(folder, first));
  HOTPACK_TRY(read_side(folder, second));
  const Match match = best_match(first, second);
  const std::uint64_t fewer = std::min(first.names.size(), second.names.size());
  if (match.pairs == 0 || match.pairs * 100 < fewer * kSameNamesPercent) return std::optional<TwinFolders>();
  return std::optional<TwinFolders>(twins_of(match));
}

}  // namespace hotpack::pipeline
