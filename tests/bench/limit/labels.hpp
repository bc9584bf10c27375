// Turns label images into records: nearest neighbor, colors to ids, ids to bits or one-hot bytes.
//
// Ownership: a Labeler keeps tables and rows. Not thread-safe. Trusts its input: a color that no
// class has becomes any class or none.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "limit/image.hpp"

namespace limit {

enum class Storage { index, bits, one_hot };

using Color = std::array<std::uint8_t, 3>;

// The colors of a CSV `name,r,g,b`.
[[nodiscard]] std::vector<Color> read_colors(const std::string& path);

class Labeler {
 public:
  // At most 16 classes.
  Labeler(std::vector<Color> colors, std::size_t class_count, Storage storage);

  [[nodiscard]] std::size_t pixel_bytes() const { return pixel_bytes_; }
  [[nodiscard]] std::size_t class_count() const { return class_count_; }
  [[nodiscard]] const std::vector<Color>& colors() const { return colors_; }
  // `label`: RGB, or gray ids. `out`: width × height × pixel_bytes(), and kSlack bytes. Adds the
  // pixels of each class to `counts`.
  void convert(const Image& label, int width, int height, std::uint8_t* out,
               std::array<std::uint64_t, 16>& counts);

  // The steps of convert(), for a row.
  void ids_of_colors(const std::uint8_t* colors, int pixels, std::uint8_t* ids) const;
  void encode(const std::uint8_t* ids, int pixels, std::uint8_t* out) const;

 private:
  void find_hash();
  [[nodiscard]] std::size_t slot(std::uint32_t color) const {
    return color * factor_ >> kHashShift;
  }
  void update_columns(int source, int target);
  void pick_columns(const std::uint8_t* ids, std::uint8_t* out) const;
  void count(const std::uint8_t* ids, int pixels, std::uint64_t times,
             std::array<std::uint64_t, 16>& counts) const;

  static constexpr int kHashShift = 24;
  static constexpr std::uint8_t kNoClass = 255;

  std::vector<Color> colors_;
  std::size_t class_count_, pixel_bytes_;
  Storage storage_;
  std::uint32_t factor_ = 1;
  std::array<std::uint8_t, 256> ids_;  // by slot
  // 16 columns from one place, if they lie close enough together.
  struct Sixteen {
    int offset;
    std::uint8_t places[16];
  };
  int source_ = 0, target_ = 0;
  bool close_ = false;
  std::vector<int> columns_;
  std::vector<Sixteen> sixteens_;
  Room source_ids_, row_ids_;
};

}  // namespace limit
