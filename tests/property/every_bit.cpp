// Flips every bit and makes every truncation of every file of packs, and counts what verification
// misses.
//
// usage: every_bit EVERY PACK...     (each EVERY-th bit and length; 1: all of them. The packs are
// changed and fixed again.) Prints one line per file and one for all. Exits with 0 if no damage was
// missed, 1 if some was, and 2 if a pack was already damaged.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "hotpack/verify.hpp"

namespace {

namespace fs = std::filesystem;
using namespace hotpack;

struct Counts {
  std::uint64_t flips = 0, cuts = 0, missed = 0;
};

VerifyOptions quick() {
  VerifyOptions options;
  options.threads = 1;
  options.max_findings = 1;
  return options;
}

bool sound(const Result<VerifyReport>& report) { return report.ok() && report->ok(); }

// A file of a pack that can be damaged.
class Victim {
 public:
  explicit Victim(const fs::path& path)
      : folder_(path.parent_path().string()),
        path_(path.string()),
        is_shard_(path.extension() == ".safetensors"),
        descriptor_(::open(path_.c_str(), O_RDWR | O_CLOEXEC)) {
    if (descriptor_ < 0 || !read_file(path_, bytes_).ok()) std::exit(2);
  }
  ~Victim() { ::close(descriptor_); }
  Victim(const Victim&) = delete;
  Victim& operator=(const Victim&) = delete;

  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

  // Is a flipped bit, or a truncation to a length, found?
  [[nodiscard]] bool finds_flip(std::size_t bit) const {
    put(bit / 8, bytes_[bit / 8] ^ static_cast<std::byte>(1U << bit % 8));
    const bool found = !looks_sound();
    put(bit / 8, bytes_[bit / 8]);
    return found;
  }
  [[nodiscard]] bool finds_cut(std::size_t size) const {
    if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) std::exit(2);
    const bool found = !looks_sound();
    if (::pwrite(descriptor_, bytes_.data() + size, bytes_.size() - size,
                 static_cast<off_t>(size)) < 0)
      std::exit(2);
    return found;
  }

 private:
  void put(std::size_t at, std::byte value) const {
    if (::pwrite(descriptor_, &value, 1, static_cast<off_t>(at)) != 1) std::exit(2);
  }
  // Checking the shard alone is faster. Damage that it cannot see may be found in the whole pack.
  [[nodiscard]] bool looks_sound() const {
    if (is_shard_ && !sound(verify_shard(path_, quick()))) return false;
    return sound(verify_dataset(folder_, quick()));
  }

  std::string folder_, path_;
  bool is_shard_;
  int descriptor_;
  std::vector<std::byte> bytes_;
};

Counts damage(const fs::path& path, std::size_t every) {
  const Victim victim(path);
  Counts counts;
  for (std::size_t bit = 0; bit < 8 * victim.size(); bit += every, ++counts.flips) {
    if (victim.finds_flip(bit)) continue;
    ++counts.missed;
    std::printf("MISSED: %s, byte %zu, bit %zu\n", path.c_str(), bit / 8, bit % 8);
  }
  for (std::size_t size = 0; size < victim.size(); size += every, ++counts.cuts) {
    if (victim.finds_cut(size)) continue;
    ++counts.missed;
    std::printf("MISSED: %s, cut to %zu bytes\n", path.c_str(), size);
  }
  std::printf("%-60s %8zu bytes %9llu flips %8llu cuts %llu missed\n",
              (path.parent_path().filename() / path.filename()).c_str(), victim.size(),
              static_cast<unsigned long long>(counts.flips),
              static_cast<unsigned long long>(counts.cuts),
              static_cast<unsigned long long>(counts.missed));
  std::fflush(stdout);
  return counts;
}

std::vector<fs::path> files_of(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t every = argc > 2 ? std::strtoul(argv[1], nullptr, 10) : 0;
  if (every == 0) {
    std::fprintf(stderr, "usage: every_bit EVERY PACK...\n");
    return 2;
  }
  Counts all;
  for (int i = 2; i < argc; ++i) {
    if (!sound(verify_dataset(argv[i], quick()))) {
      std::fprintf(stderr, "%s: is damaged before it is damaged\n", argv[i]);
      return 2;
    }
    for (const fs::path& file : files_of(argv[i])) {
      const Counts counts = damage(file, every);
      all.flips += counts.flips, all.cuts += counts.cuts, all.missed += counts.missed;
    }
  }
  std::printf("all: %llu flips, %llu cuts, %llu missed\n",
              static_cast<unsigned long long>(all.flips), static_cast<unsigned long long>(all.cuts),
              static_cast<unsigned long long>(all.missed));
  return all.missed == 0 ? 0 : 1;
}
