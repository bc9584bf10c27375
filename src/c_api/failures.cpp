#include "c_api/failures.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "c_api/status.hpp"
#include "c_api/structs.hpp"

namespace hotpack::c_api {

namespace {

constexpr const char* kNoMemoryForText =
    "not enough memory for the text of this error; the status tells what kind of error it is";

std::int64_t number_or_none(std::optional<std::uint64_t> number) {
  return number ? static_cast<std::int64_t>(*number) : -1;
}

}  // namespace

bool Failures::Failure::operator==(const Failure& other) const {
  return text == other.text && error.code == other.error.code && error.path == other.error.path &&
         error.offset == other.error.offset && error.record == other.error.record &&
         error.key == other.error.key && error.option == other.error.option;
}

hotpack_status Failures::add(const Error& error) noexcept {
  const std::scoped_lock lock(mutex_);
  try {
    remember({error, error.describe()});
  } catch (...) {
    remember_fixed(kNoMemoryForText, status_of(error.code));
  }
  return status_of(error.code);
}

hotpack_status Failures::add_exception() noexcept {
  const std::scoped_lock lock(mutex_);
  try {
    throw;
  } catch (const std::bad_alloc&) {
    remember_fixed(
        "out of memory; use a smaller prefetch_batches, a smaller batch or smaller records",
        HOTPACK_ERROR_IO);
    return HOTPACK_ERROR_IO;
  } catch (const std::exception& exception) {
    try {
      const Error error =
          internal_error(std::string("a bug in hotpack, please report it: ") + exception.what());
      remember({error, error.describe()});
    } catch (...) {
      remember_fixed(kNoMemoryForText, HOTPACK_ERROR_INTERNAL);
    }
  } catch (...) {
    remember_fixed("a bug in hotpack, please report it: an unknown exception",
                   HOTPACK_ERROR_INTERNAL);
  }
  return HOTPACK_ERROR_INTERNAL;
}

const char* Failures::latest() const noexcept {
  const std::scoped_lock lock(mutex_);
  return latest_;
}

hotpack_error_info Failures::latest_info() const noexcept {
  const std::scoped_lock lock(mutex_);
  return info_;
}

void Failures::remember(Failure failure) {
  const auto known = std::find(kept_.begin(), kept_.end(), failure);
  if (known != kept_.end()) {
    kept_.splice(kept_.end(), kept_, known);  // keeps the addresses of its texts
  } else {
    kept_.push_back(std::move(failure));
    if (kept_.size() > kKept + 1) kept_.pop_front();
  }
  const Error& error = kept_.back().error;
  latest_ = kept_.back().text.c_str();
  info_ = described(status_of(error.code), error.message.c_str());
  info_.path = error.path.c_str();
  info_.key = error.key.c_str();
  info_.option = error.option.c_str();
  info_.offset = number_or_none(error.offset);
  info_.record = number_or_none(error.record);
}

void Failures::remember_fixed(const char* text, hotpack_status status) noexcept {
  latest_ = text;
  info_ = described(status, text);
}

hotpack_error_info Failures::described(hotpack_status status, const char* message) noexcept {
  hotpack_error_info info{};
  info.struct_size = sizeof info;
  info.message = message;
  info.path = info.key = info.option = "";
  info.offset = info.record = -1;
  info.status = status;
  return info;
}

hotpack_status describe_error(const Failures* failures, hotpack_error_info* info) noexcept {
  if (failures == nullptr || info == nullptr) return HOTPACK_ERROR_USAGE;
  try {
    const Status written = write_struct(failures->latest_info(), info, "hotpack_error_info");
    return written.ok() ? HOTPACK_OK : HOTPACK_ERROR_USAGE;
  } catch (...) {
    return HOTPACK_ERROR_INTERNAL;
  }
}

}  // namespace hotpack::c_api
