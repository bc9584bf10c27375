#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "device/kernels/label_body.hpp"
#include "device/label_launch.hpp"
#include "support/catch.hpp"
#include "support/fake_cuda/fake_driver.hpp"
#include "support/fake_cuda/host_kernels.hpp"
#include "support/fenced_memory.hpp"

// There are two types named LabelSource; this means that of `expand`. The oracle is
// expand::LabelExpander.
namespace hotpack::device {

namespace {

using expand::LabelExpander;
using expand::LabelSource;
using expand::Placement;
using test::Against;
using test::FencedMemory;

constexpr LabelStorage kStorages[] = {LabelStorage::bits, LabelStorage::one_hot,
                                      LabelStorage::index};
constexpr std::byte kUnwritten{0xA5};

LabelOutput index_output(ElementType type, std::optional<std::int64_t> ignored = {}) {
  return {LabelForm::ids, type, AxisOrder::channels_last, false, ignored};
}
LabelOutput one_hot_output(ElementType type, AxisOrder order, bool ignore_channel = false) {
  return {LabelForm::one_hot, type, order, ignore_channel, {}};
}
LabelOutput bits_output() { return {LabelForm::bits, {}, AxisOrder::channels_last, false, {}}; }

std::size_t round_up(std::size_t size, std::size_t step) { return (size + step - 1) / step * step; }

// One row of a batch: a record and its window, or no sample.
struct Row {
  PixelSize record;
  Placement placement;
  bool valid = true;
  std::vector<std::uint8_t> label = {};
  std::size_t offset = 0;  // of the label among the records
};

Row whole(PixelSize out, bool horizontal = false, bool vertical = false) {
  const SampleCrop box{0,
                       0,
                       static_cast<std::int32_t>(out.width),
                       static_cast<std::int32_t>(out.height),
                       horizontal,
                       vertical};
  return {out, {box, out, false}};
}

// A window in a record that is larger by 3 columns and 2 lines.
Row window(PixelSize out, std::int32_t width, std::int32_t height, bool resample, bool horizontal,
           bool vertical) {
  return {{width + 3, height + 2}, {{2, 1, width, height, horizontal, vertical}, out, resample}};
}

Row no_sample(PixelSize out, std::uint8_t garbage) {
  Row row{{1, 1}, {{}, out, false}, false};
  const std::int32_t any = garbage == 0 ? 0 : -1234567;
  row.placement.box = {any, any, any, any, garbage != 0, garbage != 0};
  return row;
}

// Every placement of records in an output of one size.
std::vector<Row> every_placement(PixelSize out) {
  const auto width = static_cast<std::int32_t>(out.width),
             height = static_cast<std::int32_t>(out.height);
  const std::int32_t less_width = std::max(1, width - 3), less_height = std::max(1, height - 2);
  std::vector<Row> rows{whole(out), no_sample(out, 0), whole(out, true), whole(out, false, true),
                        whole(out, true, true)};
  rows.push_back(window(out, width, height, false, false, false));
  rows.push_back(window(out, width, height, false, true, false));
  rows.push_back(window(out, less_width, less_height, false, false, false));  // the rest is padding
  rows.push_back(window(out, less_width, less_height, false, true, true));
  rows.push_back(window(out, less_width, height, false, true, false));
  rows.push_back(no_sample(out, 1));
  rows.push_back(window(out, 2 * width + 1, 3 * height, true, false,
                        true));  // resampled: made smaller, larger, in one direction
  rows.push_back(window(out, less_width, less_height, true, true, false));
  rows.push_back(window(out, width, height + 2, true, false, false));
  rows.push_back(window(out, width + 3, height, true, true, true));
  rows.push_back(window(out, width, height, true, false, false));
  rows.push_back({{width, height + 3},
                  {{0, 2, width, height, false, false},
                   out,
                   false}});  // lines of a record of the output's width
  return rows;
}

LabelShape shape_of(const LabelSource& source, PixelSize record) {
  return {source.scope,  source.storage, source.multi,
          record.height, record.width,   source.class_count};
}

// Vectors of every kind: no class, one, several, and values that no label may have.
std::vector<std::uint8_t> hostile_label(const LabelShape& shape, std::mt19937& random) {
  std::vector<std::uint8_t> bytes(shape.size_bytes());
  const std::size_t size = shape.vector_bytes();
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    const std::uint32_t sort = random() % 8;
    const std::size_t id = random() % shape.class_count;
    if (sort == 0) continue;
    if (sort == 1) {
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), size, std::uint8_t{255});
    } else if (sort == 2) {
      for (std::size_t i = 0; i < size; ++i)
        bytes[at + i] = static_cast<std::uint8_t>(random() % 3 == 0 ? random() : 0);
    } else if (shape.storage == LabelStorage::index) {
      const auto stored = static_cast<std::uint16_t>(sort == 3 ? shape.class_count : id);
      std::memcpy(bytes.data() + at, &stored, size);
    } else if (shape.storage == LabelStorage::one_hot) {
      bytes[at + id] = static_cast<std::uint8_t>(1 + random() % 255);
    } else {
      bytes[at + id / 8] = static_cast<std::uint8_t>(1U << id % 8);
      if (sort == 3)
        bytes[at + size - 1] =
            static_cast<std::uint8_t>(bytes[at + size - 1] | 0x80);  // mostly beyond the last class
    }
  }
  return bytes;
}

// Records as on a device: labels at multiples of kBlockAlignment, in no order, between protected
// pages.
class StoredRows {
 public:
  StoredRows(std::vector<Row> rows, const LabelSource& source, std::uint32_t seed)
      : rows_(std::move(rows)), source_(source) {
    std::mt19937 random(seed);
    std::vector<std::size_t> order(rows_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    std::size_t end = kBlockAlignment * (random() % 3);
    for (const std::size_t i : order) place(rows_[i], random, end);
    memory_.emplace(std::max(end, kBlockAlignment),
                    seed % 2 == 0 ? Against::low_fence : Against::high_fence);
    std::memset(memory_->data(), 0x5A, end);
    for (const Row& row : rows_)
      std::copy(row.label.begin(), row.label.end(),
                reinterpret_cast<std::uint8_t*>(memory_->data()) + row.offset);
    for (const Row& row : rows_) table_.push_back(entry_of(row));
  }

  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  [[nodiscard]] const std::vector<RowEntry>& table() const { return table_; }
  [[nodiscard]] std::span<const std::uint8_t> records() const { return memory_->bytes(); }
  [[nodiscard]] PixelSize output() const { return rows_.front().placement.output; }
  [[nodiscard]] const LabelSource& source() const { return source_; }

 private:
  void place(Row& row, std::mt19937& random, std::size_t& end) const {
    if (!row.valid) return;
    row.label = hostile_label(
        shape_of(source_, source_.scope == LabelScope::image ? PixelSize{1, 1} : row.record),
        random);
    row.offset = end;
    end += round_up(row.label.size(), kBlockAlignment);
    if (&row != &rows_.back()) end += kBlockAlignment * (random() % 2);
  }
  [[nodiscard]] static RowEntry entry_of(const Row& row) {
    const SampleCrop& box = row.placement.box;
    RowEntry entry;
    entry.image = ~std::uint64_t{0};  // label kernels must not use it
    entry.label = row.valid ? row.offset : ~std::uint64_t{0} / 2;
    entry.record_width = static_cast<std::int32_t>(row.record.width);
    entry.record_height = static_cast<std::int32_t>(row.record.height);
    entry.x = box.x;
    entry.y = box.y;
    entry.width = box.width;
    entry.height = box.height;
    entry.flags = (row.valid ? kRowValid : 0) | (box.flip_horizontal ? kRowFlipHorizontal : 0) |
                  (box.flip_vertical ? kRowFlipVertical : 0) |
                  (row.placement.resample ? kRowResample : 0);
    return entry;
  }
  std::vector<Row> rows_;
  LabelSource source_;
  std::optional<FencedMemory> memory_;
  std::vector<RowEntry> table_;
};

std::vector<std::byte> expected_rows(const LabelExpander& expander, const StoredRows& stored) {
  const bool sample = stored.source().scope == LabelScope::image;
  const PixelSize size = sample ? PixelSize{1, 1} : stored.output();
  const std::uint64_t row_bytes = expander.row_bytes(size);
  std::vector<std::byte> out(row_bytes * stored.rows().size());
  expand::Scratch scratch;
  std::byte* at = out.data();
  for (const Row& row : stored.rows()) {
    if (row.valid) {
      const PixelSize record = sample ? size : row.record;
      scratch.reserve(expander.scratch_bytes(record, size));
      expander.expand({row.label, shape_of(stored.source(), record)},
                      sample ? expand::identity(size) : row.placement, scratch, at,
                      expand::Stores::cached);
    } else {
      expander.blank(size, at);
    }
    at += row_bytes;
  }
  return out;
}

// Rows that a kernel wrote, in memory with a fence at one end and untouched bytes at the other.
class Output {
 public:
  Output(std::size_t bytes, Against side)
      : size_(bytes), memory_(round_up(bytes, kBlockBytes), side) {
    std::memset(memory_.data(), static_cast<int>(kUnwritten), memory_.bytes().size());
  }
  [[nodiscard]] std::byte* data() { return memory_.data(); }
  [[nodiscard]] bool equals(const std::vector<std::byte>& expected) {
    const auto beyond = std::vector<std::byte>(memory_.bytes().size() - size_, kUnwritten);
    return std::memcmp(memory_.data(), expected.data(), size_) == 0 &&
           std::equal(beyond.begin(), beyond.end(), memory_.data() + size_);
  }
  // The first byte that differs.
  [[nodiscard]] std::size_t difference(const std::vector<std::byte>& expected) {
    return static_cast<std::size_t>(
        std::mismatch(expected.begin(), expected.end(), memory_.data()).first - expected.begin());
  }

 private:
  std::size_t size_;
  FencedMemory memory_;
};

LabelArgs args_for(const LabelOutput& output, const StoredRows& stored) {
  LabelArgs args = label_args(output, stored.source());
  set_size(args, output, stored.output());
  args.rows = stored.table().data();
  args.records = stored.records().data();
  args.row_count = static_cast<std::uint32_t>(stored.table().size());
  return args;
}

std::string text_of(const LabelOutput& output, const StoredRows& stored) {
  const LabelSource& source = stored.source();
  return std::string(label_kernel_name(output)) + " C " + std::to_string(source.class_count) +
         " storage " + std::to_string(static_cast<int>(source.storage)) + " size " +
         std::to_string(stored.output().width) + "x" + std::to_string(stored.output().height) +
         (output.ignore_channel ? " ignore channel" : "");
}

// Runs the kernel of one output over rows and compares them with the oracle's.
void check_kernel(const LabelExpander& expander, const StoredRows& stored, const LaunchSize& size,
                  Against side) {
  const LabelOutput& output = expander.output();
  const std::vector<std::byte> expected = expected_rows(expander, stored);
  Output out(expected.size(), side);
  LabelArgs args = args_for(output, stored);
  REQUIRE(args.row_bytes * stored.rows().size() == expected.size());
  args.out = out.data();
  test::find_label_kernel(label_kernel_name(output))(&args, size);
  if (out.equals(expected)) return;
  const std::size_t at = out.difference(expected);
  FAIL(text_of(output, stored) << ": byte " << at << ", row " << at / args.row_bytes << " byte "
                               << at % args.row_bytes << " of " << args.row_bytes);
}

// Launches of very different shapes, which must all give the same bytes.
LaunchSize launch_number(const LabelArgs& args, const LabelOutput& output, std::size_t number) {
  if (number % 4 == 0) return label_launch_size(args, output, 2);
  if (number % 4 == 1) return {1, 1, 1, 37};
  if (number % 4 == 2) return {3, 2, 5, 32};
  return {1, 65, 2, 7};
}

std::int64_t own_ignore_index(ElementType type, std::size_t classes) {
  if (type == ElementType::i32) return std::numeric_limits<std::int32_t>::min();
  if (type == ElementType::i64) return -(std::int64_t{1} << 40) - 5;
  return static_cast<std::int64_t>(classes);
}

std::vector<LabelOutput> every_output(std::size_t classes) {
  std::vector<LabelOutput> outputs;
  for (const ElementType type :
       {ElementType::u8, ElementType::u16, ElementType::i32, ElementType::i64}) {
    if (type == ElementType::u8 && classes > 255) continue;
    outputs.push_back(index_output(type));
    outputs.push_back(index_output(type, own_ignore_index(type, classes)));
  }
  for (const ElementType type :
       {ElementType::u8, ElementType::f16, ElementType::bf16, ElementType::f32}) {
    for (const AxisOrder order : {AxisOrder::channels_last, AxisOrder::channels_first}) {
      outputs.push_back(one_hot_output(type, order));
      outputs.push_back(one_hot_output(type, order, true));
    }
  }
  outputs.push_back(bits_output());
  return outputs;
}

void check_every_output(const StoredRows& stored, std::size_t& number) {
  for (const LabelOutput& wanted : every_output(stored.source().class_count)) {
    if (wanted.form == LabelForm::ids && stored.source().multi) continue;
    auto expander = LabelExpander::make(wanted, stored.source());
    REQUIRE(expander.ok());
    const LabelOutput& output = expander.value().output();
    const Against side = number % 2 == 0 ? Against::low_fence : Against::high_fence;
    check_kernel(expander.value(), stored, launch_number(args_for(output, stored), output, number),
                 side);
    ++number;
  }
}

}  // namespace

TEST_CASE("label kernels write the same as the host's expander", "[device][label]") {
  std::size_t number = 0;
  for (const std::size_t classes : {1U, 2U, 7U, 8U, 9U, 16U, 17U, 255U, 256U, 300U}) {
    for (const LabelStorage storage : kStorages) {
      for (const PixelSize size :
           {PixelSize{1, 1}, {1, 37}, {29, 1}, {17, 2}, {7, 5}, {16, 16}, {33, 31}, {64, 3}}) {
        if (classes > 100 && size.width * size.height > 256) continue;
        const StoredRows stored(every_placement(size), {LabelScope::pixel, storage, false, classes},
                                static_cast<std::uint32_t>(number));
        check_every_output(stored, ++number);
      }
    }
  }
}

TEST_CASE("label kernels write every class of vectors that hold several", "[device][label]") {
  std::size_t number = 0;
  for (const std::size_t classes : {3U, 12U, 19U, 40U}) {
    for (const LabelStorage storage : {LabelStorage::bits, LabelStorage::one_hot}) {
      const StoredRows stored(every_placement({12, 12}),
                              {LabelScope::pixel, storage, true, classes},
                              static_cast<std::uint32_t>(number));
      check_every_output(stored, ++number);
    }
  }
}

TEST_CASE("label kernels expand labels of whole images", "[device][label]") {
  std::size_t number = 0;
  for (const std::size_t classes : {1U, 2U, 7U, 9U, 16U, 255U, 256U, 4097U, 65534U, 65535U}) {
    for (const LabelStorage storage : kStorages) {
      // Windows belong to the images of such rows; 3 rows, so that some begin within a block of 16
      // bytes.
      const StoredRows stored(
          {window({8, 8}, 5, 4, true, true, true), no_sample({8, 8}, 1), whole({8, 8})},
          {LabelScope::image, storage, false, classes}, static_cast<std::uint32_t>(number));
      for (const LabelOutput& wanted : every_output(classes)) {
        auto expander = LabelExpander::make(wanted, stored.source());
        if (!expander.ok()) {
          CHECK(classes >= 65535);  // u16 has no room for an ignored one
          continue;
        }
        const LabelOutput& output = expander.value().output();
        check_kernel(expander.value(), stored,
                     launch_number(args_for(output, stored), output, number++),
                     Against::high_fence);
      }
    }
  }
}

TEST_CASE("label kernels write the same however large the launch", "[device][label]") {
  const StoredRows stored(every_placement({33, 31}),
                          {LabelScope::pixel, LabelStorage::bits, false, 19}, 7);
  for (const LabelOutput& wanted : every_output(19)) {
    auto expander = LabelExpander::make(wanted, stored.source());
    REQUIRE(expander.ok());
    for (const LaunchSize& size : {LaunchSize{1, 1, 1, 1},
                                   {1, 1, 1, 256},
                                   {2, 1, 1, 31},
                                   {7, 40, 9, 64},
                                   {1000, 1, 1, 32}}) {
      check_kernel(expander.value(), stored, size, Against::low_fence);
    }
  }
}

namespace {

using LabelBody = void (*)(const LabelArgs& args, const ThreadPlace& place);

// Kernels whose elements are one flat run.
LabelBody flat_body(const LabelOutput& output) {
  if (output.form == LabelForm::bits) return label_bits_body;
  const std::size_t bytes = element_bytes(*output.dtype);
  if (output.form == LabelForm::one_hot) {
    if (bytes == 1) return label_one_hot_last_body<std::uint8_t>;
    return bytes == 2 ? label_one_hot_last_body<std::uint16_t>
                      : label_one_hot_last_body<std::uint32_t>;
  }
  if (bytes == 1) return label_index_body<std::uint8_t>;
  if (bytes == 2) return label_index_body<std::uint16_t>;
  return bytes == 4 ? label_index_body<std::uint32_t> : label_index_body<std::uint64_t>;
}

}  // namespace

TEST_CASE("label kernels write the same if they count with 64 bits", "[device][label]") {
  for (const LabelStorage storage : kStorages) {
    const StoredRows stored(every_placement({13, 11}), {LabelScope::pixel, storage, false, 19}, 9);
    for (const LabelOutput& wanted : every_output(19)) {
      if (wanted.layout == AxisOrder::channels_first) continue;
      auto expander = LabelExpander::make(wanted, stored.source());
      REQUIRE(expander.ok());
      const std::vector<std::byte> expected = expected_rows(expander.value(), stored);
      Output out(expected.size(), Against::high_fence);
      LabelArgs args = args_for(expander.value().output(), stored);
      args.out = out.data();
      // So many threads that their numbers exceed 32 bits; those after the first few have nothing
      // to do.
      ThreadPlace place;
      place.grid_x = 1U << 31;
      place.block_threads = 256;
      for (; place.block_x * std::uint64_t{256 * kBlockBytes} < args.row_bytes + kBlockBytes;
           ++place.block_x) {
        for (place.thread = 0; place.thread < 256; ++place.thread)
          flat_body(expander.value().output())(args, place);
      }
      INFO(text_of(expander.value().output(), stored));
      CHECK(out.equals(expected));
    }
  }
}

TEST_CASE("label kernels stride over more rows than a grid has", "[device][label]") {
  constexpr std::size_t kRows = 70001;
  std::vector<Row> rows(kRows, whole({2, 2}));
  for (std::size_t i = 0; i < kRows; i += 11) rows[i].valid = false;
  const StoredRows stored(std::move(rows), {LabelScope::pixel, LabelStorage::index, false, 3}, 1);
  for (const AxisOrder order : {AxisOrder::channels_last, AxisOrder::channels_first}) {
    auto expander = LabelExpander::make(one_hot_output(ElementType::f32, order), stored.source());
    REQUIRE(expander.ok());
    const LaunchSize size = label_launch_size(args_for(expander.value().output(), stored),
                                              expander.value().output(), 132);
    CHECK(size.grid_y == 65535);
    check_kernel(expander.value(), stored, {size.grid_x, size.grid_y, size.grid_z, 3},
                 Against::low_fence);
  }
}

TEST_CASE("fast division is exact for every dividend", "[device][label]") {
  std::mt19937_64 random(5);
  std::vector<std::uint32_t> divisors{
      1, 2, 3, 5, 7, 12, 13, 255, 256, 65535, 65536, 65537, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
  for (int i = 0; i < 200; ++i)
    divisors.push_back(static_cast<std::uint32_t>(random() >> (32 + i % 31)) | 1);
  bool exact = true;
  for (const std::uint32_t divisor : divisors) {
    const std::uint64_t reciprocal = reciprocal_of(divisor);
    std::vector<std::uint64_t> dividends{0,
                                         1,
                                         0xFFFFFFFE,
                                         0xFFFFFFFF,
                                         0x100000000,
                                         0x100000001,
                                         ~std::uint64_t{0} - 1,
                                         ~std::uint64_t{0}};
    for (int i = 0; i < 300; ++i) {
      const std::uint64_t any = random() >> (i % 63);
      dividends.insert(dividends.end(),
                       {any, any / divisor * divisor, any / divisor * divisor + divisor - 1});
    }
    for (const std::uint64_t dividend : dividends)
      exact = exact && divide(dividend, divisor, reciprocal) == dividend / divisor;
  }
  CHECK(exact);
}

namespace {

// Much more memory than the machine has, of which little is touched.
class SparseMemory {
 public:
  explicit SparseMemory(std::size_t bytes)
      : bytes_(bytes),
        memory_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    REQUIRE(memory_ != MAP_FAILED);
  }
  ~SparseMemory() { ::munmap(memory_, bytes_); }
  SparseMemory(const SparseMemory&) = delete;
  SparseMemory& operator=(const SparseMemory&) = delete;
  [[nodiscard]] std::uint8_t* data() const { return static_cast<std::uint8_t*>(memory_); }

 private:
  std::size_t bytes_;
  void* memory_;
};

// Two rows of 2^16 × 2^15 pixels of 3 classes; the second shows its record flipped.
constexpr std::uint64_t kWidth = 1 << 16, kHeight = 1 << 15, kPixels = kWidth * kHeight;
constexpr std::uint64_t kClasses = 3;

class HugeRows {
 public:
  HugeRows() : records_(2 * kPixels) {
    for (int row = 0; row < 2; ++row) {
      RowEntry& entry = table_[row];
      entry.label = static_cast<std::uint64_t>(row) * kPixels;
      entry.record_width = entry.width = static_cast<std::int32_t>(kWidth);
      entry.record_height = entry.height = static_cast<std::int32_t>(kHeight);
      entry.flags = kRowValid | (row == 0 ? 0 : kRowFlipHorizontal | kRowFlipVertical);
    }
  }
  // The id of an output pixel.
  void set(std::uint64_t row, std::uint64_t pixel, std::uint8_t id) {
    records_.data()[row * kPixels + (row == 0 ? pixel : kPixels - 1 - pixel)] = id;
  }
  [[nodiscard]] LabelArgs args(const LabelOutput& output, void* out) const {
    LabelArgs args = label_args(output, {LabelScope::pixel, LabelStorage::index, false, kClasses});
    set_size(args, output, {static_cast<std::int64_t>(kWidth), static_cast<std::int64_t>(kHeight)});
    args.rows = table_;
    args.records = records_.data();
    args.row_count = 2;
    args.out = out;
    return args;
  }

 private:
  SparseMemory records_;
  RowEntry table_[2];
};

// The thread that has this item, in a launch with one thread per item.
ThreadPlace thread_of(std::uint64_t item, std::uint64_t items, std::uint32_t row) {
  ThreadPlace place;
  place.block_threads = 256;
  place.grid_x = static_cast<std::uint32_t>(items / 256 + 1);
  place.grid_y = 2;
  place.block_x = static_cast<std::uint32_t>(item / 256);
  place.block_y = row;
  place.thread = static_cast<std::uint32_t>(item % 256);
  return place;
}

constexpr std::uint64_t kFarPixels[] = {0, kWidth + 5, kPixels / 3 * 2 + 2, kPixels - 4};

}  // namespace

TEST_CASE("label kernels reach elements beyond the range of 32 bits", "[device][label]") {
  HugeRows huge;
  // Pixels p … p + 3 have the ids 0, 1, 2 and none.
  for (std::uint64_t row = 0; row < 2; ++row) {
    for (const std::uint64_t far : kFarPixels) {
      for (std::uint8_t i = 0; i < 4; ++i) huge.set(row, far / 4 * 4 + i, i);
    }
  }
  const std::uint64_t row_bytes = kPixels * kClasses * sizeof(float);
  const SparseMemory out(2 * row_bytes);
  const auto* const floats = reinterpret_cast<const float*>(out.data());
  LabelOutput output = one_hot_output(ElementType::f32, AxisOrder::channels_last);
  for (const bool first : {false, true}) {
    output.layout = first ? AxisOrder::channels_first : AxisOrder::channels_last;
    const LabelArgs args = huge.args(output, out.data());
    REQUIRE(args.row_bytes == row_bytes);
    for (std::uint32_t row = 0; row < 2; ++row) {
      for (const std::uint64_t far : kFarPixels) {
        const std::uint64_t pixel = far / 4 * 4;
        std::memset(out.data() + row * row_bytes + pixel * kClasses * 4, 0xA5, 48);
        if (first) {
          label_one_hot_first_body<std::uint32_t>(args, thread_of(pixel / 4, kPixels / 4, row));
        } else {
          for (std::uint64_t b = 0; b < 3; ++b) {
            label_one_hot_last_body<std::uint32_t>(
                args, thread_of(pixel / 4 * 3 + b, kPixels / 4 * 3, row));
          }
        }
        for (std::uint64_t i = 0; i < 4; ++i) {
          for (std::uint64_t c = 0; c < kClasses; ++c) {
            const std::uint64_t at = first ? c * kPixels + pixel + i : (pixel + i) * kClasses + c;
            CHECK(floats[row * kPixels * kClasses + at] == (i == c ? 1.0F : 0.0F));
          }
        }
      }
    }
  }
}

TEST_CASE("label kernels reach pixels beyond the range of 32 bits", "[device][label]") {
  // Lines of nearly 2^31 pixels, three of them: 6.4 thousand million ids of 8 bytes.
  constexpr std::int64_t kLongWidth = 0x7FFFFFF0, kLines = 3;
  const SparseMemory records(static_cast<std::size_t>(kLongWidth * kLines) + 64);
  const SparseMemory out(static_cast<std::size_t>(kLongWidth * kLines) * 8);
  RowEntry entry;
  entry.record_width = entry.width = static_cast<std::int32_t>(kLongWidth);
  entry.record_height = entry.height = static_cast<std::int32_t>(kLines);
  const LabelOutput output = index_output(ElementType::i64, -9);
  LabelArgs args = label_args(output, {LabelScope::pixel, LabelStorage::index, false, 200});
  set_size(args, output, {kLongWidth, kLines});
  args.rows = &entry;
  args.records = records.data();
  args.row_count = 1;
  args.out = out.data();
  const std::uint64_t last = static_cast<std::uint64_t>(kLongWidth * kLines) - 2,
                      items = last / 2 + 2;
  const auto* const ids = reinterpret_cast<const std::int64_t*>(out.data());
  for (const std::uint32_t flags : {0U, kRowFlipVertical, kRowFlipHorizontal}) {
    entry.flags = kRowValid | flags;
    for (const std::uint64_t pixel : {std::uint64_t{0}, std::uint64_t{1} << 32, last - last % 2}) {
      const std::uint64_t line = pixel / kLongWidth, x = pixel % kLongWidth;
      const std::uint64_t from =
          (flags == kRowFlipVertical ? kLines - 1 - line : line) * kLongWidth +
          (flags == kRowFlipHorizontal ? kLongWidth - 1 - x : x);
      records.data()[from] = 77;
      label_index_body<std::uint64_t>(args, thread_of(pixel / 2, items, 0));
      CHECK(ids[pixel] == 77);
      records.data()[from] = 201;
      label_index_body<std::uint64_t>(args, thread_of(pixel / 2, items, 0));
      CHECK(ids[pixel] == -9);
      // Two planes of bytes in the same memory; ids are compared with the second one.
      records.data()[from] = 1;
      const LabelOutput planes = one_hot_output(ElementType::u8, AxisOrder::channels_first);
      LabelArgs plane_args = label_args(planes, {LabelScope::pixel, LabelStorage::index, false, 2});
      set_size(plane_args, planes, {kLongWidth, kLines});
      plane_args.rows = args.rows;
      plane_args.records = args.records;
      plane_args.row_count = args.row_count;
      plane_args.out = args.out;
      label_one_hot_first_body<std::uint8_t>(plane_args, thread_of(pixel / 16, (last + 2) / 16, 0));
      CHECK(out.data()[static_cast<std::uint64_t>(kLongWidth * kLines) + pixel] == 1);
    }
  }
}

TEST_CASE("label launches share out classes if pixels are few", "[device][label]") {
  const LabelOutput output = one_hot_output(ElementType::f32, AxisOrder::channels_first);
  LabelArgs args = label_args(output, {LabelScope::pixel, LabelStorage::index, false, 1000});
  args.row_count = 2;
  set_size(args, output, {8, 8});
  const LaunchSize few = label_launch_size(args, output, 132);
  CHECK(few.grid_x == 1);
  CHECK(few.grid_y == 2);
  CHECK(few.grid_z == 125);
  set_size(args, output, {4096, 4096});
  const LaunchSize many = label_launch_size(args, output, 132);
  CHECK(many.grid_z == 1);
  CHECK(many.grid_x * many.grid_y <= 132 * 24);
  CHECK(many.grid_x * many.grid_y >= 132 * 12);
}

namespace {

struct OnFake {
  test::FakeDriver fake;
  std::shared_ptr<const Context> context;
  std::shared_ptr<const KernelModules> modules;

  OnFake() {
    auto retained = Context::retain(fake.driver(), 0);
    REQUIRE(retained.ok());
    context = std::move(retained).value();
    auto loaded = KernelModules::load(context, fake.kernels());
    REQUIRE(loaded.ok());
    modules = std::move(loaded).value();
  }
  [[nodiscard]] DeviceMemory copy(const void* bytes, std::size_t size, StreamHandle stream) {
    auto memory = DeviceMemory::take(context, size);
    REQUIRE(memory.ok());
    if (bytes != nullptr)
      REQUIRE(fake.table().MemcpyHtoDAsync(memory.value().address(), bytes, size, stream) == 0);
    return std::move(memory).value();
  }
};

}  // namespace

TEST_CASE("a label launch writes its rows in stream order", "[device][label]") {
  OnFake on;
  const StreamHandle stream = on.fake.stream();
  const CurrentContext current(*on.context);
  for (const LabelScope scope : {LabelScope::pixel, LabelScope::image}) {
    const StoredRows stored(every_placement({9, 7}), {scope, LabelStorage::bits, false, 12}, 3);
    const LabelOutput wanted = one_hot_output(ElementType::bf16, AxisOrder::channels_first);
    auto made = LabelLaunch::make(on.context, on.modules, wanted, stored.source());
    REQUIRE(made.ok());
    auto expander = LabelExpander::make(wanted, stored.source());
    REQUIRE(expander.ok());
    const std::vector<std::byte> expected = expected_rows(expander.value(), stored);
    CHECK(made.value().row_bytes(stored.output()) * stored.rows().size() == expected.size());
    const DeviceMemory table =
        on.copy(stored.table().data(), stored.table().size() * sizeof(RowEntry), stream);
    const DeviceMemory records = on.copy(stored.records().data(), stored.records().size(), stream);
    const DeviceMemory out = on.copy(nullptr, expected.size(), stream);
    const PackedRows rows{table.address(), records.address(),
                          static_cast<std::uint32_t>(stored.rows().size()), stored.output()};
    REQUIRE(made.value().launch(rows, out.address(), stream).ok());
    CHECK(
        made.value()
            .launch({table.address(), records.address(), 0, stored.output()}, out.address(), stream)
            .ok());
    on.fake.synchronize(stream);
    CHECK(on.fake.bytes(out.address(), expected.size()) == expected);
  }
  CHECK(on.fake.violations().empty());
}

TEST_CASE("a label launch without pixels writes labels of whole images only", "[device][label]") {
  OnFake on;
  const StreamHandle stream = on.fake.stream();
  const CurrentContext current(*on.context);
  const RowEntry empty;
  const DeviceMemory table = on.copy(&empty, sizeof empty, stream);
  for (const PixelSize size : {PixelSize{0, 0}, PixelSize{0, 8}, PixelSize{8, 0}}) {
    for (const LabelOutput& wanted :
         {index_output(ElementType::u8),
          one_hot_output(ElementType::f32, AxisOrder::channels_first)}) {
      const LabelLaunch of_pixels =
          LabelLaunch::make(on.context, on.modules, wanted,
                            {LabelScope::pixel, LabelStorage::bits, false, 12})
              .value();
      CHECK(of_pixels.row_bytes(size) == 0);
      const std::uint64_t before = on.fake.calls("LaunchKernel");
      CHECK(of_pixels.launch({table.address(), table.address(), 1, size}, 0, stream).ok());
      CHECK(on.fake.calls("LaunchKernel") == before);
    }
    const LabelLaunch of_images =
        LabelLaunch::make(on.context, on.modules, index_output(ElementType::u8),
                          {LabelScope::image, LabelStorage::bits, false, 12})
            .value();
    const DeviceMemory out = on.copy(nullptr, of_images.row_bytes(size), stream);
    REQUIRE(
        of_images.launch({table.address(), table.address(), 1, size}, out.address(), stream).ok());
    on.fake.synchronize(stream);
    CHECK(on.fake.bytes(out.address(), 1) == std::vector<std::byte>{std::byte{255}});
  }
  CHECK(on.fake.violations().empty());
}

TEST_CASE("an impossible label launch is an error", "[device][label]") {
  OnFake on;
  const LabelSource source{LabelScope::pixel, LabelStorage::bits, true, 12};
  auto refused = LabelLaunch::make(on.context, on.modules, index_output(ElementType::u8), source);
  REQUIRE(!refused.ok());
  CHECK(refused.error().code == ErrorCode::usage);
  CHECK(refused.error().message.find("use one-hot or bits") != std::string::npos);

  auto made = LabelLaunch::make(on.context, on.modules, bits_output(), source);
  REQUIRE(made.ok());
  const StreamHandle stream = on.fake.stream();
  const CurrentContext current(*on.context);
  const DeviceMemory memory = on.copy(nullptr, 4096, stream);
  on.fake.fail("LaunchKernel", 0, code::kLaunchFailed);
  const Status failed = made.value().launch({memory.address(), memory.address(), 1, {4, 4}},
                                            memory.address() + 1024, stream);
  REQUIRE(!failed.ok());
  CHECK(failed.error().code == ErrorCode::io);
  CHECK(failed.error().message.find("cuLaunchKernel") != std::string::npos);
}

}  // namespace hotpack::device
