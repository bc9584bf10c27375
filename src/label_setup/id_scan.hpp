// Which raw ids occur in a data set's labels: reads all of them, in parallel, when nobody said how many classes there are, or when RGB
// files may hold ids.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"
#include "inputs/sample_list.hpp"
#include "settings/observer.hpp"

namespace hotpack::pipeline {

struct IdScan {
  std::bitset<65536> narrow;  // ids seen in labels of up to 8 bits, and in RGB labels of equal channels alone
  std::bitset<65536> wide;    // ids seen in 16-bit labels
  std::string colored_label;  // the first RGB label, in the order of lists and samples, that holds a color; empty if there is none
  std::string color;          // "#rrggbb at x=3 y=0"
  std::string undecoded;      // the first label that cannot be decoded, and why: "masks/a.png: …"; empty if there is none
  // Two spellings of a mask's foreground: the first label that holds 1 and no 255 (65535 in 16 bits), and the first with that and no 1;
  // both empty where one label holds both.
  std::string one_label, white_label;
  // Two labels that show one index in two colors, as far as palette labels go: the first such pair.
  struct PaletteClash {
    unsigned index = 0;
    std::string label, other;  // paths
    RgbColor color{}, other_color{};
  };
  std::optional<PaletteClash> clash;
};

// Lists without label files are passed over, and so are labels that cannot be decoded: packing reports them. Errors: `io`.
[[nodiscard]] Result<IdScan> scan_ids(std::span<const SampleList* const> lists, std::uint64_t max_pixels, Observer& observer);

// The same of a few labels alone, spread over each list; without colors.
[[nodiscard]] Result<IdScan> scan_some_ids(std::span<const SampleList* const> lists, std::uint64_t max_pixels);

// "#rrggbb at x=3 y=0": the first color of one label; empty where it holds none, is not RGB, or cannot be decoded. Errors: `io`.
[[nodiscard]] Result<std::string> color_in(const std::string& path, std::uint64_t max_pixels);

// "0…11" or "0…3, 7, 9": the set as people write it. Of more than `most` stretches the first and the last: "0, 64, 128, …, 2901".
[[nodiscard]] std::string ids_text(const std::bitset<65536>& ids, std::size_t most = 65536);

}  // namespace hotpack::pipeline
