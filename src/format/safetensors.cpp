#include "format/safetensors.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <tuple>

#include "base/checked.hpp"
#include "base/endian.hpp"
#include "base/error.hpp"
#include "base/try.hpp"
#include "format/json.hpp"
#include "format/json_document.hpp"
#include "format/json_node.hpp"

namespace hotpack::format {
namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kMostDimensions = 8;
constexpr JsonLimits kHeaderLimits{
    3, kMostDimensions};  // header, entry, list; a hostile list is refused before it is built

struct KnownType {
  std::string_view name;
  std::uint64_t item_bytes;
  DType type;
};

// The types of safetensors whose items are whole bytes.
constexpr std::array<KnownType, 17> kTypes{{{"U8", 1, DType::u8},
                                            {"U16", 2, DType::u16},
                                            {"I32", 4, DType::i32},
                                            {"U32", 4, DType::u32},
                                            {"U64", 8, DType::u64},
                                            {"BOOL", 1, DType::other},
                                            {"I8", 1, DType::other},
                                            {"I16", 2, DType::other},
                                            {"I64", 8, DType::other},
                                            {"F16", 2, DType::other},
                                            {"BF16", 2, DType::other},
                                            {"F32", 4, DType::other},
                                            {"F64", 8, DType::other},
                                            {"C64", 8, DType::other},
                                            {"F8_E4M3", 1, DType::other},
                                            {"F8_E5M2", 1, DType::other},
                                            {"F8_E8M0", 1, DType::other}}};

Result<std::string_view> header_text(std::span<const std::byte> file) {
  if (file.size() < kLengthBytes)
    return damaged_error("only " + std::to_string(file.size()) + " bytes, too few for a shard", {},
                         0);
  const auto length = load_le<std::uint64_t>(file.data());
  if (length == 0) return damaged_error("is unfinished: its header was never written", {}, 0);
  if (length > kMaxHeaderBytes)
    return damaged_error(
        "not a safetensors file: its header would have " + std::to_string(length) + " bytes", {},
        0);
  if (length > file.size() - kLengthBytes) {
    return damaged_error("truncated: its header should have " + std::to_string(length) +
                             " bytes, but the file has only " + std::to_string(file.size()),
                         {}, 0);
  }
  const std::string_view text(reinterpret_cast<const char*>(file.data()) + kLengthBytes,
                              static_cast<std::size_t>(length));
  if (text[0] != '{')
    return damaged_error("not a safetensors file: its header does not start with '{'", {},
                         kLengthBytes);
  return text;
}

Status read_metadata(const JsonNode& node, Container& container) {
  if (!node.json().is_object()) return node.error("not an object");
  for (const auto& [name, value] : node.json().get_ref<const Json::object_t&>()) {
    if (!value.is_string())
      return node.error("the value of " + excerpt(Json(name)) + " is not a string");
    container.metadata.emplace_back(name, value.get<std::string>());
  }
  return {};
}

// The number of bytes of a shape, or nothing if it exceeds 64 bits.
std::optional<std::uint64_t> shape_bytes(const std::vector<std::uint64_t>& shape,
                                         std::uint64_t item_size) {
  std::optional<std::uint64_t> bytes = item_size;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  for (const std::uint64_t side : shape) bytes = bytes ? checked_mul(*bytes, side) : bytes;
  return bytes;
}

Result<Tensor> read_entry(const JsonNode& node, std::string_view name) {
  HOTPACK_TRY(node.require_keys({"dtype", "shape", "data_offsets"}, 0));
  HOTPACK_ASSIGN(const std::string type_name, node.at("dtype").text());
  const auto type = std::find_if(kTypes.begin(), kTypes.end(),
                                 [&](const KnownType& known) { return known.name == type_name; });
  if (type == kTypes.end())
    return node.at("dtype").error(excerpt(Json(type_name)) + " is not a type that hotpack knows");
  Tensor tensor{std::string(name), type->type, {}, 0, 0};
  const JsonNode shape = node.at("shape");
  HOTPACK_ASSIGN(const std::size_t dimensions, shape.length());
  for (std::size_t i = 0; i < dimensions; ++i) {
    HOTPACK_ASSIGN(const std::uint64_t size, shape.element(i).count());
    tensor.shape.push_back(size);
  }
  const JsonNode offsets = node.at("data_offsets");
  HOTPACK_ASSIGN(const std::size_t ends, offsets.length());
  if (ends != 2) return offsets.error("must be two numbers");
  HOTPACK_ASSIGN(tensor.begin, offsets.element(0).count());
  HOTPACK_ASSIGN(tensor.end, offsets.element(1).count(tensor.begin));
  const auto needed = shape_bytes(tensor.shape, type->item_bytes);
  if (!needed || *needed != tensor.bytes())
    return node.error("its shape does not fit its size, " + std::to_string(tensor.bytes()) +
                      " bytes");
  return tensor;
}

Status read_entries(const Json& json, Container& container) {
  for (const auto& [name, value] : json.get_ref<const Json::object_t&>()) {
    if (name == "__metadata__") {
      HOTPACK_TRY(read_metadata(JsonNode(value, "__metadata__"), container));
    } else {
      HOTPACK_ASSIGN(Tensor tensor,
                     read_entry(JsonNode(value, "tensor " + excerpt(Json(name))), name));
      container.tensors.push_back(std::move(tensor));
    }
  }
  return {};
}

// Fails unless the tensors, which are sorted by offset, fill the buffer of `buffer_bytes` bytes
// exactly: the first starts at 0, each starts where the one before ends, and the last ends with the
// buffer. `buffer_start` is the buffer's offset in the file, for messages.
Status check_places(const std::vector<Tensor>& tensors, std::uint64_t buffer_start,
                    std::uint64_t buffer_bytes) {
  std::uint64_t at = 0;
  for (const Tensor& tensor : tensors) {
    const std::string who = "tensor " + excerpt(Json(tensor.name));
    if (tensor.begin != at) {
      const std::string what =
          tensor.begin > at ? ": there is a gap before it" : ": it overlaps the tensor before it";
      return damaged_error(who + what, {}, buffer_start + std::min(at, buffer_bytes));
    }
    if (tensor.end > buffer_bytes) {
      return damaged_error("truncated: " + who + " ends " +
                               std::to_string(tensor.end - buffer_bytes) +
                               " bytes after the end of the file",
                           {}, buffer_start + buffer_bytes);
    }
    at = tensor.end;
  }
  if (at != buffer_bytes)
    return damaged_error(std::to_string(buffer_bytes - at) + " bytes follow the last tensor", {},
                         buffer_start + at);
  return {};
}

}  // namespace

Result<Container> read_container(std::span<const std::byte> file) {
  HOTPACK_ASSIGN(const std::string_view text, header_text(file));
  auto parsed = parse_document(text, kHeaderLimits);
  if (!parsed.ok()) {
    Error error = std::move(parsed).error();
    error.message = "header: " + error.message;
    error.offset = kLengthBytes + error.offset.value_or(0);
    return error;
  }
  Container container;
  container.header_bytes = text.size();
  HOTPACK_TRY(read_entries(parsed->root(), container));
  std::stable_sort(container.tensors.begin(), container.tensors.end(),
                   [](const Tensor& a, const Tensor& b) {
                     return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
                   });
  HOTPACK_TRY(check_places(container.tensors, kLengthBytes + text.size(),
                           file.size() - kLengthBytes - text.size()));
  return container;
}

}  // namespace hotpack::format
