// One batch of a Loader, in host memory.
//
// Ownership: a Batch leases one slot of its Loader and may outlive it. Copies share the lease until
// the last one ends. Thread-safety: one thread at a time for each copy. Nothing here fails.
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
class Lease;
struct Slot;
}  // namespace loader

/// One field of a batch: contiguous, [rows, …].
struct BatchField {
  std::span<std::byte> bytes;  ///< writable: nobody else uses the slot
  /// [rows,H,W,C], [rows,C,H,W], [rows,H,W], [rows,C] or [rows]. Gray images keep their channel.
  std::vector<std::int64_t> shape;
  ElementType dtype = ElementType::u8;
  /// T must match `dtype`; this is not checked.
  template <class T>
  [[nodiscard]] std::span<T> as() const {
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

/// A shared lease, cheap to copy. A Batch that was released or moved from has no rows.
class Batch {
 public:
  [[nodiscard]] const BatchField& image() const;
  [[nodiscard]] const BatchField& label() const;  ///< unlabeled data sets: no bytes, no shape
  [[nodiscard]] std::uint64_t epoch() const;
  [[nodiscard]] std::uint64_t step() const;      ///< within the epoch, from 0
  [[nodiscard]] std::size_t batch_size() const;  ///< rows; with LastBatch::keep, the last differs
  [[nodiscard]] std::size_t num_valid() const;   ///< rows with a sample, which come first
  /// The sample's number in the Dataset for each row, −1 for an empty row.
  [[nodiscard]] std::span<const std::int64_t> indices() const;
  [[nodiscard]] std::string_view key(std::size_t row) const;  ///< "" for an empty row
  /// The window that augmentation chose for each row; without augmentation the whole record.
  [[nodiscard]] std::span<const SampleCrop> crops() const;
  /// Ends this copy. Views stay valid until the last copy ends. Idempotent.
  void release() noexcept { lease_.reset(); }

 private:
  friend class Loader;
  explicit Batch(std::shared_ptr<const loader::Lease> lease);
  [[nodiscard]] const loader::Slot& slot() const;
  std::shared_ptr<const loader::Lease> lease_;
};

}  // namespace hotpack
