#include "files/listed_path.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "files/file_kind.hpp"
#include "files/text_lines.hpp"

namespace hotpack::pipeline {

namespace {

std::string_view without_slashes(std::string_view path) {
  path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
  return path;
}

std::string with_slashes(std::string_view path) {
  std::string slashed(path);
  std::replace(slashed.begin(), slashed.end(), '\\', '/');
  return slashed;
}

std::string with_end(std::string folder) {
  if (!folder.ends_with('/')) folder += '/';
  return folder;
}

// Replaces "%20" by a space, and so on; a '%' that no two hexadecimal digits follow stays.
std::string decoded(std::string_view path) {
  std::string text;
  for (std::size_t i = 0; i < path.size(); ++i) {
    unsigned char byte = 0;
    const char* const digits = path.data() + i + 1;
    const bool coded = path[i] == '%' && i + 2 < path.size() &&
                       std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
    text += coded ? static_cast<char>(byte) : path[i];
    if (coded) i += 2;
  }
  return text;
}

}  // namespace

ListedPaths::ListedPaths(std::string file, const std::string& root, std::string strip_prefix)
    : file_(std::move(file)),
      strip_prefix_(std::move(strip_prefix)),
      slashed_prefix_(with_slashes(strip_prefix_)) {
  std::string base = !root.empty() ? root : is_stream(file_) ? "." : folder_of(file_);
  while (base.size() > 1 && base.ends_with('/')) base.pop_back();
  std::error_code failure;
  canonical_ = with_end(std::filesystem::weakly_canonical(base, failure).string());
  const bool climbs = base.find("..") != base.npos;  // perhaps from a linked folder
  absolute_ =
      climbs ? canonical_ : with_end(std::filesystem::absolute(base, failure).lexically_normal());
  roots_ = {{std::move(base), ""}, {"", ""}};
}

ListedPaths::Place ListedPaths::place(std::string_view path) {
  if (first_.empty()) first_ = path;
  if (!strip_prefix_.empty() &&
      (path.starts_with(strip_prefix_) || path.starts_with(slashed_prefix_))) {
    ++stripped_;
    return {0, without_slashes(path.substr(strip_prefix_.size()))};
  }
  if (path.starts_with('/')) return {1, without_slashes(path)};
  return {0, path};
}

std::string ListedPaths::relative(const std::string& path) {
  const bool absolute = path.starts_with('/'), climbs = path.find("../") != std::string::npos;
  if (!absolute && !climbs) return path;
  if (!strip_prefix_.empty() && path.starts_with(strip_prefix_)) return path;
  if (!climbs && path.starts_with(absolute_)) return path.substr(absolute_.size());
  std::string folder = folder_of(absolute ? path : canonical_ + path);
  if (folder != folder_) {
    folder_ = std::move(folder);
    std::error_code failure;
    below_ = with_end(std::filesystem::weakly_canonical(folder_, failure).string());
  }
  if (!below_.starts_with(canonical_)) return path;
  return below_.substr(canonical_.size()) + std::string(last_part(path));
}

std::vector<std::string> ListedPaths::other_forms(std::string_view path) {
  std::vector<std::string> forms;
  const std::string slashed = with_slashes(path), plain = decoded(path), both = decoded(slashed);
  for (const std::string_view form :
       {std::string_view(slashed), std::string_view(plain), std::string_view(both),
        without_slashes(slashed), without_slashes(both)})
    if (form != path && std::ranges::find(forms, form) == forms.end()) forms.emplace_back(form);
  return forms;
}

Status ListedPaths::check_prefix() const {
  if (strip_prefix_.empty() || stripped_ > 0 || first_.empty()) return {};
  return usage_error("--strip-prefix " + strip_prefix_ + ": no path of " + quoted_text(file_) +
                     " begins with it; the first path is " + quoted_text(first_));
}

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return slash == 0 ? "/" : std::string(path.substr(0, slash));
}

}  // namespace hotpack::pipeline
