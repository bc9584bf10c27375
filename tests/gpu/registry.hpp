// Cases that need a GPU. Each is a function with a name, and is run by its name.
//
//   GPU_CASE(streams_of_a_program) { check(…, "what a user sees"); }
//
// A case returns if it passes. Otherwise it throws Failure, Skip, or any other exception, which
// counts as a failure. Cases run on the main thread.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hotpack/result.hpp"

namespace hotpack::gpu {

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Thrown if this machine lacks what the case needs.
struct Skip : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Case {
  std::string name;
  void (*run)();
};

[[nodiscard]] std::vector<Case>& all_cases();

struct Registered {
  Registered(const char* name, void (*run)()) { all_cases().push_back({name, run}); }
};

inline void check(bool good, const std::string& what) {
  if (!good) throw Failure("check failed: " + what);
}

template <class A, class B>
void check_equal(const A& found, const B& expected, const std::string& what) {
  if (found == expected) return;
  if constexpr (
      requires { std::to_string(found); } && requires { std::to_string(expected); }) {
    throw Failure(what + ": found " + std::to_string(found) + ", expected " +
                  std::to_string(expected));
  } else {
    throw Failure(what + ": differs");
  }
}

inline void require(const Status& status) {
  if (!status.ok()) throw Failure(status.error().describe());
}

template <class T>
T require(Result<T> result) {
  if (!result.ok()) throw Failure(result.error().describe());
  return std::move(result).value();
}

// Returns the error of `result`. Fails if there is none, or if it has another code.
template <class T>
Error require_error(Result<T> result, ErrorCode code) {
  if (result.ok()) throw Failure("expected an error, but the call succeeded");
  if (result.error().code != code)
    throw Failure("expected another error, but found: " + result.error().describe());
  return std::move(result).error();
}

}  // namespace hotpack::gpu

#define GPU_CASE(name)                                                                  \
  static void gpu_case_##name();                                                        \
  static const hotpack::gpu::Registered gpu_registered_##name(#name, &gpu_case_##name); \
  static void gpu_case_##name()
