// Result<T>: a value or an Error. Every function that can fail returns one.
//
// Check `.ok()` and read `.error()`, or call `.value()` and catch hotpack::Exception. The library
// itself throws nothing else, except std::bad_alloc if memory runs out.
// Ownership: a Result owns its value or its Error. Thread-safety: that of T.
// Failure: calling error() on a Result that has a value is a programming error; it throws
// std::logic_error.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace hotpack {

/// The kind of a failure. The command line maps each kind to one exit code.
enum class ErrorCode {
  // <api: cpp codes>
  /// an argument or an option is wrong
  usage,
  /// input data are refused, for example an unknown color or sizes that differ
  data,
  /// a path cannot be read or written, the disk is full, memory or threads are lacking, or a CUDA
  /// call failed
  io,
  /// a packed file breaks the format or a checksum, is foreign or of a newer major version
  damaged,
  /// a bug in hotpack
  internal,
  /// nothing arrived in time; call again
  timeout,
  /// another thread asked to stop
  cancelled,
  /// the caller holds every batch that the loader can lend; release one, then call again
  busy,
  // </api>
};

/// One failure, ready to show to a person: what is wrong, where, and how to continue.
struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;                  ///< what was found, what was expected, how to continue
  std::string path;                     ///< the file concerned, or empty
  std::optional<std::uint64_t> offset;  ///< byte in that file, if known
  /// the record concerned, counted from 0 in the shard `path`, if known
  std::optional<std::uint64_t> record = {};
  std::string key = {};     ///< that record's key, or empty
  std::string option = {};  ///< the option or argument that is wrong, or empty

  /// "path: message (at byte offset)", without the parts that are absent.
  [[nodiscard]] std::string describe() const;
};

/// Thrown by value() if there is no value. Contains the Error with code, path and offset; what()
/// returns the text of Error::describe().
class [[gnu::visibility("default")]] Exception : public std::runtime_error {
 public:
  explicit Exception(Error error)
      : std::runtime_error(error.describe()),
        error_(std::make_shared<const Error>(std::move(error))) {}
  [[nodiscard]] const Error& error() const noexcept { return *error_; }
  [[nodiscard]] ErrorCode code() const noexcept { return error_->code; }

 private:
  std::shared_ptr<const Error> error_;  ///< shared, so that copies of the exception do not throw
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  [[nodiscard]] bool has_value() const { return ok(); }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() & { return require_value(), *std::get_if<0>(&state_); }
  [[nodiscard]] const T& value() const& { return require_value(), *std::get_if<0>(&state_); }
  /// Returns a value, not a reference, because the Result ends with the expression.
  [[nodiscard]] T value() && { return require_value(), std::move(*std::get_if<0>(&state_)); }
  [[nodiscard]] T value_or(T otherwise) const& {
    return ok() ? *std::get_if<0>(&state_) : std::move(otherwise);
  }
  [[nodiscard]] T value_or(T otherwise) && {
    return ok() ? std::move(*std::get_if<0>(&state_)) : std::move(otherwise);
  }
  [[nodiscard]] T& operator*() & { return value(); }
  [[nodiscard]] const T& operator*() const& { return value(); }
  [[nodiscard]] T operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  [[nodiscard]] const Error& error() const& { return require_error(), *std::get_if<1>(&state_); }
  [[nodiscard]] Error error() && { return require_error(), std::move(*std::get_if<1>(&state_)); }

 private:
  void require_value() const {
    if (!ok()) throw Exception(*std::get_if<1>(&state_));
  }
  void require_error() const {
    if (ok()) throw std::logic_error("Result has no error");
  }
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  [[nodiscard]] bool ok() const { return !error_; }
  [[nodiscard]] bool has_value() const { return ok(); }
  explicit operator bool() const { return ok(); }
  /// Throws Exception if the call failed.
  void value() const {
    if (error_) throw Exception(*error_);
  }
  [[nodiscard]] const Error& error() const& { return require_error(), *error_; }
  [[nodiscard]] Error error() && { return require_error(), std::move(*error_); }

 private:
  void require_error() const {
    if (ok()) throw std::logic_error("Result has no error");
  }
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace hotpack
