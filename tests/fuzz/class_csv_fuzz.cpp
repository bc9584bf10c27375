// Class files in all their forms, and presets.

#include "fuzz/fuzz.hpp"
#include "labels/class_table.hpp"
#include "labels/presets.hpp"

using namespace hotpack;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<labels::ClassTable> table =
      labels::parse_class_file(fuzz::text_of(data, size), "classes.csv");
  fuzz::require_told(table);
  fuzz::require_told(labels::parse_preset(fuzz::text_of(data, size), "preset.csv"));
  if (!table.ok()) return 0;
  fuzz::require(!table->classes.empty() && table->classes.size() <= labels::kMaxClasses,
                "a table has 1 to 65535 classes");
  for (std::size_t i = 0; i < table->classes.size(); ++i)
    fuzz::require(table->find(table->classes[i].name) == static_cast<int>(i),
                  "each class has a name of its own");
  return 0;
}
