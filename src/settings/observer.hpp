// Receives progress and messages of packing and checking. Library code never prints; the command's
// Terminal implements this interface.
//
// Thread-safety: an Observer is called from one thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hotpack::pipeline {

enum class Level { debug, info, warning, error };

// Counts of the current stage.
struct Progress {
  std::string_view stage;  // "packing", "checking", "scanning labels", …
  std::uint64_t samples_done = 0;
  std::uint64_t samples_total = 0;
  std::uint64_t bytes_in = 0;   // bytes of the files read so far
  std::uint64_t bytes_out = 0;  // bytes of the records written so far
  std::uint64_t problems = 0;   // samples refused or skipped so far
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void message(Level level, std::string_view text) = 0;
  virtual void progress(
      const Progress& progress) = 0;  // called after every sample; Terminal shows only some calls
  // Called between samples: true stops the run in an orderly way (a signal arrived).
  [[nodiscard]] virtual bool stop_requested() const = 0;
};

}  // namespace hotpack::pipeline
