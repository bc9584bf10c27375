#include "discovery/folder_survey.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "codecs/image_info.hpp"
#include "files/file_kind.hpp"
#include "files/file_list.hpp"
#include "files/tree_walk.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::size_t kMostLines = 12;
constexpr std::size_t kMostHeaders = 4;  // per folder
constexpr std::size_t kHeaderBytes = 65536;

class Surveyor : public TreeVisitor {
 public:
  explicit Surveyor(FolderSurvey& survey) : survey_(survey) {}
  [[nodiscard]] bool needs_sizes() const override { return false; }
  bool file(const std::string& below, std::uint64_t) override {
    const std::size_t slash = below.rfind('/');
    SurveyedFolder& folder =
        survey_.folders[slash == std::string::npos ? "" : below.substr(0, slash)];
    const FileName name = describe_name(below);
    if (name.kind == FileKind::image) {
      folder.images.emplace_back(last_part(below));
      ++folder.formats[name.is_jpeg ? "JPEG" : "PNG"];
    } else if (name.kind == FileKind::unsupported && !name.format.name.empty()) {
      ++folder.formats[std::string(name.format.name)];
    } else {
      const std::string_view last = last_part(below);
      const std::size_t dot = last.rfind('.');
      ++folder.formats[dot == last.npos ? "without extension" : std::string(last.substr(dot))];
    }
    return true;
  }

 private:
  FolderSurvey& survey_;
};

}  // namespace

std::string joined(const std::string& folder, const std::string& name) {
  return folder.empty() ? name : name.empty() ? folder : folder + "/" + name;
}

bool is_within(const std::string& path, const std::string& folder) {
  return folder.empty() || path == folder || path.starts_with(folder + "/");
}

bool FolderSurvey::has_images() const {
  return std::any_of(folders.begin(), folders.end(),
                     [](const auto& entry) { return !entry.second.images.empty(); });
}

std::string FolderSurvey::text() const {
  std::string text;
  std::size_t lines = 0;
  for (const auto& [below, folder] : folders) {
    if (lines++ == kMostLines) break;
    const std::string sizes =
        look_at(below.empty() ? root : path_below(root, below), folder.images).sizes;
    std::vector<std::string> formats;
    for (const auto& [format, count] : folder.formats)
      formats.push_back(number_text(count) + " " + format);
    text += "\n  " + quoted_text(below.empty() ? "." : below) + ": " + joined_text(formats, ", ") +
            (sizes.empty() ? "" : ", " + sizes);
  }
  if (folders.size() > kMostLines)
    text += "\n  and " + counted_text(folders.size() - kMostLines, "more folder", "more folders");
  return text;
}

std::vector<std::string> FolderSurvey::children(const std::string& folder) const {
  std::set<std::string> names;
  const std::size_t start = folder.empty() ? 0 : folder.size() + 1;
  for (const auto& [below, entry] : folders)
    if (below != folder && is_within(below, folder) && !entry.images.empty())
      names.insert(below.substr(start, below.find('/', start) - start));
  return {names.begin(), names.end()};
}

std::vector<std::string> FolderSurvey::all_folders() const {
  std::set<std::pair<std::ptrdiff_t, std::string>> found;
  for (const auto& [below, entry] : folders) {
    if (entry.images.empty()) continue;
    found.insert({-1, ""});
    for (std::size_t end = below.find('/'); !below.empty(); end = below.find('/', end + 1)) {
      const std::string folder = below.substr(0, end);
      found.insert({std::count(folder.begin(), folder.end(), '/'), folder});
      if (end == std::string::npos) break;
    }
  }
  std::vector<std::string> names;
  names.reserve(found.size());
  for (const auto& [depth, name] : found) names.push_back(name);
  return names;
}

std::vector<std::string> FolderSurvey::images_below(const std::string& folder) const {
  std::vector<std::string> paths;
  for (const auto& [below, entry] : folders)
    if (is_within(below, folder))
      for (const std::string& name : entry.images)
        paths.push_back(below.empty() ? name : path_below(below, name));
  return paths;
}

Looks look_at(const std::string& root, const std::vector<std::string>& files) {
  Looks looks;
  bool differ = false;
  std::vector<std::byte> bytes(kHeaderBytes);
  const std::size_t step = files.size() / kMostHeaders + 1;
  // Neighbors may be the image and the labels of a sample: the first ones, then some of all.
  std::vector<std::size_t> chosen{0, 1, 2};
  for (std::size_t i = step; i < files.size(); i += step) chosen.push_back(i);
  for (const std::size_t i : chosen) {
    if (i >= files.size()) continue;
    const bool jpeg = describe_name(files[i]).is_jpeg;
    looks.jpeg = looks.jpeg || jpeg;
    looks.photographs += jpeg ? 1 : 0;
    const Result<File> file = File::open_read(path_below(root, files[i]));
    if (!file.ok()) continue;
    const std::uint64_t size = file->size().value_or(0);
    const std::span<std::byte> part =
        std::span(bytes).first(std::min<std::uint64_t>(size, kHeaderBytes));
    if (!file->read_at(0, part).ok()) continue;
    const Result<codecs::Probe> probe = codecs::probe(part, size <= kHeaderBytes);
    if (!probe.ok() || probe->need_more) continue;
    const codecs::ImageInfo& info = probe->info;
    const std::string text = std::to_string(info.width) + "x" + std::to_string(info.height);
    differ = differ || (!looks.sizes.empty() && text != looks.sizes);
    if (looks.sizes.empty()) looks.sizes = text;
    if (jpeg) continue;
    ++(info.kind == codecs::PixelKind::rgb || info.kind == codecs::PixelKind::rgba
           ? looks.photographs
           : looks.label_like);
  }
  if (differ) looks.sizes += " and others";
  return looks;
}

Result<FolderSurvey> survey_folders(const std::string& root) {
  FolderSurvey survey;
  survey.root = root;
  Surveyor surveyor(survey);
  HOTPACK_TRY(walk_tree(root, surveyor));
  return survey;
}

}  // namespace hotpack::pipeline
