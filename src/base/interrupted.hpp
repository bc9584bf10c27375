// System calls that a signal may interrupt.
#pragma once

#include <cerrno>

namespace hotpack {

// Calls `call` again as long as a signal interrupts it, that is, as long as it returns a negative
// number and errno is EINTR. Returns the last result.
template <class Call>
auto retry_interrupted(Call call) {
  decltype(call()) result;
  do {
    result = call();
  } while (result < 0 && errno == EINTR);
  return result;
}

}  // namespace hotpack
