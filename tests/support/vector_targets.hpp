// Runs a test on every vector instruction set that Highway compiled and this machine has.
#pragma once

#define HWY_WANT_AVX3_DL  // which some sources have
#include <hwy/targets.h>

#include <cstdint>
#include <utility>

#include "support/catch.hpp"

namespace hotpack::test {

// Restores the best target at the end of a scope.
class RestoreTarget {
 public:
  RestoreTarget() = default;
  ~RestoreTarget() { choose(0); }
  RestoreTarget(const RestoreTarget&) = delete;
  RestoreTarget& operator=(const RestoreTarget&) = delete;

  // 0 means all targets that the machine has, of which Highway takes the best.
  static void choose(std::int64_t targets) {
    hwy::SetSupportedTargetsForTest(targets);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

// Warns once per process of each compiled target that this machine lacks, whose code stays
// untested.
inline void warn_of_missing_targets() {
  static bool warned = false;
  if (std::exchange(warned, true)) return;
  const std::int64_t missing = HWY_TARGETS & ~hwy::SupportedTargets();
  for (std::int64_t left = missing; left != 0; left &= left - 1)
    WARN("not tested, because this machine lacks it: " << hwy::TargetName(left & -left));
}

// Calls test() once per target. Sources without this target use the next best one that they have.
// Within a test case.
template <class Test>
void for_each_vector_target(const Test& test) {
  warn_of_missing_targets();
  const RestoreTarget restore;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    RestoreTarget::choose(hwy::SupportedTargets() & -target);
    INFO("vector target " << hwy::TargetName(target));
    test();
  }
}

}  // namespace hotpack::test
