// Writing to standard descriptors.
//
// Borrows descriptors. Thread-safe as far as the kernel is: one write() stays together.
#pragma once

#include <optional>
#include <string_view>

namespace hotpack::cli {

// Writes all of `text`, across interruptions and full pipes. 0, or the errno of the failure.
[[nodiscard]] int write_fully(int descriptor, std::string_view text);

// Opens /dev/null for each of 0, 1, 2 that the parent closed, in the direction that makes its use
// fail. Otherwise a shard could be opened as descriptor 1 and receive the results.
void occupy_standard_descriptors();

// The columns that text on this descriptor must fit: COLUMNS of the environment, otherwise the
// terminal's; none for a file or a pipe.
[[nodiscard]] std::optional<int> columns_to_fit(int descriptor);
inline constexpr int kUsualColumns = 100;  // of help and reports if none are known

}  // namespace hotpack::cli
