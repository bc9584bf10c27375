#include "hotpack/expand.hpp"
#include "expand/class_ids.hpp"

#include <array>
#include <cstring>

#include "base/endian.hpp"
#include "support/catch.hpp"
#include "support/one_hot.hpp"
#include "support/tiny_shard.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

// one_hot_it of the reference: for each class, the pixels whose label is that class.
std::vector<float> one_hot_it(const TinyRecord& record, std::size_t classes, AxisOrder order) {
  const std::size_t pixels = record.labels.size();
  std::vector<float> hot(pixels * classes, 0.0f);
  for (std::size_t c = 0; c < classes; ++c) {
    for (std::size_t p = 0; p < pixels; ++p) {
      bool set = false;
      for (const std::uint16_t label : record.labels[p]) set = set || label == c;
      hot[order == AxisOrder::channels_last ? p * classes + c : c * pixels + p] = set ? 1.0f : 0.0f;
    }
  }
  return hot;
}

struct StoredLabel {
  std::vector<std::byte> bytes;
  LabelView view;
};

StoredLabel label_of(const TinyForm& form, const TinyRecord& record) {
  StoredLabel label;
  label.bytes = stored_label(form, record);
  label.view.bytes = {reinterpret_cast<const std::uint8_t*>(label.bytes.data()),
                      label.bytes.size()};
  label.view.shape = {
      form.scope, form.storage, form.multi, 1, 1, static_cast<std::size_t>(form.classes)};
  if (form.scope == LabelScope::pixel) {
    label.view.shape.height = record.size.height;
    label.view.shape.width = record.size.width;
  }
  return label;
}

float value_at(ElementType type, const std::byte* at) {
  if (type == ElementType::u8) return static_cast<float>(load_le<std::uint8_t>(at));
  if (type == ElementType::bf16)
    return load_le<std::uint16_t>(at) == 0x3F80 ? 1.0f
           : load_le<std::uint16_t>(at) == 0    ? 0.0f
                                                : -1.0f;
  if (type == ElementType::f16)
    return load_le<std::uint16_t>(at) == 0x3C00 ? 1.0f
           : load_le<std::uint16_t>(at) == 0    ? 0.0f
                                                : -1.0f;
  float value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Expands into a buffer with a guard after it; returns the elements as floats.
std::vector<float> expanded(const LabelView& view, ElementType type, AxisOrder order) {
  const std::size_t size = test::one_hot_elements(view.shape) * element_bytes(type);
  std::vector<std::byte> out(size + 64, std::byte{0xA5});
  REQUIRE(test::expand_one_hot(view, type, order, std::span(out).first(size)).ok());
  for (std::size_t i = size; i < out.size(); ++i) REQUIRE(out[i] == std::byte{0xA5});
  std::vector<float> values;
  for (std::size_t i = 0; i < size; i += element_bytes(type))
    values.push_back(value_at(type, out.data() + i));
  return values;
}

std::vector<TinyForm> label_forms() {
  std::vector<TinyForm> forms;
  for (const LabelStorage storage :
       {LabelStorage::bits, LabelStorage::one_hot, LabelStorage::index}) {
    for (const LabelScope scope : {LabelScope::pixel, LabelScope::image}) {
      for (const int classes : {1, 3, 8, 9, 16, 255, 256, 300}) {
        TinyForm form;
        form.storage = storage;
        form.scope = scope;
        form.classes = classes;
        forms.push_back(form);
        if (storage == LabelStorage::index) continue;
        form.multi = true;
        forms.push_back(form);
      }
    }
  }
  return forms;
}

LabelView view_of(const std::vector<std::uint8_t>& bytes, LabelStorage storage, std::int64_t width,
                  std::size_t classes) {
  return {bytes, {LabelScope::pixel, storage, false, 1, width, classes}};
}

}  // namespace

TEST_CASE("labels of every storage expand like one_hot_it") {
  for (const TinyForm& form : label_forms()) {
    const auto records = tiny_records(form, 2);
    for (const TinyRecord& record : records) {
      const StoredLabel label = label_of(form, record);
      for (const AxisOrder order : {AxisOrder::channels_last, AxisOrder::channels_first}) {
        const auto wanted = one_hot_it(record, static_cast<std::size_t>(form.classes), order);
        for (const ElementType type :
             {ElementType::u8, ElementType::f16, ElementType::f32, ElementType::bf16}) {
          REQUIRE(expanded(label.view, type, order) == wanted);
        }
      }
    }
  }
}

TEST_CASE("labels become ids") {
  for (const TinyForm& form : label_forms()) {
    const TinyRecord record = tiny_records(form, 1)[0];
    const StoredLabel label = label_of(form, record);
    std::vector<std::uint16_t> ids(record.labels.size());
    REQUIRE(expand_ids(label.view, ids).ok());
    for (std::size_t p = 0; p < ids.size(); ++p)
      REQUIRE(ids[p] == (record.labels[p].empty() ? kIgnoredId : record.labels[p][0]));
  }
}

TEST_CASE("wrong label values count as no class") {
  const std::vector<std::uint8_t> ids{0, 3, 200, 255, 2};
  const auto from_ids =
      expanded(view_of(ids, LabelStorage::index, 5, 3), ElementType::u8, AxisOrder::channels_last);
  CHECK(from_ids == std::vector<float>{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
  const std::vector<std::uint8_t> bits{0b11111001, 0b11111000};
  const auto from_bits =
      expanded(view_of(bits, LabelStorage::bits, 2, 3), ElementType::u8, AxisOrder::channels_first);
  CHECK(from_bits == std::vector<float>{1, 0, 0, 0, 0, 0});
  const std::vector<std::uint8_t> bytes{7, 0, 255, 0};
  const auto from_bytes = expanded(view_of(bytes, LabelStorage::one_hot, 2, 2), ElementType::f32,
                                   AxisOrder::channels_last);
  CHECK(from_bytes == std::vector<float>{1, 0, 1, 0});
  std::vector<std::uint16_t> out(5);
  REQUIRE(expand_ids(view_of(ids, LabelStorage::index, 5, 3), out).ok());
  CHECK(out == std::vector<std::uint16_t>{0, kIgnoredId, kIgnoredId, kIgnoredId, 2});
  REQUIRE(expand_ids(view_of(bits, LabelStorage::bits, 2, 3), out).ok());
  CHECK(out[1] == kIgnoredId);
}

TEST_CASE("buffers that do not fit are refused") {
  const std::vector<std::uint8_t> ids{0, 1};
  const LabelView view = view_of(ids, LabelStorage::index, 2, 3);
  std::vector<float> small(5);
  CHECK(test::expand_one_hot(view, AxisOrder::channels_last, std::span(small)).error().code ==
        ErrorCode::usage);
  alignas(4) std::array<std::byte, 32> raw{};
  CHECK(test::expand_one_hot(view, ElementType::f32, AxisOrder::channels_last,
                             std::span(raw).subspan(1))
            .error()
            .code == ErrorCode::usage);
  std::vector<std::uint16_t> one(1);
  CHECK(expand_ids(view, one).error().code == ErrorCode::usage);
  const LabelView lies = view_of(ids, LabelStorage::index, 3, 3);
  std::vector<float> large(9);
  CHECK(test::expand_one_hot(lies, AxisOrder::channels_last, std::span(large)).error().code ==
        ErrorCode::usage);
}

TEST_CASE("element types have names and sizes") {
  const std::vector<std::pair<ElementType, std::string>> names{
      {ElementType::u8, "u8"},     {ElementType::f16, "f16"}, {ElementType::f32, "f32"},
      {ElementType::bf16, "bf16"}, {ElementType::u16, "u16"}, {ElementType::i32, "i32"},
      {ElementType::i64, "i64"}};
  const std::vector<std::size_t> sizes{1, 2, 4, 2, 2, 4, 8};
  for (std::size_t i = 0; i < names.size(); ++i) {
    CHECK(element_name(names[i].first) == names[i].second);
    CHECK(element_bytes(names[i].first) == sizes[i]);
  }
}

TEST_CASE("a label expands to the requested form") {
  const std::vector<std::uint8_t> bits{0b00000010, 0b00000001, 0b10000000, 0b00000000,
                                       0b00000000, 0b00000010};  // classes 1 and 8, 7, 9
  LabelView view = view_of(bits, LabelStorage::bits, 3, 10);
  std::array<std::int64_t, 3> ids{};
  const LabelOutput index{LabelForm::ids, ElementType::i64, AxisOrder::channels_last, false, {}};
  REQUIRE(label_bytes(view.shape, index).value() == 24);
  REQUIRE(expand_label(view, index, std::as_writable_bytes(std::span(ids))).ok());
  CHECK(ids == std::array<std::int64_t, 3>{1, 7, 9});

  view.shape.multi = true;
  CHECK(label_bytes(view.shape, index).error().code == ErrorCode::usage);
  CHECK(expand_label(view, index, std::as_writable_bytes(std::span(ids))).error().code ==
        ErrorCode::usage);
  const LabelOutput packed{LabelForm::bits, {}, AxisOrder::channels_last, false, {}};
  std::vector<std::uint8_t> out(6, 0xFF);
  REQUIRE(label_bytes(view.shape, packed).value() == 6);
  REQUIRE(expand_label(view, packed, std::as_writable_bytes(std::span(out))).ok());
  CHECK(out == bits);

  const LabelOutput hot{LabelForm::one_hot, {}, AxisOrder::channels_first, true, {}};
  CHECK(label_bytes(view.shape, hot).value() == 33);
  std::vector<std::uint16_t> lowest(3);
  REQUIRE(expand_ids(view, lowest).ok());
  CHECK(lowest == std::vector<std::uint16_t>{1, 7, 9});
}

TEST_CASE("labels too large to count and impossible types are refused") {
  const LabelShape vast{LabelScope::pixel,     LabelStorage::bits,    false,
                        std::int64_t{1} << 30, std::int64_t{1} << 30, 60000};
  CHECK(
      label_bytes(vast, {LabelForm::one_hot, ElementType::f32, AxisOrder::channels_last, false, {}})
          .error()
          .code == ErrorCode::usage);
  const std::vector<std::uint8_t> ids{0, 1};
  for (const std::int64_t width :
       {std::int64_t{0}, std::int64_t{-1}, (std::int64_t{1} << 40) + 1}) {
    const LabelShape odd{LabelScope::pixel,
                         LabelStorage::index,
                         false,
                         std::int64_t{1} << 24,
                         width,
                         3};  // 2^64 + 2^24 pixels
    CHECK(label_bytes(odd, {}).error().code == ErrorCode::usage);
    CHECK(expand_label({ids, odd}, {}, {}).error().code == ErrorCode::usage);
  }
  std::vector<std::byte> out(1000);
  for (const ElementType type : {ElementType::u16, ElementType::i32, ElementType::i64}) {
    CHECK(test::expand_one_hot(view_of(ids, LabelStorage::index, 2, 3), type,
                               AxisOrder::channels_last, out)
              .error()
              .code == ErrorCode::usage);
  }
}

TEST_CASE("large labels expand like small ones") {
  const std::int64_t width = 700, height = 500;  // 5.6 MB of f32: bypasses the cache
  std::vector<std::uint8_t> ids(static_cast<std::size_t>(width * height));
  for (std::size_t p = 0; p < ids.size(); ++p) ids[p] = static_cast<std::uint8_t>(p * 7 % 5);
  const LabelView view{ids, {LabelScope::pixel, LabelStorage::index, false, height, width, 4}};
  std::vector<float> hot(ids.size() * 4);
  REQUIRE(test::expand_one_hot(view, AxisOrder::channels_first, std::span(hot)).ok());
  std::size_t wrong = 0;
  for (std::size_t c = 0; c < 4; ++c) {
    for (std::size_t p = 0; p < ids.size(); ++p)
      wrong += hot[c * ids.size() + p] != (ids[p] == c ? 1.0f : 0.0f);
  }
  CHECK(wrong == 0);
}
