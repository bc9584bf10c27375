// Finds out which ids the labels of a data set contain. Needed if no option gives the number of
// classes, or if RGB files may contain ids; then all labels are read.
//
// Uses the threads of the caller's arena; results and errors do not depend on the number of
// threads.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"
#include "samples/sample_list.hpp"
#include "settings/observer.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

// A label with more ids looks like a photograph or a gray image.
inline constexpr std::size_t kMostIdsOfLabel = 100;

struct IdScan {
  std::bitset<65536>
      narrow;  // ids in labels of up to 8 bits, and in RGB labels whose channels are all equal
  std::bitset<65536> wide;    // ids in 16-bit labels, and those that --rgb-id finds in colors
  std::string colored_label;  // the first RGB label with a color, in the order of lists and
                              // samples; empty if there is none
  std::string color;          // "#rrggbb at x=3 y=0"
  std::string undecoded;  // the first label that cannot be decoded, with the reason: "masks/a.png:
                          // …"; empty if there is none
  std::string crowded_label;  // the first label with more than kMostIdsOfLabel ids, or empty
  // Masks may come from two programs, with the foreground 1 or 255 (65535 in 16 bits). The paths of
  // the first label with 1 only, and of the first with 255 only; both are empty if a label has both
  // values.
  std::string one_label, white_label;
  // The first two palette labels that show one index in two colors.
  struct PaletteClash {
    unsigned index = 0;
    std::string label, other;  // paths
    RgbColor color{}, other_color{};
  };
  std::optional<PaletteClash> clash;

  // The gray values of labels without a palette, in 8 bits: pixels of those near black and white,
  // and of those between; whether the latter are in both halves.
  struct Shades {
    std::uint64_t dark = 0, light = 0, between = 0;
    bool low = false, high = false;

    void add(int shade, std::uint64_t pixels);
    void add(const Shades& more);
    // True for masks of two classes with soft edges, or with noise of a JPEG.
    [[nodiscard]] bool soft() const;
  } shades;
  // The stored values of black and of white, over all labels, if these show nothing else.
  struct BlackAndWhite {
    std::bitset<65536> black, white;
    bool other = false;  // some label shows more

    void add(const BlackAndWhite& more);
    // True if one color is stored as several values, or as one that is neither 0 nor 1.
    [[nodiscard]] bool stored_in_several_ways() const;
  } shown;
  // The labels with at least 4 ids above 0: those whose ids are 1 … n without a gap, as numbers of
  // objects are, the others, and the smallest and largest n.
  struct Numbering {
    std::uint64_t gapless = 0, others = 0;
    std::size_t fewest = 65536, most = 0;

    void add(const std::bitset<65536>& ids);
    void add(const Numbering& more);
    // True if nearly all labels number their ids anew, and many ids occur.
    [[nodiscard]] bool of_objects() const;
  } numbering;
};

// Reads the ids of all labels. Ignores lists without label files, and labels that cannot be decoded
// or have more pixels than the options allow; packing reports those. Fails with `io` for the first
// label, in the order of lists and samples, that cannot be read.
[[nodiscard]] Result<IdScan> scan_ids(std::span<const SampleList* const> lists,
                                      const PackOptions& options, Observer& observer);

// The same for a few labels spread over each list.
[[nodiscard]] Result<IdScan> scan_some_ids(std::span<const SampleList* const> lists,
                                           const PackOptions& options);

// Returns the first pixel of an RGB label that is not gray, as "#rrggbb at x=3 y=0". Returns "" if
// there is none, or if the file is not RGB or cannot be decoded. Fails with `io`.
[[nodiscard]] Result<std::string> color_in(const std::string& path, const RecordOptions& options);

// Returns the values of each channel of an RGB label of 16 bits, "red 0…22, green 0…3, blue 0";
// that it cannot be decoded, if so. Fails with `io`.
[[nodiscard]] Result<std::string> channels_text(const std::string& path,
                                                const RecordOptions& options);

// Describes a set of ids for people: "0…11" or "0…3, 7, 9". If there are more than `most` ranges,
// only the first ones and the last are written: "0, 64, 128, …, 2901".
[[nodiscard]] std::string ids_text(const std::bitset<65536>& ids, std::size_t most = 65536);

}  // namespace hotpack::pipeline
