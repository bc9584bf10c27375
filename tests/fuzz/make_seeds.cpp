// Writes the seeds that no editor can make into folders named after their targets:
// `make_fuzz_seeds FOLDER`.
#include <zstd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/tiny_shard.hpp"

using namespace hotpack;
using test::TinyForm;

namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const void* bytes, std::size_t size) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

// Every form of the format, as small as possible.
std::vector<std::pair<std::string, TinyForm>> forms() {
  const Extent small{3, 2};
  return {{"bits", {.size = small}},
          {"onehot", {.storage = LabelStorage::one_hot, .size = small}},
          {"index", {.storage = LabelStorage::index, .size = small}},
          {"zstd", {.size = small, .image_zstd = true, .label_zstd = true}},
          {"chw", {.layout = AxisOrder::channels_first, .size = small}},
          {"mixed", {.size = std::nullopt}},
          {"mixed-zstd",
           {.storage = LabelStorage::index,
            .size = std::nullopt,
            .image_zstd = true,
            .label_zstd = true}},
          {"gray", {.color = ImageColor::gray, .multi = true, .size = small}},
          {"unlabelled", {.labeled = false, .size = small}},
          {"sample", {.scope = LabelScope::image, .storage = LabelStorage::index, .size = small}},
          {"later", {.size = small, .later = true}}};
}

// Only header and tables matter; fillers up to a page make a seed large, and are zeros.
void make_shards(const fs::path& folder) {
  for (const auto& [name, form] : forms()) {
    const auto shard = test::make_shard(form, 2);
    write(folder / "shard" / name, shard.bytes.data(), shard.bytes.size());
  }
  const auto none = test::make_shard({.size = Extent{3, 2}}, 0);
  write(folder / "shard" / "empty", none.bytes.data(), none.bytes.size());
}

void make_manifests(const fs::path& folder) {
  for (const auto& [name, form] : forms()) {
    const fs::path pack = fs::temp_directory_path() / ("hotpack-seeds-" + name);
    fs::create_directories(pack);
    (void)test::write_pack(pack.string(), form, test::tiny_records(form, 3), 2);
    fs::create_directories(folder / "manifest");
    fs::copy_file(pack / "dataset.json", folder / "manifest" / name,
                  fs::copy_options::overwrite_existing);
    fs::remove_all(pack);
  }
}

void make_frame(const fs::path& path, std::string_view content, int level) {
  std::string frame(ZSTD_compressBound(content.size()), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), content.data(), content.size(), level));
  write(path, frame.data(), frame.size());
}

void make_frames(const fs::path& folder) {
  make_frame(folder / "zstd_frame" / "empty", "", 1);
  make_frame(folder / "zstd_frame" / "run", std::string(300, 'x'), 1);
  std::string text;
  for (int i = 0; i < 200; ++i) text += std::to_string(i * 7919 % 1000) + " ";
  make_frame(folder / "zstd_frame" / "text", text, 19);
  make_frame(folder / "zstd_frame" / "raw", "\x01\x93\x7f\x10\x88", 1);
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 2) return std::cerr << "usage: make_fuzz_seeds FOLDER\n", 2;
  make_shards(arguments[1]);
  make_manifests(arguments[1]);
  make_frames(arguments[1]);
  return 0;
} catch (const std::exception& problem) {
  std::cerr << "make_fuzz_seeds: " << problem.what() << '\n';
  return 1;
}
