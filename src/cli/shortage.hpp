// Messages for a lack of memory or threads, also for exceptions that cannot be caught.
//
// Allocates nothing. Thread-safe; the handler belongs to the process.
#pragma once

#include <exception>

namespace hotpack::cli {

// The message for an exception that means too little memory or too few threads; nullptr for all
// others.
[[nodiscard]] const char* shortage_text(const std::exception& thrown);

// Writes the message as an error line, in one write.
void print_shortage(int descriptor, const char* text);

// From here on, an exception of a shortage that cannot be caught (in a thread of a library, or
// while another is reported) prints its message and ends the process with the exit code of I/O
// errors; the same command can continue the work. Other exceptions still abort.
void report_uncaught_shortages();

}  // namespace hotpack::cli
