// Decodes PNG and JPEG files of 8 bits per sample: photos by ISA-L's inflate, labels by
// libdeflate, JPEGs by TurboJPEG.
//
// Ownership: a Decoder keeps handles and buffers; results are valid until its next call. Not
// thread-safe.
// Failure: std::runtime_error where a library notices it; damaged files are not checked for.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "limit/image.hpp"

namespace limit {

using File = std::span<const std::uint8_t>;

[[nodiscard]] bool is_png(File file);

struct PngParts {
  int width = 0, height = 0, channels = 0;  // a palette's index is one channel
  File coded;                               // a raw deflate stream
};

enum class Inflater { isal, libdeflate };

class Decoder {
 public:
  Decoder();
  ~Decoder();

  // A PNG of gray, RGB, or palette indices, as stored.
  [[nodiscard]] Image png(File file, Inflater inflater);
  // RGB. `target` bounds how small the decoder may make it: 1/8 to 1/1 of the size, but at least
  // twice the target; no target: 1/1.
  struct Target {
    int width = 0, height = 0;
  };
  [[nodiscard]] Image jpeg(File file, Target target);

  // The steps of png().
  [[nodiscard]] PngParts parts(File file);
  [[nodiscard]] const std::uint8_t* inflate(const PngParts& parts, Inflater inflater);

 private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
  Room coded_, filtered_, pixels_;
};

}  // namespace limit
