// Writes to the standard descriptors, and examines them.
//
// Borrows descriptors. Thread-safe as far as the kernel is: the bytes of one write() stay together.
#pragma once

#include <optional>
#include <string_view>

namespace hotpack::cli {

// Writes all of `text`, even if a signal interrupts it or a pipe is full for a time. Returns 0, or
// the errno of the failure.
[[nodiscard]] int write_fully(int descriptor, std::string_view text);

// Opens /dev/null as each of the descriptors 0, 1 and 2 that the parent process closed: 0 for
// writing, 1 and 2 for reading, so that using them fails. Otherwise a shard could be opened as
// descriptor 1 and receive the results.
void occupy_standard_descriptors();

// Returns the number of columns that text on this descriptor must fit: the value of the environment
// variable COLUMNS, otherwise the terminal's width; absent for a file or a pipe.
[[nodiscard]] std::optional<int> columns_to_fit(int descriptor);
inline constexpr int kUsualColumns = 100;  // of help and reports if none are known

}  // namespace hotpack::cli
