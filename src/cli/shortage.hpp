// What lacks when the system gives no more memory or threads, in words; also where an exception can go nowhere.
//
// Allocates nothing. Thread-safe; the handler belongs to the process.
#pragma once

#include <exception>

namespace hotpack::cli {

// For exceptions that describe too little memory or too few threads; nullptr for all others.
[[nodiscard]] const char* shortage_text(const std::exception& thrown);

// The text of a shortage as an error line on a descriptor, in one write.
void tell_shortage(int descriptor, const char* text);

// An exception of a shortage that nobody can catch (in a thread of a library, or as another is reported) ends the process in words with the
// exit code of I/O errors, as if it had been killed: the same command goes on from there. All others abort it, as before.
void end_shortages_in_words();

}  // namespace hotpack::cli
