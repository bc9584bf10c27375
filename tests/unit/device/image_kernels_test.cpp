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
#include "expand/image_expander.hpp"
#include "expand/value_map.hpp"
#include "support/catch.hpp"
#include "support/fake_cuda/fake_driver.hpp"
#include "support/fake_cuda/host_kernels.hpp"
#include "support/fenced_memory.hpp"
#include "support/levels.hpp"

using namespace hotpack;
using namespace hotpack::device;
using namespace hotpack::test;
using expand::ImageExpander;
using expand::Placement;

namespace {

// One row of a batch and the record behind it.
struct RowCase {
  PixelSize record;
  SampleBox box;
  bool resample = false;
  bool valid = true;
};

struct Form {
  ImageOutput output;
  int channels = 3;
  ImageLayout stored = ImageLayout::hwc;
};

std::string text_of(const Form& form) {
  return std::string(element_name(form.output.type)) + (form.output.order == AxisOrder::channels_first ? " first" : " last") +
         (form.stored == ImageLayout::chw ? " from planes" : " from pixels") + ", " + std::to_string(form.channels) + " channels, std " +
         (form.output.std.empty() ? "none" : std::to_string(form.output.std[0]));
}

std::string text_of(const RowCase& row) {
  const SampleBox& box = row.box;
  return "record " + std::to_string(row.record.width) + "x" + std::to_string(row.record.height) + " box " + std::to_string(box.x) + "," +
         std::to_string(box.y) + " " + std::to_string(box.width) + "x" + std::to_string(box.height) +
         (box.flip_horizontal ? " flip-h" : "") + (box.flip_vertical ? " flip-v" : "") + (row.resample ? " resampled" : "") +
         (row.valid ? "" : " no sample");
}

std::size_t record_bytes(PixelSize size, int channels) {
  return static_cast<std::size_t>(size.width * size.height) * static_cast<std::size_t>(channels);
}

std::size_t rounded_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

// The records of some rows, scattered over multiples of 64 bytes, and the table that tells of them.
class Records {
 public:
  Records(const std::vector<RowCase>& rows, int channels, Against side) : channels_(channels), entries_(rows.size()) {
    std::size_t bytes = 0;
    for (std::size_t i = rows.size(); i-- > 0;) {  // backwards, with gaps: offsets follow no rule
      entries_[i] = entry_of(rows[i], bytes);
      if (rows[i].valid) bytes += rounded_up(record_bytes(rows[i].record, channels), kBlockAlignment) + (i % 2 == 1 && i > 1 ? 192 : 0);
    }
    memory_ = std::make_unique<FencedMemory>(bytes, side);
    std::mt19937 random(static_cast<unsigned>(bytes));
    auto* const data = reinterpret_cast<std::uint8_t*>(memory_->data());
    for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::uint8_t>(i < 512 ? i : random());
  }

  [[nodiscard]] const std::vector<RowEntry>& entries() const { return entries_; }
  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return memory_->bytes(); }
  [[nodiscard]] ImageView view(std::size_t i, ImageLayout stored) const {
    const PixelSize size{entries_[i].record_width, entries_[i].record_height};
    return {bytes().subspan(entries_[i].image, record_bytes(size, channels_)),
            {static_cast<int>(size.height), static_cast<int>(size.width), channels_, stored}};
  }

 private:
  static RowEntry entry_of(const RowCase& row, std::size_t offset) {
    RowEntry entry;
    if (!row.valid) {  // nothing but the flag counts
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
    entry.flags = kRowValid | (row.box.flip_horizontal ? kRowFlipHorizontal : 0) | (row.box.flip_vertical ? kRowFlipVertical : 0) |
                  (row.resample ? kRowResample : 0);
    return entry;
  }

  int channels_;
  std::vector<RowEntry> entries_;
  std::unique_ptr<FencedMemory> memory_;
};

// What ImageExpander makes of the same rows.
std::vector<std::byte> expected(const Form& form, const std::vector<RowCase>& rows, const Records& records, PixelSize output) {
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
    expander->expand(records.view(i, form.stored), Placement{rows[i].box, output, rows[i].resample}, scratch, to, expand::Stores::cached);
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
  host.args.source_planes = form.channels == 3 && form.stored == ImageLayout::chw ? 1 : 0;
  host.args.row_bytes = record_bytes(output, form.channels) * element_bytes(form.output.type);
  if (form.output.type == ElementType::u8) return host;
  const auto channels = static_cast<std::size_t>(form.channels);
  const auto map = std::make_shared<expand::ValueMap>(
      expand::make_value_map(form.output.type, form.output.mean.empty() ? std::vector<float>(channels, 0.0f) : form.output.mean,
                             form.output.std.empty() ? std::vector<float>(channels, 1.0f) : form.output.std));
  host.args.arithmetic = map->arithmetic.exact ? 1 : 0;
  host.args.values = form.output.type == ElementType::f32 ? static_cast<const void*>(map->singles.data()) : map->halves.data();
  for (std::size_t c = 0; c < channels; ++c) {
    host.args.mean[c] = map->arithmetic.mean[c];
    host.args.std[c] = map->arithmetic.std[c];
    host.args.reciprocal[c] = map->arithmetic.reciprocal[c];
  }
  host.map = map;
  return host;
}

constexpr std::byte kUntouched{0xA5};

// Where bytes differ first, in words; empty where they do not.
std::string difference(std::span<const std::uint8_t> got, const std::vector<std::byte>& want, std::size_t row_bytes) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    const std::byte right = i < want.size() ? want[i] : kUntouched;
    if (std::byte{got[i]} == right) continue;
    return "byte " + std::to_string(i % row_bytes) + " of row " + std::to_string(i / row_bytes) + " is " + std::to_string(got[i]) +
           ", not " + std::to_string(std::to_integer<int>(right));
  }
  return "";
}

void check_rows(const Form& form, const std::vector<RowCase>& rows, PixelSize output, const std::vector<LaunchSize>& sizes, Against side) {
  const HostKernel kernel = find_image_kernel(image_kernel_name(form.output.type, form.output.order));
  REQUIRE(kernel != nullptr);
  const Records records(rows, form.channels, side);
  const std::vector<std::byte> want = expected(form, rows, records, output);
  HostArgs host = args_of(form, output);
  host.args.rows = records.entries().data();
  host.args.records = records.bytes().data();
  host.args.row_count = static_cast<std::uint32_t>(rows.size());
  std::vector<LaunchSize> all = sizes;
  all.push_back(image_launch_size(host.args, form.output.type, form.output.order, 2));
  for (const LaunchSize& size : all) {
    FencedMemory out(rounded_up(want.size(), 16), side);
    std::memset(out.data(), std::to_integer<int>(kUntouched), out.bytes().size());
    host.args.out = out.data();
    kernel(&host.args, size);
    const std::string wrong = difference(out.bytes(), want, host.args.row_bytes);
    if (wrong.empty()) continue;
    std::string shown;
    for (const RowCase& row : rows) shown += "\n" + text_of(row);
    FAIL(text_of(form) << " to " << output.width << "x" << output.height << ", grid " << size.grid_x << "," << size.grid_y << " of "
                       << size.block_threads << " threads: " << wrong << shown);
  }
}

const std::vector<LaunchSize> kLaunches = {{1, 1, 1, 1}, {3, 2, 1, 37}};

std::vector<Form> forms_of(ElementType type) {
  std::vector<Form> forms;
  for (const AxisOrder order : {AxisOrder::channels_last, AxisOrder::channels_first}) {
    for (const ImageLayout stored : {ImageLayout::hwc, ImageLayout::chw}) {
      for (const int channels : {1, 3}) {
        if (channels == 1 && stored == ImageLayout::chw) continue;
        forms.push_back({{type, order, {}, {}}, channels, stored});
        if (type == ElementType::u8) continue;
        const auto count = static_cast<std::size_t>(channels);
        std::vector<float> mean{0.485f, 0.456f, 0.406f}, std{0.229f, 0.224f, 0.225f}, tiny{1e-30f, 0.5f, 1e30f};
        mean.resize(count), std.resize(count), tiny.resize(count);
        forms.push_back({{type, order, mean, std}, channels, stored});
        forms.push_back({{type, order, mean, tiny}, channels, stored});
      }
    }
  }
  return forms;
}

const std::vector<PixelSize> kSizes = {{1, 1}, {1, 19}, {19, 1}, {7, 5}, {16, 16}, {33, 31}, {32, 4}, {12, 3}};

RowCase whole(PixelSize size, bool horizontal = false, bool vertical = false) {
  return {size, {0, 0, static_cast<std::int32_t>(size.width), static_cast<std::int32_t>(size.height), horizontal, vertical}, false, true};
}

RowCase window(PixelSize record, std::int32_t x, std::int32_t y, std::int64_t width, std::int64_t height, bool resample) {
  return {record, {x, y, static_cast<std::int32_t>(width), static_cast<std::int32_t>(height), false, false}, resample, true};
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
  std::vector<RowCase> rows{whole(size), kNoSample, whole(size, true, false), whole(size, false, true), whole(size, true, true)};
  const PixelSize larger{w + 5, h + 4};
  rows.push_back(window(larger, 2, 3, w, h, false));  // a crop
  rows.push_back(flipped(window(larger, 5, 0, w, h, false), true, false));
  rows.push_back(window({w, h + 6}, 0, 3, w, h, false));  // whole lines
  rows.push_back(window({w, h + 6}, 0, 6, w, h, false));
  const std::int64_t less_w = std::max<std::int64_t>(1, w - 3), less_h = std::max<std::int64_t>(1, h - 2);
  rows.push_back(window({less_w, less_h}, 0, 0, less_w, less_h, false));  // padded on two sides
  rows.push_back(flipped(window({less_w, less_h}, 0, 0, less_w, less_h, false), true, true));
  rows.push_back(window({w, less_h}, 0, 0, w, less_h, false));      // below
  rows.push_back(window({less_w, h + 2}, 0, 1, less_w, h, false));  // at the right
  rows.push_back(kNoSample);
  rows.push_back(window({2 * w + 3, 2 * h + 1}, 2, 1, 2 * w, 2 * h, true));  // halved
  rows.push_back(flipped(window({2 * w, 2 * h}, 0, 0, 2 * w, 2 * h, true), true, false));
  rows.push_back(window({2 * w, h + 1}, 0, 1, 2 * w, h, true));  // one axis
  rows.push_back(window({w, 3 * h}, 0, 0, w, 3 * h, true));
  rows.push_back(window({3 * w + 2, 2 * h + 5}, 1, 3, 3 * w - 1, 2 * h + 2, true));                                        // down
  rows.push_back(flipped(window({(w + 1) / 2 + 1, (h + 2) / 3 + 1}, 1, 1, (w + 1) / 2, (h + 2) / 3, true), false, true));  // up
  rows.push_back(flipped(window({1, 1}, 0, 0, 1, 1, true), true, true));
  rows.push_back(window(larger, 1, 1, w, h, true));  // asked for, not needed
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

TEST_CASE("image kernels give what the host expands as u8") { check_type(ElementType::u8); }
TEST_CASE("image kernels give what the host expands as f16") { check_type(ElementType::f16); }
TEST_CASE("image kernels give what the host expands as bf16") { check_type(ElementType::bf16); }
TEST_CASE("image kernels give what the host expands as f32") { check_type(ElementType::f32); }
