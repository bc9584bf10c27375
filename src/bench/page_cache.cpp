#include "bench/page_cache.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/mapping.hpp"
#include "base/try.hpp"

namespace hotpack::bench {

namespace {

constexpr std::size_t kWindow = std::size_t{1} << 30;  // bytes per query

Status add_residency(const std::string& path, Residency& sum) {
  HOTPACK_ASSIGN(const Mapping mapping, Mapping::open(path));
  const std::span<const std::byte> bytes = mapping.bytes();
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages;
  for (std::size_t offset = 0; offset < bytes.size(); offset += kWindow) {
    const std::size_t length = std::min(kWindow, bytes.size() - offset);
    pages.resize((length + page - 1) / page);
    auto* const address = const_cast<std::byte*>(bytes.data() + offset);
    if (::mincore(address, length, pages.data()) != 0)
      return io_error("cannot ask which pages are in memory", path, errno);
    sum.pages += pages.size();
    sum.resident += static_cast<std::uint64_t>(std::count_if(
        pages.begin(), pages.end(), [](unsigned char each) { return (each & 1) != 0; }));
  }
  return {};
}

}  // namespace

Result<Residency> residency(std::span<const std::string> paths) {
  Residency sum;
  for (const std::string& path : paths) HOTPACK_TRY(add_residency(path, sum));
  return sum;
}

Status drop_pages(std::span<const std::string> paths) {
  for (const std::string& path : paths) {
    HOTPACK_ASSIGN(const File file, File::open_read(path));
    // Both calls are only requests: a file system that does not support them keeps its pages. The
    // caller finds out with residency().
    static_cast<void>(::fdatasync(file.descriptor()));
    static_cast<void>(::posix_fadvise(file.descriptor(), 0, 0, POSIX_FADV_DONTNEED));
  }
  return {};
}

}  // namespace hotpack::bench
