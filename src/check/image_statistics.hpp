// Counts image files by form (such as "8-bit RGB PNG"), size and orientation. One object counts the
// images of a data set, another one the label files.
//
// Memory: one entry per distinct size. Results do not depend on the order of additions. Not
// thread-safe.
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
    T least{}, median{}, most{};  // the lower median of an even number of images
  };
  struct SizeCount {
    Extent size;
    std::uint64_t count = 0;
  };

  void add(const codecs::ImageInfo& info);
  void add(const ImageStatistics& other);

  [[nodiscard]] std::uint64_t images() const { return images_; }
  // Returns the forms with their counts, the most frequent first.
  [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>> forms() const;
  // Returns the sizes as stored, before EXIF orientation is applied, the most frequent first.
  [[nodiscard]] std::vector<SizeCount> sizes() const;
  [[nodiscard]] Span<int> widths() const;
  [[nodiscard]] Span<int> heights() const;
  [[nodiscard]] Span<double> aspects() const;  // width / height
  // Returns the number of images with each EXIF orientation, 1 … 8; [0] is unused.
  [[nodiscard]] const std::array<std::uint64_t, 9>& orientations() const { return orientations_; }
  [[nodiscard]] std::uint64_t with_alpha() const { return with_alpha_; }
  [[nodiscard]] std::uint64_t with_profile() const { return with_profile_; }
  [[nodiscard]] std::uint64_t with_more_images() const { return with_more_images_; }

 private:
  std::uint64_t images_ = 0;
  std::uint64_t with_alpha_ = 0;
  std::uint64_t with_profile_ = 0;  // images with an ICC profile
  std::uint64_t with_more_images_ = 0;
  std::map<std::string, std::uint64_t> forms_;
  std::map<std::pair<int, int>, std::uint64_t> sizes_;  // width, height
  std::array<std::uint64_t, 9> orientations_{};
};

// Returns a text such as "8-bit RGB PNG", "gray JPEG", "2-bit palette PNG".
[[nodiscard]] std::string form_text(const codecs::ImageInfo& info);

}  // namespace hotpack::pipeline
