// What a finished pack says of its labels, for --classes PACK: not its classes alone, but which values become which.
//
// Plain values. Failure: `usage` where the folder is no pack, or one without classes, `damaged`, `io`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/words.hpp"
#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"
#include "labels/class_table.hpp"
#include "labels/label_decoder.hpp"

namespace hotpack::pipeline {

struct PackedLabels {
  std::string folder;
  labels::ClassTable table;  // names and colors, without sources
  LabelScope kind = LabelScope::pixel;
  bool multi = false;                        // a mask per class
  LabelKind reading = LabelKind::automatic;  // of label files; automatic where there were none
  labels::RgbId rgb_id = labels::RgbId::none;
  std::optional<int> threshold;  // with binary
  // What each value becomes, where that is not the rule (class c is id c, or its color).
  std::optional<std::vector<labels::MappedValue>> values;
  std::vector<std::pair<std::string, std::uint16_t>> names;  // of whole-image classes: names in the input, in byte order, and their ids
  std::string map;                                           // as its schema has it; empty without one
};
[[nodiscard]] Result<PackedLabels> read_packed_labels(const std::string& folder);

}  // namespace hotpack::pipeline
