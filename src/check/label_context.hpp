// How the labels of a data set are read: the part of a LabelSetup that diagnostics about single
// labels need.
//
// Immutable, so thread-safe to read.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hotpack/schema.hpp"
#include "label_setup/label_setup.hpp"

namespace hotpack::pipeline {

struct LabelContext {
  enum class Reading { none, ids, colors, binary } reading = Reading::none;
  std::vector<std::string> class_names;
  std::vector<bool> ignored;     // by class: --ignore names it
  bool numbered = false;         // class names are only numbers
  bool refuses_unknown = false;  // pack refuses labels with unknown values
  std::string unknown;           // value of --unknown
  int threshold = 0;             // for `binary`
  bool one_class_per_mask =
      false;  // several masks per image: the ids 0 and 1 of a mask are not classes

  std::bitset<65536> known_ids;  // ids of classes and ignored ids
  std::uint32_t last_id = 0;     // the highest id of a class

  struct NearColor {
    std::size_t class_id = 0;
    int distance = 0;  // Euclidean distance in RGB, rounded up
  };
  // Returns the class with the nearest color; absent if classes have no colors.
  [[nodiscard]] std::optional<NearColor> nearest(RgbColor color) const;

  struct KnownColor {
    RgbColor color{};
    std::size_t class_id = 0;
  };
  std::vector<KnownColor> colors;
};

[[nodiscard]] LabelContext context_of(const LabelSetup& setup);

}  // namespace hotpack::pipeline
