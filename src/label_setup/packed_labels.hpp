// What --classes PACK takes from a finished pack: its classes, and the class of each label value.
//
// Plain values. Failure: `usage` if the folder is no pack or has no classes, `damaged`, `io`.
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
  LabelScope scope = LabelScope::pixel;
  bool multi = false;                     // one mask per class
  LabelKind kind = LabelKind::automatic;  // of label files; automatic if there were none
  labels::RgbId rgb_id = labels::RgbId::none;
  std::optional<int> threshold;  // with binary
  // The class of each value; absent if class c simply has id c, or its own color.
  std::optional<std::vector<labels::MappedValue>> values;
  std::vector<std::pair<std::string, std::uint16_t>>
      names;        // of whole-image classes: names in the input, in byte order, and their ids
  std::string map;  // as in its schema; empty without one
};
[[nodiscard]] Result<PackedLabels> read_packed_labels(const std::string& folder);

}  // namespace hotpack::pipeline
