#include "hotpack/expand.hpp"

#include <array>
#include <new>
#include <string>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/try.hpp"
#include "expand/class_ids.hpp"
#include "expand/label_expander.hpp"
#include "expand/whole_records.hpp"

namespace hotpack {

namespace {

using expand::LabelExpander;

std::string size_text(const LabelShape& label) {
  return std::to_string(label.width) + "x" + std::to_string(label.height);
}

Result<std::uint64_t> row_bytes(const LabelExpander& expander, const LabelShape& label) {
  if (!expand::has_possible_size(label.width, label.height))
    return expand::impossible_size("a label", label.width, label.height);
  const auto bytes =
      checked_mul(label.vectors(), expander.channels() * element_bytes(expander.type()));
  if (bytes) return *bytes;
  return usage_error("a label of " + size_text(label) + " pixels and " +
                     std::to_string(expander.channels()) +
                     " channels has more bytes than 64 bits can count");
}

struct Element {
  std::string_view name;
  std::size_t bytes;
};
// In the order of ElementType.
constexpr std::array<Element, 7> kElements{
    {{"u8", 1}, {"f16", 2}, {"f32", 4}, {"bf16", 2}, {"u16", 2}, {"i32", 4}, {"i64", 8}}};

expand::LabelSource source_of(const LabelShape& label) {
  return {label.scope, label.storage, label.multi, label.class_count};
}

Status expand_as(const LabelView& label, const LabelOutput& output,
                 const expand::LabelSource& source, std::span<std::byte> out) try {
  HOTPACK_ASSIGN(const LabelExpander expander, LabelExpander::make(output, source));
  HOTPACK_ASSIGN(const std::uint64_t needed, row_bytes(expander, label.shape));
  HOTPACK_TRY(expand::check_record_bytes("label", label.bytes.size(), label.shape.size_bytes()));
  HOTPACK_TRY(expand::check_buffer("label", out, needed, expander.type()));
  const PixelSize size{label.shape.width, label.shape.height};
  expand::Scratch scratch;
  scratch.reserve(expander.scratch_bytes(size, size));
  const expand::Stores stores = expand::stores_for(needed);
  expander.expand(label, expand::identity(size), scratch, out.data(), stores);
  if (stores == expand::Stores::streaming) expand::store_fence();
  return {};
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::io,
               "no memory to expand a label of " + size_text(label.shape) + " pixels",
               {},
               {}};
}

}  // namespace

std::size_t element_bytes(ElementType type) {
  return kElements.at(static_cast<std::size_t>(type)).bytes;
}

std::string_view element_name(ElementType type) {
  return kElements.at(static_cast<std::size_t>(type)).name;
}

Result<std::uint64_t> label_bytes(const LabelShape& label, const LabelOutput& output) {
  HOTPACK_ASSIGN(const LabelExpander expander, LabelExpander::make(output, source_of(label)));
  return row_bytes(expander, label);
}

Status expand_label(const LabelView& label, const LabelOutput& output, std::span<std::byte> out) {
  return expand_as(label, output, source_of(label.shape), out);
}

Status expand_ids(const LabelView& label, std::span<std::uint16_t> out) {
  expand::LabelSource source = source_of(label.shape);
  source.multi = false;  // takes the lowest of several classes
  return expand_as(label, {LabelForm::ids, ElementType::u16, {}, false, kIgnoredId}, source,
                   std::as_writable_bytes(out));
}

}  // namespace hotpack
