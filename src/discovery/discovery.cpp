#include "discovery/discovery.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "base/words.hpp"
#include "discovery/class_file.hpp"
#include "discovery/folder_survey.hpp"
#include "discovery/layout_detection.hpp"
#include "discovery/layout_questions.hpp"
#include "discovery/several_roots.hpp"
#include "discovery/unused_lists.hpp"
#include "files/file_list.hpp"
#include "files/key_text.hpp"
#include "files/list_file.hpp"
#include "files/listed_path.hpp"
#include "files/scan.hpp"
#include "files/scan_scope.hpp"
#include "files/tree_walk.hpp"
#include "samples/file_steps.hpp"
#include "samples/fold.hpp"
#include "samples/input_check.hpp"
#include "samples/input_folders.hpp"
#include "samples/layout_commands.hpp"
#include "samples/pair_file.hpp"

namespace hotpack::pipeline {

namespace {

using Method = SplitOptions::Method;

class Discoverer {
 public:
  Discoverer(const PackOptions& options, ProblemLog& problems)
      : options_(options), input_(options_.input), problems_(problems) {
    result_.label = options.label;
  }

  Result<Discovery> run() {
    HOTPACK_TRY(discover_source());
    if (input_.skip_orphans)
      result_.orphans_left_out += found_.forget(ProblemKind::unsupported_file);
    HOTPACK_TRY(divide_by_shares());
    HOTPACK_TRY(check_splits());
    HOTPACK_TRY(sort_splits());
    problems_.append(found_);
    return std::move(result_);
  }

 private:
  Status discover_source() {
    if (!input_.root.empty()) return discover_root();
    if (!input_.image_folders.empty()) {
      HOTPACK_ASSIGN(std::vector<FileSet> sets, scan_class_roots(input_, found_));
      return take_sets(std::move(sets), given_lists());
    }
    if (!input_.images.empty()) {
      HOTPACK_ASSIGN(std::vector<FileSet> sets, scan_image_folders(input_, found_));
      HOTPACK_TRY(take_sets(std::move(sets), given_lists()));
      return check_class_files();
    }
    return take_table("", input_.pairs.empty() ? input_.list : input_.pairs);
  }

  // ---- a data set whose layout is detected

  Status discover_root() {
    HOTPACK_ASSIGN(const GivenSuffixes suffixes, given_suffixes(options_));
    HOTPACK_ASSIGN(const Layout layout, detect_layout(input_.root, suffixes));
    HOTPACK_TRY(check_against(layout));
    if (input_.image_suffix.empty() && input_.label_suffix.empty() &&
        input_.mask_per_class.empty()) {
      options_.input.image_regex = layout.image_expression;
      options_.input.label_regex = layout.label_expression;
    }
    result_.layout += layout.text();
    result_.warnings = layout.warnings;
    if (layout.kind == Layout::Kind::tables) {
      for (const SplitFolders& split : layout.splits) {
        const std::size_t before = result_.splits.size();
        HOTPACK_TRY(take_table(split.name, split.list));
        HOTPACK_TRY(warn_of_untabled(split, before));
      }
    } else {
      HOTPACK_ASSIGN(std::vector<FileSet> sets, scan_layout(layout, found_));
      HOTPACK_ASSIGN(const std::vector<ListPart> lists, lists_for(layout));
      HOTPACK_TRY(take_sets(std::move(sets), lists));
      HOTPACK_TRY(warn_of_lists(layout, lists));
    }
    return use_class_file(layout);
  }

  // Refuses options that would divide or restrict samples that the layout has already divided.
  [[nodiscard]] Status check_against(const Layout& layout) const {
    const bool own_splits = !layout.splits.front().name.empty();
    const bool own_lists = !layout.splits.front().list.empty();
    const bool given_folder = input_.split.method == Method::folder;
    const bool given_shares =
        input_.split.method == Method::ratio || input_.split.method == Method::hash;
    const std::string splits = "this data set has splits of its own:\n" + layout.text();
    if (own_splits && given_shares)
      return usage_error("--split ratio and hash divide one set of samples, but " + splits +
                         "pack one of its folders:\n  " +
                         split_command(layout, layout.splits.front(), split_option(input_.split)));
    const bool given_list = !input_.list.empty() || input_.split.method == Method::list;
    if (own_splits && !own_lists && given_list)
      return usage_error(
          "leave out --list and --split list: they select from one set of samples, but " + splits);
    if (layout.kind == Layout::Kind::tables && (given_list || given_folder))
      return usage_error(
          "leave out --list, --split list and --split folder: they select samples of folders, but "
          "this data set has a table:\n" +
          layout.text());
    if (layout.kind == Layout::Kind::tables && !input_.exclude.empty())
      return usage_error(
          "leave out --exclude: it leaves out files of folders, but this data set has a table, "
          "from "
          "which the lines of such files can be removed:\n" +
          layout.text());
    return {};
  }

  // Lists given by the user replace those of the layout.
  Result<std::vector<ListPart>> lists_for(const Layout& layout) {
    std::vector<ListPart> lists = given_lists();
    if (!lists.empty()) return lists;
    std::string empty;
    for (const SplitFolders& split : layout.splits) {
      if (split.list.empty()) continue;
      HOTPACK_ASSIGN(const bool nothing, is_empty_list(split.list));
      if (!nothing)
        lists.push_back({split.name, split.list});
      else
        result_.warnings.push_back(empty = quoted_text(split.list) + " is empty: the split '" +
                                           split.name + "' is left out");
    }
    if (lists.empty() && !empty.empty())
      return data_error("all lists of its samples are empty; " + empty, layout.root);
    return lists;
  }

  // Uses the class file next to the data unless classes are given. Names a file that is not used.
  Status use_class_file(const Layout& layout) {
    const bool labeled = std::any_of(result_.splits.begin(), result_.splits.end(),
                                     [](const Split& split) { return is_labeled(split.list); });
    if (!labeled) return {};
    std::vector<std::string> folders{layout.root};
    while (folders.back().size() > input_.root.size() && folders.back() != ".")
      folders.push_back(folder_of(folders.back()));
    std::optional<FoundClassFile> found = find_class_file(folders);
    const bool at_root = found.has_value();
    if (!found || found->no_list)
      add_class_file(found, find_split_class_file(split_folders(layout)));
    if (!found || found->no_list) add_class_file(found, find_sample_class_file(label_folders()));
    const LabelOptions& given = result_.label;
    if (!given.classes.empty() || given.class_count || !given.preset.empty()) {
      if (found && found->contradiction && !at_root)
        result_.warnings.push_back("class file " + found->contradiction->describe());
      std::error_code failure;  // of a file of --classes that does not exist
      if (found && !std::filesystem::equivalent(found->path, given.classes, failure))
        add_lines("the class file " + quoted_text(found->path) +
                  " is not used: an option gives the classes\n");
      return {};
    }
    if (!found) {
      name_file_above();
      return {};
    }
    if (found->contradiction) return *found->contradiction;
    result_.warnings.insert(result_.warnings.end(), found->unreadable.begin(),
                            found->unreadable.end());
    const std::string misfit = class_misfit(*found);
    if (misfit.empty()) result_.label.classes = found->path;
    result_.label.classes_found = misfit.empty();
    add_lines(misfit.empty() ? "classes: " + found->path + "\n"
                             : "the class file " + quoted_text(found->path) +
                                   " is not used: " + misfit + "\n");
    return {};
  }

  // Refuses given folders of labels that have class files with different classes in them or next to
  // them, and names a class file that is not used.
  Status check_class_files() {
    constexpr std::size_t kMost = 256;  // folders with labels that are examined
    const LabelOptions& given = result_.label;
    if (given.kind == LabelKind::binary) return {};
    std::set<std::string> around;
    for (const std::string& folder : label_folders())
      if (around.size() < kMost) around.insert({folder, folder_of(folder)});
    const std::vector<std::string> folders(around.begin(), around.end());
    std::optional<FoundClassFile> found = find_sample_class_file(folders);
    if (!found || !found->contradiction) found = find_split_class_file(folders);
    if (!found || !found->table.ok()) return {};
    if (found->path.starts_with("./")) found->path.erase(0, 2);
    const bool decided =
        !given.classes.empty() || given.class_count || !given.preset.empty() || !given.map.empty();
    if (found->contradiction && !decided) return *found->contradiction;
    if (found->contradiction)
      result_.warnings.push_back("class file " + found->contradiction->describe());
    else if (!decided)
      result_.warnings.push_back("the class file " + quoted_text(found->path) +
                                 " is not used; --classes " + shell_path(found->path) +
                                 " gives its classes");
    return {};
  }

  // Names a class file in the folder that contains the data set. It may be about something else.
  // Names one in the data set that is JSON.
  void name_file_above() {
    if (const std::string json = path_below(input_.root, "classes.json"); is_regular_file(json))
      result_.warnings.push_back(quoted_text(json) +
                                 " is not read, since JSON is no form of class files; give the "
                                 "names of the classes with --classes FILE, one per line");
    std::error_code failure;
    const auto above = std::filesystem::canonical(input_.root, failure).parent_path();
    if (failure) return;
    const auto found = find_class_file({above.string()});
    if (found && found->table.ok() && class_misfit(*found).empty())
      add_lines("the class file " + quoted_text(found->path) +
                " lies above the data set and is not used; --classes " + shell_path(found->path) +
                " gives its classes\n");
  }

  // The folders of the splits of a layout, and those between them and the root.
  [[nodiscard]] std::vector<std::string> split_folders(const Layout& layout) const {
    std::set<std::string> folders;
    const auto add = [&](std::string folder) {
      for (; folder.size() > layout.root.size() && folder.starts_with(layout.root);
           folder = folder_of(folder))
        folders.insert(folder);
    };
    for (const SplitFolders& split : layout.splits) add(split.images), add(split.labels);
    // Tasks of CVAT: each folder holds images and labels.
    if (!layout.label_expression.empty())
      for (const std::string& folder : label_folders()) add(folder_of(folder));
    return {folders.begin(), folders.end()};
  }

  // The folders that hold label files.
  [[nodiscard]] std::vector<std::string> label_folders() const {
    std::set<std::string> folders;
    std::string last;
    for (const Split& split : result_.splits) {
      if (!split.list.has_label_files) continue;
      for (const Sample& sample : split.list.samples)
        if (std::string folder = folder_of(split.list.label_path(sample)); folder != last)
          folders.insert(last = std::move(folder));
    }
    return {folders.begin(), folders.end()};
  }

  // Returns why the class file that was found is not used for these labels; "" if it is used. If
  // classes have names from folders or a table, an unreadable class file is not used. Label files
  // mean nothing without classes; for them, "" is returned even if the class file is unreadable, so
  // that its error is reported.
  [[nodiscard]] std::string class_misfit(const FoundClassFile& found) const {
    const bool named =
        std::any_of(result_.splits.begin(), result_.splits.end(),
                    [](const Split& split) { return !split.list.class_names.empty(); });
    if (!found.table.ok()) return named || found.no_list ? found.table.error().message : "";
    const labels::ClassTable& table = *found.table;
    if (result_.label.kind == LabelKind::binary && table.classes.size() != 2)
      return "it does not have exactly two classes, as masks have";
    for (const Split& split : result_.splits)
      for (const std::string& name : split.list.class_names)
        if (!table.find(name)) return "it does not name the class '" + name + "'";
    return {};
  }

  [[nodiscard]] static bool is_labeled(const SampleList& list) {
    return list.has_label_files || list.merges_masks || !list.mask_names.empty() ||
           !list.class_names.empty();
  }

  // Warns of images next to a table that the table does not name.
  Status warn_of_untabled(const SplitFolders& split, std::size_t first_split) {
    ProblemLog ignored;  // faults of images that no sample uses do not matter
    HOTPACK_ASSIGN(const FileList there, scan_images({{split.images, ""}}, ignored));
    std::set<std::string> taken;
    for (std::size_t i = first_split; i < result_.splits.size(); ++i) {
      const SampleList& list = result_.splits[i].list;
      for (const Sample& sample : list.samples) {
        taken.insert(list.image_path(sample));
        if (list.has_label_files) taken.insert(list.label_path(sample));
      }
    }
    const auto left =
        std::count_if(there.files.begin(), there.files.end(),
                      [&](const FoundFile& file) { return !taken.contains(there.path(file)); });
    if (left > 0 && found_.count() == 0)
      result_.warnings.push_back(
          "not used: " + counted_text(static_cast<std::uint64_t>(left), "image", "images") +
          " in " + quoted_text(split.images) + " that the table " + quoted_text(split.list) +
          " does not name. Add lines to the table to pack such images");
    return {};
  }

  // Adds a warning about each file next to the data set that lists samples and was not used, such
  // as train_list.txt.
  Status warn_of_lists(const Layout& layout, const std::vector<ListPart>& lists) {
    const bool whole = layout.splits.size() == 1 && layout.splits[0].name.empty();
    if (!whole || !lists.empty() || input_.split.method != Method::none ||
        result_.splits.size() != 1)
      return {};
    HOTPACK_ASSIGN(const std::vector<UnusedList> unused,
                   find_unused_lists(layout.root, result_.splits.front().list));
    if (unused.empty()) return {};
    Layout listed = layout;
    listed.splits.clear();
    std::string names;
    bool splits = false, tables = false;
    for (const UnusedList& list : unused) {
      tables = tables || list.table;
      splits = splits || usual_split_name(list.split);
      names += (names.empty() ? "" : ", ") + quoted_text(list.file) + " (" +
               counted_text(list.samples, "sample", "samples") + ")";
      listed.splits.push_back(
          {list.split, layout.splits[0].images, layout.splits[0].labels, list.file});
    }
    const bool one = unused.size() == 1;
    result_.warnings.push_back(
        names + (one ? " lists" : " list") + " samples of this data set, but " +
        (one ? "is" : "are") + " not used: all samples become one set" +
        (tables ? ". To use a table, give it with --pairs FILE and, if its header has other names, "
                  "--columns image=NAME,label=NAME,split=NAME"
         : splits ? ". To divide the samples by lists, run\n  " + pack_command(listed)
                  : ". To use lists, give them with --list or --split list"));
    return {};
  }

  // ---- folders

  [[nodiscard]] std::vector<ListPart> given_lists() const {
    std::vector<ListPart> lists;
    if (!input_.list.empty()) lists.push_back({"", input_.list});
    if (input_.split.method != Method::list) return lists;
    for (const SplitOptions::Part& part : input_.split.parts)
      lists.push_back({part.name, part.value});
    return lists;
  }

  Status take_sets(std::vector<FileSet> sets, const std::vector<ListPart>& lists) {
    with_labels_ = splits_with_labels(sets, input_.split.method == Method::folder);
    HOTPACK_ASSIGN(choice_, assign_keys(sets, options_, !lists.empty(), found_));
    result_.warnings.insert(result_.warnings.end(), choice_.warnings.begin(),
                            choice_.warnings.end());
    HOTPACK_TRY(check_keyed(sets));
    settle_keyless(!lists.empty());
    fold_all(sets);
    const SuffixRule& rule = choice_.rule;
    const bool found =
        rule.by_format || rule.image != input_.image_suffix || rule.label != input_.label_suffix;
    if (!choice_.text.empty() && (found || !input_.root.empty())) add_lines(choice_.text + "\n");
    for (const FileSet& set : sets)
      result_.other_files += set.images.other_files + set.labels.other_files;
    if (!lists.empty()) HOTPACK_TRY(take_lists(sets, lists));
    const bool has_splits = !sets.front().name.empty();
    if (input_.split.method == Method::folder && !has_splits) {
      HOTPACK_ASSIGN(sets, divide_set_by_folder(std::move(sets.front())));
    }
    HOTPACK_TRY(settle_labeled(sets));
    for (FileSet& set : sets) HOTPACK_TRY(pair(std::move(set)));
    return {};
  }

  void fold_all(std::vector<FileSet>& sets) {
    if (!input_.fold.any()) return;
    for (FileSet& set : sets)
      if (set.labeled) fold_keys(set, input_.fold, found_);
  }

  [[nodiscard]] std::uint64_t count(ProblemKind kind) const { return found_.group(kind).count; }

  // Refuses a set if suffixes or expressions have excluded all of its files.
  [[nodiscard]] Status check_keyed(const std::vector<FileSet>& sets) const {
    const std::uint64_t images = count(ProblemKind::orphan_image),
                        labels = count(ProblemKind::orphan_label);
    if (found_.count() > images + labels) return {};
    for (const FileSet& set : sets) {
      if (set.images.files.empty()) return no_images(folders_text(set.images), set.images, images);
      if (sets.size() == 1 && set.labeled && set.labels.files.empty())
        return no_images(folders_text(set.labels), set.labels, labels);
    }
    return {};
  }

  // Files without a key are orphans, unless lists select the samples.
  void settle_keyless(bool listed) {
    if (!listed && !input_.skip_orphans) return;
    const std::uint64_t keyless =
        found_.forget(ProblemKind::orphan_image) + found_.forget(ProblemKind::orphan_label);
    if (!listed) result_.orphans_left_out += keyless;
  }

  // Precondition: one set without a name.
  Status take_lists(std::vector<FileSet>& sets, const std::vector<ListPart>& lists) {
    HOTPACK_ASSIGN(Listed listed, take_listed(std::move(sets.front()), lists, input_, found_));
    const bool whole = with_labels_.contains("") && listed.unmatched_labels > 0;
    sets = std::move(listed.sets);
    with_labels_.clear();
    for (const FileSet& set : sets)
      if (whole) with_labels_.insert(set.name);
    add_lines(listed.about);
    if (listed.unlisted > 0 && !input_.root.empty() && given_lists().empty())
      result_.warnings.push_back("not used: " +
                                 counted_text(listed.unlisted, "image that has a label, but is",
                                              "images that have labels, but are") +
                                 " in none of the lists. To pack such images too, add them to a "
                                 "list, or name the folders with --images and --labels");
    result_.orphans_left_out += listed.left_out;
    // Files that no list names do not matter.
    if (found_.group(ProblemKind::missing_file).count == 0)
      found_.forget(ProblemKind::unsupported_file);
    return {};
  }

  // If other splits have labels, a split without any label file is a set of images alone.
  Status settle_labeled(std::vector<FileSet>& sets) {
    const auto lacks_labels = [](const FileSet& set) {
      return set.labeled && set.labels.files.empty();
    };
    const bool all = std::all_of(sets.begin(), sets.end(), lacks_labels);
    if (all && found_.count() == 0) return no_partners();
    const bool classes =
        std::any_of(sets.begin(), sets.end(), [](const FileSet& set) { return set.by_folder; });
    const bool some_labeled =
        std::any_of(sets.begin(), sets.end(), [](const FileSet& set) { return set.labeled; });
    for (FileSet& set : sets) {
      const bool found_alone = !all && lacks_labels(set) && !set.images.files.empty() &&
                               !with_labels_.contains(set.name);
      const bool beside_classes = classes && !set.by_folder &&
                                  input_.root.empty();  // a detected layout has said so already
      if (found_alone) set.labeled = false;
      if (some_labeled && !set.labeled && !set.images.files.empty()) HOTPACK_TRY(check_alone(set));
      if (found_alone || beside_classes)
        add_lines(set.name + ": no labels: a set of images alone\n");
    }
    return {};
  }

  // Refuses a split without labels that holds photographs and files that look like labels.
  [[nodiscard]] static Status check_alone(FileSet& set) {
    constexpr std::size_t kMostFiles = 16;  // of which some are examined
    sort_by_key(set.images);                // an image and its label are neighbors
    const std::vector<FoundFile>& files = set.images.files;
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < files.size(); i += i < 2 ? 1 : files.size() / kMostFiles + 1)
      paths.push_back(set.images.path(files[i]));
    const Looks looks = look_at("", paths);
    if (!looks.both()) return {};
    return data_error("the split '" + set.name +
                      "' has no labels where the other splits have them, but holds photographs "
                      "and files that look like labels, such as " +
                      quoted_text(looks.example) +
                      "; give the labels the names that they have in the other splits, leave them "
                      "out with --exclude, or name the folders of each split with --images and "
                      "--labels");
  }

  Status pair(FileSet set) {
    std::string name = set.name;
    HOTPACK_ASSIGN(SampleList list,
                   pair_set(std::move(set), input_, found_, result_.orphans_left_out));
    result_.splits.push_back({std::move(name), std::move(list)});
    return {};
  }

  [[nodiscard]] Error no_partners() const {
    const bool by_key = std::any_of(result_.splits.begin(), result_.splits.end(),
                                    [](const Split& split) { return split.list.has_label_files; });
    if (!result_.splits.empty() && !by_key && input_.mask_per_class.empty())
      return data_error("no sample is left: nothing to pack");
    const std::string no_pair =
        std::string("no image and label share a key") +
        (input_.image_regex.empty() ? ", the path without extension and suffix" : "") +
        unpaired_text() + ": nothing to pack";
    if (const std::string near = nearest_pair(); !near.empty())
      return data_error(no_pair + ". " + near);
    const bool suffixes = !input_.image_suffix.empty() || !input_.label_suffix.empty();
    if (!input_.root.empty() && !suffixes) return no_pairs(input_.root, no_pair);
    return data_error(
        no_pair + (suffixes ? " (are the suffixes right?)" : "") +
        "; if names differ in another way, write --pair-regex; if the names of a label and its "
        "image have nothing in common, write a table for --pairs, with one label per image");
  }

  // Returns a text about an image whose key differs from that of a label only in case or Unicode
  // form, with the option that pairs them. Returns "" if there is no such image.
  [[nodiscard]] std::string nearest_pair() const {
    for (const Problem& problem : found_.group(ProblemKind::orphan_image).examples)
      if (!problem.option.empty()) return problem.text();
    return {};
  }

  // " (6 images, such as a/000.png; 6 labels, such as b/0.png)"
  [[nodiscard]] std::string unpaired_text() const {
    std::string text;
    for (const auto& [kind, one, many] :
         {std::tuple(ProblemKind::orphan_image, "image", "images"),
          std::tuple(ProblemKind::orphan_label, "label", "labels")}) {
      const auto& group = found_.group(kind);
      if (group.count == 0) continue;
      text += (text.empty() ? " (" : "; ") + counted_text(group.count, one, many);
      if (group.examples.empty()) continue;
      text += ", such as " + quoted_text(group.examples.front().path);
      if (!input_.image_regex.empty()) text += ": " + group.examples.front().detail;
    }
    return text.empty() ? text : text + ")";
  }

  // ---- tables

  // Reads a table of one split, or of all splits.
  Status take_table(const std::string& split, const std::string& file) {
    HOTPACK_ASSIGN(PairFileSamples samples, read_pair_file(file, input_, found_));
    add_lines(samples.about);
    result_.orphans_left_out += samples.left_out;
    const bool has_splits = samples.splits.size() > 1 || !samples.splits.front().name.empty();
    if (has_splits && (input_.split.method != Method::none || !split.empty()))
      return usage_error(
          file + ": has a column of splits, and " +
          (split.empty() ? "--split is given" : "the table is in the folder of a split") +
          "; remove one of them");
    if (samples.split_words && input_.split.method == Method::none && split.empty())
      return unused_splits(file, *samples.split_words);
    for (Split& part : samples.splits) {
      if (!split.empty()) part.name = split;
      result_.splits.push_back(std::move(part));
    }
    return {};
  }

  static Error unused_splits(const std::string& file, const PairTable::SplitWords& found) {
    return data_error("the column '" + found.column + "' seems to hold splits (" +
                          list_text(found.words, 4) +
                          "), and no column is called 'split': rename it to 'split', or name it "
                          "with --columns split=NAME, to pack a set per split, or remove it to "
                          "pack all lines as one set",
                      file);
  }

  // ---- splits

  Status divide_by_shares() {
    if (input_.split.method != Method::ratio && input_.split.method != Method::hash) return {};
    SampleList all = std::move(result_.splits.front().list);
    if (all.samples.empty()) return {};
    std::string about;
    HOTPACK_ASSIGN(result_.splits, divide_by_share(std::move(all), input_.split, about));
    add_lines(about);
    return {};
  }

  [[nodiscard]] Status check_splits() const {
    const std::uint64_t orphans =
        count(ProblemKind::orphan_image) + count(ProblemKind::orphan_label);
    const auto is_empty = [](const Split& split) { return split.list.samples.empty(); };
    if (std::all_of(result_.splits.begin(), result_.splits.end(), is_empty) &&
        found_.count() == orphans)
      return no_partners();
    for (const Split& split : result_.splits) {
      if (!split.name.empty() && !valid_split_name(split.name))
        return data_error(
            "the split '" + split.name +
            "' cannot be a folder of the output: its name must be UTF-8 and not begin with a dot");
      if (split.list.samples.empty() && found_.count() == 0)
        return data_error("the split '" + split.name + "' has no sample; add some or leave it out");
    }
    return {};
  }

  // Sorts the splits by name. Refuses two of one name, which would be packed into one folder.
  Status sort_splits() {
    std::vector<Split>& splits = result_.splits;
    std::sort(splits.begin(), splits.end(),
              [](const Split& a, const Split& b) { return a.name < b.name; });
    const auto twice =
        std::adjacent_find(splits.begin(), splits.end(),
                           [](const Split& a, const Split& b) { return a.name == b.name; });
    return twice == splits.end() ? Status()
                                 : data_error("two splits are called '" + twice->name +
                                              "'; give them different names");
  }

  // Adds lines for people; lines about a detected layout are indented below it.
  void add_lines(std::string_view lines) {
    for (const std::string_view line : lines_of(lines))
      result_.layout += (input_.root.empty() ? "" : "  ") + std::string(line) + "\n";
  }

  PackOptions options_;  // completed by the layout
  const InputOptions& input_;
  ProblemLog& problems_;
  ProblemLog found_;
  SuffixChoice choice_;
  std::set<std::string> with_labels_;  // splits that have label files, paired or not
  Discovery result_;
};

}  // namespace

Result<Discovery> discover(const PackOptions& options, ProblemLog& problems, Observer* observer) {
  HOTPACK_TRY(check_inputs(options.input));
  Exclusion exclusion(options.input.exclude, input_folders(options.input));
  const ScanScope scope(options.run.io_threads, observer, &exclusion);
  const auto discover_one = [](const PackOptions& one, ProblemLog& found) {
    return Discoverer(one, found).run();
  };
  HOTPACK_ASSIGN(Discovery discovery, options.input.roots.empty()
                                          ? discover_one(options, problems)
                                          : discover_several(options, problems, discover_one));
  discovery.excluded = exclusion.count();
  for (const std::string& glob : exclusion.unused())
    discovery.warnings.push_back("--exclude '" + glob +
                                 "' matches no file and no folder below the input folders");
  return discovery;
}

}  // namespace hotpack::pipeline
