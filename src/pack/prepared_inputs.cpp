#include "pack/prepared_inputs.hpp"

#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/folder.hpp"
#include "base/nearest_word.hpp"
#include "base/text.hpp"
#include "base/try.hpp"
#include "pack/prepare.hpp"
#include "pack/split_observer.hpp"

namespace hotpack::pipeline {

namespace {

// Names a neighbor in an error about a folder that does not exist.
Error with_neighbor(Error error) {
  const std::filesystem::path path(error.path);
  std::error_code ignored;
  if (error.code != ErrorCode::io || error.path.empty() || std::filesystem::exists(path, ignored))
    return error;
  std::vector<std::string> folders;
  const auto names = names_in_folder(path.has_parent_path() ? path.parent_path().string() : ".");
  if (!names.ok()) return error;
  for (const std::string& name : *names)
    if (std::filesystem::is_directory(path.parent_path() / name, ignored)) folders.push_back(name);
  if (const auto nearest = nearest_word(path.filename().string(), folders))
    error.message +=
        "; did you mean " + quoted_text((path.parent_path() / *nearest).string()) + "?";
  return error;
}

}  // namespace

PreparedInputs::PreparedInputs(PackOptions given, Observer& observer)
    : given_(std::move(given)), resolved_(given_), observer_(observer), joined_(observer) {}

Status PreparedInputs::discover(ProblemLog& problems) {
  HOTPACK_TRY(check_options(given_));
  Result<Discovery> found = pipeline::discover(given_, problems, &observer_);
  if (observer_.stop_requested()) return {};
  if (!found.ok()) return with_neighbor(std::move(found).error());
  discovery_ = std::move(found).value();
  resolved_.label = discovery_.label;
  for (Split& split : splits()) split.list.split = split.name;
  return {};
}

void PreparedInputs::announce() const {
  for (const std::string_view line : lines_of(discovery_.layout))
    observer_.message(Level::info, line);
  for (const std::string& warning : discovery_.warnings) observer_.message(Level::warning, warning);
}

Status PreparedInputs::probe_headers() {
  if (probed_) return {};
  std::vector<HeaderProbe> headers;
  const ProbeThreads threads{given_.run.threads, given_.run.io_threads};
  std::uint64_t samples = 0;
  for (const Split& split : splits()) samples += split.list.samples.size();
  joined_.begin(samples);
  for (Split& split : splits()) {
    HOTPACK_ASSIGN(HeaderProbe found,
                   pipeline::probe_headers(split.list, given_.record, observer_of(split), threads));
    if (observer_.stop_requested()) return {};
    headers.push_back(std::move(found));
    joined_.end_part(split.list.samples.size());
  }
  joined_.begin(0);
  headers_ = std::move(headers);
  for (const HeaderProbe& found : headers_) forms_.add(found.forms);
  for (const Split& split : splits()) sizes_.add(split.list, given_.record);
  sizes_.settle(resolved_.record);
  probed_ = true;
  return {};
}

Result<LabelSetup> PreparedInputs::resolve_labels(ProblemLog& problems) {
  return pipeline::resolve_labels(resolved_, lists(), forms_, observer_, problems);
}

std::vector<SampleList*> PreparedInputs::lists() {
  std::vector<SampleList*> all;
  for (Split& split : splits()) all.push_back(&split.list);
  return all;
}

Observer& PreparedInputs::observer_of(const Split& split) {
  if (split.name.empty()) return observer_;
  std::unique_ptr<Observer>& own = observers_[split.name];
  if (!own) own = std::make_unique<SplitObserver>(split.name, joined_);
  return *own;
}

const RecordSizes* PreparedInputs::differing_sizes() const {
  return size_is_open(given_.record) && sizes_.differ() ? &sizes_ : nullptr;
}

}  // namespace hotpack::pipeline
