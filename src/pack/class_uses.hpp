// Counts the labels and the records in which each class occurs. Small objects vanish when labels
// shrink or are cropped, so a class may be in labels but in no record.
//
// Plain values and pure functions; thread-safe to read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/pixels.hpp"
#include "format/sums.hpp"
#include "hotpack/schema.hpp"

namespace hotpack::pipeline {

// The classes in the label of a sample. With --tile, the first tile has those of the whole label,
// and the other tiles have none.
struct LabelClasses {
  bool as_packed = true;           // `ids` is empty; the classes are those of the record
  std::vector<std::uint32_t> ids;  // each once
};

// Appends the ids that occur in a label and are below `class_count`, each once.
void find_classes(ConstIds label, std::size_t class_count, std::vector<std::uint32_t>& ids);

// True for a usual name of pixels outside all classes: "background", "unlabeled", "void", ….
[[nodiscard]] bool is_background_name(std::string_view name);

class ClassUses {
 public:
  // Adds a record, or the sums of several. `label` has the classes of its label.
  void add(const LabelClasses& label, const format::Sums& record);
  void add(const ClassUses& other);

  // Describes the classes that are in less than a quarter as many records as labels: "1 of 3
  // classes hardly occurs in the records of 64x64: 'light' (in 4 labels, in 0 records)". Empty if
  // there is none.
  [[nodiscard]] std::string lost_text(const Schema& schema) const;
  [[nodiscard]] std::uint64_t lost() const;
  // Describes the class of id 0 if it is in no record and all others are: "'sky' (id 0) occurs in
  // no record, …". Empty for classes such as "background" and "unlabeled".
  [[nodiscard]] std::string missing_first_text(const Schema& schema) const;

 private:
  struct Use {
    std::uint64_t labels = 0, records = 0;
    // A quarter of one label and more: a class in a single record of its four labels counts.
    [[nodiscard]] bool is_lost() const { return labels > 0 && records * 4 <= labels; }
  };
  std::vector<Use> uses_;  // by class
};

// Ways out, for all such classes.
inline constexpr const char* kLostClassAdvice =
    "small objects vanish when labels shrink or are cropped, and a model cannot learn what no "
    "record shows. Choose a larger --size, another --fit, or --tile";

}  // namespace hotpack::pipeline
