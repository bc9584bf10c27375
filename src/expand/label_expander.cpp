#include "expand/label_expander.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/try.hpp"
#include "expand/label_tiles.hpp"
#include "expand/label_vectors.hpp"

namespace hotpack::expand {

namespace {

constexpr std::size_t kMostClasses = 65535;  // limit of the format

std::uint64_t pixels_of(PixelSize size) {
  return static_cast<std::uint64_t>(size.width) * static_cast<std::uint64_t>(size.height);
}

std::string_view form_name(LabelForm form) {
  if (form == LabelForm::ids) return "ids";
  return form == LabelForm::one_hot ? "one_hot" : "bits";
}

std::vector<ElementType> types_of(LabelForm form) {
  if (form == LabelForm::ids)
    return {ElementType::u8, ElementType::u16, ElementType::i32, ElementType::i64};
  if (form == LabelForm::one_hot)
    return {ElementType::u8, ElementType::f16, ElementType::f32, ElementType::bf16};
  return {ElementType::u8};
}

struct Range {
  std::int64_t first;
  std::int64_t last;
  [[nodiscard]] bool holds(std::int64_t value) const { return value >= first && value <= last; }
};

Range range_of(ElementType type) {
  if (type == ElementType::u8) return {0, 255};
  if (type == ElementType::u16) return {0, 65535};
  if (type == ElementType::i32)
    return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
  return {std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
}

std::int64_t default_ignore_index(ElementType type) {
  if (type == ElementType::u8) return 255;
  return type == ElementType::u16 ? 65535 : -100;
}

std::string classes_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " class" : " classes");
}

Status check_source(const LabelOutput& output, const LabelSource& source) {
  if (source.class_count == 0)
    return usage_error("label: the data set has no classes, so its labels cannot be expanded");
  if (source.class_count > kMostClasses) {
    return usage_error("label: " + classes_text(source.class_count) +
                       " are too many; a data set has at most " + std::to_string(kMostClasses));
  }
  if (output.form == LabelForm::ids && source.multi) {
    return usage_error(
        "a pixel of this data set may hold several classes, so its label cannot be class ids; use "
        "one-hot or bits");
  }
  return {};
}

Status check_type(const LabelOutput& output) {
  const auto possible = types_of(output.form);
  if (!output.dtype || std::find(possible.begin(), possible.end(), *output.dtype) != possible.end())
    return {};
  std::string names;
  for (const ElementType type : possible)
    names += (names.empty() ? "" : ", ") + std::string(element_name(type));
  return usage_error("label.dtype " + std::string(element_name(*output.dtype)) + ": form " +
                     std::string(form_name(output.form)) + " can only have " + names);
}

// Refuses options that belong to another form.
Status check_strays(const LabelOutput& output) {
  const std::string with = " with form " + std::string(form_name(output.form));
  if (output.form != LabelForm::one_hot && output.ignore_channel) {
    return usage_error("label.ignore_channel" + with +
                       ": only one_hot has channels; leave it false");
  }
  if (output.form != LabelForm::one_hot && output.layout != AxisOrder::channels_last) {
    return usage_error("label.layout channels_first" + with +
                       ": only one_hot can have it; leave it at channels_last");
  }
  if (output.form != LabelForm::ids && output.ignore_index) {
    return usage_error(
        "label.ignore_index " + std::to_string(*output.ignore_index) + with +
        ": only class ids have one; do not set it" +
        (output.form == LabelForm::one_hot ? ", or set ignore_channel instead" : ""));
  }
  return {};
}

// Returns the smaller of u8 and u16 that can hold the ids of all classes and of ignored pixels.
ElementType default_index_type(const LabelOutput& output, std::size_t classes) {
  return classes <= 255 && output.ignore_index.value_or(0) <= 255 ? ElementType::u8
                                                                  : ElementType::u16;
}

Error no_room(const LabelOutput& output, std::size_t classes) {
  const std::string_view type = element_name(*output.dtype);
  return usage_error("label.dtype " + std::string(type) + ": ids of " + classes_text(classes) +
                     " and one id for ignored pixels do not fit; use " +
                     (*output.dtype == ElementType::u8 ? "u16, i32 or i64" : "i32 or i64"));
}

Status complete_index(LabelOutput& output, std::size_t classes) {
  if (!output.dtype) output.dtype = default_index_type(output, classes);
  const Range range = range_of(*output.dtype);
  if (range.last < static_cast<std::int64_t>(classes)) return no_room(output, classes);
  if (!output.ignore_index) output.ignore_index = default_ignore_index(*output.dtype);
  const std::int64_t ignored = *output.ignore_index;
  if (!range.holds(ignored)) {
    return usage_error("label.ignore_index " + std::to_string(ignored) + " does not fit type " +
                       std::string(element_name(*output.dtype)) + " (" +
                       std::to_string(range.first) + " … " + std::to_string(range.last) +
                       "); use a wider type or another value");
  }
  if (ignored >= 0 && ignored < static_cast<std::int64_t>(classes)) {
    return usage_error("label.ignore_index " + std::to_string(ignored) +
                       " is the id of a class (0 … " + std::to_string(classes - 1) +
                       "); use another value");
  }
  return {};
}

void add_shuffles(LabelPlan& plan) {
  const bool by_pixel =
      plan.output.form == LabelForm::one_hot && plan.output.layout == AxisOrder::channels_last;
  if (!by_pixel || plan.channels() > ChannelShuffle::kMostChannels) return;
  if (plan.storage == LabelStorage::index) {
    plan.narrow_shuffle = ChannelShuffle::of_ids(plan.class_count, plan.output.ignore_channel, 16);
    plan.wide_shuffle = ChannelShuffle::of_ids(plan.class_count, plan.output.ignore_channel, 64);
  } else {
    plan.narrow_shuffle = ChannelShuffle::of_bits(plan.channels(), 16);
    plan.wide_shuffle = ChannelShuffle::of_bits(plan.channels(), 64);
  }
}

// The parts of scratch memory that expand() uses.
struct Workplace {
  VectorBuffers gather;
  TileBuffers tile;
  std::size_t bytes = 0;
};

Workplace divide(const LabelPlan& plan, PixelSize output, std::uint8_t* memory) {
  const std::size_t tile = plan.tile_pixels(pixels_of(output));
  Workplace place;
  const std::size_t column_bytes =
      (static_cast<std::size_t>(output.width) * sizeof(std::int32_t) + 63) / 64 * 64;
  const std::size_t vector_bytes = (tile * plan.vector_bytes() + 63) / 64 * 64;
  if (memory != nullptr) {
    place.gather = {reinterpret_cast<std::int32_t*>(memory), memory + column_bytes};
    memory += column_bytes + vector_bytes;
  }
  place.bytes = column_bytes + vector_bytes + place.tile.cut(plan, tile, memory);
  return place;
}

template <class T>
void fill_ignored(const LabelPlan& plan, std::uint64_t pixels, std::byte* out) {
  std::fill_n(reinterpret_cast<T*>(out), pixels, static_cast<T>(*plan.output.ignore_index));
}

void blank_ids(const LabelPlan& plan, std::uint64_t pixels, std::byte* out) {
  switch (element_bytes(*plan.output.dtype)) {
    case 1:
      return fill_ignored<std::uint8_t>(plan, pixels, out);
    case 2:
      return fill_ignored<std::uint16_t>(plan, pixels, out);
    case 4:
      return fill_ignored<std::int32_t>(plan, pixels, out);
    default:
      return fill_ignored<std::int64_t>(plan, pixels, out);
  }
}

// Sets the ignored channel, which is the last one, to 1 in a one-hot row of zeros.
void set_ignored(const LabelPlan& plan, std::uint64_t pixels, std::byte* out) {
  const bool first = plan.output.layout == AxisOrder::channels_first;
  const std::size_t bytes = element_bytes(*plan.output.dtype);
  const std::uint64_t step = bytes * (first ? 1 : plan.channels());
  const std::uint32_t one = one_pattern(*plan.output.dtype);
  out += bytes * (first ? pixels * plan.class_count : plan.class_count);
  for (std::uint64_t p = 0; p < pixels; ++p) std::memcpy(out + p * step, &one, bytes);
}

}  // namespace

Result<LabelExpander> LabelExpander::make(const LabelOutput& output, const LabelSource& source) {
  HOTPACK_TRY(check_source(output, source));
  HOTPACK_TRY(check_type(output));
  HOTPACK_TRY(check_strays(output));
  auto plan = std::make_shared<LabelPlan>();
  plan->output = output;
  plan->storage = source.storage;
  plan->class_count = source.class_count;
  if (output.form == LabelForm::ids) HOTPACK_TRY(complete_index(plan->output, source.class_count));
  if (!plan->output.dtype) plan->output.dtype = ElementType::u8;
  add_shuffles(*plan);
  return LabelExpander(std::move(plan));
}

const LabelOutput& LabelExpander::output() const { return plan_->output; }

std::size_t LabelExpander::channels() const { return plan_->channels(); }

std::uint64_t LabelExpander::row_bytes(PixelSize output) const {
  return pixels_of(output) * channels() * element_bytes(type());
}

std::size_t LabelExpander::scratch_bytes(PixelSize, PixelSize output) const {
  return divide(*plan_, output, nullptr).bytes;
}

void LabelExpander::expand(const LabelView& record, const Placement& placement, Scratch& scratch,
                           std::byte* out, Stores stores) const noexcept {
  const Workplace place = divide(*plan_, placement.output, scratch.data());
  const std::uint8_t padding = plan_->stored_ids() ? 255 : 0;
  const LabelVectors vectors(record.bytes.data(), plan_->vector_bytes(), record.shape.width,
                             placement, padding, place.gather);
  const std::size_t pixels = pixels_of(placement.output);
  const std::size_t tile =
      plan_->keeps_ids() && vectors.in_place() ? pixels : plan_->tile_pixels(pixels);
  TileWriter writer(*plan_, place.tile, pixels, out, stores);
  for (std::size_t first = 0; first < pixels; first += tile) {
    const std::size_t count = std::min(tile, pixels - first);
    writer.write(vectors.take(first, count), first, count);
  }
}

void LabelExpander::blank(PixelSize output, std::byte* out) const noexcept {
  const std::uint64_t pixels = pixels_of(output);
  if (pixels == 0) return;  // no sample, and records have no common size: nothing to write
  if (plan_->output.form == LabelForm::ids) return blank_ids(*plan_, pixels, out);
  std::memset(out, 0, row_bytes(output));
  if (plan_->output.ignore_channel) set_ignored(*plan_, pixels, out);
}

}  // namespace hotpack::expand
