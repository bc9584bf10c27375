// What only compiled kernels can show: the layout of their parameters, their limits, and that
// threads of very large outputs write what the bodies of the host write. What they compute is
// tested by the cases of tests/unit/device, which run once more with them.
#include "support/ptx/ptx_kernels.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/fake_cuda/host_threads.hpp"

using namespace hotpack::device;
using namespace hotpack::test;

namespace {

constexpr std::uint64_t kPage = 4096;

std::uint8_t* reserve(std::uint64_t bytes) {
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  return static_cast<std::uint8_t*>(memory);
}

// Records of any size: the same bytes again and again, at a distance that divides no power of two,
// so that an index that lost its upper bits reads others.
class EndlessRecords {
 public:
  explicit EndlessRecords(std::uint64_t bytes)
      : bytes_((bytes / kPeriod + 1) * kPeriod), data_(reserve(bytes_)) {
    const int file = ::memfd_create("records", 0);
    REQUIRE(file >= 0);
    std::vector<std::uint8_t> content(kPeriod);
    std::mt19937 random(7);
    for (std::uint8_t& byte : content)
      byte = static_cast<std::uint8_t>(random() % 4 == 0 ? random() : random() % 4);
    REQUIRE(::write(file, content.data(), kPeriod) == static_cast<ssize_t>(kPeriod));
    for (std::uint64_t at = 0; at < bytes_; at += kPeriod) {
      REQUIRE(::mmap(data_ + at, kPeriod, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0) !=
              MAP_FAILED);
    }
    ::close(file);
  }
  ~EndlessRecords() { ::munmap(data_, bytes_); }
  EndlessRecords(const EndlessRecords&) = delete;
  EndlessRecords& operator=(const EndlessRecords&) = delete;
  [[nodiscard]] const std::uint8_t* data() const { return data_; }

 private:
  static constexpr std::uint64_t kPeriod = 1031 * kPage;
  std::uint64_t bytes_;
  std::uint8_t* data_;
};

// A page that was written, and where.
struct Written {
  std::uint64_t at = 0;
  std::array<std::uint8_t, kPage> bytes = {};
  bool operator==(const Written&) const = default;
};

// Memory of many more bytes than the machine has, which knows where it was written.
class SparseOutput {
 public:
  explicit SparseOutput(std::uint64_t bytes)
      : bytes_((bytes / kPage + 1) * kPage),
        data_(reserve(bytes_)),
        present_(new unsigned char[bytes_ / kPage]) {
    ::madvise(data_, bytes_, MADV_NOHUGEPAGE);
  }
  ~SparseOutput() { ::munmap(data_, bytes_); }
  SparseOutput(const SparseOutput&) = delete;
  SparseOutput& operator=(const SparseOutput&) = delete;
  [[nodiscard]] std::uint8_t* data() const { return data_; }

  // What was written since the last time, of so many bytes; the others were not.
  std::vector<Written> take(std::uint64_t bytes) {
    const std::uint64_t pages = std::min(bytes_, bytes + kPage) / kPage;
    REQUIRE(::mincore(data_, pages * kPage, present_.get()) == 0);
    std::vector<Written> written;
    for (std::uint64_t page = next_present(0, pages); page < pages;
         page = next_present(page + 1, pages)) {
      written.push_back({page * kPage, {}});
      std::memcpy(written.back().bytes.data(), data_ + page * kPage, kPage);
    }
    REQUIRE(::madvise(data_, bytes_, MADV_DONTNEED) == 0);
    return written;
  }

 private:
  [[nodiscard]] std::uint64_t next_present(std::uint64_t from, std::uint64_t pages) const {
    const void* const found = std::memchr(present_.get() + from, 1, pages - from);
    return found == nullptr ? pages
                            : static_cast<std::uint64_t>(static_cast<const unsigned char*>(found) -
                                                         present_.get());
  }

  std::uint64_t bytes_;
  std::uint8_t* data_;
  std::unique_ptr<unsigned char[]> present_;  // of each page, 1: it was written
};

// More than 2^32 pixels, an odd number of them.
constexpr std::int32_t kWidth = 65521, kHeight = 65633;
constexpr std::uint64_t kPixels = std::uint64_t{kWidth} * std::uint64_t{kHeight};

RowEntry row_entry(std::uint32_t flags, std::int32_t width, std::int32_t height) {
  RowEntry row;
  row.record_width = kWidth;
  row.record_height = kHeight;
  row.width = width;
  row.height = height;
  row.x = kWidth - width;
  row.y = kHeight - height;
  row.flags = flags;
  return row;
}

// A row as it is, turned round, padded, resampled, and none.
const RowEntry kRows[] = {
    row_entry(kRowValid, kWidth, kHeight),
    row_entry(kRowValid | kRowFlipHorizontal | kRowFlipVertical, kWidth, kHeight),
    row_entry(kRowValid | kRowFlipHorizontal, kWidth - 9, kHeight - 7),
    row_entry(kRowValid | kRowResample | kRowFlipVertical, 60001, 50021),
    row_entry(0, 0, 0),
};

// Threads of the second row of two, each with one Vector of the row or of each plane, at the
// beginning, behind 2^32 bytes and pixels, and where planes and the row end.
std::vector<ThreadPlace> far_threads(const KernelArgs& args) {
  std::vector<ThreadPlace> places;
  const std::uint64_t items = args.row_bytes / 16,
                      plane = items / static_cast<std::uint32_t>(args.channels);
  for (const std::uint64_t item :
       {std::uint64_t{0}, items / 7, plane - 1, plane, plane + 1, items / 2, items / 3 * 2,
        (std::uint64_t{1} << 28) + 3, items - 2, items - 1, items}) {
    places.push_back({static_cast<std::uint32_t>(item % 256), 256,
                      static_cast<std::uint32_t>(std::min(item, items) / 256), 1,
                      static_cast<std::uint32_t>(items / 256 + 1), 2});
  }
  return places;
}

// Compares the bytes that both write for some rows. `args` has no rows, records and out.
void check_far_threads(const HostThread& thread, KernelArgs args, std::size_t element_bytes,
                       const EndlessRecords& records, SparseOutput& out) {
  const ptx::CompiledKernel* const compiled = ptx::find(thread.name);
  REQUIRE(compiled != nullptr);
  args.records = records.data();
  args.out = out.data();
  args.row_count = 2;
  args.width = kWidth;
  args.height = kHeight;
  args.width_reciprocal = reciprocal_of(kWidth);
  args.height_reciprocal = reciprocal_of(kHeight);
  args.channel_reciprocal = reciprocal_of(static_cast<std::uint32_t>(args.channels));
  args.row_bytes = kPixels * static_cast<std::uint64_t>(args.channels) * element_bytes;
  for (const RowEntry& row : kRows) {
    const RowEntry rows[2] = {{}, row};
    args.rows = rows;
    for (const ThreadPlace& place : far_threads(args))
      compiled->thread(reinterpret_cast<std::uint64_t>(&args), place);
    const std::vector<Written> got = out.take(2 * args.row_bytes);
    for (const ThreadPlace& place : far_threads(args)) thread.run(args, place);
    INFO(thread.name << ", row " << &row - kRows);
    const bool equal = got == out.take(2 * args.row_bytes);
    CHECK(equal);
    CHECK(got.size() >= 6);
    CHECK(got.back().at > args.row_bytes + args.row_bytes / 2);
  }
}

bool has(const HostThread& thread, const char* part) {
  return std::string(thread.name).find(part) != std::string::npos;
}

std::size_t element_bytes_of(const HostThread& thread) {
  if (has(thread, "_i64")) return 8;
  if (has(thread, "32")) return 4;
  return has(thread, "16") ? 2 : 1;
}

}  // namespace

TEST_CASE("compiled kernels have the names, parameters and threads of the host") {
  for (const HostThread& thread : kHostThreads) {
    const ptx::CompiledKernel* const kernel = ptx::find(thread.name);
    INFO(thread.name << " of sm_" << ptx::architecture());
    REQUIRE(kernel != nullptr);
    CHECK(kernel->parameter_bytes == sizeof(KernelArgs));
    CHECK(kernel->most_threads >= LaunchSize{}.block_threads);
  }
  const auto is_here = [](const ptx::CompiledKernel& kernel) {
    return kernel.architecture == ptx::architecture();
  };
  CHECK(std::ranges::count_if(ptx::kernels(), is_here) == std::ssize(kHostThreads));
}

TEST_CASE("compiled image kernels write far elements as the host does") {
  const EndlessRecords records(3 * kPixels);
  SparseOutput out(2 * 3 * kPixels * 4);
  constexpr float kMean[] = {0.485F, 0.456F, 0.406F}, kStd[] = {0.229F, 0.224F, 0.225F};
  for (const HostThread& thread : kHostThreads) {
    if (!has(thread, "_image_")) continue;
    for (const int form : {0, 1, 2}) {  // interleaved channels, planes, one channel
      KernelArgs args;
      args.channels = form == 2 ? 1 : 3;
      args.source_planes = form == 1 ? 1 : 0;
      for (int c = 0; c < 3; ++c) {
        args.mean[c] = kMean[c];
        args.std[c] = kStd[c];
        args.reciprocal[c] = 1 / kStd[c];
      }
      check_far_threads(thread, args, element_bytes_of(thread), records, out);
    }
  }
}

TEST_CASE("compiled label kernels write far elements as the host does") {
  const EndlessRecords records(3 * kPixels);
  SparseOutput out(2 * 4 * kPixels * 8);
  for (const HostThread& thread : kHostThreads) {
    if (has(thread, "_image_")) continue;
    for (const std::int32_t storage : {kStoredBits, kStoredOneHot, kStoredIndex}) {
      KernelArgs args;
      args.storage = storage;
      args.classes = 3;
      args.vector_bytes = storage == kStoredOneHot ? 3 : 1;
      args.channels = has(thread, "_one_hot_") ? 4 : 1;  // with ignored pixels
      args.one = element_bytes_of(thread) == 2 ? 0x3C00 : 1;
      args.ignore_index = 255;
      check_far_threads(thread, args, element_bytes_of(thread), records, out);
    }
  }
}
