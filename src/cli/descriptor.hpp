// Writes to the standard descriptors (stdin, stdout, stderr), and examines them.
//
// Borrows descriptors. Thread-safe as far as the kernel is: the bytes of one write() stay together.
#pragma once

#include <optional>
#include <string_view>

namespace hotpack::cli {

// Writes all of `text`. Continues if a signal interrupts the write or if a pipe is full for a time.
// Returns 0, or the errno of the failure.
[[nodiscard]] int write_fully(int descriptor, std::string_view text);

// Opens /dev/null as each of the descriptors 0, 1 and 2 that the parent process has closed.
// Otherwise a shard could get the descriptor 1 and receive the results. Descriptor 0 is opened for
// writing, 1 and 2 for reading, so that using them fails.
void occupy_standard_descriptors();

// Returns the number of columns for text on this descriptor: the value of the environment variable
// COLUMNS, else the width of the terminal. Returns nothing for a file or a pipe.
[[nodiscard]] std::optional<int> columns_to_fit(int descriptor);
inline constexpr int kUsualColumns = 100;  // of help and reports if none are known

}  // namespace hotpack::cli
