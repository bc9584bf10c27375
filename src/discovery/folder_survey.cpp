#include "discovery/folder_survey.hpp"

#include <algorithm>
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
  explicit Surveyor(FolderSurvey& survey) : survey_(survey) { survey_.folders[""]; }
  [[nodiscard]] bool needs_sizes() const override { return false; }
  void folder(const std::string& below) override {
    folder_of(below).folders.emplace_back(last_part(below));
    survey_.folders[below];
  }
  bool file(const std::string& below, std::uint64_t) override {
    const bool image = describe_name(below).kind == FileKind::image;
    SurveyedFolder& folder = folder_of(below);
    (image ? folder.images : folder.others).emplace_back(last_part(below));
    return true;
  }
  bool unusable(const Unusable& entry) override {
    if (!entry.is_folder) return file(entry.below, 0);
    failure = Error{ErrorCode::io, entry.why, survey_.path(entry.below), {}};
    return false;
  }
  Status failure;

 private:
  SurveyedFolder& folder_of(const std::string& below) {
    const std::size_t slash = below.rfind('/');
    return survey_.folders[slash == std::string::npos ? "" : below.substr(0, slash)];
  }
  FolderSurvey& survey_;
};

bool is_unsupported(const std::string& name) {
  return describe_name(name).kind == FileKind::unsupported;
}

// "JPEG", "TIFF", ".csv", "without extension"
std::string format_of(const std::string& name) {
  const FileName file = describe_name(name);
  if (file.kind == FileKind::image) return file.is_jpeg ? "JPEG" : "PNG";
  if (file.kind == FileKind::unsupported && !file.format.name.empty())
    return std::string(file.format.name);
  const std::size_t dot = name.rfind('.');
  return dot == name.npos ? "without extension" : name.substr(dot);
}

}  // namespace

std::string joined(const std::string& folder, const std::string& name) {
  return folder.empty() ? name : name.empty() ? folder : folder + "/" + name;
}

bool is_within(const std::string& path, const std::string& folder) {
  return folder.empty() || path == folder || path.starts_with(folder + "/");
}

std::uint64_t SurveyedFolder::image_files() const {
  return images.size() +
         static_cast<std::uint64_t>(std::count_if(others.begin(), others.end(), is_unsupported));
}

std::string FolderSurvey::path(const std::string& below) const {
  return below.empty() ? root : path_below(root, below);
}

std::string FolderSurvey::below(const std::string& path) const {
  return path == root ? "" : path.substr(path_below(root, "").size());
}

const SurveyedFolder& FolderSurvey::at(const std::string& folder) const {
  static const SurveyedFolder none;
  const auto found = folders.find(folder);
  return found == folders.end() ? none : found->second;
}

std::vector<const FolderSurvey::Entry*> FolderSurvey::within(const std::string& folder) const {
  std::vector<const Entry*> found;
  if (const auto own = folders.find(folder); own != folders.end()) found.push_back(&*own);
  const std::string prefix = folder.empty() ? "" : folder + "/";
  for (auto next = folders.upper_bound(prefix);
       next != folders.end() && next->first.starts_with(prefix); ++next)
    found.push_back(&*next);
  return found;
}

ImageFiles FolderSurvey::kind_of(const std::string& folder) const {
  ImageFiles best = ImageFiles::none;
  for (const Entry* entry : within(folder)) {
    if (!entry->second.images.empty()) return ImageFiles::readable;
    if (entry->second.image_files() > 0) best = ImageFiles::unsupported;
  }
  return best;
}

std::uint64_t FolderSurvey::count_images(const std::string& folder) const {
  std::uint64_t count = 0;
  for (const Entry* entry : within(folder)) count += entry->second.image_files();
  return count;
}

std::string FolderSurvey::text(const std::string& folder) const {
  std::string text;
  std::uint64_t lines = 0;
  for (const Entry* entry : within(folder)) {
    const auto& [below, files] = *entry;
    std::map<std::string, std::uint64_t> formats;
    for (const auto* names : {&files.images, &files.others})
      for (const std::string& name : *names) ++formats[format_of(name)];
    if (formats.empty() || ++lines > kMostLines) continue;
    std::vector<std::string> counts;
    counts.reserve(formats.size());
    for (const auto& [format, count] : formats) counts.push_back(number_text(count) + " " + format);
    const std::string sizes = look_at(path(below), files.images).sizes;
    const std::string inner = below.substr(folder.empty() ? 0 : folder.size());
    text += "\n  " +
            quoted_text(inner.empty() ? "." : inner.substr(inner.starts_with('/') ? 1 : 0)) + ": " +
            joined_text(counts, ", ") + (sizes.empty() ? "" : ", " + sizes);
  }
  if (lines > kMostLines)
    text += "\n  and " + counted_text(lines - kMostLines, "more folder", "more folders");
  return text;
}

std::vector<std::string> FolderSurvey::children(const std::string& folder) const {
  std::vector<std::string> names = at(folder).folders;
  std::erase_if(names, [&](const std::string& name) {
    return kind_of(joined(folder, name)) != ImageFiles::readable;
  });
  return names;
}

std::vector<std::string> FolderSurvey::all_folders() const {
  std::vector<std::string> names;
  for (const auto& [below, entry] : folders)
    if (kind_of(below) == ImageFiles::readable) names.push_back(below);
  const auto levels = [](const std::string& name) {
    return name.empty() ? -1 : std::count(name.begin(), name.end(), '/');
  };
  std::stable_sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return levels(a) < levels(b);
  });
  return names;
}

std::vector<std::string> FolderSurvey::images_below(const std::string& folder) const {
  std::vector<std::string> paths;
  for (const Entry* entry : within(folder))
    for (const std::string& name : entry->second.images)
      paths.push_back(joined(entry->first, name));
  return paths;
}

std::string FolderSurvey::left_out_text(
    const std::function<bool(const std::string&)>& is_used) const {
  std::vector<std::string> files = images_below("");
  std::erase_if(files, is_used);
  return files.empty() ? ""
                       : "; leaves out " + counted_text(files.size(), "image") + ", such as " +
                             quoted_text(files.front());
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
    const Result<File> file = File::open_read(root.empty() ? files[i] : path_below(root, files[i]));
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
    const bool colors = info.kind == codecs::PixelKind::rgb || info.kind == codecs::PixelKind::rgba;
    if (!colors && looks.example.empty()) looks.example = files[i];
    ++(colors ? looks.photographs : looks.label_like);
  }
  if (differ) looks.sizes += " and others";
  return looks;
}

Result<FolderSurvey> survey_folders(const std::string& root) {
  FolderSurvey survey;
  survey.root = root;
  Surveyor surveyor(survey);
  HOTPACK_TRY(walk_tree(root, surveyor));
  HOTPACK_TRY(surveyor.failure);
  return survey;
}

}  // namespace hotpack::pipeline
