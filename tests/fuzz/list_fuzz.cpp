// Lists of samples (--list): whatever they contain, only existing images are used, each once, in
// order.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "files/list_file.hpp"
#include "fuzz/fuzz.hpp"

using namespace hotpack;
using namespace hotpack::pipeline;

namespace {

void add(FileList& list, std::string_view prefix, std::string_view below) {
  FoundFile file;
  file.text = list.arena.add(prefix, below);
  file.text_length = static_cast<std::uint16_t>(prefix.size() + below.size());
  file.key = file.text;
  file.key_length = static_cast<std::uint16_t>(prefix.size() + below.rfind('.'));
  list.files.push_back(file);
}

FileSet make_set() {
  FileSet set;
  set.labeled = true;
  set.images.roots = {{"/data/images", ""}};
  set.labels.roots = {{"/data/labels", ""}};
  for (const char* name : {"a.png", "a 1.png", "b/a.jpg", "b/c d.png", "#x.png", "b/\xC3\xA9.png",
                           "train/0001.png", "val/0001.png"}) {
    add(set.images, "", name);
    add(set.labels, "", std::string(name).substr(0, std::string(name).rfind('.')) + ".png");
  }
  sort_by_key(set.images);
  sort_by_key(set.labels);
  return set;
}

// A file in memory whose content changes with each input.
class MemoryFile {
 public:
  MemoryFile()
      : descriptor_(memfd_create("list", MFD_CLOEXEC)),
        path_("/proc/self/fd/" + std::to_string(descriptor_)) {}
  void set(std::string_view text) const {
    if (ftruncate(descriptor_, 0) != 0 ||
        pwrite(descriptor_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
      std::abort();
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  int descriptor_;
  std::string path_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const FileSet set = make_set();
  static const MemoryFile file;
  fuzz::Pieces pieces(data, size);
  const std::uint8_t choice = pieces.byte();
  ListFileOptions options;
  options.skip_missing = (choice & 1) != 0;
  if ((choice & 2) != 0) options.strip_prefix = "images/";
  if ((choice & 4) != 0) options.root = "/data/images";
  file.set(fuzz::text_of(data, size).substr(size == 0 ? 0 : 1));
  ProblemLog problems;
  const Result<ListedImages> listed = read_list_file(file.path(), set, options, problems);
  fuzz::require_told(listed);
  if (!listed.ok()) return 0;
  for (std::size_t i = 0; i < listed->images.size(); ++i) {
    fuzz::require(listed->images[i] < set.images.files.size(),
                  "a list takes images that are there");
    fuzz::require(i == 0 || listed->images[i - 1] < listed->images[i],
                  "images are taken once, in order");
  }
  return 0;
}
