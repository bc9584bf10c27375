#include "files/scan.hpp"

#include <algorithm>
#include <utility>

#include "base/try.hpp"
#include "base/utf8.hpp"
#include "files/file_kind.hpp"
#include "files/tree_walk.hpp"
#include "format/json.hpp"

namespace hotpack::pipeline {

namespace {

class Scanner : public TreeVisitor {
 public:
  Scanner(bool class_folders, std::span<const NamePattern> patterns, FileList& list,
          ProblemLog& problems)
      : class_folders_(class_folders), patterns_(patterns), list_(list), problems_(problems) {}

  Status scan_root(std::uint16_t root) {
    root_ = root;
    return walk_tree(list_.roots[root].folder, *this);
  }

  void folder(const std::string& below) override {
    if (!class_folders_ || below.find('/') != std::string::npos) return;
    if (is_utf8(below))
      list_.class_folders.push_back(below);
    else
      problems_.add({ProblemKind::unusable_name, path_of(below), "the folder's name is not UTF-8"});
  }

  bool file(const std::string& below, std::uint64_t bytes) override {
    const FileName name = describe_name(below);
    if (!matches(below)) {
      ++list_.other_files;
    } else if (name.kind == FileKind::unsupported) {
      problems_.add({ProblemKind::unsupported_file, path_of(below), unsupported_text(name.format)});
    } else if (name.kind != FileKind::image) {
      leave_out(below, name);
    } else if (!is_utf8(below)) {
      problems_.add({ProblemKind::unusable_name, path_of(below), "the name is not UTF-8"});
    } else if (class_folders_ && below.find('/') == std::string::npos) {
      problems_.add(
          {ProblemKind::no_class_folder, path_of(below), "the file is in no class folder"});
    } else {
      add_image(below, name.stem_length, bytes);
    }
    return true;
  }

  bool unusable(const Unusable& entry) override {
    const FileName name = describe_name(entry.below);
    const bool is_image = name.kind == FileKind::image || name.kind == FileKind::unsupported;
    if (entry.is_folder || (is_image && matches(entry.below)))
      problems_.add({ProblemKind::unopenable_file, path_of(entry.below), entry.why});
    else
      leave_out(entry.below, name);
    return true;
  }

 private:
  [[nodiscard]] bool matches(std::string_view below) const {
    // No pattern matches a name that is not UTF-8, which is a problem of its own.
    return patterns_.empty() || !patterns_[root_].given() || patterns_[root_].fits(below) ||
           !is_utf8(below);
  }

  void leave_out(const std::string& below, const FileName& name) {
    ++list_.other_files;
    if (name.kind != FileKind::annotation) return;
    const std::string path = path_of(below);
    if (list_.annotation.empty() || path < list_.annotation) list_.annotation = path;
  }

  void add_image(const std::string& below, std::size_t stem_length, std::uint64_t bytes) {
    const std::string& prefix = list_.roots[root_].key_prefix;
    FoundFile file;
    file.text = list_.arena.add(prefix, below);
    file.key = file.text;
    file.text_length = static_cast<std::uint16_t>(prefix.size() + below.size());
    file.key_length = static_cast<std::uint16_t>(prefix.size() + stem_length);
    file.bytes = bytes;
    file.root = root_;
    list_.files.push_back(file);
  }

  [[nodiscard]] std::string path_of(const std::string& below) const {
    return path_below(list_.roots[root_].folder, below);
  }

  bool class_folders_;
  std::span<const NamePattern> patterns_;  // none, or one per root
  FileList& list_;
  ProblemLog& problems_;
  std::uint16_t root_ = 0;
};

Result<FileList> scan(const std::vector<Root>& roots, bool class_folders,
                      std::span<const NamePattern> patterns, ProblemLog& problems) {
  FileList list;
  list.roots = roots;
  Scanner scanner(class_folders, patterns, list, problems);
  for (std::size_t root = 0; root < roots.size(); ++root)
    HOTPACK_TRY(scanner.scan_root(static_cast<std::uint16_t>(root)));
  std::sort(list.class_folders.begin(), list.class_folders.end());
  list.class_folders.erase(std::unique(list.class_folders.begin(), list.class_folders.end()),
                           list.class_folders.end());
  return list;
}

}  // namespace

Result<FileList> scan_images(const std::vector<Root>& roots, ProblemLog& problems,
                             std::span<const NamePattern> patterns) {
  return scan(roots, false, patterns, problems);
}

Result<FileList> scan_class_folders(const std::vector<Root>& roots, ProblemLog& problems) {
  return scan(roots, true, {}, problems);
}

}  // namespace hotpack::pipeline
