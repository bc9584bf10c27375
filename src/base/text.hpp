// Numbers and lists as people read them.
//
// Pure functions; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hotpack {

// "17,302"
[[nodiscard]] std::string number_text(std::uint64_t number);
// "1 label", "17,302 labels"
[[nodiscard]] std::string counted_text(std::uint64_t count, std::string_view one, std::string_view many);
// "6 of 148 labels", "all 148 labels", "1 label" (of 1)
[[nodiscard]] std::string share_text(std::uint64_t count, std::uint64_t of, std::string_view one, std::string_view many);
// Values separated by commas, "…" in place of those beyond the first `most`.
[[nodiscard]] std::string list_text(const std::vector<std::string>& words, std::size_t most);

}  // namespace hotpack
