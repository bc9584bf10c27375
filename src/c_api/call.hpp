// The door between C and C++: what an entry point does with a handle happens inside call(), which lets no exception out.
//
// Thread-safe. Failure: an Error is remembered by the handle and becomes its status; an exception becomes `internal`.
#pragma once

#include "c_api/failures.hpp"
#include "hotpack/hotpack.h"
#include "hotpack/result.hpp"

namespace hotpack::c_api {

// What the body of an entry point gives: HOTPACK_OK or another status that is no failure, or the Error.
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
