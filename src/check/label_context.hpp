// What a whole data set's labels are read by, as far as the judgement of single labels needs it.
//
// Immutable after it is made; thread-safe to read.
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
  std::vector<bool> ignored;      // of each class: --ignore names it, so nothing becomes it
  bool numbered = false;          // classes have no names but their numbers
  bool refuses_unknown = false;   // an unknown value refuses its label
  std::string unknown;            // as --unknown says
  int threshold = 0;              // binary
  bool one_class_a_mask = false;  // several masks per image: the ids 0 and 1 of a label are no classes

  std::bitset<65536> known_ids;  // ids that are a class or ignored
  std::uint32_t last_id = 0;     // the highest id of a class

  struct NearColor {
    std::size_t class_id = 0;
    int distance = 0;  // Euclidean in RGB, rounded up
  };
  // The class of the nearest color; absent where classes have no colors.
  [[nodiscard]] std::optional<NearColor> nearest(RgbColor color) const;

  struct KnownColor {
    RgbColor color{};
    std::size_t class_id = 0;
  };
  std::vector<KnownColor> colors;
};

[[nodiscard]] LabelContext context_of(const LabelSetup& setup);

}  // namespace hotpack::pipeline
