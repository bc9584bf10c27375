#include "device/kernels/image_body.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "device/handles.hpp"
#include "device/image_launch.hpp"
#include "device/kernel_modules.hpp"
#include "expand/default_floats.hpp"
#include "expand/half.hpp"
#include "expand/image_expander.hpp"
#include "expand/value_map.hpp"
#include "support/catch.hpp"
#include "support/fake_cuda/fake_driver.hpp"
#include "support/fake_cuda/host_kernels.hpp"
#include "support/fenced_memory.hpp"

using namespace hotpack;
using namespace hotpack::device;
using namespace hotpack::test;
using expand::ImageExpander;
using expand::Placement;

namespace {

// One row of a batch and its record.
struct RowCase {
  PixelSize record;
  SampleCrop box;
  bool resample = false;
  bool valid = true;
};

struct Form {
  ImageOutput output;
  int channels = 3;
  AxisOrder stored = AxisOrder::channels_last;
};

std::string text_of(const Form& form) {
  return std::string(element_name(form.output.dtype)) +
         (form.output.layout == AxisOrder::channels_first ? " first" : " last") +
         (form.stored == AxisOrder::channels_first ? " from planes" : " from pixels") + ", " +
         std::to_string(form.channels) + " channels, std " +
         (form.output.std.empty() ? "none" : std::to_string(form.output.std[0]));
}

std::string text_of(const RowCase& row) {
  const SampleCrop& box = row.box;
  return "record " + std::to_string(row.record.width) + "x" + std::to_string(row.record.height) +
         " box " + std::to_string(box.x) + "," + std::to_string(box.y) + " " +
         std::to_string(box.width) + "x" + std::to_string(box.height) +
         (box.flip_horizontal ? " flip-h" : "") + (box.flip_vertical ? " flip-v" : "") +
         (row.resample ? " resampled" : "") + (row.valid ? "" : " no sample");
}

std::size_t record_bytes(PixelSize size, int channels) {
  return static_cast<std::size_t>(size.width * size.height) * static_cast<std::size_t>(channels);
}

std::size_t rounded_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

// The records of some rows, scattered over multiples of 64 bytes, and the table that describes
// them.
class Records {
 public:
  Records(const std::vector<RowCase>& rows, int channels, Against side)
      : channels_(channels), entries_(rows.size()) {
    std::size_t bytes = 0;
    for (std::size_t i = rows.size(); i-- > 0;) {  // backwards, with gaps: offsets follow no rule
      entries_[i] = entry_of(rows[i], bytes);
      if (rows[i].valid)
        bytes += rounded_up(record_bytes(rows[i].record, channels), kBlockAlignment) +
                 (i % 2 == 1 && i > 1 ? 192 : 0);
    }
    memory_ = std::make_unique<FencedMemory>(bytes, side);
    std::mt19937 random(static_cast<unsigned>(bytes));
    auto* const data = reinterpret_cast<std::uint8_t*>(memory_->data());
    for (std::size_t i = 0; i < bytes; ++i)
      data[i] = static_cast<std::uint8_t>(i < 512 ? i : random());
  }

  [[nodiscard]] const std::vector<RowEntry>& entries() const { return entries_; }
  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return memory_->bytes(); }
  [[nodiscard]] ImageView view(std::size_t i, AxisOrder stored) const {
    const PixelSize size{entries_[i].record_width, entries_[i].record_height};
    return {bytes().subspan(entries_[i].image, record_bytes(size, channels_)),
            {static_cast<int>(size.height), static_cast<int>(size.width), channels_, stored}};
  }

 private:
  static RowEntry entry_of(const RowCase& row, std::size_t offset) {
    RowEntry entry;
    if (!row.valid) {  // only the flag counts
      entry.image = std::uint64_t{1} << 60;
      return entry;
    }
    entry.image = offset;
    entry.record_width = static_cast<std::int32_t>(row.record.width);
    entry.record_height = static_cast<std::int32_t>(row.record.height);
    entry.x = row.box.x;
    entry.y = row.box.y;
    entry.width = row.box.width;
    entry.height = row.box.height;
    entry.flags = kRowValid | (row.box.flip_horizontal ? kRowFlipHorizontal : 0) |
                  (row.box.flip_vertical ? kRowFlipVertical : 0) |
                  (row.resample ? kRowResample : 0);
    return entry;
  }

  int channels_;
  std::vector<RowEntry> entries_;
  std::unique_ptr<FencedMemory> memory_;
};

// ImageExpander's result for the same rows.
std::vector<std::byte> expected(const Form& form, const std::vector<RowCase>& rows,
                                const Records& records, PixelSize output) {
  const auto expander = ImageExpander::make(form.output, form.channels);
  REQUIRE(expander.ok());
  const expand::DefaultFloats floats;
  const std::size_t row_bytes = expander->row_bytes(output);
  std::vector<std::byte> out(rows.size() * row_bytes);
  expand::Scratch scratch;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::byte* const to = out.data() + i * row_bytes;
    if (!rows[i].valid) {
      expander->blank(output, to);
      continue;
    }
    scratch.reserve(expander->scratch_bytes(rows[i].record, output));
    expander->expand(records.view(i, form.stored), Placement{rows[i].box, output, rows[i].resample},
                     scratch, to, expand::Stores::cached);
  }
  return out;
}

// The arguments of a kernel for memory of the host, with their table.
struct HostArgs {
  ImageArgs args;
  std::shared_ptr<const expand::ValueMap> map;
};

HostArgs args_of(const Form& form, PixelSize output) {
  HostArgs host;
  host.args.width = static_cast<std::int32_t>(output.width);
  host.args.height = static_cast<std::int32_t>(output.height);
  host.args.channels = form.channels;
  host.args.source_planes = form.channels == 3 && form.stored == AxisOrder::channels_first ? 1 : 0;
  host.args.row_bytes = record_bytes(output, form.channels) * element_bytes(form.output.dtype);
  if (form.output.dtype == ElementType::u8) return host;
  const auto channels = static_cast<std::size_t>(form.channels);
  const auto map = std::make_shared<expand::ValueMap>(expand::make_value_map(
      form.output.dtype,
      form.output.mean.empty() ? std::vector<float>(channels, 0.0f) : form.output.mean,
      form.output.std.empty() ? std::vector<float>(channels, 1.0f) : form.output.std));
  host.args.arithmetic = map->arithmetic.exact ? 1 : 0;
  host.args.values = form.output.dtype == ElementType::f32
                         ? static_cast<const void*>(map->singles.data())
                         : map->halves.data();
  for (std::size_t c = 0; c < channels; ++c) {
    host.args.mean[c] = map->arithmetic.mean[c];
    host.args.std[c] = map->arithmetic.std[c];
    host.args.reciprocal[c] = map->arithmetic.reciprocal[c];
  }
  host.map = map;
  return host;
}

constexpr std::byte kUntouched{0xA5};

// The first difference in words, or "".
std::string difference(std::span<const std::uint8_t> got, const std::vector<std::byte>& want,
                       std::size_t row_bytes) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    const std::byte right = i < want.size() ? want[i] : kUntouched;
    if (std::byte{got[i]} == right) continue;
    return "byte " + std::to_string(i % row_bytes) + " of row " + std::to_string(i / row_bytes) +
           " is " + std::to_string(got[i]) + ", not " + std::to_string(std::to_integer<int>(right));
  }
  return "";
}

void check_rows(const Form& form, const std::vector<RowCase>& rows, PixelSize output,
                const std::vector<LaunchSize>& sizes, Against side) {
  const HostKernel kernel =
      find_image_kernel(image_kernel_name(form.output.dtype, form.output.layout));
  REQUIRE(kernel != nullptr);
  const Records records(rows, form.channels, side);
  const std::vector<std::byte> want = expected(form, rows, records, output);
  HostArgs host = args_of(form, output);
  host.args.rows = records.entries().data();
  host.args.records = records.bytes().data();
  host.args.row_count = static_cast<std::uint32_t>(rows.size());
  std::vector<LaunchSize> all = sizes;
  all.push_back(image_launch_size(host.args, form.output.dtype, form.output.layout, 2));
  for (const LaunchSize& size : all) {
    FencedMemory out(rounded_up(want.size(), 16), side);
    std::memset(out.data(), std::to_integer<int>(kUntouched), out.bytes().size());
    host.args.out = out.data();
    kernel(&host.args, size);
    const std::string wrong = difference(out.bytes(), want, host.args.row_bytes);
    if (wrong.empty()) continue;
    std::string shown;
    for (const RowCase& row : rows) shown += "\n" + text_of(row);
    FAIL(text_of(form) << " to " << output.width << "x" << output.height << ", grid " << size.grid_x
                       << "," << size.grid_y << " of " << size.block_threads
                       << " threads: " << wrong << shown);
  }
}

const std::vector<LaunchSize> kLaunches = {{1, 1, 1, 1}, {3, 2, 1, 37}};

std::vector<Form> forms_of(ElementType type) {
  std::vector<Form> forms;
  for (const AxisOrder order : {AxisOrder::channels_last, AxisOrder::channels_first}) {
    for (const AxisOrder stored : {AxisOrder::channels_last, AxisOrder::channels_first}) {
      for (const int channels : {1, 3}) {
        if (channels == 1 && stored == AxisOrder::channels_first) continue;
        forms.push_back({{type, order, {}, {}}, channels, stored});
        if (type == ElementType::u8) continue;
        const auto count = static_cast<std::size_t>(channels);
        std::vector<float> mean{0.485f, 0.456f, 0.406f}, std{0.229f, 0.224f, 0.225f},
            tiny{1e-39f, 0.5f, 3e38f};
        mean.resize(count), std.resize(count), tiny.resize(count);
        forms.push_back({{type, order, mean, std}, channels, stored});
        forms.push_back({{type, order, mean, tiny}, channels, stored});
      }
    }
  }
  return forms;
}

const std::vector<PixelSize> kSizes = {{1, 1}, {1, 19},  {19, 1},  {7, 5},  {4, 4},
                                       {2, 8}, {16, 16}, {33, 31}, {32, 4}, {12, 3}};

RowCase whole(PixelSize size, bool horizontal = false, bool vertical = false) {
  return {size,
          {0, 0, static_cast<std::int32_t>(size.width), static_cast<std::int32_t>(size.height),
           horizontal, vertical},
          false,
          true};
}

RowCase window(PixelSize record, std::int32_t x, std::int32_t y, std::int64_t width,
               std::int64_t height, bool resample) {
  return {record,
          {x, y, static_cast<std::int32_t>(width), static_cast<std::int32_t>(height), false, false},
          resample,
          true};
}

RowCase flipped(RowCase row, bool horizontal, bool vertical) {
  row.box.flip_horizontal = horizontal;
  row.box.flip_vertical = vertical;
  return row;
}

const RowCase kNoSample{{1, 1}, {}, false, false};

// Every kind of placement for outputs of one size.
std::vector<RowCase> placements(PixelSize size) {
  const std::int64_t w = size.width, h = size.height;
  std::vector<RowCase> rows{whole(size), kNoSample, whole(size, true, false),
                            whole(size, false, true), whole(size, true, true)};
  const PixelSize larger{w + 5, h + 4};
  rows.push_back(window(larger, 2, 3, w, h, false));  // a crop
  rows.push_back(flipped(window(larger, 5, 0, w, h, false), true, false));
  rows.push_back(window({w, h + 6}, 0, 3, w, h, false));  // whole lines
  rows.push_back(window({w, h + 6}, 0, 6, w, h, false));
  const std::int64_t less_w = std::max<std::int64_t>(1, w - 3),
                     less_h = std::max<std::int64_t>(1, h - 2);
  rows.push_back(window({less_w, less_h}, 0, 0, less_w, less_h, false));  // padded on two sides
  rows.push_back(flipped(window({less_w, less_h}, 0, 0, less_w, less_h, false), true, true));
  rows.push_back(window({w, less_h}, 0, 0, w, less_h, false));      // below
  rows.push_back(window({less_w, h + 2}, 0, 1, less_w, h, false));  // at the right
  rows.push_back(kNoSample);
  rows.push_back(window({2 * w + 3, 2 * h + 1}, 2, 1, 2 * w, 2 * h, true));  // halved
  rows.push_back(flipped(window({2 * w, 2 * h}, 0, 0, 2 * w, 2 * h, true), true, false));
  rows.push_back(window({2 * w, h + 1}, 0, 1, 2 * w, h, true));  // one axis
  rows.push_back(window({w, 3 * h}, 0, 0, w, 3 * h, true));
  rows.push_back(window({3 * w + 2, 2 * h + 5}, 1, 3, 3 * w - 1, 2 * h + 2, true));  // down
  rows.push_back(
      flipped(window({(w + 1) / 2 + 1, (h + 2) / 3 + 1}, 1, 1, (w + 1) / 2, (h + 2) / 3, true),
              false, true));  // up
  rows.push_back(flipped(window({1, 1}, 0, 0, 1, 1, true), true, true));
  rows.push_back(window(larger, 1, 1, w, h, true));  // asked for, not needed
  // At the beginning of memory, and upside down: a line too many would be before it.
  rows.push_back(flipped(window(larger, 0, 0, w, h, false), false, true));
  return rows;
}

void check_type(ElementType type) {
  for (const Form& form : forms_of(type)) {
    for (const PixelSize size : kSizes) {
      check_rows(form, placements(size), size, kLaunches, Against::high_fence);
      check_rows(form, placements(size), size, {}, Against::low_fence);
    }
  }
}

}  // namespace

TEST_CASE("image kernels equal the host as u8") { check_type(ElementType::u8); }
TEST_CASE("image kernels equal the host as f16") { check_type(ElementType::f16); }
TEST_CASE("image kernels equal the host as bf16") { check_type(ElementType::bf16); }
TEST_CASE("image kernels equal the host as f32") { check_type(ElementType::f32); }

namespace {

// Windows at every column that alignment distinguishes, including narrower ones, flipped in every
// way.
std::vector<RowCase> cuts(PixelSize size) {
  const std::int64_t w = size.width, h = size.height;
  std::vector<RowCase> rows;
  for (std::int32_t at = 0; at < 18; ++at) {
    const std::int64_t less = std::min<std::int64_t>(w - 1, at),
                       shorter = std::min<std::int64_t>(h - 1, at % 3);
    for (const bool horizontal : {false, true}) {
      const bool vertical = (at % 4 >= 2) != horizontal;
      rows.push_back(
          flipped(window({w + 17, h + 3}, at, at % 4, w, h, false), horizontal, vertical));
      rows.push_back(flipped(window({w + 4, h}, at % 5, 0, w - less, h - shorter, false),
                             horizontal, vertical));
    }
  }
  return rows;
}

void check_cuts(ElementType type) {
  for (const Form& form : forms_of(type)) {
    // Lines of whole vectors and others, for elements of every size; planes that begin at every
    // alignment, also aligned planes with unaligned lines; lines shorter than a vector.
    for (const PixelSize size :
         {PixelSize{48, 3}, PixelSize{36, 4}, PixelSize{24, 10}, PixelSize{18, 8}, PixelSize{37, 5},
          PixelSize{21, 6}, PixelSize{25, 8}, PixelSize{22, 9}, PixelSize{17, 18}, PixelSize{29, 9},
          PixelSize{5, 7}, PixelSize{3, 16}, PixelSize{2, 3}}) {
      check_rows(form, cuts(size), size, {{1, 1, 1, 3}}, Against::high_fence);
    }
  }
}

}  // namespace

TEST_CASE("image kernels crop and flip at every alignment as u8") { check_cuts(ElementType::u8); }
TEST_CASE("image kernels crop and flip at every alignment as f16") { check_cuts(ElementType::f16); }
TEST_CASE("image kernels crop and flip at every alignment as bf16") {
  check_cuts(ElementType::bf16);
}
TEST_CASE("image kernels crop and flip at every alignment as f32") { check_cuts(ElementType::f32); }

TEST_CASE("image kernels read nothing around a record that fills its block") {
  for (const ElementType type : {ElementType::u8, ElementType::f16, ElementType::f32}) {
    for (const Form& form : forms_of(type)) {
      if (!form.output.std.empty()) continue;
      for (const PixelSize record : {PixelSize{16, 4}, PixelSize{64, 1}, PixelSize{8, 8}}) {
        for (const std::int64_t more : {0, 1, 2, 3, 7, 17}) {
          for (const int turned : {0, 1, 2, 3}) {
            const RowCase row = flipped(whole(record), turned % 2 != 0, turned / 2 != 0);
            const PixelSize wider{record.width + more, record.height},
                higher{record.width, record.height + more};
            check_rows(form, {row}, wider, {}, Against::high_fence);
            check_rows(form, {row}, wider, {}, Against::low_fence);
            check_rows(form, {row}, higher, {}, Against::high_fence);
            check_rows(form, {row}, higher, {}, Against::low_fence);
            const auto at =
                static_cast<std::int32_t>(std::min<std::int64_t>(more, record.width - 1));
            const RowCase end =
                flipped(window(record, at, 0, record.width - at, record.height, false),
                        turned % 2 != 0, turned / 2 != 0);
            const RowCase begin =
                flipped(window(record, 0, 0, record.width - at, record.height, false),
                        turned % 2 != 0, turned / 2 != 0);
            check_rows(form, {end}, {record.width - at, record.height}, {}, Against::high_fence);
            check_rows(form, {begin}, {record.width - at, record.height}, {}, Against::low_fence);
          }
        }
      }
    }
  }
}

TEST_CASE("image kernels read nothing after a record that fills its block") {
  const PixelSize record{8, 8};
  for (const ElementType type : {ElementType::u8, ElementType::f16, ElementType::f32}) {
    for (const Form& form : forms_of(type)) {
      for (const PixelSize size :
           {PixelSize{16, 16}, PixelSize{5, 3}, PixelSize{4, 4}, PixelSize{8, 16}}) {
        check_rows(form, {window(record, 0, 0, 8, 8, true)}, size, {}, Against::high_fence);
        check_rows(form, {flipped(window(record, 0, 0, 8, 8, true), true, true)}, size, {},
                   Against::low_fence);
      }
      for (const std::int64_t less : {0, 1, 3, 5}) {
        const auto at = static_cast<std::int32_t>(less);
        check_rows(form, {window(record, 0, at, 8, 8 - less, false)}, {8, 8 - less}, {},
                   Against::high_fence);
        check_rows(form, {window(record, at, at, 8 - less, 8 - less, false)}, {8, 8}, {},
                   Against::high_fence);
      }
    }
  }
}

TEST_CASE("bytes at any address are read only with the words around them") {
  FencedMemory memory(64, Against::high_fence);
  auto* const data = reinterpret_cast<std::uint8_t*>(memory.data());
  for (std::uint8_t i = 0; i < 64; ++i) data[i] = static_cast<std::uint8_t>(i * 3 + 1);
  for (std::size_t from = 0; from + 16 <= 64; ++from) {
    const auto four = image::load_anywhere<4>(data + from + 12);
    const auto eight = image::load_anywhere<8>(data + from + 8);
    const auto sixteen = image::load_anywhere<16>(data + from);
    const auto in_eights = image::joined(image::load_pieces<8, 8>(data + from + 8));
    const auto in_sixteens = image::joined(image::load_pieces<16, 16>(data + from));
    REQUIRE(std::memcmp(four.word, data + from + 12, 4) == 0);
    REQUIRE(std::memcmp(eight.word, data + from + 8, 8) == 0);
    REQUIRE(std::memcmp(sixteen.word, data + from, 16) == 0);
    REQUIRE(std::memcmp(in_eights.word, data + from + 8, 8) == 0);
    REQUIRE(std::memcmp(in_sixteens.word, data + from, 16) == 0);
  }
}

TEST_CASE("bytes of a string are read only with the words around them") {
  FencedMemory memory(24, Against::high_fence);
  auto* const data = reinterpret_cast<std::uint8_t*>(memory.data());
  for (std::uint8_t i = 0; i < 24; ++i) data[i] = static_cast<std::uint8_t>(i + 1);
  for (std::int32_t from = -18; from < 24; ++from) {
    for (std::int32_t begin = std::max(0, -from); begin < 18; ++begin) {
      for (std::int32_t end = begin - 3; end <= std::min(18, 24 - from); ++end) {
        image::Padded<18> bytes;
        image::add_some<18>(bytes, data + from, begin, end);
        for (std::int32_t i = 0; i < 18; ++i) {
          const bool wanted = i >= begin && i < end;
          const std::uint32_t got = bytes.word[i / 4] >> 8 * (i % 4) & 0xFF;
          REQUIRE(got == (wanted ? static_cast<std::uint32_t>(from + i + 1) : 0));
        }
      }
    }
  }
}

TEST_CASE("singles are rounded to 16 bits as the host rounds them") {
  std::vector<std::uint32_t> all;
  for (std::uint32_t high = 0; high < 0x10000; ++high) {
    for (const std::uint32_t low :
         {0x0000u, 0x0001u, 0x0FFFu, 0x1000u, 0x1001u, 0x3000u, 0x7FFFu, 0x8000u, 0x8001u, 0xFFFFu})
      all.push_back(high << 16 | low);
  }
  int wrong = 0;
  for (const std::uint32_t bits : all) {
    const float single = image::single_of(bits);
    if (single != single) continue;
    wrong += image::AsF16::bits(single) == expand::half_bits(single) ? 0 : 1;
    wrong += image::AsBf16::bits(single) == expand::bfloat16_bits(single) ? 0 : 1;
    wrong += image::AsF16::pair(single, 1.0f) ==
                     (std::uint32_t{0x3C00} << 16 | expand::half_bits(single))
                 ? 0
                 : 1;
    wrong += image::AsBf16::pair(1.0f, single) ==
                     (std::uint32_t{expand::bfloat16_bits(single)} << 16 | 0x3F80)
                 ? 0
                 : 1;
  }
  CHECK(wrong == 0);
}

TEST_CASE("indices beyond 2^32 are divided like smaller ones") {
  for (const std::uint64_t base : {std::uint64_t{0}, std::uint64_t{1} << 32, std::uint64_t{1} << 33,
                                   (std::uint64_t{1} << 40) - 5, ~std::uint64_t{0} - 9}) {
    for (std::uint64_t i = base; i < base + 9; ++i) {
      REQUIRE(image::mod3(i) == i % 3);
      for (const std::uint32_t divisor : {1u, 2u, 7u, 65521u, 0x7FFFFFFFu})
        REQUIRE(image::quotient_of(i, divisor) == i / divisor);
    }
  }
}

TEST_CASE("image kernels give the same bytes with any launch") {
  const std::vector<LaunchSize> sizes = {{1, 1, 1, 1},   {1, 1, 1, 33},   {2, 1, 1, 7},
                                         {5, 3, 1, 31},  {60, 40, 1, 32}, {1, 1, 1, 1024},
                                         {7, 65, 1, 256}};
  for (const ElementType type : {ElementType::u8, ElementType::f16, ElementType::f32}) {
    for (const Form& form : forms_of(type)) {
      for (const PixelSize size : {PixelSize{32, 24}, PixelSize{21, 13}})
        check_rows(form, placements(size), size, sizes, Against::high_fence);
    }
  }
}

TEST_CASE("an image launch covers every row and vector within the device's limit") {
  ImageArgs args;
  args.width = args.height = 512;
  args.row_count = 32;
  LaunchSize size = image_launch_size(args, ElementType::f32, AxisOrder::channels_first, 132);
  CHECK(size.block_threads == 256);
  CHECK(size.grid_x == 512 * 512 / 4 / 256);
  CHECK(size.grid_y == 32);
  CHECK(size.grid_z == 1);
  size = image_launch_size(args, ElementType::u8, AxisOrder::channels_last, 132);
  CHECK(size.grid_x == 512 * 512 * 3 / 16 / 256);
  args.width = args.height = std::numeric_limits<std::int32_t>::max();
  args.row_count = std::numeric_limits<std::uint32_t>::max();
  size = image_launch_size(args, ElementType::f32, AxisOrder::channels_last, 132);
  CHECK(size.grid_x == 1);
  CHECK(size.grid_y == 65535);
  args.row_count = 1;
  CHECK(image_launch_size(args, ElementType::f32, AxisOrder::channels_last, 132).grid_x ==
        132 * 128);
  args.width = args.height = 1;
  size = image_launch_size(args, ElementType::u8, AxisOrder::channels_last, 132);
  CHECK(size.grid_x == 1);
  CHECK(size.block_threads == 32);
}

TEST_CASE("an image batch may have more rows than a grid has blocks") {
  std::vector<RowCase> rows(70001, whole({1, 1}));
  for (std::size_t i = 0; i < rows.size(); i += 1001) rows[i] = kNoSample;
  check_rows({{ElementType::u8, AxisOrder::channels_first, {}, {}}, 3, AxisOrder::channels_last},
             rows, {1, 1}, {}, Against::high_fence);
  check_rows({{ElementType::f16, AxisOrder::channels_last, {}, {}}, 3, AxisOrder::channels_last},
             rows, {1, 1}, {{1, 7, 1, 5}}, Against::low_fence);
}

TEST_CASE("a name that is no image kernel has none") {
  CHECK(find_image_kernel("hotpack_image_f64_last") == nullptr);
  CHECK(find_image_kernel("") == nullptr);
}

namespace {

// Memory of any size, of which only touched pages exist.
class SparseMemory {
 public:
  explicit SparseMemory(std::uint64_t bytes) : bytes_(bytes) {
    void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    data_ = memory == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(memory);
  }
  ~SparseMemory() {
    if (data_ != nullptr) ::munmap(data_, bytes_);
  }
  SparseMemory(const SparseMemory&) = delete;
  SparseMemory& operator=(const SparseMemory&) = delete;
  [[nodiscard]] std::uint8_t* data() const { return data_; }

 private:
  std::uint64_t bytes_;
  std::uint8_t* data_ = nullptr;
};

// One row that shows a whole record, both larger than 2^32 bytes, of which only the last thread's
// part is made.
class HugeRow {
 public:
  HugeRow(std::int32_t width, std::int32_t height, int channels, ElementType type,
          std::uint32_t flags)
      : pixels_(static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height)),
        record_(pixels_ * static_cast<std::uint64_t>(channels)),
        out_(pixels_ * static_cast<std::uint64_t>(channels) * element_bytes(type)) {
    entry_.record_width = entry_.width = width;
    entry_.record_height = entry_.height = height;
    entry_.flags = kRowValid | flags;
    host_ = args_of({{type, AxisOrder::channels_last, {}, {}}, channels, AxisOrder::channels_last},
                    {width, height});
    host_.args.rows = &entry_;
    host_.args.row_count = 1;
    host_.args.records = record_.data();
    host_.args.out = out_.data();
    host_.args.row_bytes = pixels_ * static_cast<std::uint64_t>(channels) * element_bytes(type);
  }

  [[nodiscard]] bool possible() const {
    return record_.data() != nullptr && out_.data() != nullptr;
  }
  [[nodiscard]] std::uint8_t* record() const { return record_.data(); }
  [[nodiscard]] std::uint64_t pixels() const { return pixels_; }
  [[nodiscard]] std::uint32_t bits(std::uint64_t element) const {
    const std::size_t size =
        host_.args.row_bytes / (pixels_ * static_cast<std::uint64_t>(host_.args.channels));
    std::uint32_t value = 0;
    std::memcpy(&value, out_.data() + element * size, size);
    return value;
  }

  // The last of `blocks` blocks of one thread.
  template <class Element, bool kPlanes>
  void run_last(std::uint64_t blocks) const {
    ThreadPlace place;
    REQUIRE(blocks <= std::numeric_limits<std::uint32_t>::max());
    place.grid_x = static_cast<std::uint32_t>(blocks);
    place.block_x = place.grid_x - 1;
    expand_images<Element, kPlanes>(host_.args, place);
  }

 private:
  std::uint64_t pixels_;
  SparseMemory record_;
  SparseMemory out_;
  RowEntry entry_;
  HostArgs host_;
};

constexpr const char* kNoAddresses = "the system gives no room for so many addresses";

std::uint32_t single_bits(std::uint8_t value) {
  return image::bits_of(static_cast<float>(value) / 255.0f);
}

}  // namespace

TEST_CASE("an image of more than 2^32 elements is copied to its end") {
  const HugeRow row(65536, 32768, 3, ElementType::u8, 0);
  if (!row.possible()) {
    HOTPACK_NOT_TESTED(kNoAddresses);
    return;
  }
  const std::uint64_t elements = 3 * row.pixels();
  for (std::uint64_t i = 1; i <= 64; ++i) row.record()[elements - i] = static_cast<std::uint8_t>(i);
  row.run_last<image::AsU8, false>(elements / 16 / 4);
  for (std::uint64_t i = 1; i <= 64; ++i) REQUIRE(row.bits(elements - i) == i);
}

TEST_CASE("an image of more than 2^32 elements is split into planes to its end") {
  const HugeRow bytes(65536, 32768, 3, ElementType::u8, 0);
  const HugeRow singles(65536, 32768, 3, ElementType::f32, 0);
  if (!bytes.possible() || !singles.possible()) {
    HOTPACK_NOT_TESTED(kNoAddresses);
    return;
  }
  const std::uint64_t pixels = bytes.pixels();
  for (std::uint64_t i = 1; i <= 48; ++i) {
    bytes.record()[3 * pixels - i] = static_cast<std::uint8_t>(i);
    singles.record()[3 * pixels - i] = static_cast<std::uint8_t>(i);
  }
  bytes.run_last<image::AsU8, true>(pixels / 16);
  singles.run_last<image::AsF32, true>(pixels / 4 / 2);
  for (std::uint64_t p = 1; p <= 8; ++p) {
    for (std::uint64_t c = 0; c < 3; ++c) {
      const auto value = static_cast<std::uint8_t>(3 * p - c);
      REQUIRE(bytes.bits((c + 1) * pixels - p) == value);
      REQUIRE(singles.bits((c + 1) * pixels - p) == single_bits(value));
    }
  }
}

TEST_CASE("an image of more than 2^32 elements is flipped to its end") {
  const HugeRow row(65536, 32768, 3, ElementType::f32, kRowFlipHorizontal | kRowFlipVertical);
  if (!row.possible()) {
    HOTPACK_NOT_TESTED(kNoAddresses);
    return;
  }
  for (std::uint64_t i = 0; i < 64; ++i) row.record()[i] = static_cast<std::uint8_t>(i + 1);
  row.run_last<image::AsF32, false>(3 * row.pixels() / 4 / image::kLineUnroll<image::AsF32>);
  const std::uint64_t end = 3 * row.pixels();
  REQUIRE(row.bits(end - 1) == single_bits(3));
  REQUIRE(row.bits(end - 2) == single_bits(2));
  REQUIRE(row.bits(end - 3) == single_bits(1));
  REQUIRE(row.bits(end - 4) == single_bits(6));
}

TEST_CASE("an image of more than 2^32 pixels is flipped to its end") {
  const HugeRow row(65521, 131072, 1, ElementType::u8, kRowFlipHorizontal | kRowFlipVertical);
  if (!row.possible()) {
    HOTPACK_NOT_TESTED(kNoAddresses);
    return;
  }
  REQUIRE(row.pixels() > std::uint64_t{1} << 32);
  for (std::uint64_t i = 0; i < 64; ++i) row.record()[i] = static_cast<std::uint8_t>(i + 1);
  row.run_last<image::AsU8, true>(row.pixels() / 16);
  for (std::uint64_t i = 0; i < 16; ++i) REQUIRE(row.bits(row.pixels() - 1 - i) == i + 1);
}

TEST_CASE("an image batch of more than 2^32 bytes is written to its last row") {
  constexpr std::uint32_t kRows = 65600;
  const HostArgs host =
      args_of({{ElementType::u8, AxisOrder::channels_last, {}, {}}, 3, AxisOrder::channels_last},
              {256, 256});
  const SparseMemory out(kRows * host.args.row_bytes);
  if (out.data() == nullptr) {
    HOTPACK_NOT_TESTED(kNoAddresses);
    return;
  }
  const std::vector<RowCase> one{whole({256, 256})};
  const Records records(one, 3, Against::high_fence);
  const std::vector<RowEntry> entries(kRows, records.entries()[0]);
  ImageArgs args = host.args;
  args.rows = entries.data();
  args.row_count = kRows;
  args.records = records.bytes().data();
  args.out = out.data();
  ThreadPlace place;
  place.grid_x = static_cast<std::uint32_t>(args.row_bytes / 64);
  place.grid_y = 65535;
  place.block_y = 60;
  expand_images<image::AsU8, false>(args, place);
  for (const std::uint64_t row : {std::uint64_t{60}, std::uint64_t{65595}}) {
    REQUIRE(std::memcmp(out.data() + row * args.row_bytes, records.bytes().data(), 64) == 0);
    REQUIRE(out.data()[row * args.row_bytes + 65] == 0);
  }
}

namespace {

// A device that does not exist, with the kernels loaded.
struct OnFake {
  FakeDriver fake;
  std::shared_ptr<const Context> context;
  std::shared_ptr<const KernelModules> modules;

  OnFake()
      : context(Context::retain(fake.driver(), 0).value()),
        modules(KernelModules::load(context, fake.kernels()).value()) {}

  [[nodiscard]] DeviceMemory copy(const void* bytes, std::size_t size, StreamHandle stream) {
    DeviceMemory memory = DeviceMemory::take(context, size).value();
    REQUIRE(fake.table().MemcpyHtoDAsync(memory.address(), bytes, size, stream) == code::kSuccess);
    return memory;
  }
};

}  // namespace

TEST_CASE("an image launch writes what the host expands in stream order") {
  OnFake on;
  const StreamHandle stream = on.fake.stream();
  const PixelSize size{33, 31};
  const std::vector<RowCase> rows = placements(size);
  for (const ElementType type : {ElementType::u8, ElementType::f16, ElementType::f32}) {
    for (const Form& form : forms_of(type)) {
      const CurrentContext current(*on.context);
      REQUIRE(current.status().ok());
      const auto launch =
          ImageLaunch::make(on.context, on.modules, form.output, form.channels, form.stored);
      REQUIRE(launch.ok());
      const Records records(rows, form.channels, Against::low_fence);
      const std::vector<std::byte> want = expected(form, rows, records, size);
      REQUIRE(launch->row_bytes(size) * rows.size() == want.size());
      const DeviceMemory table =
          on.copy(records.entries().data(), rows.size() * sizeof(RowEntry), stream);
      const DeviceMemory packed = on.copy(records.bytes().data(), records.bytes().size(), stream);
      const DeviceMemory out = DeviceMemory::take(on.context, want.size()).value();
      const PackedRows batch{table.address(), packed.address(),
                             static_cast<std::uint32_t>(rows.size()), size};
      REQUIRE(launch->launch(batch, out.address(), stream).ok());
      on.fake.synchronize(stream);
      const bool same = on.fake.bytes(out.address(), want.size()) == want;
      INFO(text_of(form));
      REQUIRE(same);
    }
  }
  CHECK(on.fake.violations() == std::vector<std::string>{});
}

TEST_CASE("an image launch of no rows gives the driver nothing to do") {
  OnFake on;
  const CurrentContext current(*on.context);
  const auto launch = ImageLaunch::make(on.context, on.modules, {}, 3, AxisOrder::channels_last);
  REQUIRE(launch.ok());
  const std::uint64_t before = on.fake.calls("LaunchKernel");
  CHECK(launch->launch({0, 0, 0, {8, 8}}, 0, on.fake.stream()).ok());
  CHECK(on.fake.calls("LaunchKernel") == before);
}

TEST_CASE("an image launch of rows without pixels gives the driver nothing to do") {
  OnFake on;
  const CurrentContext current(*on.context);
  const auto launch = ImageLaunch::make(on.context, on.modules, {}, 3, AxisOrder::channels_last);
  REQUIRE(launch.ok());
  for (const PixelSize size : {PixelSize{0, 0}, PixelSize{0, 8}, PixelSize{8, 0}}) {
    CHECK(launch->row_bytes(size) == 0);
    CHECK(launch->launch({0, 0, 1, size}, 0, on.fake.stream()).ok());
  }
  CHECK(on.fake.calls("LaunchKernel") == 0);
}

TEST_CASE("an image launch refuses forms as the host does") {
  OnFake on;
  ImageOutput output{
      ElementType::u8, AxisOrder::channels_last, {0.5f, 0.5f, 0.5f}, {1.0f, 1.0f, 1.0f}};
  const auto bytes = ImageLaunch::make(on.context, on.modules, output, 3, AxisOrder::channels_last);
  REQUIRE(!bytes.ok());
  CHECK(bytes.error().code == ErrorCode::usage);
  CHECK_THAT(bytes.error().message, ContainsSubstring("mean and std need a float type"));
  CHECK(!ImageLaunch::make(on.context, on.modules,
                           {ElementType::i64, AxisOrder::channels_last, {}, {}}, 3,
                           AxisOrder::channels_last)
             .ok());
}

TEST_CASE("a failing image launch names the driver call and keeps nothing") {
  OnFake on;
  const ImageOutput output{ElementType::f32, AxisOrder::channels_first, {}, {}};
  const FakeDriver::Held before = on.fake.held();
  for (const char* const call :
       {"ModuleGetFunction", "MemAlloc", "StreamCreate", "MemcpyHtoDAsync", "StreamSynchronize"}) {
    on.fake.fail(call, 0, code::kLaunchFailed);
    const auto launch =
        ImageLaunch::make(on.context, on.modules, output, 3, AxisOrder::channels_last);
    INFO(call);
    REQUIRE(!launch.ok());
    CHECK(launch.error().code == ErrorCode::io);
    CHECK_THAT(launch.error().message, ContainsSubstring("cu" + std::string(call)));
    CHECK(on.fake.held() == before);
  }
  const auto launch =
      ImageLaunch::make(on.context, on.modules, output, 3, AxisOrder::channels_last);
  REQUIRE(launch.ok());
  const CurrentContext current(*on.context);
  on.fake.fail("LaunchKernel", 0, code::kLaunchFailed);
  const Status launched = launch->launch({0, 0, 1, {8, 8}}, 0, on.fake.stream());
  REQUIRE(!launched.ok());
  CHECK_THAT(launched.error().message, ContainsSubstring("cuLaunchKernel"));
}
