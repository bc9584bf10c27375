// Runs a check and finds its diagnostics, for tests.
#pragma once

#include <string>

#include "check/check.hpp"
#include "support/inputs.hpp"

namespace hotpack::test {

// The report of a check, which sends no messages to the observer.
inline pipeline::CheckReport checked(const pipeline::PackOptions& options,
                                     bool headers_only = false) {
  Recorder recorder;
  auto report = pipeline::check(options, headers_only, recorder);
  if (!report.ok()) FAIL(report.error().describe());
  CHECK(recorder.messages.empty());
  return std::move(report).value();
}

// The first diagnostic of this kind, or null.
inline const pipeline::Diagnostic* find(const pipeline::CheckReport& report,
                                        const std::string& kind) {
  for (const pipeline::Diagnostic& diagnostic : report.diagnostics.all())
    if (diagnostic.kind == kind) return &diagnostic;
  return nullptr;
}

}  // namespace hotpack::test
