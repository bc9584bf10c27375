// Errors of the library as exceptions of hotpack.errors.
//
// All functions need the GIL.
#pragma once

#include <utility>

#include "hotpack/result.hpp"

namespace hotpack::python {

// Makes Exception, which Result::value() throws, arrive in Python as the class of its code.
void translate_errors();

// Throws the error as an Exception.
[[noreturn]] void raise(Error error);

template <class T>
T take(Result<T>&& result) {
  if (!result.ok()) raise(std::move(result).error());
  return std::move(result).value();
}
inline void check(Status&& status) {
  if (!status.ok()) raise(std::move(status).error());
}

}  // namespace hotpack::python
