#include "expand/label_expander.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <random>

#include "support/catch.hpp"
#include "support/fenced_memory.hpp"
#include "support/vector_targets.hpp"

// There are two types named LabelSource; this means the room's own.
namespace hotpack::expand {

namespace {

using test::Against;
using test::FencedMemory;
using test::for_each_vector_target;

struct StoredLabel {
  LabelSource source;
  PixelSize size;
  std::vector<std::uint8_t> bytes;
  [[nodiscard]] LabelView view() const {
    return {
        bytes,
        {source.scope, source.storage, source.multi, size.height, size.width, source.class_count}};
  }
};

constexpr LabelStorage kStorages[] = {LabelStorage::bits, LabelStorage::one_hot,
                                      LabelStorage::index};

// The classes in a stored vector.
std::vector<std::size_t> classes_in(const LabelSource& source, const std::uint8_t* vector) {
  std::vector<std::size_t> found;
  for (std::size_t c = 0; c < source.class_count; ++c) {
    const bool set = source.storage == LabelStorage::bits      ? (vector[c / 8] >> c % 8 & 1) != 0
                     : source.storage == LabelStorage::one_hot ? vector[c] != 0
                     : source.class_count <= 255               ? vector[0] == c
                                                               : vector[0] + 256U * vector[1] == c;
    if (set) found.push_back(c);
  }
  return found;
}

// A label with values that a pack may have.
StoredLabel proper_label(const LabelSource& source, PixelSize size, std::uint32_t seed) {
  std::mt19937 random(seed);
  StoredLabel label{source, size, {}};
  const LabelShape shape = label.view().shape;
  label.bytes.resize(shape.size_bytes());
  for (std::size_t p = 0; p < shape.vectors(); ++p) {
    std::uint8_t* const vector = label.bytes.data() + p * shape.vector_bytes();
    const bool ignored = random() % 5 == 0;
    const std::size_t id = random() % source.class_count;
    const std::uint64_t stored = ignored ? 65535 : id;
    if (source.storage == LabelStorage::index) std::memcpy(vector, &stored, shape.vector_bytes());
    if (source.storage == LabelStorage::one_hot && !ignored) vector[id] = 1;
    if (source.storage == LabelStorage::bits && !ignored)
      vector[id / 8] = static_cast<std::uint8_t>(1 << id % 8);
    if (source.multi && source.storage == LabelStorage::bits && !ignored)
      vector[0] = static_cast<std::uint8_t>(vector[0] | 1);
  }
  return label;
}

// A label of any bytes, many of which are not a class.
StoredLabel hostile_label(const LabelSource& source, PixelSize size, std::uint32_t seed) {
  std::mt19937 random(seed);
  StoredLabel label{source, size, {}};
  label.bytes.resize(label.view().shape.size_bytes());
  for (std::uint8_t& byte : label.bytes)
    byte = static_cast<std::uint8_t>(random() % 3 == 0 ? 0 : random());
  return label;
}

// The record's pixel at a place of the output, or −1.
std::int64_t source_pixel(const Placement& placement, std::int64_t x, std::int64_t y,
                          std::int64_t record_width) {
  const SampleCrop& box = placement.box;
  if (box.flip_horizontal) x = placement.output.width - 1 - x;
  if (box.flip_vertical) y = placement.output.height - 1 - y;
  if (placement.resample) {
    x = (2 * x + 1) * box.width / (2 * placement.output.width);
    y = (2 * y + 1) * box.height / (2 * placement.output.height);
  }
  if (x >= box.width || y >= box.height) return -1;
  return (box.y + y) * record_width + box.x + x;
}

std::vector<std::vector<std::size_t>> placed_classes(const StoredLabel& label,
                                                     const Placement& placement) {
  std::vector<std::vector<std::size_t>> classes;
  const std::size_t step = label.view().shape.vector_bytes();
  for (std::int64_t y = 0; y < placement.output.height; ++y) {
    for (std::int64_t x = 0; x < placement.output.width; ++x) {
      const std::int64_t from = source_pixel(placement, x, y, label.size.width);
      classes.push_back(from < 0
                            ? std::vector<std::size_t>{}
                            : classes_in(label.source, label.bytes.data() +
                                                           static_cast<std::size_t>(from) * step));
    }
  }
  return classes;
}

std::uint32_t pattern_of_one(ElementType type) {
  if (type == ElementType::f32) return 0x3F800000;
  if (type == ElementType::f16) return 0x3C00;
  return type == ElementType::bf16 ? 0x3F80 : 1;
}

std::int64_t ignored_of(const LabelOutput& output) {
  if (output.ignore_index) return *output.ignore_index;
  if (output.dtype == ElementType::u8) return 255;
  return output.dtype == ElementType::u16 ? 65535 : -100;
}

// The plain formula; `output.dtype` is set.
std::vector<std::uint8_t> expected_row(const std::vector<std::vector<std::size_t>>& classes,
                                       std::size_t count, const LabelOutput& output) {
  const std::size_t pixels = classes.size();
  const std::size_t element = element_bytes(*output.dtype);
  const std::size_t bit_bytes = (count + 7) / 8;
  const std::size_t channels = count + (output.ignore_channel ? 1 : 0);
  const std::size_t elements = output.form == LabelForm::ids    ? 1
                               : output.form == LabelForm::bits ? bit_bytes
                                                                : channels;
  const std::uint32_t one = pattern_of_one(*output.dtype);
  std::vector<std::uint8_t> row(pixels * elements * element);
  for (std::size_t p = 0; p < pixels; ++p) {
    if (output.form == LabelForm::ids) {
      const std::int64_t id =
          classes[p].empty() ? ignored_of(output) : static_cast<std::int64_t>(classes[p][0]);
      std::memcpy(row.data() + p * element, &id, element);
      continue;
    }
    std::vector<std::size_t> set = classes[p];
    if (output.ignore_channel && set.empty()) set.push_back(count);
    for (const std::size_t c : set) {
      if (output.form == LabelForm::bits) {
        row[p * bit_bytes + c / 8] =
            static_cast<std::uint8_t>(row[p * bit_bytes + c / 8] | 1 << c % 8);
      } else {
        const std::size_t at =
            output.layout == AxisOrder::channels_last ? p * channels + c : c * pixels + p;
        std::memcpy(row.data() + at * element, &one, element);
      }
    }
  }
  return row;
}

constexpr std::size_t kGuard = 128;
constexpr std::uint8_t kGuardByte = 0xA5;

// A buffer `skip` bytes after a cache line, with guards around it.
class GuardedRow {
 public:
  GuardedRow(std::size_t bytes, std::size_t skip)
      : bytes_(bytes),
        memory_(static_cast<std::uint8_t*>(
            ::operator new (bytes + 2 * kGuard + 64, std::align_val_t{64}))),
        row_(memory_.get() + kGuard + skip) {
    std::memset(memory_.get(), kGuardByte, bytes + 2 * kGuard + 64);
  }
  [[nodiscard]] std::byte* out() { return reinterpret_cast<std::byte*>(row_); }
  [[nodiscard]] bool holds(const std::vector<std::uint8_t>& wanted) const {
    const auto untouched = [](std::uint8_t byte) { return byte == kGuardByte; };
    return wanted.size() == bytes_ && std::equal(wanted.begin(), wanted.end(), row_) &&
           std::all_of(row_ - kGuard, row_, untouched) &&
           std::all_of(row_ + bytes_, row_ + bytes_ + kGuard - 64, untouched);
  }

 private:
  struct Free {
    void operator()(std::uint8_t* memory) const {
      ::operator delete (memory, std::align_val_t{64});
    }
  };
  std::size_t bytes_;
  std::unique_ptr<std::uint8_t, Free> memory_;
  std::uint8_t* row_;
};

// A record and its row, both next to the same fence.
class FencedExpansion {
 public:
  FencedExpansion(const LabelView& record, std::size_t row_bytes, Against side)
      : stored_(record.bytes, side),
        row_(row_bytes, side),
        record_{stored_.bytes(), record.shape} {}

  [[nodiscard]] bool gives(const std::vector<std::uint8_t>& wanted, const LabelExpander& expander,
                           const Placement& placement, Scratch& scratch, Stores stores) {
    std::memset(row_.data(), 0xA5, wanted.size());
    expander.expand(record_, placement, scratch, row_.data(), stores);
    store_fence();
    return std::memcmp(row_.data(), wanted.data(), wanted.size()) == 0;
  }

 private:
  FencedMemory stored_, row_;
  LabelView record_;
};

// Expands at every level, with both kinds of stores, at a cache line and one element after it,
// and between fences.
void check_expansion(const StoredLabel& label, const LabelOutput& output,
                     const Placement& placement, const std::vector<std::uint8_t>& wanted) {
  const LabelExpander expander = LabelExpander::make(output, label.source).value();
  REQUIRE(expander.row_bytes(placement.output) == wanted.size());
  Scratch scratch;
  scratch.reserve(expander.scratch_bytes(label.size, placement.output));
  FencedExpansion low(label.view(), wanted.size(), Against::low_fence),
      high(label.view(), wanted.size(), Against::high_fence);
  for_each_vector_target([&] {
    for (const Stores stores : {Stores::cached, Stores::streaming}) {
      for (const std::size_t skip : {std::size_t{0}, element_bytes(expander.type())}) {
        GuardedRow row(wanted.size(), skip);
        expander.expand(label.view(), placement, scratch, row.out(), stores);
        store_fence();
        INFO("classes " << label.source.class_count << ", storage "
                        << static_cast<int>(label.source.storage) << ", form "
                        << static_cast<int>(output.form) << ", type " << element_name(*output.dtype)
                        << ", order " << static_cast<int>(output.layout) << ", ignore channel "
                        << output.ignore_channel << ", " << placement.output.width << "x"
                        << placement.output.height << ", skip " << skip << ", streaming "
                        << (stores == Stores::streaming));
        REQUIRE(row.holds(wanted));
      }
      for (FencedExpansion* const fenced : {&low, &high}) {
        CAPTURE(stores == Stores::streaming, fenced == &high);
        REQUIRE(fenced->gives(wanted, expander, placement, scratch, stores));
      }
    }
  });
}

LabelOutput index_of(ElementType type, std::optional<std::int64_t> ignored = {}) {
  return {LabelForm::ids, type, AxisOrder::channels_last, false, ignored};
}

LabelOutput one_hot_of(ElementType type, AxisOrder order, bool ignore_channel = false) {
  return {LabelForm::one_hot, type, order, ignore_channel, {}};
}

const LabelOutput kBits{LabelForm::bits, ElementType::u8, AxisOrder::channels_last, false, {}};

// Every output that labels of one class per pixel can have.
std::vector<LabelOutput> outputs(std::size_t classes) {
  std::vector<LabelOutput> all{kBits};
  for (const ElementType type :
       {ElementType::u8, ElementType::u16, ElementType::i32, ElementType::i64}) {
    if (classes <= 255 || type != ElementType::u8) all.push_back(index_of(type));
  }
  for (const ElementType type :
       {ElementType::u8, ElementType::f16, ElementType::f32, ElementType::bf16}) {
    for (const AxisOrder order : {AxisOrder::channels_last, AxisOrder::channels_first}) {
      for (const bool ignore_channel : {false, true})
        all.push_back(one_hot_of(type, order, ignore_channel));
    }
  }
  return all;
}

void check_outputs(const StoredLabel& label, const Placement& placement,
                   const std::vector<LabelOutput>& all) {
  const auto classes = placed_classes(label, placement);
  for (const LabelOutput& output : all) {
    if (label.source.multi && output.form == LabelForm::ids) continue;
    check_expansion(label, output, placement,
                    expected_row(classes, label.source.class_count, output));
  }
}

constexpr std::size_t kClassCounts[] = {1, 2, 7, 8, 9, 16, 17, 255, 256};
constexpr PixelSize kSizes[] = {{1, 1}, {7, 1}, {5, 3}, {19, 17}, {33, 64}, {3, 65}};

std::string refusal(const LabelOutput& output, const LabelSource& source) {
  const auto made = LabelExpander::make(output, source);
  REQUIRE_FALSE(made.ok());
  REQUIRE(made.error().code == ErrorCode::usage);
  return made.error().message;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("labels of every storage and form equal the plain formula") {
  std::uint32_t seed = 0;
  for (const LabelStorage storage : kStorages) {
    for (const std::size_t classes : kClassCounts) {
      for (const PixelSize size : kSizes) {
        check_outputs(proper_label({LabelScope::pixel, storage, false, classes}, size, ++seed),
                      identity(size), outputs(classes));
      }
    }
  }
}

TEST_CASE("labels with several classes per pixel keep them all") {
  std::uint32_t seed = 100;
  for (const std::size_t classes : kClassCounts) {
    const PixelSize size{19, 17};
    check_outputs(
        proper_label({LabelScope::pixel, LabelStorage::bits, true, classes}, size, ++seed),
        identity(size), outputs(classes));
    check_outputs(
        hostile_label({LabelScope::pixel, LabelStorage::one_hot, true, classes}, size, ++seed),
        identity(size), outputs(classes));
  }
}

TEST_CASE("invalid label bytes count as no class and stay within the row") {
  std::uint32_t seed = 200;
  for (const LabelStorage storage : kStorages) {
    for (const std::size_t classes :
         {1U, 3U, 8U, 12U, 21U, 33U, 56U, 57U, 63U, 64U, 65U, 200U, 255U, 256U, 300U}) {
      for (const PixelSize size : {PixelSize{13, 11}, PixelSize{9, 64}}) {
        check_outputs(hostile_label({LabelScope::pixel, storage, false, classes}, size, ++seed),
                      identity(size), outputs(classes));
      }
    }
  }
}

TEST_CASE("labels larger than a tile are complete") {
  std::uint32_t seed = 300;
  for (const LabelStorage storage : kStorages) {
    for (const std::size_t classes : {3U, 12U, 100U, 300U}) {
      const PixelSize size{97, 89};
      const StoredLabel label =
          proper_label({LabelScope::pixel, storage, false, classes}, size, ++seed);
      check_outputs(label, identity(size),
                    {one_hot_of(ElementType::u8, AxisOrder::channels_last, true),
                     one_hot_of(ElementType::u8, AxisOrder::channels_last),
                     one_hot_of(ElementType::f16, AxisOrder::channels_first, true),
                     index_of(ElementType::i64), kBits});
    }
  }
}

TEST_CASE("ids of many pages convert to any id size, whole or cropped") {
  const PixelSize size{211, 181};
  for (const std::size_t classes : {12U, 300U}) {
    const StoredLabel label =
        hostile_label({LabelScope::pixel, LabelStorage::index, false, classes}, size, 350);
    const std::vector<LabelOutput> all =
        classes > 255
            ? std::vector<LabelOutput>{index_of(ElementType::u16), index_of(ElementType::i32)}
            : std::vector<LabelOutput>{index_of(ElementType::u8, 77), index_of(ElementType::u16)};
    check_outputs(label, identity(size), all);
    check_outputs(label, {{3, 1, 190, 170, true, false}, {190, 170}, false}, all);
  }
}

TEST_CASE("labels follow window, flips, nearest resampling and padding") {
  const PixelSize record{23, 14};
  const std::vector<Placement> placements{
      {{3, 2, 17, 9, false, false}, {17, 9}, false},
      {{0, 0, 23, 14, true, false}, {23, 14}, false},
      {{0, 5, 23, 9, false, false}, {23, 9}, false},
      {{0, 0, 23, 14, false, true}, {23, 14}, false},
      {{3, 2, 17, 9, true, true}, {17, 9}, false},
      {{3, 2, 17, 9, false, false}, {31, 20}, false},
      {{3, 2, 17, 9, true, true}, {31, 20}, false},
      {{0, 0, 23, 14, false, false}, {23, 70}, false},
      {{1, 1, 20, 12, false, false}, {9, 5}, true},
      {{1, 1, 20, 12, true, true}, {47, 31}, true},
      {{5, 3, 18, 11, false, true}, {18, 11}, true},
      {{5, 3, 18, 11, true, false}, {18, 30}, true},
      {{22, 13, 1, 1, false, false}, {70, 65}, true},
      {{0, 13, 23, 1, false, false}, {23, 1}, false},
      {{0, 0, 23, 14, false, false}, {1, 1}, true},
      {{6, 6, 1, 1, false, false}, {1, 1}, false},
      {{0, 0, 23, 14, false, false}, {90, 80}, false},
  };
  std::uint32_t seed = 400;
  for (const LabelStorage storage : kStorages) {
    for (const std::size_t classes : {3U, 12U, 20U, 30U, 40U, 300U}) {
      const StoredLabel label =
          proper_label({LabelScope::pixel, storage, false, classes}, record, ++seed);
      for (const Placement& placement : placements) {
        check_outputs(label, placement,
                      {one_hot_of(ElementType::f32, AxisOrder::channels_first, true),
                       one_hot_of(ElementType::u8, AxisOrder::channels_last),
                       index_of(ElementType::i32, 7777), kBits});
      }
    }
  }
}

TEST_CASE("labels of whole images expand") {
  std::uint32_t seed = 500;
  for (const LabelStorage storage : kStorages) {
    for (const std::size_t classes : kClassCounts) {
      check_outputs(proper_label({LabelScope::image, storage, false, classes}, {1, 1}, ++seed),
                    identity({1, 1}), outputs(classes));
    }
  }
}

TEST_CASE("ignored pixels have the requested id") {
  const PixelSize size{33, 5};
  for (const LabelStorage storage : kStorages) {
    const StoredLabel label = proper_label({LabelScope::pixel, storage, false, 12}, size, 600);
    check_outputs(label, identity(size),
                  {index_of(ElementType::u8, 12), index_of(ElementType::u8, 255),
                   index_of(ElementType::u16, 40000), index_of(ElementType::i32, -1),
                   index_of(ElementType::i64, std::int64_t{1} << 40)});
  }
}

TEST_CASE("a row without a sample is ignored throughout") {
  const PixelSize size{19, 3};
  for (const LabelStorage storage : kStorages) {
    for (const std::size_t classes : {3U, 8U, 300U}) {
      for (const LabelOutput& output : outputs(classes)) {
        const auto wanted =
            expected_row(std::vector<std::vector<std::size_t>>(57), classes, output);
        const LabelExpander expander =
            LabelExpander::make(output, {LabelScope::pixel, storage, false, classes}).value();
        GuardedRow row(wanted.size(), element_bytes(expander.type()));
        expander.blank(size, row.out());
        REQUIRE(row.holds(wanted));
      }
    }
  }
}

TEST_CASE("omitted options get defaults") {
  const auto made = [](const LabelOutput& output, std::size_t classes) {
    return LabelExpander::make(output, {LabelScope::pixel, LabelStorage::index, false, classes})
        .value();
  };
  CHECK(made({}, 255).output() == index_of(ElementType::u8, 255));
  CHECK(made({}, 256).output() == index_of(ElementType::u16, 65535));
  CHECK(made({LabelForm::ids, {}, {}, false, 300}, 12).type() == ElementType::u16);
  CHECK(made({LabelForm::ids, {}, {}, false, 200}, 12).type() == ElementType::u8);
  CHECK(made({LabelForm::ids, {}, {}, false, 255}, 255).type() == ElementType::u8);
  CHECK(made({LabelForm::ids, {}, {}, false, 256}, 256).type() == ElementType::u16);
  CHECK(made({LabelForm::ids, {}, {}, false, 300}, 256).type() == ElementType::u16);
  CHECK(made(index_of(ElementType::i32), 12).output().ignore_index == -100);
  CHECK(made(index_of(ElementType::i64), 12).output().ignore_index == -100);
  CHECK(made({LabelForm::one_hot, {}, {}, false, {}}, 12).type() == ElementType::u8);
  CHECK(made({LabelForm::bits, {}, {}, false, {}}, 12).type() == ElementType::u8);
  CHECK(made(index_of(ElementType::u8), 12).channels() == 1);
  CHECK(made(kBits, 12).channels() == 2);
  CHECK(made(one_hot_of(ElementType::f32, AxisOrder::channels_first), 12).channels() == 12);
  CHECK(made(one_hot_of(ElementType::f32, AxisOrder::channels_first, true), 12).channels() == 13);
  CHECK(made(one_hot_of(ElementType::f32, AxisOrder::channels_first, true), 12).row_bytes({5, 3}) ==
        780);
}

TEST_CASE("impossible label outputs are refused with the possible ones") {
  const LabelSource twelve{LabelScope::pixel, LabelStorage::bits, false, 12};
  const LabelSource many{LabelScope::pixel, LabelStorage::index, false, 256};
  const LabelSource several{LabelScope::pixel, LabelStorage::bits, true, 12};
  CHECK(contains(refusal({}, several), "use one-hot or bits"));
  CHECK(contains(refusal({}, {LabelScope::pixel, LabelStorage::bits, false, 0}), "no classes"));
  CHECK(contains(refusal({}, {LabelScope::pixel, LabelStorage::bits, false, 65536}), "65535"));
  CHECK(contains(refusal(index_of(ElementType::f32), twelve),
                 "label.dtype f32: form ids can only have u8, u16, i32, i64"));
  CHECK(contains(refusal(one_hot_of(ElementType::i64, AxisOrder::channels_last), twelve),
                 "u8, f16, f32, bf16"));
  CHECK(contains(refusal({LabelForm::bits, ElementType::f32, {}, false, {}}, twelve),
                 "form bits can only have u8"));
  CHECK(contains(refusal(index_of(ElementType::u8), many), "use u16, i32 or i64"));
  CHECK(contains(refusal(index_of(ElementType::u8, 256), twelve), "0 … 255"));
  CHECK(contains(refusal(index_of(ElementType::u16, -100), twelve), "0 … 65535"));
  CHECK(contains(refusal(index_of(ElementType::i32, std::int64_t{1} << 31), twelve),
                 "does not fit type i32"));
  CHECK(contains(refusal(index_of(ElementType::i64, 11), twelve),
                 "label.ignore_index 11 is the id of a class (0 … 11)"));
  CHECK(
      contains(refusal({LabelForm::ids, {}, {}, false, -100}, twelve), "label.ignore_index -100"));
  CHECK(contains(refusal({LabelForm::ids, {}, {}, false, -1}, many),
                 "label.ignore_index -1 does not fit type u16"));
  CHECK(contains(refusal({LabelForm::ids, {}, {}, true, {}}, twelve), "label.ignore_channel"));
  CHECK(contains(refusal({LabelForm::bits, {}, {}, true, {}}, twelve), "label.ignore_channel"));
  CHECK(contains(refusal({LabelForm::ids, {}, AxisOrder::channels_first, false, {}}, twelve),
                 "label.layout"));
  CHECK(contains(refusal({LabelForm::bits, {}, AxisOrder::channels_first, false, {}}, twelve),
                 "label.layout"));
  CHECK(contains(refusal({LabelForm::one_hot, {}, {}, false, 255}, twelve),
                 "label.ignore_index 255"));
  CHECK(contains(refusal({LabelForm::bits, {}, {}, false, 255}, twelve), "label.ignore_index 255"));
  CHECK(LabelExpander::make(index_of(ElementType::i32), many).ok());
  CHECK(LabelExpander::make(index_of(ElementType::u8, 12), twelve).ok());
}

}  // namespace hotpack::expand
