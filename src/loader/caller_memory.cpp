#include "loader/caller_memory.hpp"

#include <string>

#include "base/error.hpp"

namespace hotpack::loader {

Status check_buffer(const char* name, std::span<const std::byte> into, std::uint64_t needed,
                    ElementType type) {
  if (into.empty()) return {};
  if (into.size() < needed) {
    return usage_error(std::string("the ") + name + " buffer has " + std::to_string(into.size()) +
                       " bytes, but the batch needs " + std::to_string(needed));
  }
  if (reinterpret_cast<std::uintptr_t>(into.data()) % element_bytes(type) == 0) return {};
  return usage_error(std::string("the ") + name + " buffer is not aligned to its elements, " +
                     std::string(element_name(type)));
}

}  // namespace hotpack::loader
