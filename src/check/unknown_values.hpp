// Values that no class has, grouped over a whole data set: one wrong line of a class file shows as one finding, however many labels it
// spoils, and so does one spoilt label, however many values it brings.
//
// Memory: at most kMostValues values are told apart. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "check/findings.hpp"
#include "check/label_context.hpp"
#include "pack/inspection.hpp"

namespace hotpack::pipeline {

class UnknownValues {
 public:
  static constexpr std::size_t kMostValues = 4096;
  // A label with more different unknown values is reported as such: what it holds are no classes.
  static constexpr std::uint64_t kMostInALabel = 16;

  void add(const std::string& path, const LabelInspection& label);
  // `labels`: how many were examined. `never_seen`: by class.
  void finish(const LabelContext& context, std::uint64_t labels, const std::vector<bool>& never_seen, Findings& findings) const;

 private:
  struct Value {
    std::string text;  // "color (0,0,128)", "id 37"
    std::optional<RgbColor> color;
    std::uint64_t pixels = 0;
    Sightings labels;
    std::uint64_t label_set = 0;  // equal for values that occur in the same labels
  };
  // Values that occur in the same labels.
  using Group = std::vector<const Value*>;
  [[nodiscard]] std::vector<Group> groups() const;
  [[nodiscard]] Finding finding_of_group(const Group& group, const LabelContext& context, std::uint64_t labels,
                                         const std::vector<bool>& never_seen) const;
  [[nodiscard]] Finding finding_of_rest(const Group& rest, const LabelContext& context) const;
  [[nodiscard]] Finding finding_of_many(const LabelContext& context, std::uint64_t labels) const;

  std::map<std::string, Value> values_;
  std::uint64_t labels_ = 0;    // examined
  std::uint64_t left_out_ = 0;  // pixels of values beyond kMostValues
  Sightings many_;              // labels of more than kMostInALabel unknown values
};

}  // namespace hotpack::pipeline
