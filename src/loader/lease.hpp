// The lease of one slot, shared by the copies of a Batch.
//
// Ownership: shares the Ring; the destructor returns the slot. Thread-safe after take(). Nothing
// here fails.
#pragma once

#include <memory>
#include <utility>

#include "loader/ring.hpp"
#include "loader/slot.hpp"

namespace hotpack::loader {

// Leaks the Ring in a forked child: its destructor would wait for threads that do not exist there.
inline void forget(std::shared_ptr<Ring> ring) { new std::shared_ptr<Ring>(std::move(ring)); }

class Lease {
 public:
  explicit Lease(std::shared_ptr<Ring> ring) : ring_(std::move(ring)) {}
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease() {
    if (ring_->forked()) {
      forget(std::move(ring_));
    } else if (slot_ != nullptr) {
      ring_->release(slot_);
    }
  }

  // Takes over a slot that Ring::next() returned. Call it once.
  void take(Slot* slot) noexcept { slot_ = slot; }
  // Precondition: take() was called.
  [[nodiscard]] const Slot& slot() const { return *slot_; }

 private:
  std::shared_ptr<Ring> ring_;
  Slot* slot_ = nullptr;
};

}  // namespace hotpack::loader
