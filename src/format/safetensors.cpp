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
#include "base/utf8.hpp"
#include "format/canonical_scan.hpp"
#include "format/json.hpp"
#include "format/json_document.hpp"
#include "format/json_node.hpp"

namespace hotpack::format {
namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::string_view kMetadata = "__metadata__";
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

// Null if hotpack does not know the type.
const KnownType* find_type(std::string_view name) {
  const auto type = std::find_if(kTypes.begin(), kTypes.end(),
                                 [&](const KnownType& known) { return known.name == name; });
  return type == kTypes.end() ? nullptr : &*type;
}

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
  const KnownType* const type = find_type(type_name);
  if (type == nullptr)
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
    if (name == kMetadata) {
      HOTPACK_TRY(read_metadata(JsonNode(value, std::string(kMetadata)), container));
    } else {
      HOTPACK_ASSIGN(Tensor tensor,
                     read_entry(JsonNode(value, "tensor " + excerpt(Json(name))), name));
      container.tensors.push_back(std::move(tensor));
    }
  }
  return {};
}

// ---- the fast reader

bool take_metadata(CanonicalScan& scan, Container& container) {
  if (!scan.take("{")) return false;
  if (scan.take("}")) return true;
  do {
    auto& [name, value] = container.metadata.emplace_back();
    if (!scan.take_string(name) || !scan.take(":") || !scan.take_string(value)) return false;
  } while (scan.take(","));
  return scan.take("}");
}

bool take_shape(CanonicalScan& scan, std::vector<std::uint64_t>& shape) {
  if (scan.take("]")) return true;
  do {
    if (shape.size() == kMostDimensions || !scan.take_number(shape.emplace_back())) return false;
  } while (scan.take(","));
  return scan.take("]");
}

bool take_tensor(CanonicalScan& scan, Tensor& tensor) {
  std::string type_name;
  if (!scan.take("{\"dtype\":") || !scan.take_string(type_name) || !scan.take(",\"shape\":[") ||
      !take_shape(scan, tensor.shape) || !scan.take(",\"data_offsets\":[") ||
      !scan.take_number(tensor.begin) || !scan.take(",") || !scan.take_number(tensor.end) ||
      !scan.take("]}"))
    return false;
  const KnownType* const type = find_type(type_name);
  if (type == nullptr || tensor.begin > tensor.end) return false;
  tensor.type = type->type;
  return shape_bytes(tensor.shape, type->item_bytes) == tensor.bytes();
}

bool has_repeated_name(std::vector<std::string_view> names) {
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) != names.end();
}

// Reads a header that is canonical JSON with trailing spaces. Returns nothing if it is not, or if
// it breaks a rule.
std::optional<Container> canonical_container(std::string_view text) {
  text = text.substr(0, text.find_last_not_of(' ') + 1);
  if (!is_utf8(text)) return std::nullopt;
  Container container;
  CanonicalScan scan(text);
  bool has_metadata = false;
  if (!scan.take("{")) return std::nullopt;
  do {
    std::string name;
    if (!scan.take_string(name) || !scan.take(":")) return std::nullopt;
    if (name == kMetadata) {
      if (has_metadata || !take_metadata(scan, container)) return std::nullopt;
      has_metadata = true;
      continue;
    }
    Tensor& tensor = container.tensors.emplace_back();
    tensor.name = std::move(name);
    if (!take_tensor(scan, tensor)) return std::nullopt;
  } while (scan.take(","));
  if (!scan.take("}") || !scan.rest().empty()) return std::nullopt;
  std::vector<std::string_view> keys, names;
  for (const auto& member : container.metadata) keys.push_back(member.first);
  for (const Tensor& tensor : container.tensors) names.push_back(tensor.name);
  if (has_repeated_name(std::move(keys)) || has_repeated_name(std::move(names)))
    return std::nullopt;
  return container;
}

// ---- both

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

// Reads the entries of any header.
Result<Container> general_container(std::string_view text) {
  auto parsed = parse_document(text, kHeaderLimits);
  if (!parsed.ok()) {
    Error error = std::move(parsed).error();
    error.message = "header: " + error.message;
    error.offset = kLengthBytes + error.offset.value_or(0);
    return error;
  }
  Container container;
  HOTPACK_TRY(read_entries(parsed->root(), container));
  return container;
}

// Sorts the tensors and checks their places.
Result<Container> arranged(Container container, std::span<const std::byte> file,
                           std::string_view text) {
  container.header_bytes = text.size();
  std::stable_sort(container.tensors.begin(), container.tensors.end(),
                   [](const Tensor& a, const Tensor& b) {
                     return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
                   });
  HOTPACK_TRY(check_places(container.tensors, kLengthBytes + text.size(),
                           file.size() - kLengthBytes - text.size()));
  return container;
}

}  // namespace

Result<Container> read_container(std::span<const std::byte> file) {
  HOTPACK_ASSIGN(const std::string_view text, header_text(file));
  if (auto container = canonical_container(text))
    return arranged(*std::move(container), file, text);
  return read_container_generally(file);
}

Result<Container> read_container_generally(std::span<const std::byte> file) {
  HOTPACK_ASSIGN(const std::string_view text, header_text(file));
  HOTPACK_ASSIGN(Container container, general_container(text));
  return arranged(std::move(container), file, text);
}

}  // namespace hotpack::format
