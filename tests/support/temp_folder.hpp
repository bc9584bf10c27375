// A folder that exists as long as the object, for tests.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "hotpack-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
    path_ = name;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string operator/(std::string_view name) const {
    return path_ + "/" + std::string(name);
  }

  // Writes a file, and creates its folders.
  void write(std::string_view name, std::string_view content) const {
    const std::filesystem::path target = *this / name;
    std::filesystem::create_directories(target.parent_path());
    std::ofstream(target, std::ios::binary) << content;
  }

  // Removes a file and writes another of its name, which many file systems give the same inode.
  // Waits longer than the ticks of the clock of the file system, which tells their births apart.
  void write_anew(std::string_view name, std::string_view content) const {
    std::filesystem::remove(*this / name);
    std::this_thread::sleep_for(std::chrono::milliseconds(25));
    write(name, content);
  }

 private:
  std::string path_;
};
