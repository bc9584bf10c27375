// The boundary between C and C++: every entry point runs its body inside call(), which lets no
// exception out.
//
// Thread-safe. Failure: if the body returns an Error, the handle stores the Error and the entry
// point returns its status; an exception counts as an Error of code `internal`.
#pragma once

#include "c_api/failures.hpp"
#include "hotpack/hotpack.h"
#include "hotpack/result.hpp"

namespace hotpack::c_api {

// What the body of an entry point returns: HOTPACK_OK, another status that is not a failure, or an
// Error.
using Outcome = Result<hotpack_status>;

template <class Body>
hotpack_status call(Failures& failures, const Body& body) noexcept {
  try {
    const Outcome outcome = body();
    return outcome.ok() ? *outcome : failures.add(outcome.error());
  } catch (...) {
    return failures.add_exception();
  }
}

}  // namespace hotpack::c_api
