// Reports a lack of memory or threads to the user, even if the exception for it cannot be caught.
//
// Allocates nothing. Thread-safe; the handler belongs to the process.
#pragma once

#include <exception>

namespace hotpack::cli {

// Returns the message to print if the exception means too little memory or too few threads; nullptr
// for any other exception.
[[nodiscard]] const char* shortage_text(const std::exception& thrown);

// What print_shortage() writes. It belongs to the process, because the handler below does.
struct ShortageForm {
  bool json_message = false;  // the message is a JSON object, as with --progress json
  bool json_result = false;   // the error object of --json goes to stdout, too
};
void set_shortage_form(ShortageForm form);

// Writes the message as an error line, with a single write, and the error object if asked for.
void print_shortage(int output, int messages, const char* text);

// Installs a handler for exceptions that cannot be caught: those in a thread of a library, and
// those thrown while another is handled. If such an exception means a lack of memory or threads,
// the handler prints shortage_text() and ends the process with kExitIo; running the same command
// again continues the work. Any other exception still aborts the process.
void report_uncaught_shortages();

}  // namespace hotpack::cli
