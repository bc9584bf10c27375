// Groups the unknown values of a whole data set. A wrong line in a class file causes one
// diagnostic, however many labels it affects. A bad label causes one diagnostic, however many
// unknown values it has.
//
// Memory: at most kMostValues values are counted separately. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "check/diagnostics.hpp"
#include "check/label_context.hpp"
#include "pack/inspection.hpp"

namespace hotpack::pipeline {

class UnknownValues {
 public:
  static constexpr std::size_t kMostValues = 4096;
  // If a label has more different unknown values than this, they are probably not classes at all.
  // Such labels are reported together, in a diagnostic of their own.
  static constexpr std::uint64_t kMostInALabel = 16;

  void add(const std::string& path, const LabelInspection& label);
  // `labels`: the number of labels read. `never_seen`: by class, true if no label has it.
  void finish(const LabelContext& context, std::uint64_t labels,
              const std::vector<bool>& never_seen, Diagnostics& diagnostics) const;

 private:
  struct Value {
    std::string text;  // "color (0,0,128)", "id 37"
    std::optional<RgbColor> color;
    std::uint64_t pixels = 0;
    Occurrences labels;
    std::uint64_t label_set = 0;  // a hash of the set of labels with this value
  };
  // Values that occur in the same set of labels.
  using Group = std::vector<const Value*>;
  [[nodiscard]] std::vector<Group> groups() const;
  [[nodiscard]] Diagnostic diagnostic_of_group(const Group& group, const LabelContext& context,
                                               std::uint64_t labels,
                                               const std::vector<bool>& never_seen) const;
  [[nodiscard]] Diagnostic diagnostic_of_rest(const Group& rest, const LabelContext& context) const;
  [[nodiscard]] Diagnostic diagnostic_of_many(const LabelContext& context,
                                              std::uint64_t labels) const;

  std::map<std::string, Value> values_;
  std::uint64_t labels_ = 0;    // labels read
  std::uint64_t left_out_ = 0;  // pixels of values beyond kMostValues
  Occurrences many_;            // labels with more than kMostInALabel unknown values
};

}  // namespace hotpack::pipeline
