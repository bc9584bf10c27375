// Sets the default floating-point mode while an object of this class lives, so that results do not
// depend on the mode of the caller's thread.
//
// The default mode rounds to nearest even, does not flush subnormals, and does not trap. The
// destructor restores the thread's mode and flags. Use an object on one thread, within one scope.
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
