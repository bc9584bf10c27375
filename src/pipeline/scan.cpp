#include "pipeline/scan.hpp"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <memory>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "format/json.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::array<std::string_view, 5> kPictures{"png", "jpg", "jpeg", "jpe", "jfif"};
// Pictures and label files that people have, and that hotpack does not read: named, never silently left out.
constexpr std::array<std::string_view, 20> kUnsupported{"bmp",  "gif", "webp", "tif", "tiff", "jp2", "j2k", "jxl", "heic", "heif",
                                                        "avif", "ppm", "pgm",  "pnm", "mat",  "exr", "npy", "dcm", "nii",  "hdr"};

std::string lower_extension(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  std::string extension = dot == std::string_view::npos ? "" : std::string(name.substr(dot + 1));
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension;
}

bool is_litter(std::string_view name) {
  return name.starts_with('.') || name == "Thumbs.db" || name == "desktop.ini" || name == "__MACOSX";
}

template <class List>
bool contains(const List& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

class Scanner {
 public:
  Scanner(std::string_view suffix, bool class_folders, FileList& list, ProblemLog& problems)
      : suffix_(suffix), class_folders_(class_folders), list_(list), problems_(problems) {}

  Status scan_root(std::uint16_t root) {
    root_ = root;
    above_.clear();
    struct stat status {};
    const std::string& folder = list_.roots[root].folder;
    if (::stat(folder.c_str(), &status) != 0) return io_error("cannot read the input folder", folder, errno);
    if (!S_ISDIR(status.st_mode)) return Error{ErrorCode::io, "is not a folder", folder, {}};
    return scan_folder("", status);
  }

 private:
  using Identity = std::pair<dev_t, ino_t>;

  Status scan_folder(const std::string& below, const struct stat& status) {
    const Identity identity{status.st_dev, status.st_ino};
    if (!above_.insert(identity).second) return {};  // a symbolic link back to a folder that we are in
    const std::string path = path_of(below);
    const Folder folder(::opendir(path.c_str()));
    if (!folder) return io_error("cannot read the input folder", path, errno);
    while (true) {
      errno = 0;
      const dirent* const entry = ::readdir(folder.get());
      if (entry == nullptr) break;
      if (is_litter(entry->d_name)) continue;
      HOTPACK_TRY(scan_entry(below.empty() ? entry->d_name : below + "/" + entry->d_name));
    }
    if (errno != 0) return io_error("cannot read the input folder", path, errno);
    above_.erase(identity);
    return {};
  }

  Status scan_entry(const std::string& below) {
    const std::string path = path_of(below);
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return unreadable(below, errno);
    if (S_ISDIR(status.st_mode)) {
      if (class_folders_ && below.find('/') == std::string::npos) add_class_folder(below);
      return scan_folder(below, status);
    }
    if (S_ISREG(status.st_mode)) add_file(below, static_cast<std::uint64_t>(status.st_size));
    return {};
  }

  // A link to nowhere matters only where a picture should be.
  Status unreadable(const std::string& below, int errno_value) {
    if (errno_value == ENOENT && !contains(kPictures, lower_extension(below))) {
      ++list_.other_files;
      return {};
    }
    return io_error("cannot read", path_of(below), errno_value);
  }

  void add_class_folder(const std::string& name) {
    if (format::valid_utf8(name))
      list_.class_folders.push_back(name);
    else
      problems_.add({ProblemKind::unusable_name, path_of(name), "the folder's name is not UTF-8"});
  }

  void add_file(const std::string& below, std::uint64_t bytes) {
    const std::string extension = lower_extension(below);
    if (contains(kUnsupported, extension)) {
      problems_.add({ProblemKind::unsupported_file, path_of(below), "." + extension + " files are not supported"});
    } else if (!contains(kPictures, extension)) {
      ++list_.other_files;
    } else if (!format::valid_utf8(below)) {
      problems_.add({ProblemKind::unusable_name, path_of(below), "the name is not UTF-8"});
    } else if (class_folders_ && below.find('/') == std::string::npos) {
      problems_.add({ProblemKind::no_class_folder, path_of(below), "the file is in no class folder"});
    } else {
      add_picture(below, below.size() - extension.size() - 1, bytes);
    }
  }

  void add_picture(const std::string& below, std::size_t stem_length, std::uint64_t bytes) {
    const std::string_view stem = std::string_view(below).substr(0, stem_length);
    const std::string_view name = stem.substr(stem.rfind('/') + 1);
    if (!name.ends_with(suffix_) || name.size() == suffix_.size()) {
      ++list_.other_files;
      return;
    }
    const std::string& prefix = list_.roots[root_].key_prefix;
    FoundFile file;
    file.text = list_.arena.add(prefix, below);
    file.text_length = static_cast<std::uint32_t>(prefix.size() + below.size());
    file.key_length = static_cast<std::uint32_t>(prefix.size() + stem_length - suffix_.size());
    file.bytes = bytes;
    file.root = root_;
    list_.files.push_back(file);
  }

  [[nodiscard]] std::string path_of(const std::string& below) const {
    const std::string& folder = list_.roots[root_].folder;
    return below.empty() ? folder : folder + "/" + below;
  }

  std::string_view suffix_;
  bool class_folders_;
  FileList& list_;
  ProblemLog& problems_;
  std::uint16_t root_ = 0;
  std::set<Identity> above_;  // the folders from the root to here
};

Result<FileList> scan(const std::vector<Root>& roots, std::string_view suffix, bool class_folders, ProblemLog& problems) {
  FileList list;
  list.roots = roots;
  Scanner scanner(suffix, class_folders, list, problems);
  for (std::size_t root = 0; root < roots.size(); ++root) HOTPACK_TRY(scanner.scan_root(static_cast<std::uint16_t>(root)));
  std::sort(list.class_folders.begin(), list.class_folders.end());
  list.class_folders.erase(std::unique(list.class_folders.begin(), list.class_folders.end()), list.class_folders.end());
  return list;
}

}  // namespace

std::uint64_t TextArena::add(std::string_view first, std::string_view second) {
  const std::uint64_t offset = text_.size();
  text_.append(first).append(second);
  return offset;
}

std::string FileList::path(const FoundFile& file) const {
  const Root& root = roots[file.root];
  return root.folder + "/" + std::string(text(file).substr(root.key_prefix.size()));
}

Result<FileList> scan_pictures(const std::vector<Root>& roots, std::string_view suffix, ProblemLog& problems) {
  return scan(roots, suffix, false, problems);
}

Result<FileList> scan_class_folders(const std::vector<Root>& roots, std::string_view suffix, ProblemLog& problems) {
  return scan(roots, suffix, true, problems);
}

}  // namespace hotpack::pipeline
