// How many images have which form, size and orientation: one for the images of a data set, one for its labels.
//
// Memory: an entry a different size. Sums only: parts may be added in any order. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/fit.hpp"
#include "codecs/image_info.hpp"

namespace hotpack::pipeline {

class ImageStatistics {
 public:
  template <class T>
  struct Span {
    T least{}, median{}, most{};  // of an even number of images the lower median
  };
  struct SizeCount {
    Extent size;
    std::uint64_t count = 0;
  };

  void add(const codecs::ImageInfo& info);
  void add(const ImageStatistics& other);

  [[nodiscard]] std::uint64_t images() const { return images_; }
  // "8-bit RGB PNG" and so on; most images first, like all that follow.
  [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> forms() const;
  // As stored, before orientation.
  [[nodiscard]] std::vector<SizeCount> sizes() const;
  [[nodiscard]] Span<int> widths() const;
  [[nodiscard]] Span<int> heights() const;
  [[nodiscard]] Span<double> aspects() const;  // width / height
  // Of EXIF orientation 1 … 8; [0] is unused.
  [[nodiscard]] const std::array<std::uint64_t, 9>& orientations() const { return orientations_; }
  [[nodiscard]] std::uint64_t with_alpha() const { return with_alpha_; }
  [[nodiscard]] std::uint64_t with_profile() const { return with_profile_; }
  [[nodiscard]] std::uint64_t with_more_images() const { return with_more_images_; }

 private:
  std::uint64_t images_ = 0;
  std::uint64_t with_alpha_ = 0;
  std::uint64_t with_profile_ = 0;  // ICC
  std::uint64_t with_more_images_ = 0;
  std::map<std::string, std::uint64_t> forms_;
  std::map<std::pair<int, int>, std::uint64_t> sizes_;  // width, height
  std::array<std::uint64_t, 9> orientations_{};
};

// "8-bit RGB PNG", "gray JPEG", "2-bit palette PNG"
[[nodiscard]] std::string form_text(const codecs::ImageInfo& info);

}  // namespace hotpack::pipeline
