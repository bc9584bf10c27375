// Values that no class has, grouped by value over a whole data set: one wrong line of a class file shows as one finding, however many
// labels it spoils.
//
// Memory: at most kMostValues values are told apart. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/findings.hpp"
#include "pipeline/inspection.hpp"
#include "pipeline/label_context.hpp"

namespace hotpack::pipeline {

class UnknownValues {
 public:
  static constexpr std::size_t kMostValues = 4096;
  // A label with more different unknown values is told as such: what it holds are no classes.
  static constexpr std::uint64_t kMostInALabel = 16;

  void add(const std::string& path, const LabelInspection& label);
  // `labels`: how many were looked at. `never_seen`: by class.
  void finish(const LabelContext& context, std::uint64_t labels, const std::vector<bool>& never_seen, Findings& findings) const;

 private:
  struct Value {
    std::string text;  // "colour (0,0,128)", "id 37"
    std::optional<RgbColor> color;
    std::uint64_t pixels = 0;
    Sightings labels;
  };
  [[nodiscard]] std::vector<const Value*> by_labels() const;
  [[nodiscard]] Finding finding_of_value(const Value& value, const LabelContext& context, std::uint64_t labels,
                                         const std::vector<bool>& never_seen) const;
  [[nodiscard]] Finding finding_of_rest(const std::vector<const Value*>& rest, const LabelContext& context) const;
  [[nodiscard]] Finding finding_of_many(const LabelContext& context, std::uint64_t labels) const;

  std::map<std::string, Value> values_;
  std::uint64_t left_out_ = 0;  // pixels of values beyond kMostValues
  Sightings many_;              // labels of more than kMostInALabel unknown values
};

}  // namespace hotpack::pipeline
