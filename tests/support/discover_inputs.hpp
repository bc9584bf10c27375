// Folders of files whose content does not matter, and what discover() makes of them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "discovery/discovery.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"

namespace hotpack::test {

using Names = std::vector<std::string>;

inline void touch(const TempFolder& folder, const Names& names) {
  for (const std::string& name : names) folder.write(name, "x");
}

struct DiscoveredInput {
  pipeline::Discovery discovery;
  pipeline::ProblemLog problems;

  // The samples of this split.
  [[nodiscard]] const pipeline::SampleList& list(const std::string& name = "") const {
    for (const pipeline::Split& split : discovery.splits)
      if (split.name == name) return split.list;
    FAIL("there is no split '" << name << "'");
    throw 0;
  }
  [[nodiscard]] Names split_names() const {
    Names names;
    for (const pipeline::Split& split : discovery.splits) names.push_back(split.name);
    return names;
  }
  [[nodiscard]] Names keys(const std::string& split = "") const {
    Names keys;
    for (const pipeline::Sample& sample : list(split).samples)
      keys.emplace_back(list(split).key(sample));
    return keys;
  }
  // "key: image label", paths below `folder`.
  [[nodiscard]] Names pairs(const TempFolder& folder, const std::string& split = "") const {
    const pipeline::SampleList& samples = list(split);
    const auto below = [&](const std::string& path) {
      return std::filesystem::relative(path, folder.path()).string();
    };
    Names pairs;
    for (const pipeline::Sample& sample : samples.samples)
      pairs.push_back(std::string(samples.key(sample)) + ": " + below(samples.image_path(sample)) +
                      (samples.has_label_files ? " " + below(samples.label_path(sample)) : ""));
    return pairs;
  }
  // "key: class"
  [[nodiscard]] Names classes(const std::string& split = "") const {
    const pipeline::SampleList& samples = list(split);
    Names classes;
    for (const pipeline::Sample& sample : samples.samples)
      classes.push_back(std::string(samples.key(sample)) + ": " +
                        samples.class_names.at(sample.class_name));
    return classes;
  }
};

// Fails where discover() gives an error. Problems are for the caller to look at.
inline DiscoveredInput discovered(const pipeline::PackOptions& options) {
  DiscoveredInput result;
  auto discovery = pipeline::discover(options, result.problems);
  if (!discovery.ok()) FAIL(discovery.error().describe());
  result.discovery = std::move(discovery).value();
  return result;
}

// The same where nothing is wrong with any file.
inline DiscoveredInput discovered_clean(const pipeline::PackOptions& options) {
  DiscoveredInput result = discovered(options);
  CHECK(result.problems.text() == "");
  return result;
}

inline Error refused(const pipeline::PackOptions& options) {
  pipeline::ProblemLog problems;
  const auto discovery = pipeline::discover(options, problems);
  if (discovery.ok()) FAIL("discover() found no fault");
  return discovery.error();
}

inline pipeline::PackOptions root_options(const std::string& folder) {
  pipeline::PackOptions options;
  options.input.root = folder;
  return options;
}

// --images images --labels labels
inline pipeline::PackOptions folder_options(const TempFolder& folder) {
  pipeline::PackOptions options;
  options.input.images = {folder / "images"};
  options.input.labels = {folder / "labels"};
  return options;
}

}  // namespace hotpack::test
