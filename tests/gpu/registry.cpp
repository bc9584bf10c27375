#include "gpu/registry.hpp"

namespace hotpack::gpu {

std::vector<Case>& all_cases() {
  static std::vector<Case> cases;
  return cases;
}

}  // namespace hotpack::gpu
