// Runs a test on every vector instruction set that Highway compiled and this machine has.
#pragma once

#define HWY_WANT_AVX3_DL  // which some sources have
#include <hwy/targets.h>

#include <cstdint>

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

// Calls test() once per target. Sources without this target use the next best one that they have.
// Within a test case.
template <class Test>
void for_each_vector_target(const Test& test) {
  const RestoreTarget restore;
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    RestoreTarget::choose(hwy::SupportedTargets() & -target);
    INFO("vector target " << hwy::TargetName(target));
    test();
  }
}

}  // namespace hotpack::test
