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

using Indices = KeyFinder::Indices;

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
  return words.find_first_of("0123456789") != words.npos &&
         words.find_first_not_of("0123456789+-. \t") == words.npos;
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
  ListReader(const std::string& file, const FileSet& set, const ListFileOptions& options)
      : file_(file),
        images_(set.images),
        labels_(set.labels),
        finder_(set.images),
        label_finder_(set.labels),
        paths_(file, options.root, options.strip_prefix) {
    hashed_names_ = std::ranges::any_of(images_.files, [&](const FoundFile& image) {
      return last_part(images_.key(image)).starts_with('#');
    });
  }

  Result<ListedImages> read(const ListFileOptions& options, ProblemLog& problems) {
    HOTPACK_ASSIGN(const std::string text, read_list_text(file_));
    TextLines lines(text);
    std::uint64_t entries = 0;
    while (const std::optional<TextLine> line = lines.next()) {
      if (line->text.starts_with('#') && !hashed_names_) continue;
      ++entries;
      add(*line);
    }
    HOTPACK_TRY(paths_.check_prefix());
    std::vector<std::uint32_t>& images = result_.images;
    if (images.empty() && !images_.files.empty()) return nothing_found(entries, options.by_option);
    std::ranges::sort(images);
    images.erase(std::unique(images.begin(), images.end()), images.end());
    if (options.skip_missing) result_.left_out = found_.forget(ProblemKind::missing_file);
    problems.append(found_);
    return std::move(result_);
  }

 private:
  void add(const TextLine& line) {
    if (is_negative(line.text) && find(finder_, without_quotes(line.text)).empty()) {
      ++result_.negative;
      return;
    }
    if (first_.empty()) first_ = line.text;
    const auto [matches, entry] = matches_of(line.text);
    const Indices folder = has_image_name(entry.name) ? Indices() : in_folder(entry.name);
    const std::string may_be = "'" + std::string(line.text) + "' may be ";
    if (!folder.empty() && (matches.empty() || (entry.rest.empty() && is_end(entry.name, matches))))
      add_folder(folder);
    else if (!folder.empty())
      refuse(line, may_be + "the image " + quoted_key(matches[0]) + " or the folder '" +
                       std::string(entry.name) +
                       "/'; write the extension of the image, or '/' behind the folder");
    else if (matches.size() == 1)
      add_image(line, matches.front(), entry.rest);
    else if (matches.size() > 1)
      refuse(line, may_be + quoted_key(matches[0]) + " or " + quoted_key(matches[1]) +
                       "; write the whole key");
    else
      add_problem(line, "no image is named '" + std::string(line.text) + "'");
  }

  // Adds a problem of a line that names images, but selects none.
  void refuse(const TextLine& line, const std::string& why) {
    if (refused_.empty()) refused_ = "line " + std::to_string(line.number) + ": " + why;
    add_problem(line, why);
  }

  void add_problem(const TextLine& line, const std::string& why) {
    found_.add(
        {ProblemKind::missing_file, file_, "line " + std::to_string(line.number) + ": " + why});
  }

  // The images below a folder of keys.
  Indices in_folder(std::string_view name) {
    return find_form(name, [&](const ListedPaths::Place& place) {
      std::string_view folder = place.below;
      while (folder.ends_with('/')) folder.remove_suffix(1);
      return folder.empty() ? Indices() : finder_.find_beginning(std::string(folder) + "/");
    });
  }

  void add_folder(const Indices& images) {
    result_.images.insert(result_.images.end(), images.begin(), images.end());
    ++result_.folders;
  }

  // True if the name is only the last part of the keys that it matches.
  bool is_end(std::string_view name, const Indices& matches) {
    return paths_.place(name).below.find_first_of("/\\") == std::string_view::npos &&
           images_.key(images_.files[matches[0]]).find('/') != std::string_view::npos;
  }

  // Returns the labels that the rest of a line names first, and makes `rest` their name.
  Indices labels_in(std::string_view& rest) {
    std::vector<Entry> entries{{rest, {}}};
    for (std::size_t at = 0; at < rest.size();) {
      const std::size_t end = std::min(rest.find_first_of("\t,", at), rest.size());
      for (const Entry& entry : entries_of(trimmed(rest.substr(at, end - at))))
        entries.push_back(entry);
      at = end + 1;
    }
    for (const Entry& entry : entries) {
      if (!is_image(entry.name) && entry.name.find('/') == std::string_view::npos) continue;
      Indices labels = find(label_finder_, entry.name);
      if (labels.empty()) continue;
      rest = entry.name;
      return labels;
    }
    return {};
  }

  // Adds the image to the result. But if `rest`, the remaining text of the line, has the path of a
  // label of another sample, adds a problem instead.
  void add_image(const TextLine& line, std::uint32_t image, std::string_view rest) {
    const Indices labels = labels_in(rest);
    const auto key_of = [&](std::uint32_t label) { return labels_.key(labels_.files[label]); };
    const std::string_view key = images_.key(images_.files[image]);
    if (labels.empty() || std::ranges::find(labels, key, key_of) != labels.end())
      result_.images.push_back(image);
    else
      refuse(line, "the image " + quoted_key(image) + " stands next to the label '" +
                       std::string(rest) + "', whose key is '" + std::string(key_of(labels[0])) +
                       "'; if the list says which label an image has, give it with --pairs "
                       "instead of --images and --labels");
  }

  // The images that the line may mean, with their name and the text after it.
  std::pair<Indices, Entry> matches_of(std::string_view line) {
    for (const Entry& entry : entries_of(line)) {
      Indices matches = entry.name.empty() ? Indices() : find(finder_, entry.name);
      // If images are called "a" and "a 1", a line "a 2" means neither of the two.
      const bool is_other =
          are_numbers(entry.rest) && !finder_.find_beginning(std::string(entry.name) + " ").empty();
      if (!matches.empty() && !is_other) return {std::move(matches), entry};
    }
    return {{}, {without_quotes(line), {}}};
  }

  Indices find(KeyFinder& finder, std::string_view name) {
    return find_form(name, [&](const ListedPaths::Place& place) {
      return finder.find(place.below, paths_.path(place));
    });
  }

  // Returns what `search` finds for the first form of a name for which it finds anything.
  template <class Search>
  Indices find_form(std::string_view name, Search search) {
    Indices found = search(paths_.place(name));
    if (!found.empty()) return found;
    for (const std::string& form : ListedPaths::other_forms(name))
      if (found.empty()) found = search(paths_.place(form));
    return found;
  }

  [[nodiscard]] std::string quoted_key(std::uint32_t image) const {
    return "'" + std::string(images_.key(images_.files[image])) + "'";
  }

  // --root and --strip-prefix apply only to lists that are given.
  [[nodiscard]] Error nothing_found(std::uint64_t entries, bool by_option) const {
    if (entries == 0) return data_error("is empty; expected a key or a path on each line", file_);
    const std::string lines = "of its " + std::to_string(entries) + " lines ";
    if (first_.empty())
      return data_error("all " + lines + "are marked -1: the list selects no image", file_);
    if (!refused_.empty())
      return data_error("none " + lines + "selects an image: " + refused_, file_);
    return data_error("none " + lines + "names an image: the first line is '" + first_ +
                          "', and a key is " + quoted_key(0) + ". Give " +
                          (by_option ? "" : "the list with --list, and ") +
                          "the folder of its paths with --root, or the beginning to remove from "
                          "them with --strip-prefix",
                      file_);
  }

  const std::string& file_;
  const FileList& images_;
  const FileList& labels_;
  KeyFinder finder_, label_finder_;
  ListedPaths paths_;
  ListedImages result_;
  ProblemLog found_;
  std::string refused_;        // why the first line that names images selects none
  std::string first_;          // the first line that is not marked -1
  bool hashed_names_ = false;  // the name of an image begins with '#', so lines may too
};

}  // namespace

Result<ListedImages> read_list_file(const std::string& file, const FileSet& set,
                                    const ListFileOptions& options, ProblemLog& problems) {
  return ListReader(file, set, options).read(options, problems);
}

Result<bool> is_empty_list(const std::string& file) {
  HOTPACK_ASSIGN(const std::string text, read_list_text(file));
  return !TextLines(text).next();
}

}  // namespace hotpack::pipeline
