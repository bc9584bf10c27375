// Writing to the descriptors that the process was started with.
//
// Nothing here owns a descriptor. Thread-safe as far as the kernel is: one write() is one piece.
#pragma once

#include <optional>
#include <string_view>

namespace hotpack::cli {

// Writes all of `text`, over interruptions and full pipes. 0, or the errno of the failure.
[[nodiscard]] int write_fully(int descriptor, std::string_view text);

// Opens /dev/null for each of 0, 1, 2 that the parent closed, in the direction that makes its use fail: otherwise a shard could
// be opened as descriptor 1 and receive the results.
void occupy_standard_descriptors();

// Columns that text on this descriptor must fit: COLUMNS of the environment, else those of the terminal; none for a file or a pipe.
[[nodiscard]] std::optional<int> told_columns(int descriptor);
inline constexpr int kUsualColumns = 100;  // of help and reports where nothing tells

}  // namespace hotpack::cli
