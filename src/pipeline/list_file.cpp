#include "pipeline/list_file.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "pipeline/file_kind.hpp"
#include "pipeline/key_finder.hpp"
#include "pipeline/text_lines.hpp"

namespace hotpack::pipeline {

namespace {

// What a line may name, likeliest first: all of it (names may hold blanks), or what stands before a tab, a comma or a blank.
std::vector<std::string_view> entries_of(std::string_view line) {
  std::vector<std::string_view> entries{line};
  for (const std::string_view separator : {"\t", ",", " \t"}) {
    const std::size_t end = line.find_first_of(separator);
    if (end != std::string_view::npos) entries.push_back(without_blanks(line.substr(0, end)));
  }
  for (std::string_view& entry : entries)
    if (entry.size() > 2 && entry.front() == '"' && entry.back() == '"') entry = entry.substr(1, entry.size() - 2);
  return entries;
}

// "2008_000008 -1" of a VOC class list.
bool is_negative(std::string_view line) {
  const std::size_t blank = line.find_last_of(" \t");
  return blank != std::string_view::npos && line.substr(blank + 1) == "-1" &&
         without_blanks(line.substr(0, blank)).find_first_of(" \t") == std::string_view::npos;
}

class ListReader {
 public:
  ListReader(const std::string& file, const FileList& images, const ListFileOptions& options, ProblemLog& problems)
      : file_(file),
        images_(images),
        options_(options),
        problems_(problems),
        finder_(images),
        paths_(file, options.root, options.strip_prefix) {}

  Result<ListedImages> read() {
    HOTPACK_ASSIGN(const std::string text, read_list_text(file_));
    TextLines lines(text);
    ProblemLog found;
    std::uint64_t entries = 0;
    while (const std::optional<TextLine> line = lines.next()) {
      ++entries;
      if (is_negative(line->text))
        ++result_.negative;
      else
        add(*line, found);
    }
    HOTPACK_TRY(paths_.check_prefix());
    if (result_.images.empty() && !images_.files.empty()) return nothing_found(entries);
    std::sort(result_.images.begin(), result_.images.end());
    result_.images.erase(std::unique(result_.images.begin(), result_.images.end()), result_.images.end());
    if (options_.skip_missing) result_.left_out = found.forget(ProblemKind::missing_file);
    problems_.append(found);
    return std::move(result_);
  }

 private:
  void add(const TextLine& line, ProblemLog& found) {
    if (first_.empty()) first_ = line.text;
    const std::vector<std::uint32_t> matches = matches_of(line.text);
    if (matches.size() == 1) {
      result_.images.push_back(matches.front());
    } else if (matches.empty()) {
      found.add({ProblemKind::missing_file, file_, where(line) + "no image is named '" + std::string(line.text) + "'"});
    } else {
      found.add({ProblemKind::missing_file, file_,
                 where(line) + "'" + std::string(line.text) + "' may be " + quoted_key(matches[0]) + " or " + quoted_key(matches[1]) +
                     "; write the whole key"});
    }
  }

  std::vector<std::uint32_t> matches_of(std::string_view line) {
    for (const std::string_view entry : entries_of(line)) {
      if (entry.empty()) continue;
      const ListedPaths::Place place = paths_.place(entry);
      std::vector<std::uint32_t> matches = finder_.find(place.below);
      if (matches.empty()) matches = finder_.find_path(path_below(paths_.roots()[place.root].folder, place.below));
      if (!matches.empty()) return matches;
    }
    return {};
  }

  [[nodiscard]] static std::string where(const TextLine& line) { return "line " + std::to_string(line.number) + ": "; }
  [[nodiscard]] std::string quoted_key(std::uint32_t image) const { return "'" + std::string(images_.key(images_.files[image])) + "'"; }

  [[nodiscard]] Error nothing_found(std::uint64_t entries) const {
    if (entries == 0) return data_error("is empty; expected a key or a path on each line", file_);
    if (first_.empty()) return data_error("all of its " + std::to_string(entries) + " lines are marked -1: no image is taken", file_);
    return data_error("none of its " + std::to_string(entries) + " lines names an image: the first is '" + first_ + "', and a key is " +
                          quoted_key(0) + ". Say where its paths begin with --root and --strip-prefix",
                      file_);
  }

  const std::string& file_;
  const FileList& images_;
  const ListFileOptions& options_;
  ProblemLog& problems_;
  KeyFinder finder_;
  ListedPaths paths_;
  ListedImages result_;
  std::string first_;  // the first line that asks for an image
};

}  // namespace

Result<ListedImages> read_list_file(const std::string& file, const FileList& images, const ListFileOptions& options, ProblemLog& problems) {
  return ListReader(file, images, options, problems).read();
}

}  // namespace hotpack::pipeline
