// What only compiled kernels can show: the layout of their parameters, their limits, and that
// threads of very large outputs write what the bodies of the host write. What they compute is
// tested by image_kernels_test.cpp, label_kernels_test.cpp and others, which run once more with
// them.
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

#include "device/image_launch.hpp"
#include "device/kernels/image_body.hpp"
#include "device/kernels/label_body.hpp"
#include "device/label_launch.hpp"
#include "expand/value_map.hpp"
#include "support/catch.hpp"

using namespace hotpack;
using namespace hotpack::device;
using hotpack::test::ptx::CompiledKernel;

namespace {

template <auto kBody, class Args>
void run_body(const void* args, const ThreadPlace& place) {
  kBody(*static_cast<const Args*>(args), place);
}

// One thread by the host's compiler, under the name of its kernel.
struct HostThread {
  const char* name;
  void (*run)(const void* args, const ThreadPlace& place);
};

template <class Element, bool kPlanes>
constexpr auto kImageBody = run_body<expand_images<Element, kPlanes>, ImageArgs>;
template <auto kBody>
constexpr auto kLabelBody = run_body<kBody, LabelArgs>;

const HostThread kHostThreads[] = {
    {"hotpack_image_u8_last", kImageBody<image::AsU8, false>},
    {"hotpack_image_u8_first", kImageBody<image::AsU8, true>},
    {"hotpack_image_f16_last", kImageBody<image::AsF16, false>},
    {"hotpack_image_f16_first", kImageBody<image::AsF16, true>},
    {"hotpack_image_bf16_last", kImageBody<image::AsBf16, false>},
    {"hotpack_image_bf16_first", kImageBody<image::AsBf16, true>},
    {"hotpack_image_f32_last", kImageBody<image::AsF32, false>},
    {"hotpack_image_f32_first", kImageBody<image::AsF32, true>},
    {"hotpack_label_index_u8", kLabelBody<label_index_body<std::uint8_t>>},
    {"hotpack_label_index_u16", kLabelBody<label_index_body<std::uint16_t>>},
    {"hotpack_label_index_i32", kLabelBody<label_index_body<std::uint32_t>>},
    {"hotpack_label_index_i64", kLabelBody<label_index_body<std::uint64_t>>},
    {"hotpack_label_bits", kLabelBody<label_bits_body>},
    {"hotpack_label_one_hot_u8_last", kLabelBody<label_one_hot_last_body<std::uint8_t>>},
    {"hotpack_label_one_hot_b16_last", kLabelBody<label_one_hot_last_body<std::uint16_t>>},
    {"hotpack_label_one_hot_b32_last", kLabelBody<label_one_hot_last_body<std::uint32_t>>},
    {"hotpack_label_one_hot_u8_first", kLabelBody<label_one_hot_first_body<std::uint8_t>>},
    {"hotpack_label_one_hot_b16_first", kLabelBody<label_one_hot_first_body<std::uint16_t>>},
    {"hotpack_label_one_hot_b32_first", kLabelBody<label_one_hot_first_body<std::uint32_t>>},
};

const HostThread& host_thread(const std::string& name) {
  return *std::find_if(std::begin(kHostThreads), std::end(kHostThreads),
                       [&](const HostThread& thread) { return name == thread.name; });
}

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

// Threads of the second row of two, each with one item where items are bytes / 16, at the
// beginning, behind 2^32 bytes and pixels, and where planes and the row end.
std::vector<ThreadPlace> far_threads(std::uint64_t row_bytes) {
  std::vector<ThreadPlace> places;
  const std::uint64_t items = row_bytes / 16;
  for (const std::uint64_t item :
       {std::uint64_t{0}, items / 7, items / 3 - 2, items / 3 - 1, items / 3, items / 2,
        items / 3 * 2, (std::uint64_t{1} << 28) + 3, items - 2, items - 1, items}) {
    ThreadPlace place;
    place.block_threads = 256;
    place.grid_x = static_cast<std::uint32_t>(items / 256 + 1);
    place.grid_y = 2;
    place.block_x = static_cast<std::uint32_t>(std::min(item, items) / 256);
    place.block_y = 1;
    place.thread = static_cast<std::uint32_t>(item % 256);
    places.push_back(place);
  }
  return places;
}

// Both of them for some rows; the bytes that differ are said. Args: ImageArgs or LabelArgs, without
// rows, records and out.
template <class Args>
void check_far_threads(const std::string& name, Args args, const EndlessRecords& records,
                       SparseOutput& out) {
  const CompiledKernel* const compiled = test::ptx::find(name.c_str());
  REQUIRE(compiled != nullptr);
  args.records = records.data();
  args.out = out.data();
  args.row_count = 2;
  for (const RowEntry& row : kRows) {
    const RowEntry rows[2] = {{}, row};
    args.rows = rows;
    for (const ThreadPlace& place : far_threads(args.row_bytes))
      compiled->thread(reinterpret_cast<std::uint64_t>(&args), place);
    const std::vector<Written> got = out.take(2 * args.row_bytes);
    for (const ThreadPlace& place : far_threads(args.row_bytes))
      host_thread(name).run(&args, place);
    INFO(name << ", row " << &row - kRows);
    const bool equal = got == out.take(2 * args.row_bytes);
    CHECK(equal);
    CHECK(got.size() >= 6);
    CHECK(got.back().at > args.row_bytes + args.row_bytes / 2);
  }
}

ImageArgs image_args(ElementType type, int channels, bool source_planes,
                     const expand::ValueMap& map) {
  ImageArgs args;
  args.width = kWidth;
  args.height = kHeight;
  args.channels = channels;
  args.source_planes = source_planes ? 1 : 0;
  args.row_bytes = kPixels * static_cast<std::uint64_t>(channels) * element_bytes(type);
  args.arithmetic = map.arithmetic.exact ? 1 : 0;
  args.values =
      type == ElementType::f32 ? static_cast<const void*>(map.singles.data()) : map.halves.data();
  for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
    args.mean[c] = map.arithmetic.mean[c];
    args.std[c] = map.arithmetic.std[c];
    args.reciprocal[c] = map.arithmetic.reciprocal[c];
  }
  return args;
}

void check_label(const LabelOutput& output, LabelStorage storage, const EndlessRecords& records,
                 SparseOutput& out) {
  LabelArgs args = label_args(output, {LabelScope::pixel, storage, false, 3});
  set_size(args, output, {kWidth, kHeight});
  check_far_threads(label_kernel_name(output), args, records, out);
}

}  // namespace

TEST_CASE("compiled kernels have every name and the parameters of the host") {
  for (const HostThread& thread : kHostThreads) {
    const CompiledKernel* const kernel = test::ptx::find(thread.name);
    INFO(thread.name << " of sm_" << test::ptx::architecture());
    REQUIRE(kernel != nullptr);
    const bool image = std::string(thread.name).find("_image_") != std::string::npos;
    CHECK(kernel->parameter_bytes == (image ? sizeof(ImageArgs) : sizeof(LabelArgs)));
  }
  const auto is_here = [](const CompiledKernel& kernel) {
    return kernel.architecture == test::ptx::architecture();
  };
  CHECK(std::ranges::count_if(test::ptx::image_kernels(), is_here) +
            std::ranges::count_if(test::ptx::label_kernels(), is_here) ==
        static_cast<std::ptrdiff_t>(std::size(kHostThreads)));
}

TEST_CASE("compiled kernels may have as many threads a block as launches ask for") {
  for (const std::int32_t side : {1, 7, 64, 512, 4096}) {
    ImageArgs images;
    images.width = images.height = side;
    images.row_count = 32;
    for (const AxisOrder order : {AxisOrder::channels_last, AxisOrder::channels_first}) {
      for (const ElementType type :
           {ElementType::u8, ElementType::f16, ElementType::bf16, ElementType::f32}) {
        CHECK(image_launch_size(images, type, order, 132).block_threads <=
              test::ptx::find(image_kernel_name(type, order))->most_threads);
      }
      const LabelOutput output{LabelForm::one_hot, ElementType::f32, order, false, {}};
      LabelArgs labels = label_args(output, {LabelScope::pixel, LabelStorage::index, false, 12});
      labels.row_count = 32;
      set_size(labels, output, {side, side});
      CHECK(label_launch_size(labels, output, 132).block_threads <=
            test::ptx::find(label_kernel_name(output))->most_threads);
    }
  }
}

TEST_CASE("compiled image kernels write far elements as the host does") {
  const EndlessRecords records(3 * kPixels);
  SparseOutput out(2 * 3 * kPixels * 4);
  for (const ElementType type :
       {ElementType::u8, ElementType::f16, ElementType::bf16, ElementType::f32}) {
    for (const int channels : {1, 3}) {
      const auto count = static_cast<std::size_t>(channels);
      const std::vector<float> mean{0.485F, 0.456F, 0.406F}, std{0.229F, 0.224F, 0.225F};
      expand::ValueMap map{};
      if (type != ElementType::u8)
        map = expand::make_value_map(type, {mean.begin(), mean.begin() + channels},
                                     {std.begin(), std.begin() + channels});
      for (const bool source_planes : {false, true}) {
        if (count == 1 && source_planes) continue;
        for (const AxisOrder order : {AxisOrder::channels_last, AxisOrder::channels_first})
          check_far_threads(image_kernel_name(type, order),
                            image_args(type, channels, source_planes, map), records, out);
      }
    }
  }
}

TEST_CASE("compiled label kernels write far elements as the host does") {
  const EndlessRecords records(3 * kPixels);
  SparseOutput out(2 * kPixels * 16);
  for (const LabelStorage storage :
       {LabelStorage::bits, LabelStorage::one_hot, LabelStorage::index}) {
    check_label({LabelForm::bits, ElementType::u8, AxisOrder::channels_last, false, {}}, storage,
                records, out);
    for (const ElementType type :
         {ElementType::u8, ElementType::u16, ElementType::i32, ElementType::i64})
      check_label({LabelForm::ids, type, AxisOrder::channels_last, false, 255}, storage, records,
                  out);
    for (const ElementType type : {ElementType::u8, ElementType::f16, ElementType::f32}) {
      for (const AxisOrder order : {AxisOrder::channels_last, AxisOrder::channels_first})
        check_label({LabelForm::one_hot, type, order, true, {}}, storage, records, out);
    }
  }
}
