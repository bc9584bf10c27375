// The text that a run resumes from: an accepted text is written back unchanged.

#include "fuzz/fuzz.hpp"
#include "hotpack/order.hpp"

using namespace hotpack;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<LoaderState> state = LoaderState::parse(fuzz::text_of(data, size));
  fuzz::require_told(state);
  if (!state.ok()) return 0;
  const std::string text = state->text();
  const Result<LoaderState> again = LoaderState::parse(text);
  fuzz::require(again.ok() && again->text() == text, "a state that is written is read as it was");
  return 0;
}
