// Evaluates the label options --preset, --classes, --num-classes and --map, before any label file
// is read.
//
// Plain values. Failure: `usage` for options that contradict each other, `data` for files that
// cannot be used, `io`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/words.hpp"
#include "hotpack/result.hpp"
#include "label_setup/packed_labels.hpp"
#include "labels/class_table.hpp"
#include "labels/label_decoder.hpp"
#include "labels/label_map.hpp"
#include "labels/presets.hpp"
#include "settings/options.hpp"

namespace hotpack::pipeline {

struct GivenLabels {
  std::shared_ptr<const labels::Preset> preset;  // of --preset
  std::optional<labels::ClassTable> table;       // of --classes or --num-classes
  std::optional<PackedLabels> packed;   // if --classes names a pack: the meaning of its labels
  std::optional<labels::LabelMap> map;  // of --map
  std::vector<std::string> ignore;      // of --ignore, else of the preset
  std::optional<int> shift;             // of --shift-ids
  labels::RgbId rgb_id = labels::RgbId::none;  // of --rgb-id, else of the preset or the pack
};
[[nodiscard]] Result<GivenLabels> read_given(const LabelOptions& options);

// The labels of the pack that --classes names; absent if it names none.
[[nodiscard]] Result<std::optional<PackedLabels>> given_pack(const LabelOptions& options);
// Returns the threshold for labels that are read by brightness: that of the pack in --classes, else
// --threshold. Absent if neither was given; a pack with the usual one may have been made without.
// Fails if both exist and differ.
[[nodiscard]] Result<std::optional<int>> given_threshold(const LabelOptions& options,
                                                         const std::optional<PackedLabels>& packed);
// Returns the class table of --classes or --num-classes, or nothing if neither was given. `packed`
// is the result of given_pack().
[[nodiscard]] Result<std::optional<labels::ClassTable>> given_table(
    const LabelOptions& options, const std::optional<PackedLabels>& packed);
// The map of --map; absent if it was not given.
[[nodiscard]] Result<std::optional<labels::LabelMap>> given_map(const LabelOptions& options);

// The classes, and the class of each label value.
struct LabelMapping {
  labels::ClassTable table;
  std::optional<std::vector<labels::MappedValue>>
      values;                       // with a map: of --map, of the preset or of a pack
  std::vector<std::string> ignore;  // words of --ignore that apply
  std::string source;               // the option that `values` come from: "--map"
  std::optional<std::string> map;   // `values` as in the schema of a pack; absent without one
};

// Returns the classes and the class of each label value for a kind of labels, or nothing if no
// option names classes. With --map, --classes and --num-classes name the new classes, which result
// from the map. Exception: if the map has class names as old values and there is no preset, they
// name these old classes. A pack in --classes also defines the values of its classes, unless --map
// or --preset does.
[[nodiscard]] Result<std::optional<LabelMapping>> mapping_of(const GivenLabels& given,
                                                             LabelKind kind);

// Applies --shift-ids: class c is the id c minus the shift. Lower ids are ignored.
[[nodiscard]] LabelMapping shifted(LabelMapping mapping, int shift);

// Returns a map as text for people: one line per class, in the order of ids, with the values that
// become this class, such as "0…6, 9 → ignored".
[[nodiscard]] std::vector<std::string> map_lines(const std::vector<labels::MappedValue>& values,
                                                 LabelKind kind, const labels::ClassTable& table);
// Returns a map as JSON for the schema: [[old,new],…], ascending. `old` is an id or "#rrggbb",
// `new` a class id or "ignore".
[[nodiscard]] std::string map_json(const std::vector<labels::MappedValue>& values, LabelKind kind);

}  // namespace hotpack::pipeline
