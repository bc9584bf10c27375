#include "base/mapping.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/try.hpp"

namespace hotpack {

namespace {

constexpr std::uint64_t kMostOnHeap = std::uint64_t{64} << 10;
constexpr std::size_t kAlignment = 64;  // of records in a file

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

// The block that a thread gave back last. Who opens one shard after another uses the same block, so
// that what is kept of each shard does not break the heap into pieces between them.
struct Block {
  std::byte* data = nullptr;
  std::size_t capacity = 0;
};
// Plain values, because mappings of static storage may outlive all objects of their thread.
thread_local Block spare;
thread_local bool spare_ended = false;

class SpareEnd {
 public:
  SpareEnd() = default;
  ~SpareEnd() {
    std::free(std::exchange(spare, {}).data);
    spare_ended = true;
  }
  SpareEnd(const SpareEnd&) = delete;
  SpareEnd& operator=(const SpareEnd&) = delete;
};

// Returns a block of at least `size` bytes and not much more; without data if memory is lacking.
Block take_block(std::size_t size) {
  if (spare.capacity >= size && spare.capacity / 2 <= size) return std::exchange(spare, {});
  const std::size_t capacity = size + padding_to(size, kAlignment);
  return {static_cast<std::byte*>(std::aligned_alloc(kAlignment, capacity)), capacity};
}

void give_back(Block block) {
  if (!spare_ended) {
    static thread_local const SpareEnd end;  // made once, in each thread that has a spare block
    std::swap(spare, block);
  }
  std::free(block.data);
}

}  // namespace

Mapping::~Mapping() {
  std::byte* const data = const_cast<std::byte*>(data_);
  if (heap_bytes_ > 0) {
    give_back({data, heap_bytes_});
  } else if (data != nullptr) {
    ::munmap(data, size_);
  }
}

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      heap_bytes_(std::exchange(other.heap_bytes_, 0)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(heap_bytes_, other.heap_bytes_);
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

Result<Mapping> Mapping::reserve_briefly(std::uint64_t size_bytes) {
  if (size_bytes == 0 || size_bytes > kMostOnHeap) return reserve(size_bytes);
  Mapping mapping;
  const Block block = take_block(size_bytes);
  if (block.data == nullptr) return mapping_error("cannot reserve memory", {}, ENOMEM);
  std::memset(block.data, 0, size_bytes);
  mapping.data_ = block.data;
  mapping.size_ = size_bytes;
  mapping.heap_bytes_ = block.capacity;
  return mapping;
}

Result<std::span<std::byte>> Mapping::writable(std::uint64_t offset, std::uint64_t size_bytes) {
  if (heap_bytes_ > 0) return std::span(const_cast<std::byte*>(data_) + offset, size_bytes);
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
