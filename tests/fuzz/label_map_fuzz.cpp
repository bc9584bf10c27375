// Tables of --map, and their mapping of ids.

#include "fuzz/fuzz.hpp"
#include "labels/label_map.hpp"

using namespace hotpack;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<labels::LabelMap> map =
      labels::parse_label_map(fuzz::text_of(data, size), "map.csv");
  fuzz::require_told(map);
  if (!map.ok()) return 0;
  fuzz::require(!map->rows.empty(), "a map has a row");
  const Result<labels::ClassTable> classes = labels::classes_of_map(*map);
  fuzz::require_told(classes);
  if (!classes.ok()) return 0;
  const labels::OldClasses old{labels::numbered_classes(4), {}};
  fuzz::require_told(labels::resolve_map(*map, *classes, nullptr));
  fuzz::require_told(labels::resolve_map(*map, *classes, &old));
  fuzz::require_told(labels::resolve_class_names(*map, *classes));
  return 0;
}
