// System calls that a signal may interrupt.
#pragma once

#include <cerrno>

namespace hotpack {

// Repeats a call that a signal interrupted, that is, one that returns a negative number and sets
// EINTR.
template <class Call>
auto retry_interrupted(Call call) {
  decltype(call()) result;
  do {
    result = call();
  } while (result < 0 && errno == EINTR);
  return result;
}

}  // namespace hotpack
