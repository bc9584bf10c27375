#include "samples/layout.hpp"

#include "base/text.hpp"
#include "files/file_list.hpp"
#include "samples/layout_commands.hpp"

namespace hotpack::pipeline {

namespace {

std::string split_text(const Layout& layout, const SplitFolders& split) {
  const std::string images = quoted_text(layout.relative(split.images));
  std::string text;
  if (layout.kind == Layout::Kind::tables) {
    text = "table " + quoted_text(layout.relative(split.list));
  } else if (split.labels.empty()) {
    text = "images in " + images + ", no labels: a set of images alone";
  } else if (layout.kind == Layout::Kind::folders && split.labels != split.images) {
    text = "images in " + images + ", labels in " + quoted_text(layout.relative(split.labels));
    if (!split.list.empty())
      text += ", only those in the list " + quoted_text(layout.relative(split.list));
  } else {
    text = "images and labels in " + images;
  }
  return "  " + (split.name.empty() ? std::string() : split.name + ": ") + text + "\n";
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

}  // namespace hotpack::pipeline
