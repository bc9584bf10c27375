// The memory and the decoder for one label while many threads read labels.
//
// Not thread-safe; each thread has its own. Failure: code `io` if the label can never have room.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/try.hpp"
#include "codecs/decode_memory.hpp"
#include "codecs/decoder.hpp"
#include "label_setup/source_file.hpp"
#include "settings/memory_budget.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

class LabelRoom {
 public:
  // Waits for the memory that decoding the label takes. A label that will be refused takes none.
  // `file` is what `reader` read last; the bytes of a large file are freed with this object.
  [[nodiscard]] static Result<LabelRoom> take(MemoryBudget& budget, SourceReader& reader,
                                              std::span<const std::byte> file,
                                              const RecordOptions& options,
                                              const std::string& path) {
    LabelRoom room;
    const Result<codecs::Probe> found = codecs::probe(file, true);
    if (!found.ok() || !codecs::check_pixel_limit(found->info, options.max_pixels).ok())
      return room;
    HOTPACK_ASSIGN(room.room_,
                   budget.take(codecs::label_memory(file.size(), found->info) + file.size(), path));
    if (!room.room_.large()) return room;
    room.file_ = reader.release_buffer();
    room.own_.emplace();
    return room;
  }

  // Returns the decoder to use: `kept` or, for a large label, one whose buffers are freed with this
  // object.
  [[nodiscard]] codecs::Decoder& decoder(codecs::Decoder& kept) { return own_ ? *own_ : kept; }

 private:
  MemoryBudget::Room room_;  // destroyed after all buffers
  std::vector<std::byte> file_;
  std::optional<codecs::Decoder> own_;
};

}  // namespace hotpack::pipeline
