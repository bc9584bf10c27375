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
constexpr std::size_t kMostHeaders = 4;          // per folder
constexpr std::size_t kMostHeaderFolders = 256;  // whose headers are read
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

void read_headers(const std::string& path, SurveyedFolder& folder) {
  std::string first;
  std::size_t read = 0, photographs = 0;
  bool differ = false;
  std::vector<std::byte> bytes(kHeaderBytes);
  const std::size_t step = folder.images.size() / kMostHeaders + 1;
  for (std::size_t i = 0; i < folder.images.size(); i += step) {
    const Result<File> file = File::open_read(path_below(path, folder.images[i]));
    if (!file.ok()) continue;
    const std::uint64_t size = file->size().value_or(0);
    const std::span<std::byte> part =
        std::span(bytes).first(std::min<std::uint64_t>(size, kHeaderBytes));
    if (!file->read_at(0, part).ok()) continue;
    const Result<codecs::Probe> probe = codecs::probe(part, size <= kHeaderBytes);
    if (!probe.ok() || probe->need_more) continue;
    const codecs::ImageInfo& info = probe->info;
    const std::string text = std::to_string(info.width) + "x" + std::to_string(info.height);
    if (first.empty()) first = text;
    differ = differ || text != first;
    ++read;
    photographs += info.format == codecs::FileFormat::jpeg || info.kind == codecs::PixelKind::rgb ||
                           info.kind == codecs::PixelKind::rgba
                       ? 1U
                       : 0U;
  }
  folder.sizes = differ ? first + " and others" : first;
  folder.photographs = read > 0 && photographs == read;
  folder.label_like = read > 0 && photographs == 0;
  folder.mixed = photographs > 0 && photographs < read;
}

bool is_within(const std::string& path, const std::string& folder) {
  return folder.empty() || path == folder || path.starts_with(folder + "/");
}

}  // namespace

bool FolderSurvey::has_images() const {
  return std::any_of(folders.begin(), folders.end(),
                     [](const auto& entry) { return !entry.second.images.empty(); });
}

std::string FolderSurvey::text() const {
  std::string text;
  std::size_t lines = 0;
  for (const auto& [below, folder] : folders) {
    if (lines++ == kMostLines) break;
    std::vector<std::string> formats;
    for (const auto& [format, count] : folder.formats)
      formats.push_back(number_text(count) + " " + format);
    text += "\n  " + quoted_text(below.empty() ? "." : below) + ": " + joined_text(formats, ", ") +
            (folder.sizes.empty() ? "" : ", " + folder.sizes);
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

std::vector<std::string> FolderSurvey::stems(const std::string& folder) const {
  std::vector<std::string> stems;
  const std::size_t start = folder.empty() ? 0 : folder.size() + 1;
  for (const auto& [below, entry] : folders) {
    if (!is_within(below, folder)) continue;
    const std::string inner = below.size() > start ? below.substr(start) + "/" : "";
    for (const std::string& name : entry.images)
      stems.push_back(inner + name.substr(0, describe_name(name).stem_length));
  }
  std::sort(stems.begin(), stems.end());
  return stems;
}

FolderSurvey::Looks FolderSurvey::looks(const std::string& folder) const {
  Looks looks;
  for (const auto& [below, entry] : folders) {
    if (!is_within(below, folder) || entry.images.empty()) continue;
    looks.photographs += entry.photographs ? 1 : 0;
    looks.label_like += entry.label_like ? 1 : 0;
    looks.mixed += entry.mixed ? 1 : 0;
  }
  return looks;
}

Result<FolderSurvey> survey_folders(const std::string& root) {
  FolderSurvey survey;
  survey.root = root;
  Surveyor surveyor(survey);
  HOTPACK_TRY(walk_tree(root, surveyor));
  std::size_t read = 0;
  for (auto& [below, folder] : survey.folders)
    if (!folder.images.empty() && read++ < kMostHeaderFolders)
      read_headers(below.empty() ? root : path_below(root, below), folder);
  return survey;
}

}  // namespace hotpack::pipeline
