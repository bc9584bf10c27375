// A file that stands for a descriptor of the process, and what was written to it.
#pragma once

#include <unistd.h>

#include <array>
#include <cstdio>
#include <stdexcept>
#include <string>

class Captured {
 public:
  Captured() : file_(std::tmpfile()) {
    if (file_ == nullptr) throw std::runtime_error("cannot make a temporary file");
  }
  ~Captured() { std::fclose(file_); }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

  [[nodiscard]] int descriptor() const { return fileno(file_); }
  // All that was written so far.
  [[nodiscard]] std::string text() const {
    std::string all;
    std::array<char, 4096> piece{};
    off_t at = 0;
    for (ssize_t got = 0; (got = ::pread(descriptor(), piece.data(), piece.size(), at)) > 0;
         at += got) {
      all.append(piece.data(), static_cast<std::size_t>(got));
    }
    return all;
  }

 private:
  std::FILE* file_;
};
