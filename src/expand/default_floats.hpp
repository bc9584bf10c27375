// Sets the default floating-point mode while an object lives, so that results do not depend on
// the mode of the caller's thread.
//
// Rounds to nearest even, does not flush subnormals, does not trap; the destructor restores the
// thread's mode and flags. For one thread and scope.
#pragma once

#include <cfenv>

namespace hotpack::expand {

class DefaultFloats {
 public:
  DefaultFloats() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloats() { std::fesetenv(&before_); }
  DefaultFloats(const DefaultFloats&) = delete;
  DefaultFloats& operator=(const DefaultFloats&) = delete;

 private:
  std::fenv_t before_;
};

}  // namespace hotpack::expand
