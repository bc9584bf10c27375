#include "hotpack/expand.hpp"

#include <cstring>

#include "support/catch.hpp"
#include "unit/reader/tiny_files.hpp"

using namespace hotpack;
using namespace hotpack::test;

namespace {

// one_hot_it of the reference: for each class, where the label is that class.
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
  label.view.bytes = {reinterpret_cast<const std::uint8_t*>(label.bytes.data()), label.bytes.size()};
  label.view.shape = {form.kind, form.storage, form.multi, 1, 1, static_cast<std::size_t>(form.classes)};
  if (form.kind == LabelKind::pixel) {
    label.view.shape.height = record.size.height;
    label.view.shape.width = record.size.width;
  }
  return label;
}

float value_at(ElementType type, const std::byte* at) {
  if (type == ElementType::u8) return static_cast<float>(load_le<std::uint8_t>(at));
  if (type == ElementType::f16) return load_le<std::uint16_t>(at) == 0x3C00 ? 1.0f : load_le<std::uint16_t>(at) == 0 ? 0.0f : -1.0f;
  float value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Expands into a buffer with a guard after it; the elements as floats.
std::vector<float> expanded(const LabelView& view, ElementType type, AxisOrder order) {
  const std::size_t size = one_hot_bytes(view.shape, type);
  std::vector<std::byte> out(size + 64, std::byte{0xA5});
  REQUIRE(expand_one_hot(view, type, order, std::span(out).first(size)).ok());
  for (std::size_t i = size; i < out.size(); ++i) REQUIRE(out[i] == std::byte{0xA5});
  std::vector<float> values;
  for (std::size_t i = 0; i < size; i += element_bytes(type)) values.push_back(value_at(type, out.data() + i));
  return values;
}

std::vector<TinyForm> label_forms() {
  std::vector<TinyForm> forms;
  for (const LabelStorage storage : {LabelStorage::bits, LabelStorage::onehot, LabelStorage::index}) {
    for (const LabelKind kind : {LabelKind::pixel, LabelKind::sample}) {
      for (const int classes : {1, 3, 8, 9, 16, 255, 256, 300}) {
        TinyForm form;
        form.storage = storage;
        form.kind = kind;
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

LabelView view_of(const std::vector<std::uint8_t>& bytes, LabelStorage storage, std::int64_t width, std::size_t classes) {
  return {bytes, {LabelKind::pixel, storage, false, 1, width, classes}};
}

}  // namespace

TEST_CASE("labels of every storage expand as one_hot_it says") {
  for (const TinyForm& form : label_forms()) {
    const auto records = tiny_records(form, 2);
    for (const TinyRecord& record : records) {
      const StoredLabel label = label_of(form, record);
      for (const AxisOrder order : {AxisOrder::channels_last, AxisOrder::channels_first}) {
        const auto wanted = one_hot_it(record, static_cast<std::size_t>(form.classes), order);
        for (const ElementType type : {ElementType::u8, ElementType::f16, ElementType::f32}) {
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
    for (std::size_t p = 0; p < ids.size(); ++p) REQUIRE(ids[p] == (record.labels[p].empty() ? kIgnoredId : record.labels[p][0]));
  }
}

TEST_CASE("values that no label may have count as no class") {
  const std::vector<std::uint8_t> ids{0, 3, 200, 255, 2};
  const auto from_ids = expanded(view_of(ids, LabelStorage::index, 5, 3), ElementType::u8, AxisOrder::channels_last);
  CHECK(from_ids == std::vector<float>{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1});
  const std::vector<std::uint8_t> bits{0b11111001, 0b11111000};
  const auto from_bits = expanded(view_of(bits, LabelStorage::bits, 2, 3), ElementType::u8, AxisOrder::channels_first);
  CHECK(from_bits == std::vector<float>{1, 0, 0, 0, 0, 0});
  const std::vector<std::uint8_t> bytes{7, 0, 255, 0};
  const auto from_bytes = expanded(view_of(bytes, LabelStorage::onehot, 2, 2), ElementType::f32, AxisOrder::channels_last);
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
  CHECK(expand_one_hot(view, AxisOrder::channels_last, std::span(small)).error().code == ErrorCode::usage);
  alignas(4) std::array<std::byte, 32> raw{};
  CHECK(expand_one_hot(view, ElementType::f32, AxisOrder::channels_last, std::span(raw).subspan(1)).error().code == ErrorCode::usage);
  std::vector<std::uint16_t> one(1);
  CHECK(expand_ids(view, one).error().code == ErrorCode::usage);
  const LabelView lies = view_of(ids, LabelStorage::index, 3, 3);
  std::vector<float> large(9);
  CHECK(expand_one_hot(lies, AxisOrder::channels_last, std::span(large)).error().code == ErrorCode::usage);
  CHECK(one_hot_bytes({LabelKind::pixel, LabelStorage::bits, false, std::int64_t{1} << 40, std::int64_t{1} << 20, 60000},
                      ElementType::f32) == ~std::uint64_t{0});
}
