#include "discovery/several_roots.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "files/tree_walk.hpp"
#include "labels/class_table.hpp"
#include "samples/fold.hpp"
#include "samples/input_folders.hpp"
#include "samples/layout_commands.hpp"
#include "samples/split.hpp"

namespace hotpack::pipeline {

namespace {

using DiscoverOne = std::function<Result<Discovery>(const PackOptions&, ProblemLog&)>;
using Method = SplitOptions::Method;

std::string_view form_of(const SampleList& list) {
  if (list.has_label_files) return "a label file per image";
  if (list.merges_masks) return "several masks per image";
  if (!list.mask_names.empty()) return "a mask per class";
  return list.class_names.empty() ? "no labels" : "classes of whole images";
}

// The data sets, joined as far as they were found.
class Join {
 public:
  explicit Join(const PackOptions& options) : options_(options), roots_(options.input.roots) {}

  Status add(std::size_t root, const std::string& prefix, const Discovery& found) {
    HOTPACK_TRY(check_splits(root, found));
    HOTPACK_TRY(check_labels(root, found));
    HOTPACK_TRY(check_classes(root, found));
    if (root == 0) whole_.label = found.label;
    whole_.layout += found.layout;
    for (const std::string& warning : found.warnings)
      whole_.warnings.push_back(roots_[root] + ": " + warning);
    whole_.orphans_left_out += found.orphans_left_out;
    whole_.other_files += found.other_files;
    for (const Split& split : found.splits)
      append_samples(split.list, prefix + "/", splits_[split.name]);
    return {};
  }

  Result<Discovery> finish() {
    const SplitOptions& split = options_.input.split;
    for (auto& [name, list] : splits_) whole_.splits.push_back({name, std::move(list)});
    HOTPACK_TRY(check_spelling());
    if (split.method != Method::ratio && split.method != Method::hash) return std::move(whole_);
    if (!whole_.splits.front().name.empty())
      return usage_error("these data sets have splits of their own (" + split_names(whole_) +
                         "); leave out --split");
    std::string about;
    HOTPACK_ASSIGN(whole_.splits,
                   divide_by_share(std::move(whole_.splits.front().list), split, about));
    whole_.layout += about;
    return std::move(whole_);
  }

 private:
  static std::vector<std::string> names_of(const Discovery& found) {
    std::vector<std::string> names;
    for (const Split& split : found.splits) names.push_back(split.name);
    return names;
  }
  static std::string split_names(const Discovery& found) {
    return quoted_list_text(names_of(found), found.splits.size());
  }

  // Refuses splits of two data sets whose names look like one.
  [[nodiscard]] Status check_spelling() const {
    const auto similar = similar_names(names_of(whole_));
    if (!similar) return {};
    return data_error("the splits '" + similar->first + "' and '" + similar->second +
                      "' of these data sets differ in " + similar->difference +
                      "; use one spelling for the folders or lists of a split");
  }

  [[nodiscard]] Status check_splits(std::size_t root, const Discovery& found) {
    const bool named = !found.splits.front().name.empty();
    if (root == 0) named_ = named;
    if (named == named_) return {};
    const std::string& with = named ? roots_[root] : roots_[0];
    const std::string& without = named ? roots_[0] : roots_[root];
    return data_error("has splits of its own, and " + quoted_text(without) +
                          " has none; pack the two into packs of their own",
                      with);
  }

  // Refuses data sets whose labels are of two forms. A split without labels is a test set, in all
  // data sets or in none.
  [[nodiscard]] Status check_labels(std::size_t root, const Discovery& found) {
    for (const Split& split : found.splits) {
      const std::string_view form = form_of(split.list);
      const bool labeled = form != form_of({});
      if (labeled && form_.empty()) form_ = form;
      const auto same_split = splits_.find(split.name);
      const std::string_view other = same_split != splits_.end() ? form_of(same_split->second)
                                     : labeled                   ? form_
                                                                 : form;
      if (form != other)
        return data_error("has " + std::string(form) +
                              (split.name.empty() ? "" : " in the split '" + split.name + "'") +
                              ", and a folder before it, such as " + quoted_text(roots_[0]) +
                              ", has " + std::string(other) +
                              "; pack the two into packs of their own",
                          roots_[root]);
    }
    return {};
  }

  // Refuses class tables that differ, unless options name one for all.
  [[nodiscard]] Status check_classes(std::size_t root, const Discovery& found) {
    if (!options_.label.classes.empty() || !options_.label.map.empty()) return {};
    std::optional<labels::ClassTable> table;
    if (!found.label.classes.empty()) {
      HOTPACK_ASSIGN(const std::string text, read_text_file(found.label.classes));
      HOTPACK_ASSIGN(table, labels::parse_class_file(text, found.label.classes));
    }
    std::vector<std::string> names;
    for (const Split& split : found.splits)
      names.insert(names.end(), split.list.class_names.begin(), split.list.class_names.end());
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    if (root == 0) {
      table_ = std::move(table);
      names_ = std::move(names);
      return {};
    }
    const bool same_table =
        table.has_value() == table_.has_value() && (!table || table->classes == table_->classes);
    if (same_table && names == names_) return {};
    const std::string first = whole_.label.classes, own = found.label.classes;
    const std::string which = same_table ? "their names differ"
                              : !table ? quoted_text(first) + " is a class file of one of them only"
                              : first.empty()
                                  ? quoted_text(own) + " is a class file of one of them only"
                                  : quoted_text(own) + " and " + quoted_text(first) + " differ";
    return data_error("its classes may not be those of " + quoted_text(roots_[0]) + ": " + which +
                          ", and one pack has one class table. If one file is right for all "
                          "labels, give it with --classes FILE; "
                          "else pack each data set by itself",
                      roots_[root]);
  }

  const PackOptions& options_;
  const std::vector<std::string>& roots_;
  Discovery whole_;
  std::map<std::string, SampleList> splits_;
  std::string form_;  // of labels
  bool named_ = false;
  std::optional<labels::ClassTable> table_;  // of the first data set
  std::vector<std::string> names_;
};

// True for a folder of files and no folders.
bool is_flat(const std::string& folder) {
  const Result<FolderContent> content = read_folder(folder);
  return content.ok() && content->folders.empty();
}

// Adds the command of a pair to an error, if the two roots are a folder of images and one of their
// labels.
Error or_pair(const PackOptions& options, Error error, const DiscoverOne& discover_one) {
  PackOptions pair = options;
  pair.input.roots.clear();
  if (options.input.roots.size() != 2 || !is_flat(options.input.roots[0]) ||
      !is_flat(options.input.roots[1]))
    return error;
  pair.input.images = {options.input.roots[0]};
  pair.input.labels = {options.input.roots[1]};
  ProblemLog problems;
  const Result<Discovery> found = discover_one(pair, problems);
  if (found.ok() && problems.count() == 0)
    error.message += suggestions_text({{"If the second folder holds the labels of the first",
                                        whole_command(input_options(pair.input))}});
  return error;
}

}  // namespace

Result<Discovery> discover_several(const PackOptions& options, ProblemLog& problems,
                                   const DiscoverOne& discover_one) {
  HOTPACK_ASSIGN(const std::vector<std::string> prefixes, folder_prefixes(options.input.roots));
  Join join(options);
  for (std::size_t root = 0; root < prefixes.size(); ++root) {
    PackOptions one = options;
    one.input.root = options.input.roots[root];
    one.input.roots.clear();
    if (one.input.split.method != Method::folder) one.input.split = {};
    Result<Discovery> found = discover_one(one, problems);
    if (!found.ok()) return or_pair(options, std::move(found).error(), discover_one);
    HOTPACK_TRY(join.add(root, prefixes[root], *found));
  }
  return join.finish();
}

}  // namespace hotpack::pipeline
