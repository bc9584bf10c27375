// Packs of a few samples in every form, in a file system in memory, for targets that need
// folders.
//
// A normal end of the process removes the folder; a finding leaves it, a few hundred kilobytes of
// /dev/shm.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "support/tiny_shard.hpp"

namespace hotpack::fuzz {

inline std::vector<test::TinyForm> tiny_forms() {
  const Extent small{3, 2};
  return {{.size = small},
          {.storage = LabelStorage::one_hot, .size = small},
          {.storage = LabelStorage::index, .size = small},
          {.size = small, .image_zstd = true, .label_zstd = true},
          {.layout = AxisOrder::channels_first, .size = small},
          {.size = std::nullopt},
          {.storage = LabelStorage::index,
           .size = std::nullopt,
           .image_zstd = true,
           .label_zstd = true},
          {.color = ImageColor::gray, .multi = true, .size = small},
          {.labeled = false, .size = small},
          {.scope = LabelScope::image, .storage = LabelStorage::index, .size = small},
          {.size = small, .later = true}};
}

class MemoryFolder {
 public:
  MemoryFolder() {
    std::string name = (std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : "/tmp") +
                       std::string("/hotpack-fuzz-XXXXXX");
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~MemoryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  MemoryFolder(const MemoryFolder&) = delete;
  MemoryFolder& operator=(const MemoryFolder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace hotpack::fuzz
