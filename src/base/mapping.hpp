// A read-only memory mapping of a whole file, or reserved memory of the file's size that is filled
// later. Neither keeps a descriptor open.
//
// Ownership: the mapping lives as long as the object; views must not outlive it. Thread-safety: any
// thread may read. Failure: code `io` at open. If a mapped file shrinks or its disk fails, an
// access raises SIGBUS; base/fault_guard.hpp turns it into an error.
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
  // Maps the first `size_bytes` bytes of an open file, which the caller may close afterwards.
  [[nodiscard]] static Result<Mapping> of(const File& file, std::uint64_t size_bytes);
  // Reserves `size_bytes` bytes of zeroed address space without a file. The system provides memory
  // only for ranges that are made writable, so a large size costs nothing.
  [[nodiscard]] static Result<Mapping> reserve(std::uint64_t size_bytes);
  // The same for a mapping that ends soon: a small one takes memory of the heap, because changes of
  // the address space make the threads of a process wait for each other.
  [[nodiscard]] static Result<Mapping> reserve_briefly(std::uint64_t size_bytes);
  // Makes a range of reserved memory writable. Precondition: it lies inside.
  [[nodiscard]] Result<std::span<std::byte>> writable(std::uint64_t offset,
                                                      std::uint64_t size_bytes);
  [[nodiscard]] std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t heap_bytes_ = 0;  // of the block on the heap that has the memory; 0: mapped
};

}  // namespace hotpack
