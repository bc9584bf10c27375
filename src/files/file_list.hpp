// Lists the image files of input folders and their keys with little memory: a few numbers per file,
// and all text in one string (the arena).
//
// Plain values; thread-safe to read. Functions that drop files also free their memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/path_pattern.hpp"
#include "hotpack/result.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

// An input folder and the prefix of its keys.
struct Root {
  std::string folder;
  std::string key_prefix;  // empty, or ending with '/'
};

// A number below 2^48, in six bytes without alignment to eight.
class Uint48 {
 public:
  constexpr Uint48(std::uint64_t value = 0)  // implicit, like a number
      : low_(static_cast<std::uint16_t>(value)),
        middle_(static_cast<std::uint16_t>(value >> 16)),
        high_(static_cast<std::uint16_t>(value >> 32)) {}
  constexpr operator std::uint64_t() const {
    return low_ | std::uint64_t{middle_} << 16 | std::uint64_t{high_} << 32;
  }
  Uint48& operator+=(std::uint64_t more) { return *this = *this + more; }

 private:
  std::uint16_t low_, middle_, high_;
};

// The text of many files in one allocation. The text of a file is the key prefix of its input
// folder (root), followed by the file's path below that folder.
//
// A copy shares the text until one of the two adds more.
class TextArena {
 public:
  TextArena() = default;
  // Of a text that already has the text of all files.
  explicit TextArena(std::shared_ptr<std::string> text) : text_(std::move(text)) {}
  // Returns where the text starts.
  std::uint64_t add(std::string_view first, std::string_view second = {});
  [[nodiscard]] std::string_view view(std::uint64_t offset, std::uint32_t length) const {
    return text_ ? std::string_view(*text_).substr(offset, length) : std::string_view();
  }

  // The memory of the text, divided among those who share it.
  [[nodiscard]] std::uint64_t memory_bytes() const;

 private:
  std::shared_ptr<std::string> text_;
};

// The most bytes of a path below its root, and of a key. Linux allows a path 4,096 bytes.
inline constexpr std::size_t kMostTextBytes = 0xFFFF;

// A file in as few bytes as possible.
struct SourceFile {
  Uint48 text;   // in the arena
  Uint48 bytes;  // size of the file
  std::uint16_t text_length = 0;
  std::uint16_t root = 0;
};

// A file and the key it has.
struct FoundFile : SourceFile {
  Uint48 key;  // place of the key in the arena; usually where the file's text begins
  std::uint16_t key_length = 0;
};
static_assert(sizeof(SourceFile) == 16 && sizeof(FoundFile) == 24);

struct FileList {
  TextArena arena;
  std::vector<FoundFile> files;
  std::vector<Root> roots;
  std::uint64_t other_files = 0;     // ignored: no images, or with another suffix or format
  std::uint64_t without_suffix = 0;  // images that were dropped for lack of the given suffix
  std::string named_as_suffix;       // the first of these whose whole name is the suffix
  std::string annotation;  // the first ignored file, in byte order, that may hold polygons
  std::vector<std::string> class_folders;  // of scan_class_folders(): unique, in byte order

  [[nodiscard]] std::string_view text(const SourceFile& file) const {
    return arena.view(file.text, file.text_length);
  }
  [[nodiscard]] std::string_view key(const FoundFile& file) const {
    return arena.view(file.key, file.key_length);
  }
  [[nodiscard]] std::string_view below(const SourceFile& file) const;  // the path below the root
  [[nodiscard]] std::string_view stem(const SourceFile& file) const;   // the same without extension
  [[nodiscard]] std::string path(const SourceFile& file) const;
};

// A path below the folder of a root, which may be "" (the path is absolute) or "/".
[[nodiscard]] std::string path_below(const std::string& folder, std::string_view below);

// In part_of: the file goes to no list.
inline constexpr std::uint32_t kNoPart = 0xFFFFFFFF;
// Divides the files among `parts` lists: file i goes to list part_of[i]. The lists share the text.
[[nodiscard]] std::vector<FileList> divide_files(FileList list,
                                                 const std::vector<std::uint32_t>& part_of,
                                                 std::size_t parts);

// Sorts by the bytes of keys, and equal keys by path.
void sort_by_key(FileList& list);

// Returns the first file with the key; nullptr if there is none. Precondition: sorted by key.
[[nodiscard]] const FoundFile* find_key(const FileList& list, std::string_view key);

// Returns true if `stem` ends with `suffix` and has other text before it: in the last part of the
// path, unless the suffix contains a '/'.
[[nodiscard]] bool has_suffix(std::string_view stem, std::string_view suffix);

// Keeps the files whose key has the suffix, and strips it.
void strip_suffix(FileList& list, std::string_view suffix);
// Keeps the files whose key does not have the suffix.
void drop_suffix(FileList& list, std::string_view suffix);
// Keeps the JPEG files, or all others.
void keep_format(FileList& list, bool jpeg);
// Removes the files whose key is empty from the list. They are not counted in other_files, because
// the code that emptied their keys reports them.
void drop_keyless(FileList& list);
// Sets the key of each file: the prefix of its root, followed by what the pattern captures in the
// path below the root. If the pattern does not match, the key becomes empty. If the captures cannot
// be a key, the file is dropped and added to `problems`.
[[nodiscard]] Status capture_keys(FileList& list, const PathPattern& pattern, ProblemLog& problems);

}  // namespace hotpack::pipeline
