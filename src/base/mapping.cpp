#include "base/mapping.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"

namespace hotpack {

namespace {

// An error of a call that makes mappings. If they are too many, says what to do.
Error mapping_error(const std::string& what, const std::string& path, int errno_value) {
  Error error = io_error(what, path, errno_value);
  if (errno_value == ENOMEM)
    error.message +=
        ": memory is lacking, or this process has as many mappings as vm.max_map_count allows. "
        "Keep fewer samples and data sets at once, or raise the limit, such as with `sysctl -w "
        "vm.max_map_count=1048576`";
  return error;
}

}  // namespace

Mapping::~Mapping() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Result<Mapping> Mapping::open(const std::string& path) {
  HOTPACK_ASSIGN(const File file, File::open_read(path));
  HOTPACK_ASSIGN(const std::uint64_t size, file.size());
  return of(file, size);
}

Result<Mapping> Mapping::of(const File& file, std::uint64_t size_bytes) {
  Mapping mapping;
  // mmap refuses length 0; the format's checks refuse an empty file
  if (size_bytes == 0) return mapping;
  void* const data = ::mmap(nullptr, size_bytes, PROT_READ, MAP_SHARED, file.descriptor(), 0);
  if (data == MAP_FAILED) return mapping_error("cannot map into memory", file.path(), errno);
  mapping.data_ = static_cast<const std::byte*>(data);
  mapping.size_ = size_bytes;
  return mapping;
}

Result<Mapping> Mapping::reserve(std::uint64_t size_bytes) {
  Mapping mapping;
  if (size_bytes == 0) return mapping;
  // Not writable, so that it does not count as committed memory.
  void* const data =
      ::mmap(nullptr, size_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) return mapping_error("cannot reserve memory", {}, errno);
  mapping.data_ = static_cast<const std::byte*>(data);
  mapping.size_ = size_bytes;
  return mapping;
}

Result<std::span<std::byte>> Mapping::writable(std::uint64_t offset, std::uint64_t size_bytes) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::byte* const data = const_cast<std::byte*>(data_);
  const std::uint64_t begin = offset - offset % page;
  if (size_bytes > 0 &&
      ::mprotect(data + begin, offset - begin + size_bytes, PROT_READ | PROT_WRITE) != 0) {
    return mapping_error("cannot get " + std::to_string(size_bytes) + " bytes of memory", {},
                         errno);
  }
  return std::span(data + offset, size_bytes);
}

}  // namespace hotpack
