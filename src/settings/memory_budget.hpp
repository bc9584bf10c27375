// The memory that threads share while they decode images. Large images wait until there is room for
// them; small ones never wait.
//
// Thread-safe. Failure: code `io` if an image can never have room.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "base/cores.hpp"
#include "hotpack/result.hpp"

namespace hotpack::pipeline {

class MemoryBudget {
 public:
  // The memory of one image. A thread frees its buffers for a large image before it destroys the
  // Room, because other images wait for that memory. It holds no second Room meanwhile.
  class Room {
   public:
    Room() = default;
    Room(Room&& other) noexcept;
    Room& operator=(Room&& other) noexcept;
    ~Room() { leave(); }
    [[nodiscard]] bool large() const { return budget_ != nullptr; }

   private:
    friend class MemoryBudget;
    Room(MemoryBudget& budget, std::uint64_t bytes) : budget_(&budget), bytes_(bytes) {}
    void leave() noexcept;

    MemoryBudget* budget_ = nullptr;
    std::uint64_t bytes_ = 0;
  };

  // `limit` is --max-memory. If it is absent, the limit is half of what the process may use, at
  // least 256 MiB, and an image that needs more may have all of it while no other large image is
  // decoded.
  //
  // A quarter of the limit is for the buffers that `threads` threads keep from image to image, and
  // large images share the rest.
  MemoryBudget(std::optional<std::uint64_t> limit, int threads,
               const UsableMemory& usable = usable_memory(""));
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // Returns the Room for an image whose decoding takes so many bytes. For a large image, waits
  // until others have left theirs.
  [[nodiscard]] Result<Room> take(std::uint64_t bytes, const std::string& path);

  // Returns a sentence for the user if the limit let fewer images be decoded at once than there are
  // threads. The sentence depends on the images, not on their timing.
  [[nodiscard]] std::optional<std::string> notice() const;

 private:
  [[nodiscard]] std::string limit_text() const;
  [[nodiscard]] Error refusal(std::uint64_t bytes, const std::string& path) const;

  const std::uint64_t limit_, threads_;
  const std::uint64_t kept_;        // the most bytes of a small image
  const std::uint64_t shared_;      // by large images
  const std::uint64_t most_alone_;  // for one large image
  const std::string origin_;        // of a default limit; else empty

  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable left_;
  std::uint64_t used_ = 0;
  std::uint64_t limited_ = 0, largest_ = 0;  // images that may have waited: count, bytes
};

}  // namespace hotpack::pipeline
