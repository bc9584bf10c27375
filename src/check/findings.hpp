// What a check tells: findings of three severities, each with its count and share, the evidence, and what settles it.
//
// Plain values and pure functions; not thread-safe as far as they are changed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pack/inspection.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

enum class Severity {
  problem,  // pack refuses, or leaves samples out
  warning,  // pack goes on, but hardly with what was meant
  note,     // unusual, and taken care of
};
[[nodiscard]] std::string_view severity_name(Severity severity);  // "problem", "warning", "note"

// A place where it shows.
struct Evidence {
  std::string path;  // empty: no single file
  std::string found;
  std::optional<PixelPlace> place = {};
};

struct Finding {
  std::string kind;  // "unknown-value": stable, for programs
  Severity severity = Severity::note;
  std::string title;         // complete: "3 of 104 images have no label"
  std::uint64_t count = 0;   // samples, files or labels that it is about
  std::uint64_t of = 0;      // so many there are; 0 where a share says nothing
  std::string value;         // of an unknown value: "color (0,0,128)"
  std::uint64_t pixels = 0;  // that have it
  std::vector<Evidence> examples;
  std::string advice;
  std::vector<std::string> options;  // each alone settles it: "--unknown ignore"

  static constexpr std::size_t kExamples = 5;
  // Keeps the first kExamples.
  void add_example(Evidence example);
};

// Counts of one finding while samples go by.
struct Sightings {
  std::uint64_t count = 0;
  std::vector<Evidence> examples;
  void add(Evidence example);
};

// Findings of a finished check, in the order in which they are read: problems first, then warnings, then notes.
class Findings {
 public:
  void add(Finding finding);
  [[nodiscard]] std::uint64_t count(Severity severity) const;
  [[nodiscard]] const std::vector<Finding>& all() const { return all_; }

 private:
  std::vector<Finding> all_;
};

// A finding for each kind in the log; `leave_out`: kinds that are reported in another way; `skipping`: --on-error skip is given already.
void add_problems(const ProblemLog& log, const std::vector<ProblemKind>& leave_out, bool skipping, Findings& findings);

}  // namespace hotpack::pipeline
