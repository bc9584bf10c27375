// A read-only memory mapping of a whole file, or memory of a file's size that stands in for one. The descriptor is closed after mapping.
//
// Ownership: the mapping lives as long as the object; views into it must not outlive it. Thread-safety: reading is safe from any
// thread. Failure: code `io` at open. A file that shrinks while mapped raises SIGBUS on access: the format forbids truncation in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/file.hpp"
#include "hotpack/result.hpp"

namespace hotpack {

class Mapping {
 public:
  Mapping() = default;
  ~Mapping();
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;

  [[nodiscard]] static Result<Mapping> open(const std::string& path);
  // The first `size_bytes` of an open file, which may be closed afterwards.
  [[nodiscard]] static Result<Mapping> of(const File& file, std::uint64_t size_bytes);
  // Memory of no file, zeros, which the system gives only as it is opened for writing: a range of any size costs nothing before.
  [[nodiscard]] static Result<Mapping> reserve(std::uint64_t size_bytes);
  // The range of reserved memory, which may be written to from now on. Precondition: it lies inside.
  [[nodiscard]] Result<std::span<std::byte>> writable(std::uint64_t offset, std::uint64_t size_bytes);
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace hotpack
