#include "files/table_arena.hpp"

#include <algorithm>
#include <utility>

namespace hotpack::pipeline {

std::uint64_t TableArena::add(std::string_view path, std::size_t read) {
  const std::size_t room = std::min(read, text_->size()) - std::min(read, used_);
  if (path.size() > room) {
    more_ += path;
    return text_->size() + more_.size() - path.size();
  }
  std::copy(path.begin(), path.end(), text_->begin() + static_cast<std::ptrdiff_t>(used_));
  used_ += path.size();
  return used_ - path.size();
}

TextArena TableArena::finish() {
  if (!more_.empty()) {
    text_->append(std::exchange(more_, {}));
  } else {
    text_->resize(used_);
    // A copy takes as much memory again for a moment, so it must save more than that.
    if (used_ < text_->capacity() / 2) text_->shrink_to_fit();
  }
  return TextArena(std::move(text_));
}

}  // namespace hotpack::pipeline
