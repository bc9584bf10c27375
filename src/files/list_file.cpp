#include "files/list_file.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/try.hpp"
#include "files/file_kind.hpp"
#include "files/key_finder.hpp"
#include "files/text_lines.hpp"

namespace hotpack::pipeline {

namespace {

std::string_view without_quotes(std::string_view entry) {
  const bool quoted = entry.size() > 2 && entry.front() == '"' && entry.back() == '"';
  return quoted ? entry.substr(1, entry.size() - 2) : entry;
}

// A possible name in a line and the text after it.
struct Entry {
  std::string_view name, rest;
};

bool is_image(std::string_view name) { return describe_name(name).kind == FileKind::image; }

bool are_numbers(std::string_view words) {
  return std::any_of(words.begin(), words.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
         words.find_first_not_of("0123456789+-. \t") == std::string_view::npos;
}

// Returns what may be the name in a line, the most likely first: the whole line (names may contain
// spaces), then the text before a tab, before a comma, or before a space that is followed by
// numbers or an image.
std::vector<Entry> entries_of(std::string_view line) {
  std::vector<Entry> entries{{without_quotes(line), {}}};
  for (const std::string_view separator : {"\t", ",", " "}) {
    const std::size_t end = line.find_first_of(separator);
    if (end == std::string_view::npos) continue;
    const Entry entry{without_quotes(trimmed(line.substr(0, end))),
                      without_quotes(trimmed(line.substr(end + 1)))};
    if (separator != " " || are_numbers(entry.rest) || is_image(entry.rest))
      entries.push_back(entry);
  }
  return entries;
}

// "2008_000008 -1" of a VOC class list.
bool is_negative(std::string_view line) {
  const std::size_t blank = line.find_last_of(" \t");
  return blank != std::string_view::npos && line.substr(blank + 1) == "-1" &&
         trimmed(line.substr(0, blank)).find_first_of(" \t") == std::string_view::npos;
}

class ListReader {
 public:
  ListReader(const std::string& file, const FileSet& set, const ListFileOptions& options,
             ProblemLog& problems)
      : file_(file),
        images_(set.images),
        labels_(set.labels),
        options_(options),
        problems_(problems),
        finder_(set.images),
        label_finder_(set.labels),
        paths_(file, options.root, options.strip_prefix) {
    hashed_names_ = std::any_of(
        images_.files.begin(), images_.files.end(),
        [&](const FoundFile& image) { return last_part(images_.key(image)).starts_with('#'); });
  }

  Result<ListedImages> read() {
    HOTPACK_ASSIGN(const std::string text, read_list_text(file_));
    TextLines lines(text);
    ProblemLog found;
    std::uint64_t entries = 0;
    while (const std::optional<TextLine> line = lines.next()) {
      if (line->text.starts_with('#') && !hashed_names_) continue;
      ++entries;
      add(*line, found);
    }
    HOTPACK_TRY(paths_.check_prefix());
    if (result_.images.empty() && !images_.files.empty()) return nothing_found(entries);
    std::sort(result_.images.begin(), result_.images.end());
    result_.images.erase(std::unique(result_.images.begin(), result_.images.end()),
                         result_.images.end());
    if (options_.skip_missing) result_.left_out = found.forget(ProblemKind::missing_file);
    problems_.append(found);
    return std::move(result_);
  }

 private:
  void add(const TextLine& line, ProblemLog& found) {
    if (is_negative(line.text) && find(finder_, without_quotes(line.text)).empty()) {
      ++result_.negative;
      return;
    }
    if (first_.empty()) first_ = line.text;
    const auto [matches, rest] = matches_of(line.text);
    if (matches.size() == 1) {
      add_image(line, matches.front(), rest, found);
    } else if (matches.empty() && add_folder(without_quotes(line.text))) {
      ++result_.folders;
    } else if (matches.empty()) {
      found.add({ProblemKind::missing_file, file_,
                 where(line) + "no image is named '" + std::string(line.text) + "'"});
    } else {
      found.add({ProblemKind::missing_file, file_,
                 where(line) + "'" + std::string(line.text) + "' may be " + quoted_key(matches[0]) +
                     " or " + quoted_key(matches[1]) + "; write the whole key"});
    }
  }

  // Adds the images below a folder of keys to the result. Returns false if there is none.
  bool add_folder(std::string_view name) {
    std::vector<std::uint32_t> images = finder_.find_folder(paths_.place(name).below);
    for (const std::string& form : ListedPaths::other_forms(name))
      if (images.empty()) images = finder_.find_folder(paths_.place(form).below);
    result_.images.insert(result_.images.end(), images.begin(), images.end());
    return !images.empty();
  }

  // Adds the image to the result. But if `rest`, the remaining text of the line, is the path of a
  // label of another sample, adds a problem instead.
  void add_image(const TextLine& line, std::uint32_t image, std::string_view rest,
                 ProblemLog& found) {
    const std::vector<std::uint32_t> labels =
        is_image(rest) ? find(label_finder_, rest) : std::vector<std::uint32_t>();
    const std::string_view key = images_.key(images_.files[image]);
    const auto is_own = [&](std::uint32_t label) {
      return labels_.key(labels_.files[label]) == key;
    };
    if (labels.empty() || std::any_of(labels.begin(), labels.end(), is_own)) {
      result_.images.push_back(image);
      return;
    }
    found.add({ProblemKind::missing_file, file_,
               where(line) + "the image " + quoted_key(image) + " stands next to the label '" +
                   std::string(rest) + "', whose key is '" +
                   std::string(labels_.key(labels_.files[labels.front()])) +
                   "'; if the list says which label an image has, give it with --pairs instead of "
                   "--images and --labels"});
  }

  // The images that the line may mean, and the text after their name.
  std::pair<std::vector<std::uint32_t>, std::string_view> matches_of(std::string_view line) {
    for (const Entry& entry : entries_of(line)) {
      std::vector<std::uint32_t> matches =
          entry.name.empty() ? std::vector<std::uint32_t>() : find(finder_, entry.name);
      if (!matches.empty() && !(are_numbers(entry.rest) && has_numbered_siblings(entry.name)))
        return {std::move(matches), entry.rest};
    }
    return {};
  }

  std::vector<std::uint32_t> find(KeyFinder& finder, std::string_view name) {
    std::vector<std::uint32_t> matches = find_form(finder, name);
    for (const std::string& form : ListedPaths::other_forms(name))
      if (matches.empty()) matches = find_form(finder, form);
    return matches;
  }

  std::vector<std::uint32_t> find_form(KeyFinder& finder, std::string_view name) {
    const ListedPaths::Place place = paths_.place(name);
    std::vector<std::uint32_t> matches = finder.find(place.below);
    if (matches.empty())
      matches = finder.find_path(path_below(paths_.roots()[place.root].folder, place.below));
    return matches.empty() ? finder.find_end(place.below) : matches;
  }

  // Returns true if the name of some image continues `name` with a space and more text. If images
  // are called "a" and "a 1", a line "a 2" means neither of the two.
  [[nodiscard]] bool has_numbered_siblings(std::string_view name) const {
    const std::string longer = std::string(name) + " ";
    const auto next = std::lower_bound(
        images_.files.begin(), images_.files.end(), std::string_view(longer),
        [&](const FoundFile& file, std::string_view wanted) { return images_.key(file) < wanted; });
    return next != images_.files.end() && images_.key(*next).starts_with(longer);
  }

  [[nodiscard]] static std::string where(const TextLine& line) {
    return "line " + std::to_string(line.number) + ": ";
  }
  [[nodiscard]] std::string quoted_key(std::uint32_t image) const {
    return "'" + std::string(images_.key(images_.files[image])) + "'";
  }

  [[nodiscard]] Error nothing_found(std::uint64_t entries) const {
    if (entries == 0) return data_error("is empty; expected a key or a path on each line", file_);
    if (first_.empty())
      return data_error("all of its " + std::to_string(entries) +
                            " lines are marked -1: the list selects no image",
                        file_);
    // --root and --strip-prefix apply only to lists that are given.
    return data_error("none of its " + std::to_string(entries) +
                          " lines names an image: the first line is '" + first_ +
                          "', and a key is " + quoted_key(0) + ". Give " +
                          (options_.by_option ? "" : "the list with --list, and ") +
                          "the folder of its paths with --root, or the beginning to remove from "
                          "them with --strip-prefix",
                      file_);
  }

  const std::string& file_;
  const FileList& images_;
  const FileList& labels_;
  const ListFileOptions& options_;
  ProblemLog& problems_;
  KeyFinder finder_, label_finder_;
  ListedPaths paths_;
  ListedImages result_;
  std::string first_;          // the first line that is not marked -1
  bool hashed_names_ = false;  // the name of an image begins with '#', so lines may too
};

}  // namespace

Result<ListedImages> read_list_file(const std::string& file, const FileSet& set,
                                    const ListFileOptions& options, ProblemLog& problems) {
  return ListReader(file, set, options, problems).read();
}

Result<bool> is_empty_list(const std::string& file) {
  HOTPACK_ASSIGN(const std::string text, read_list_text(file));
  return !TextLines(text).next();
}

}  // namespace hotpack::pipeline
