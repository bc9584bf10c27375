// What --preset, --classes, --num-classes and --map say of labels, before any label file is examined.
//
// Plain values. Failure: `usage` for options that contradict each other, `data` for files that say nothing usable, `io`.
#pragma once

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
  const labels::Preset* preset = nullptr;      // of --preset
  std::optional<labels::ClassTable> table;     // of --classes or --num-classes
  std::optional<PackedLabels> packed;          // where --classes names a pack: what its labels mean
  std::optional<labels::LabelMap> map;         // of --map
  std::vector<std::string> ignore;             // of --ignore, else of the preset
  std::optional<int> shift;                    // of --shift-ids
  labels::RgbId rgb_id = labels::RgbId::none;  // of --rgb-id, else of the preset or the pack
};
[[nodiscard]] Result<GivenLabels> read_given(const LabelOptions& options);

// Of the pack that --classes names; absent where it names none.
[[nodiscard]] Result<std::optional<PackedLabels>> given_pack(const LabelOptions& options);
// Where label files are read by brightness: that of the pack, else --threshold. Refused where both are given and differ.
[[nodiscard]] Result<int> given_threshold(const LabelOptions& options, const std::optional<PackedLabels>& packed);
// The table of --classes or --num-classes; absent when neither was given. `packed` is what given_pack() found.
[[nodiscard]] Result<std::optional<labels::ClassTable>> given_table(const LabelOptions& options, const std::optional<PackedLabels>& packed);
// The map of --map; absent when it was not given.
[[nodiscard]] Result<std::optional<labels::LabelMap>> given_map(const LabelOptions& options);

// Classes, and what values become.
struct LabelMeaning {
  labels::ClassTable table;
  std::optional<std::vector<labels::MappedValue>> values;  // with a map, that of --map, of the preset or of a pack
  std::vector<std::string> ignore;                         // words of --ignore that hold for the reading
  std::string giver;                                       // of `values`, for people: "--map"
  std::optional<std::string> map;                          // `values` as the schema of a pack has them; empty where it has none
};

// Once it is known how label files are read; absent where nothing names the classes. --classes and --num-classes name the classes after
// the map; before it, where the map speaks of old classes by name and there is no preset. A pack also says which values have its classes,
// unless --map or --preset does.
[[nodiscard]] Result<std::optional<LabelMeaning>> meaning_of(const GivenLabels& given, LabelKind reading);

// What --shift-ids makes of the classes 0, 1, …: each is that id less the shift. Lower ids are ignored.
[[nodiscard]] LabelMeaning shifted(LabelMeaning meaning, int shift);

// What the table of a map says, for people: "0…6, 9 → ignored", a line for each class that gets something, in the order of ids.
[[nodiscard]] std::vector<std::string> map_lines(const std::vector<labels::MappedValue>& values, LabelKind reading,
                                                 const labels::ClassTable& table);
// The same as the schema has it: [[old,new],…], `old` an id or "#rrggbb", ascending, `new` a class id or "ignore".
[[nodiscard]] std::string map_json(const std::vector<labels::MappedValue>& values, LabelKind reading);

}  // namespace hotpack::pipeline
