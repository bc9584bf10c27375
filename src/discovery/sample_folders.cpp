#include "discovery/sample_folders.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "discovery/folder_pattern.hpp"
#include "files/file_kind.hpp"
#include "files/file_list.hpp"
#include "files/path_pattern.hpp"
#include "files/tree_walk.hpp"

namespace hotpack::pipeline {

namespace {

constexpr char kFolder = '\x01';  // in a role: the name of the folder
constexpr char kNumber = '\x02';  // in a role: any digits
constexpr std::string_view kNumberRegex = "[0-9]+";
constexpr std::uint64_t kMostPercent = 90, kManyPercent = 60;
constexpr std::size_t kMostCompared = 16;  // roles whose numbers are compared
constexpr std::size_t kMostHeaders = 64;   // PNG files of a folder whose headers are read
constexpr std::size_t kMostHeaderFolders = 32;
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0;
}

struct SampleFile {
  std::string name;
  std::size_t role = kNone;
  std::string numbers;  // the digits for kNumber
};

struct SampleFolder {
  std::string name;
  std::vector<SampleFile> files;  // images, in byte order
};

struct Role {
  std::string text;
  std::uint64_t folders = 0;  // folders that have a file of this role
  std::uint64_t files = 0;
  std::uint64_t jpegs = 0;
  std::size_t last_folder = kNone;
  bool once = true;  // no folder has two files of this role
  std::set<std::string> extensions;
  std::string example;
};

// True if two adjacent characters belong to one number or, in short names, to one word.
bool go_together(char a, char b, bool is_short) {
  return (is_digit(a) && is_digit(b)) || (is_short && is_letter(a) && is_letter(b));
}

// Returns true if `name` stands at `place` and is not part of something longer: of a longer number
// or, for names of one or two letters, of a longer word ("a" in "mask").
bool is_name_at(std::string_view text, std::size_t place, std::string_view name) {
  if (text.substr(place, name.size()) != name) return false;
  const std::size_t end = place + name.size();
  const bool is_short = name.size() < 3;
  const bool goes_on = end < text.size() && go_together(name.back(), text[end], is_short);
  return !goes_on && (place == 0 || !go_together(text[place - 1], name.front(), is_short));
}

// The role of a file in its sample: its stem without the parts that differ between folders.
std::string role_of(std::string_view stem, std::string_view folder, std::string& numbers) {
  std::string role;
  for (std::size_t i = 0; i < stem.size();) {
    if (is_name_at(stem, i, folder)) {
      role += kFolder;
      i += folder.size();
    } else if (is_digit(stem[i])) {
      role += kNumber;
      while (i < stem.size() && is_digit(stem[i])) numbers += stem[i++];
      numbers += ' ';
    } else {
      role += stem[i++];
    }
  }
  return role;
}

bool has_letters(const Role& role) {
  return std::any_of(role.text.begin(), role.text.end(), is_letter);
}

// True if `is_word` is true for a word of the role.
bool has_word(const Role& role, bool (*is_word)(std::string_view)) {
  std::string word;
  for (const char c : role.text + "_") {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      word += c;
    } else {
      if (!word.empty() && is_word(word)) return true;
      word.clear();
    }
  }
  return false;
}

bool is_label(const Role& role) { return has_word(role, is_labels_word); }

// ---- PNG headers

enum class Form { photo, gray, palette, unknown };

// Photographs are JPEG or have colors; labels are gray or have a palette.
Form form_of(const File& file, bool is_jpeg) {
  if (is_jpeg) return Form::photo;
  std::array<std::byte, 26> header{};
  if (!file.read_at(0, header).ok() || header[1] != std::byte{'P'} || header[2] != std::byte{'N'})
    return Form::unknown;
  const auto color = std::to_integer<unsigned>(header[25]);
  if (color == 2 || color == 6) return Form::photo;
  return color == 3 ? Form::palette : Form::gray;
}

// How much the files of a role look like images; larger is more. Palettes count against it.
struct Likeness {
  std::int64_t photos = 0, palettes = 0;
  std::uint64_t bytes = 0;

  void add(const File& file, bool is_jpeg) {
    const Form form = form_of(file, is_jpeg);
    photos += form == Form::photo ? 1 : 0;
    palettes += form == Form::palette ? 1 : 0;
    bytes += file.size().value_or(0);
  }
  [[nodiscard]] auto rank() const { return std::tuple(photos, -palettes, bytes); }
};

// ---- the folders

class Folders {
 public:
  explicit Folders(const std::string& root) : root_(root) {}

  Status read() {
    HOTPACK_ASSIGN(const FolderContent content, read_folder(root_));
    for (const std::string& name : content.folders) HOTPACK_TRY(read_one(name));
    for (std::size_t i = 0; i < folders_.size(); ++i)
      for (SampleFile& file : folders_[i].files) add_to_role(i, file);
    return {};
  }

  std::optional<SampleFolders> samples() {
    if (folders_.size() < 2) return std::nullopt;
    for (std::optional<SampleFolders> (Folders::*const sign)() :
         {&Folders::by_label_word, &Folders::by_roles, &Folders::by_numbers, &Folders::by_names,
          &Folders::by_forms})
      if (std::optional<SampleFolders> found = (this->*sign)()) return found;
    return std::nullopt;
  }

 private:
  Status read_one(const std::string& name) {
    HOTPACK_ASSIGN(FolderContent within, read_folder(path_below(root_, name)));
    SampleFolder folder{name, {}};
    for (std::string& file : within.files)
      if (describe_name(file).kind == FileKind::image)
        folder.files.push_back({std::move(file), kNone, {}});
    deeper_ = deeper_ || !within.folders.empty();
    files_ += folder.files.size();
    if (!folder.files.empty()) folders_.push_back(std::move(folder));
    return {};
  }

  // A role that most folders have occurs in one of the first folders, so later roles do not matter.
  void add_to_role(std::size_t folder, SampleFile& file) {
    const FileName name = describe_name(file.name);
    std::string text = role_of(std::string_view(file.name).substr(0, name.stem_length),
                               folders_[folder].name, file.numbers);
    auto found = by_text_.find(text);
    if (found == by_text_.end()) {
      if (folder > folders_.size() / 10) return;
      found = by_text_.emplace(text, roles_.size()).first;
      roles_.emplace_back();
      roles_.back().text = std::move(text);
      roles_.back().example = folders_[folder].name + "/" + file.name;
    }
    file.role = found->second;
    Role& role = roles_[file.role];
    if (role.last_folder == folder) role.once = false;
    if (role.last_folder != folder) ++role.folders;
    role.last_folder = folder;
    ++role.files;
    role.jpegs += name.is_jpeg ? 1 : 0;
    role.extensions.insert(file.name.substr(name.stem_length));
  }

  [[nodiscard]] bool in_most(std::uint64_t folders) const {
    return folders * 100 >= folders_.size() * kMostPercent;
  }
  [[nodiscard]] bool in_many(std::uint64_t folders) const {
    return folders * 100 >= folders_.size() * kManyPercent;
  }

  // ---- one image and one label per folder

  // The sign: a file named like a label, next to other images.
  std::optional<SampleFolders> by_label_word() {
    for (const Role& label : roles_) {
      if (!in_most(label.folders) || !is_label(label)) continue;
      const std::string other = other_example(label);
      if (other.empty()) continue;
      SampleFolders found = base("whose files have the same names, such as " + quoted_text(other) +
                                 " and " + quoted_text(label.example));
      add_pair_with(label, found);
      add_masks(label, found);
      return found;
    }
    return std::nullopt;
  }

  // Returns an example of a file that is not named like a label, if most folders have such a file;
  // else "".
  [[nodiscard]] std::string other_example(const Role& label) const {
    std::string example;
    std::uint64_t count = 0;
    for (const SampleFolder& folder : folders_) {
      const auto other =
          std::find_if(folder.files.begin(), folder.files.end(), [&](const SampleFile& file) {
            return file.role == kNone ||
                   (&roles_[file.role] != &label && !is_label(roles_[file.role]));
          });
      if (other == folder.files.end()) continue;
      ++count;
      if (example.empty()) example = folder.name + "/" + other->name;
    }
    return in_most(count) ? example : "";
  }

  void add_pair_with(const Role& label, SampleFolders& found) const {
    if (!label.once) return;
    if (const Role* const image = image_for(label)) {
      found.seen = "whose files have the same names, such as " + quoted_text(image->example) +
                   " and " + quoted_text(label.example);
      add_pair(*image, label, found);
    } else if (one_other(label)) {
      found.pairs.push_back({other_regex(label), regex_of(label), ""});
      settle(found, std::min<std::uint64_t>(label.folders, folders_.size()), 2 * folders_.size());
    }
  }

  // mask_car next to mask_road: one mask per class. Names must be exactly equal in every folder.
  void add_masks(const Role& label, SampleFolders& found) const {
    const Role* const image = image_for(label);
    if (image == nullptr || deeper_ || !is_fixed(*image)) return;
    std::vector<const Role*> masks;
    for (const Role& role : roles_)
      if (&role != image && role.once && is_label(role) && is_fixed(role)) masks.push_back(&role);
    const std::string start = common_start(masks);
    std::uint64_t covered = image->files;
    for (const Role* const mask : masks) covered += mask->files;
    if (masks.size() < 2 || start.empty() || covered != files_) return;
    found.image_suffix = "/" + image->text;
    found.mask_pattern = "{key}/" + start + "{class}";
  }

  // True if the role has neither numbers nor the folder's name, which differ between folders.
  static bool is_fixed(const Role& role) {
    return role.text.find(kFolder) == std::string::npos &&
           role.text.find(kNumber) == std::string::npos;
  }

  // Returns the text with which the names of all roles begin, up to its last '_', '-' or '.'. (A
  // role is the name of files without the parts that differ between folders.) Returns "" if a role
  // has nothing after this text.
  static std::string common_start(const std::vector<const Role*>& roles) {
    if (roles.empty()) return "";
    std::string_view start = roles.front()->text;
    for (const Role* const role : roles)
      start = start.substr(
          0, static_cast<std::size_t>(
                 std::mismatch(start.begin(), start.end(), role->text.begin(), role->text.end())
                     .first -
                 start.begin()));
    start = start.substr(0, start.find_last_of("_-.") + 1);
    const bool named = std::all_of(roles.begin(), roles.end(), [&](const Role* role) {
      return role->text.size() > start.size();
    });
    return named ? std::string(start) : "";
  }

  [[nodiscard]] const Role* image_for(const Role& label) const {
    const Role* best = nullptr;
    const auto rank = [](const Role& role) {
      return std::tuple(has_word(role, is_images_word), role.jpegs > 0, role.folders);
    };
    for (const Role& role : roles_)
      if (&role != &label && role.once && !is_label(role) && in_many(role.folders) &&
          (best == nullptr || rank(role) > rank(*best)))
        best = &role;
    return best;
  }

  // True if each folder holds the label and one other image of any name.
  [[nodiscard]] bool one_other(const Role& label) const {
    return std::all_of(folders_.begin(), folders_.end(), [&](const SampleFolder& folder) {
      const auto labels =
          std::count_if(folder.files.begin(), folder.files.end(), [&](const SampleFile& file) {
            return file.role != kNone && &roles_[file.role] == &label;
          });
      return labels == 1 && folder.files.size() == 2;
    });
  }

  // The sign: two roles, each with one file in most folders.
  std::optional<SampleFolders> by_roles() {
    std::vector<const Role*> common;
    for (const Role& role : roles_)
      if (role.once && in_many(role.folders)) common.push_back(&role);
    std::stable_sort(common.begin(), common.end(),
                     [](const Role* a, const Role* b) { return a->folders > b->folders; });
    // Letters must tell the two roles apart, and their files must be at least half of all files.
    const bool several = common.size() >= 2 && in_most(common[0]->folders) &&
                         std::any_of(common.begin(), common.end(), is_named);
    std::uint64_t covered = 0;
    for (const Role* const role : common) covered += role->files;
    if (!several || covered * 2 < files_) return std::nullopt;
    SampleFolders found =
        base("whose files have the same names, such as " + quoted_text(common[0]->example) +
             " and " + quoted_text(common[1]->example));
    const auto label = std::find_if(common.begin(), common.end(),
                                    [](const Role* role) { return is_label(*role); });
    label == common.end() ? add_pairs_of(common, found) : add_pair_with(**label, found);
    return found;
  }

  static bool is_named(const Role* role) { return has_letters(*role); }

  // Adds expressions that pair two kinds of file. The image is the kind that alone has JPEG files,
  // or alone has a word for images in its names. If this does not decide, either kind may be the
  // label; then adds both possibilities, the likelier first.
  void add_pairs_of(const std::vector<const Role*>& common, SampleFolders& found) const {
    if (common.size() != 2) return;
    const Role &first = *common[0], &second = *common[1];
    const auto is_image = [](const Role& role, const Role& other) {
      return (role.jpegs > 0 && other.jpegs == 0) ||
             (has_word(role, is_images_word) && !has_word(other, is_images_word));
    };
    if (is_image(first, second)) return add_pair(first, second, found);
    if (is_image(second, first)) return add_pair(second, first, found);
    const bool swapped = likeness_of(second).rank() > likeness_of(first).rank();
    const Role &image = swapped ? second : first, &label = swapped ? first : second;
    add_pair(image, label, found);
    found.pairs.back().label_example = label.example;
    add_pair(label, image, found);
    found.pairs.back().label_example = image.example;
  }

  [[nodiscard]] Likeness likeness_of(const Role& role) const {
    Likeness likeness;
    for (std::size_t i = 0; i < folders_.size() && i < kMostHeaderFolders; ++i) {
      const auto& files = folders_[i].files;
      const auto file = std::find_if(files.begin(), files.end(), [&](const SampleFile& one) {
        return one.role != kNone && &roles_[one.role] == &role;
      });
      if (file == files.end()) continue;
      const Result<File> opened =
          File::open_read(path_below(path_below(root_, folders_[i].name), file->name));
      if (opened.ok()) likeness.add(*opened, describe_name(file->name).is_jpeg);
    }
    return likeness;
  }

  void add_pair(const Role& image, const Role& label, SampleFolders& found) const {
    found.pairs.push_back({regex_of(image), regex_of(label), ""});
    settle(found, std::min(image.folders, label.folders), image.files + label.files);
  }

  void settle(SampleFolders& found, std::uint64_t complete, std::uint64_t files) const {
    found.incomplete = folders_.size() - complete;
    found.more_files = deeper_ || files != files_;
  }

  // ---- several samples per folder

  // The sign: two kinds of file with the same numbers, as frame_1, seg_1, frame_2, seg_2.
  std::optional<SampleFolders> by_numbers() {
    std::vector<std::size_t> counted;
    for (std::size_t i = 0; i < roles_.size() && counted.size() < kMostCompared; ++i)
      if (in_most(roles_[i].folders) && roles_[i].text.find(kNumber) != std::string::npos)
        counted.push_back(i);
    for (std::size_t i = 0; i < counted.size(); ++i)
      for (std::size_t j = i + 1; j < counted.size(); ++j) {
        if (!have_same_numbers(counted[i], counted[j])) continue;
        const Role &one = roles_[counted[i]], &other = roles_[counted[j]];
        SampleFolders found = base("in which two kinds of file have the same numbers, such as " +
                                   quoted_text(one.example) + " and " + quoted_text(other.example));
        found.several = true;
        if (each_number_once(counted[i]) && each_number_once(counted[j]))
          add_numbered(one, other, found);
        return found;
      }
    return std::nullopt;
  }

  [[nodiscard]] bool have_same_numbers(std::size_t one, std::size_t other) const {
    if (!has_letters(roles_[one]) && !has_letters(roles_[other])) return false;
    const auto same =
        std::count_if(folders_.begin(), folders_.end(), [&](const SampleFolder& folder) {
          const std::vector<std::string_view> numbers = numbers_of(folder, one);
          return !numbers.empty() && numbers == numbers_of(folder, other);
        });
    return in_most(static_cast<std::uint64_t>(same));
  }

  // True if no folder has a number twice; otherwise a number does not identify a file.
  [[nodiscard]] bool each_number_once(std::size_t role) const {
    return std::all_of(folders_.begin(), folders_.end(), [&](const SampleFolder& folder) {
      const std::vector<std::string_view> numbers = numbers_of(folder, role);
      return std::adjacent_find(numbers.begin(), numbers.end()) == numbers.end();
    });
  }

  // Adds expressions whose key is the folder and the numbers.
  void add_numbered(const Role& one, const Role& other, SampleFolders& found) const {
    add_pairs_of({&one, &other}, found);
    for (SampleFolders::Expressions& pair : found.pairs)
      for (std::string* expression : {&pair.image, &pair.label})
        *expression = capturing_numbers(*expression);
    found.incomplete = 0;
    found.more_files = deeper_ || one.files + other.files != files_;
  }

  static std::string capturing_numbers(std::string expression) {
    for (std::size_t at = 0; (at = expression.find(kNumberRegex, at)) != std::string::npos;
         at += kNumberRegex.size() + 2)
      expression.replace(at, kNumberRegex.size(), "(" + std::string(kNumberRegex) + ")");
    return expression;
  }

  static std::vector<std::string_view> numbers_of(const SampleFolder& folder, std::size_t role) {
    std::vector<std::string_view> numbers;
    for (const SampleFile& file : folder.files)
      if (file.role == role) numbers.emplace_back(file.numbers);
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  }

  // The sign: the same names in most folders, not only numbered ones, as B02, B03, …, SCL.
  std::optional<SampleFolders> by_names() {
    std::map<std::pair<std::size_t, std::string_view>, std::uint64_t> folders_with;
    for (const SampleFolder& folder : folders_)
      for (const SampleFile& file : folder.files)
        if (file.role != kNone && in_most(roles_[file.role].folders))
          ++folders_with[{file.role, file.numbers}];
    std::set<std::size_t> roles;
    std::uint64_t covered = 0;
    for (const auto& [name, folders] : folders_with) {
      if (!in_most(folders)) continue;
      covered += folders;
      if (has_letters(roles_[name.first])) roles.insert(name.first);
    }
    if (roles.size() < 2 || covered * 2 < files_) return std::nullopt;
    return base("whose files have the same names, such as " +
                quoted_text(roles_[*roles.begin()].example) + " and " +
                quoted_text(roles_[*roles.rbegin()].example));
  }

  struct Forms {
    std::uint64_t photos = 0, plain = 0;
    std::string photo, label;  // examples
  };

  // The sign: photographs and gray or palette PNG files in the same ratio, of any name.
  std::optional<SampleFolders> by_forms() {
    Forms first, all;
    for (std::size_t i = 0; i < folders_.size() && i < kMostHeaderFolders; ++i) {
      if (folders_[i].files.size() > kMostHeaders) return std::nullopt;
      const Forms forms = forms_of(folders_[i]);
      if (i == 0) first = forms;
      const bool same = forms.photos * first.plain == first.photos * forms.plain;
      if (forms.photos == 0 || forms.plain == 0 || !same ||
          forms.photos + forms.plain != folders_[i].files.size())
        return std::nullopt;
    }
    SampleFolders found =
        base("each with photographs and gray or palette PNG files in the same ratio, such as " +
             quoted_text(first.photo) + " and " + quoted_text(first.label));
    add_pair_of_formats(found);
    return found;
  }

  [[nodiscard]] Forms forms_of(const SampleFolder& folder) const {
    Forms forms;
    for (const SampleFile& file : folder.files) {
      const std::string example = folder.name + "/" + file.name;
      const Result<File> opened = File::open_read(path_below(root_, example));
      const Form form =
          opened.ok() ? form_of(*opened, describe_name(file.name).is_jpeg) : Form::unknown;
      if (form == Form::unknown) continue;
      ++(form == Form::photo ? forms.photos : forms.plain);
      (form == Form::photo ? forms.photo : forms.label) = example;
    }
    return forms;
  }

  // Adds expressions by extension if each folder has one JPEG and one PNG file.
  void add_pair_of_formats(SampleFolders& found) const {
    std::set<std::string> jpegs, others;
    for (const SampleFolder& folder : folders_) {
      if (folder.files.size() != 2) return;
      for (const SampleFile& file : folder.files) {
        const FileName name = describe_name(file.name);
        (name.is_jpeg ? jpegs : others).insert(file.name.substr(name.stem_length));
      }
      const auto count =
          std::count_if(folder.files.begin(), folder.files.end(),
                        [](const SampleFile& f) { return describe_name(f.name).is_jpeg; });
      if (count != 1) return;
    }
    found.pairs.push_back({start() + "[^/]+" + extension_regex(jpegs),
                           start() + "[^/]+" + extension_regex(others), ""});
    settle(found, folders_.size(), 2 * folders_.size());
  }

  // ---- expressions

  // The start of expressions whose key is the folder; if folders contain folders, the outermost.
  [[nodiscard]] std::string start() const { return deeper_ ? "^([^/]+)/" : "^(.*)/"; }

  static std::string extension_regex(const std::set<std::string>& extensions) {
    std::string any;
    for (const std::string& extension : extensions)
      any += (any.empty() ? "" : "|") + extension.substr(1);
    return "\\." + (extensions.size() > 1 ? "(?:" + any + ")" : any) + "$";
  }

  static std::string name_regex(const Role& role) {
    std::string text;
    bool behind_reference = false;
    for (const char c : role.text) {
      if (c == kFolder) {
        text += "\\1";
      } else if (c == kNumber) {
        text += kNumberRegex;
      } else if (behind_reference && is_digit(c)) {
        text += std::string("[") + c + "]";  // \10 would be the tenth group
      } else {
        text += literal_pattern(std::string_view(&c, 1));
      }
      behind_reference = c == kFolder;
    }
    return text;
  }

  [[nodiscard]] std::string regex_of(const Role& role) const {
    return start() + name_regex(role) + extension_regex(role.extensions);
  }
  [[nodiscard]] std::string other_regex(const Role& label) const {
    return start() + "(?!" + name_regex(label) + "\\.)[^/]+$";
  }

  [[nodiscard]] SampleFolders base(std::string seen) const {
    SampleFolders found;
    found.folders = folders_.size();
    found.seen = std::move(seen);
    found.more_files = true;
    return found;
  }

  const std::string& root_;
  std::vector<SampleFolder> folders_;
  std::vector<Role> roles_;
  std::map<std::string, std::size_t> by_text_;
  std::uint64_t files_ = 0;
  bool deeper_ = false;
};

}  // namespace

Result<std::optional<SampleFolders>> find_sample_folders(const std::string& root) {
  Folders folders(root);
  HOTPACK_TRY(folders.read());
  return folders.samples();
}

}  // namespace hotpack::pipeline
