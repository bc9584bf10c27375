#include "samples/layout_commands.hpp"

#include "base/shell_word.hpp"
#include "base/text.hpp"
#include "files/file_list.hpp"
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
  SplitOptions lists{Method::list, {}, 0, ""};
  for (const SplitFolders& split : layout.splits) {
    const Result<bool> empty = is_empty_list(split.list);
    if (!empty.ok() || !*empty) lists.parts.push_back({split.name, split.list});
  }
  return lists.parts.empty() ? "" : " " + split_option(lists);
}

std::string folder_options(Kind kind, const SplitFolders& split) {
  if (kind == Kind::tables) return "--pairs " + shell_path(split.list);
  return "--images " + shell_path(split.images) +
         (split.labels.empty() ? "" : " --labels " + shell_path(split.labels));
}

std::string split_text(const Layout& layout, const SplitFolders& split) {
  const std::string images = quoted_text(layout.relative(split.images));
  const bool apart = layout.kind == Kind::folders && split.labels != split.images;
  std::string text = split.name.empty() ? "  " : "  " + split.name + ": ";
  if (layout.kind == Kind::tables)
    return text + "table " + quoted_text(layout.relative(split.list)) + "\n";
  if (split.labels.empty())
    return text + "images in " + images + ", no labels: a set of images alone\n";
  if (!apart) return text + "images and labels in " + images + "\n";
  text += "images in " + images + ", labels in " + quoted_text(layout.relative(split.labels));
  if (!split.list.empty())
    text += ", only those in the list " + quoted_text(layout.relative(split.list));
  return text + "\n";
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

std::string Layout::relative(const std::string& path) const {
  if (path == root) return ".";
  const std::string inside = path_below(root, "");
  return path.starts_with(inside) ? path.substr(inside.size()) : path;
}

std::string Layout::text() const {
  std::string text = "layout of " + root + ": " + name + "\n";
  for (const SplitFolders& split : splits) text += split_text(*this, split);
  if (!image_expression.empty())
    text += "  pairs paths by " + regex_option(image_expression, label_expression) + "\n";
  for (const std::string& note : notes) text += "  " + note + "\n";
  return text;
}

std::string whole_command(const std::string& options) {
  return "hotpack pack " + options + " -o OUT";
}

std::string value_option(const std::string& option, const std::string& value) {
  return option + (value.starts_with('-') ? "=" : " ") + shell_word(value);
}

std::string input_options(const InputOptions& input) {
  std::vector<std::string> options;
  const auto add = [&](const std::string& option, const std::vector<std::string>& folders) {
    for (const std::string& folder : folders) options.push_back(option + shell_path(folder));
  };
  if (!input.root.empty()) add("", {input.root});
  add("", input.roots);
  add("--images ", input.images);
  add("--labels ", input.labels);
  add("--image-folders ", input.image_folders);
  for (const std::string& prefix : input.key_prefixes)
    options.push_back(value_option("--key-prefix", prefix));
  return joined_text(options, " ");
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
  std::vector<std::string> parts;
  for (const SplitOptions::Part& part : split.parts) parts.push_back(part.name + "=" + part.value);
  const std::string method = split.method == Method::ratio  ? "ratio:"
                             : split.method == Method::hash ? "hash:"
                                                            : "list:";
  return "--split " + shell_word(method + joined_text(parts, ","));
}

std::string regex_option(const std::string& image, const std::string& label) {
  return "--pair-regex " + shell_word(image) + " " + shell_word(label);
}

std::string left_out_text(const Layout& layout) {
  std::vector<std::string> names;
  for (const SplitFolders& split : layout.splits)
    if (has_several(layout) && split.labels.empty()) names.push_back(split.name);
  if (names.empty()) return "";
  const bool one = names.size() == 1;
  return std::string("leaves out the split") + (one ? " " : "s ") +
         quoted_list_text(names, names.size()) + ", which " + (one ? "has" : "have") + " no labels";
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
