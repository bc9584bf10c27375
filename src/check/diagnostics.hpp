// Diagnostics of a check: problems, warnings and notes, each with its count, examples, advice, and
// options that resolve it.
//
// Plain values and pure functions. Thread-safe to read; to change them, the caller needs a lock.
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
  warning,  // pack succeeds, but the inputs are probably not what the user intended
  note,     // unusual, and handled
};
[[nodiscard]] std::string_view severity_name(Severity severity);  // "problem", "warning", "note"

// An example of a diagnostic.
struct Evidence {
  std::string path;  // empty: no single file
  std::string found;
  std::optional<PixelPlace> place = {};
};

struct Diagnostic {
  std::string kind;  // such as "unknown-value"; programs rely on these names, so they never change
  Severity severity = Severity::note;
  std::string title;         // a complete statement: "3 of 104 images have no label"
  std::uint64_t count = 0;   // samples, files or labels concerned
  std::uint64_t of = 0;      // how many of them there are in all; 0 if a share makes no sense
  std::string value;         // of an unknown value: "color (0,0,128)"
  std::uint64_t pixels = 0;  // pixels with this unknown value
  std::vector<Evidence> examples;
  std::string advice;
  std::vector<std::string> options;  // each of them alone resolves it: "--unknown ignore"

  static constexpr std::size_t kExamples = 5;
  // Adds an example, unless there are already kExamples.
  void add_example(Evidence example);
};

// Counts the occurrences of one diagnostic and keeps the first examples.
struct Occurrences {
  std::uint64_t count = 0;
  std::vector<Evidence> examples;
  void add(Evidence example);
};

// A diagnostic with the count and examples of `occurrences`, and without options.
[[nodiscard]] Diagnostic make_diagnostic(std::string kind, Severity severity, std::string title,
                                         const Occurrences& occurrences = {}, std::uint64_t of = 0,
                                         std::string advice = "");

// The diagnostics of a check in the order of the report: problems, then warnings, then notes.
class Diagnostics {
 public:
  void add(Diagnostic diagnostic);
  [[nodiscard]] std::uint64_t count(Severity severity) const;
  [[nodiscard]] const std::vector<Diagnostic>& all() const { return all_; }

 private:
  std::vector<Diagnostic> all_;
};

// Adds one diagnostic per kind of problem in the log. Kinds in `leave_out` are reported elsewhere.
// If `skipping` is true, the user has already given --on-error skip, so no advice mentions that
// option.
void add_problems(const ProblemLog& log, const std::vector<ProblemKind>& leave_out, bool skipping,
                  Diagnostics& diagnostics);

}  // namespace hotpack::pipeline
