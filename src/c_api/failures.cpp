#include "c_api/failures.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "c_api/status.hpp"

namespace hotpack::c_api {

hotpack_status Failures::add(const Error& error) noexcept {
  const std::scoped_lock lock(mutex_);
  try {
    remember(error.describe());
  } catch (...) {
    latest_ =
        "not enough memory for the text of this error; the status tells what kind of error it is";
  }
  return status_of(error.code);
}

hotpack_status Failures::add_exception() noexcept {
  const std::scoped_lock lock(mutex_);
  try {
    throw;
  } catch (const std::bad_alloc&) {
    latest_ = "out of memory; use a smaller prefetch_batches, a smaller batch or smaller records";
    return HOTPACK_ERROR_IO;
  } catch (const std::exception& exception) {
    try {
      remember(std::string("a bug in hotpack, please report it: ") + exception.what());
    } catch (...) {
      latest_ =
          "not enough memory for the text of this error; the status tells what kind of error it is";
    }
  } catch (...) {
    latest_ = "a bug in hotpack, please report it: an unknown exception";
  }
  return HOTPACK_ERROR_INTERNAL;
}

const char* Failures::latest() const noexcept {
  const std::scoped_lock lock(mutex_);
  return latest_;
}

void Failures::remember(std::string text) {
  const auto known = std::find(texts_.begin(), texts_.end(), text);
  if (known != texts_.end()) {
    texts_.splice(texts_.end(), texts_, known);  // keeps its address
  } else {
    texts_.push_back(std::move(text));
    if (texts_.size() > kKept + 1) texts_.pop_front();
  }
  latest_ = texts_.back().c_str();
}

}  // namespace hotpack::c_api
