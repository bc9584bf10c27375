// Small input folders for tests, the options that pack them, and an observer that records messages
// and progress.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "discovery/discovery.hpp"
#include "label_setup/header_probe.hpp"
#include "label_setup/label_setup.hpp"
#include "pack/pack.hpp"
#include "pack/prepare.hpp"
#include "samples/sample_list.hpp"
#include "settings/observer.hpp"
#include "settings/options.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "support/test_images.hpp"

namespace hotpack::test {

// ---- files

inline void put(const TempFolder& folder, std::string_view name, const Bytes& bytes) {
  folder.write(name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

inline Bytes text_file(std::string_view text) { return test::bytes_of(text); }

inline Bytes read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return text_file(
      std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>()));
}

// Every file below a folder by its relative path, with its bytes.
inline std::map<std::string, Bytes> content_of(const std::string& folder) {
  std::map<std::string, Bytes> content;
  if (!std::filesystem::exists(folder)) return content;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      content[std::filesystem::relative(entry.path(), folder).string()] =
          read_bytes(entry.path().string());
  return content;
}

// ---- images

inline std::vector<std::uint8_t> narrowed(const std::vector<std::uint16_t>& samples) {
  return {samples.begin(), samples.end()};
}

// An RGB photo of noise.
inline std::vector<std::uint8_t> photo_samples(int width, int height, std::uint32_t seed = 1) {
  return narrowed(noise_samples(width, height, 3, 255, seed));
}
inline Bytes photo(int width = 8, int height = 6, std::uint32_t seed = 1) {
  return make_rgb_png(width, height, photo_samples(width, height, seed));
}

// A label with the given ids, row by row.
inline Bytes id_label(int width, int height, const std::vector<std::uint16_t>& ids,
                      int bit_depth = 8) {
  PngSpec spec;
  spec.width = width, spec.height = height, spec.color = PngColor::gray, spec.bit_depth = bit_depth;
  return make_png(spec, ids);
}
inline Bytes palette_label(int width, int height, const std::vector<std::uint16_t>& ids,
                           const std::vector<Color>& palette, int bit_depth = 8) {
  PngSpec spec;
  spec.width = width, spec.height = height, spec.color = PngColor::palette,
  spec.bit_depth = bit_depth, spec.palette = palette;
  return make_png(spec, ids);
}
// Ids 0 … most; all of them if there are enough pixels.
inline std::vector<std::uint16_t> noise_ids(int width, int height, std::uint16_t most,
                                            std::uint32_t seed = 1) {
  auto ids = noise_samples(width, height, 1, most, seed);
  for (std::size_t id = 0; id <= most && id < ids.size(); ++id)
    ids[id] = static_cast<std::uint16_t>(id);
  return ids;
}
inline Bytes noise_label(int width = 8, int height = 6, std::uint16_t most = 2,
                         std::uint32_t seed = 1) {
  return id_label(width, height, noise_ids(width, height, most, seed));
}
// A photo and a label of ids 0 … 2, both of noise, as images/NAME.png and labels/NAME.png.
inline void put_pair(const TempFolder& folder, const std::string& name, std::uint32_t seed = 1,
                     int width = 8, int height = 6) {
  put(folder, "images/" + name + ".png", photo(width, height, seed));
  put(folder, "labels/" + name + ".png", noise_label(width, height, 2, seed));
}
// An RGB mask of ids' colors.
inline Bytes color_label(int width, int height, const std::vector<std::uint16_t>& ids,
                         const std::vector<Color>& colors) {
  std::vector<std::uint8_t> samples;
  for (const std::uint16_t id : ids)
    samples.insert(samples.end(), colors[id].begin(), colors[id].end());
  return make_rgb_png(width, height, samples);
}

// ---- runs

class Recorder : public pipeline::Observer {
 public:
  void message(pipeline::Level, std::string_view text) override {
    messages += std::string(text) + "\n";
  }
  void progress(const pipeline::Progress& progress) override {
    last = progress;
    const bool at_work = progress.stage == "packing" || progress.stage == "checking";
    if (stop_after != 0 && at_work && progress.samples_done >= stop_after) stopped = true;
    if (progress.stage == stop_in) stopped = true;
  }
  [[nodiscard]] bool stop_requested() const override { return stopped; }

  std::string messages;
  pipeline::Progress last;
  std::uint64_t stop_after = 0;  // samples packed or checked; 0: never
  std::string_view stop_in;      // the stage whose first progress requests a stop; empty: none
  std::atomic<bool> stopped = false;
};

// Options for folders `images` and `labels` (if it exists) in `folder`, output to `packed`.
inline pipeline::PackOptions options_for(const TempFolder& folder) {
  pipeline::PackOptions options;
  options.input.images = {folder / "images"};
  if (std::filesystem::exists(folder / "labels")) options.input.labels = {folder / "labels"};
  options.record.size = {8, 6};
  options.run.output = folder / "packed";
  return options;
}

// The samples of an input without splits.
inline pipeline::SampleList samples_of(const pipeline::PackOptions& options) {
  pipeline::ProblemLog problems;
  auto discovery = pipeline::discover(options, problems);
  if (!discovery.ok()) FAIL(discovery.error().describe());
  REQUIRE(problems.text() == "");
  REQUIRE(discovery->splits.size() == 1);
  return std::move(discovery->splits.front().list);
}

// Samples and the meaning of their labels, up to the plan.
struct Prepared {
  pipeline::PackOptions options;
  pipeline::SampleList list;
  pipeline::LabelSetup setup;
};
inline Prepared prepared(const pipeline::PackOptions& options) {
  Prepared result{options, samples_of(options), {}};
  Recorder recorder;
  pipeline::ProblemLog problems;
  const auto headers = pipeline::probe_headers(result.list, options.record, recorder).value();
  const std::vector<pipeline::SampleList*> lists{&result.list};
  auto setup = pipeline::resolve_labels(result.options, lists, headers.forms, recorder, problems);
  if (!setup.ok()) FAIL(setup.error().describe());
  REQUIRE(problems.text() == "");
  result.setup = std::move(setup).value();
  return result;
}

// A run of one set, with its messages about the whole input.
inline pipeline::PackReport only_set(pipeline::PackRun run) {
  pipeline::PackReport report;
  if (!run.sets.empty()) report = std::move(run.sets.front());
  report.status = run.status;
  report.problems.append(run.problems);
  return report;
}

inline pipeline::PackReport packed(const pipeline::PackOptions& options) {
  Recorder recorder;
  auto run = pipeline::pack(options, false, recorder);
  if (!run.ok()) FAIL(run.error().describe());
  return only_set(std::move(run).value());
}

// ---- a pack

// Five samples in three shards of two, two and one, packed into `packed`.
struct ThreeShards {
  // `change` may replace inputs and options before they are packed.
  template <class Change>
  explicit ThreeShards(Change change) {
    for (std::uint32_t i = 0; i < 5; ++i) put_pair(folder, std::to_string(i), i);
    options = options_for(folder);
    options.label.class_count = 3;
    options.shard.shard_samples = 2;
    change(folder, options);
    (void)packed(options);
  }
  ThreeShards() : ThreeShards([](const TempFolder&, pipeline::PackOptions&) {}) {}

  [[nodiscard]] std::string path(const std::string& name) const {
    return options.run.output + "/" + name;
  }
  void write(const std::string& name, const Bytes& bytes) const {
    put(folder, "packed/" + name, bytes);
  }
  void flip(const std::string& name, std::size_t at) const {
    Bytes bytes = read_bytes(path(name));
    bytes.at(at) ^= std::byte{1};
    write(name, bytes);
  }

  static constexpr const char* kSecond = "shard-00001-of-00003.safetensors";
  static constexpr const char* kThird = "shard-00002-of-00003.safetensors";

  TempFolder folder;
  pipeline::PackOptions options;
};

}  // namespace hotpack::test
