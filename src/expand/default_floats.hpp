// The default floating-point mode while an object lives: results promised to the bit do not hang on what the caller's thread is set to.
//
// Round to nearest even, no flushing of subnormals, no traps; afterwards the thread's own mode and flags again. Of one thread and scope.
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
