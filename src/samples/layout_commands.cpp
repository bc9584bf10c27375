#include "samples/layout_commands.hpp"

#include <algorithm>

#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "files/list_file.hpp"

namespace hotpack::pipeline {

namespace {

using Kind = Layout::Kind;
using Method = SplitOptions::Method;

bool has_several(const Layout& layout) {
  return layout.splits.size() > 1 && layout.splits[0].list.empty();
}

// `--split list:train=FILE,val=FILE` without empty files, which would be errors.
std::string list_option(const Layout& layout) {
  std::string parts;
  for (const SplitFolders& split : layout.splits) {
    const Result<bool> empty = is_empty_list(split.list);
    if (!empty.ok() || !*empty) parts += (parts.empty() ? "" : ",") + split.name + "=" + split.list;
  }
  return parts.empty() ? "" : " --split " + shell_word("list:" + parts);
}

std::string folder_options(Kind kind, const SplitFolders& split) {
  if (kind == Kind::tables) return "--pairs " + shell_path(split.list);
  return "--images " + shell_path(split.images) +
         (split.labels.empty() ? "" : " --labels " + shell_path(split.labels));
}

// The expressions of a row of the table of layouts, and `more` options.
std::string other_options(const Layout& layout, const std::string& more) {
  std::string text;
  if (!layout.image_expression.empty())
    text += " " + regex_option(layout.image_expression, layout.label_expression);
  for (const std::string& part : layout.exclude)
    text += " --exclude " + shell_word("*" + part + "*");
  return text + (more.empty() || more.starts_with(' ') ? "" : " ") + more;
}

}  // namespace

std::string whole_command(const std::string& options) {
  return "hotpack pack " + options + " -o OUT";
}

std::string value_option(const std::string& option, const std::string& value) {
  return option + (value.starts_with('-') ? "=" : " ") + shell_word(value);
}

std::string input_options(const InputOptions& input) {
  std::string text = input.root.empty() ? "" : shell_path(input.root);
  const auto add = [&](const std::string& option) { text += (text.empty() ? "" : " ") + option; };
  for (const std::string& folder : input.roots) add(shell_path(folder));
  for (const std::string& folder : input.images) add("--images " + shell_path(folder));
  for (const std::string& folder : input.labels) add("--labels " + shell_path(folder));
  for (const std::string& folder : input.image_folders)
    add("--image-folders " + shell_path(folder));
  for (const std::string& prefix : input.key_prefixes) add(value_option("--key-prefix", prefix));
  return text;
}

std::string pack_command(const Layout& layout, const std::string& more) {
  if (!has_several(layout)) {
    const bool lists = layout.kind != Kind::tables && !layout.splits[0].list.empty();
    return whole_command(folder_options(layout.kind, layout.splits[0]) +
                         (lists ? list_option(layout) : "") + other_options(layout, more));
  }
  std::string text;
  for (const SplitFolders& split : layout.splits)
    if (!split.labels.empty())
      text += (text.empty() ? "" : " ") + folder_options(layout.kind, split) + " " +
              value_option("--key-prefix", split.name);
  return whole_command(text + " --split folder" + other_options(layout, more));
}

std::string split_command(const Layout& layout, const SplitFolders& split,
                          const std::string& more) {
  return whole_command(folder_options(layout.kind, split) + other_options(layout, more));
}

std::string split_option(const SplitOptions& split) {
  if (split.method == Method::none) return "";
  if (split.method == Method::folder) return "--split folder";
  std::string text = split.method == Method::ratio  ? "ratio:"
                     : split.method == Method::hash ? "hash:"
                                                    : "list:";
  for (std::size_t i = 0; i < split.parts.size(); ++i)
    text += (i == 0 ? "" : ",") + split.parts[i].name + "=" + split.parts[i].value;
  return "--split " + shell_word(text);
}

std::string regex_option(const std::string& image, const std::string& label) {
  return "--pair-regex " + shell_word(image) + " " + shell_word(label);
}

std::string left_out_text(const Layout& layout) {
  std::vector<std::string> names;
  for (const SplitFolders& split : layout.splits)
    if (has_several(layout) && split.labels.empty()) names.push_back(split.name);
  if (names.empty()) return "";
  return (names.size() == 1 ? "leaves out the split " : "leaves out the splits ") +
         quoted_list_text(names, names.size()) +
         (names.size() == 1 ? ", which has no labels" : ", which have no labels");
}

std::string suggestions_text(const std::vector<Suggestion>& suggestions) {
  std::string text;
  for (const Suggestion& suggestion : suggestions)
    text += (suggestion.about.empty() ? "" : "\n" + suggestion.about + ":") + "\n  " +
            suggestion.command;
  return text;
}

std::string merging_commands(const std::string& options) {
  return suggestions_text(
      {{"one mask of two classes: the union of their foregrounds",
        whole_command(options + " --label-kind binary")},
       {"ids of objects, 1 for the first file of an image in byte order of names",
        whole_command(options + " --label-kind instances")}});
}

}  // namespace hotpack::pipeline
