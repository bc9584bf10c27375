// One batch of a Loader, in host memory.
//
// Ownership: a Batch leases one slot of its Loader and may outlive the Loader. Thread-safety: one
// thread at a time. Nothing here fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "hotpack/augment.hpp"
#include "hotpack/expand.hpp"

namespace hotpack {

namespace loader {
class Ring;
struct Slot;
}  // namespace loader

/// One field of a batch: contiguous, [rows, …].
struct BatchField {
  std::span<std::byte> bytes;  ///< writable: nobody else uses the slot
  /// [rows,H,W,C], [rows,C,H,W], [rows,H,W], [rows,C] or [rows]. Gray images keep their channel.
  std::vector<std::int64_t> shape;
  ElementType type = ElementType::u8;
  /// T must match `type`; this is not checked.
  template <class T>
  [[nodiscard]] std::span<T> as() const {
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

/// Moved, not copied. The Loader reuses the slot after release() or the destructor.
class Batch {
 public:
  ~Batch();
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;

  [[nodiscard]] const BatchField& image() const;
  [[nodiscard]] const BatchField& label() const;  ///< unlabeled data sets: no bytes, no shape
  [[nodiscard]] std::uint64_t epoch() const;
  [[nodiscard]] std::uint64_t step() const;      ///< within the epoch, from 0
  [[nodiscard]] std::size_t batch_size() const;  ///< rows of this rank, the same at every step
  [[nodiscard]] std::size_t num_valid() const;   ///< rows with a sample, which come first
  /// The sample's number in the Dataset for each row, −1 for an empty row.
  [[nodiscard]] std::span<const std::int64_t> indices() const;
  [[nodiscard]] std::string_view key(std::size_t row) const;  ///< "" for an empty row
  /// The window that augmentation chose for each row; without augmentation the whole record.
  [[nodiscard]] std::span<const SampleCrop> crops() const;
  /// Returns the slot: views of this Batch become invalid, and it has no more rows. Idempotent.
  void release() noexcept;

 private:
  friend class Loader;
  Batch(std::shared_ptr<loader::Ring> ring, loader::Slot* slot);
  [[nodiscard]] const loader::Slot& slot() const;
  std::shared_ptr<loader::Ring> ring_;
  loader::Slot* slot_ = nullptr;
};

}  // namespace hotpack
