// Loads a sample's image and label from their files: reads, hashes and decodes them, and makes the
// label's size fit the image.
//
// One ImageLoader per worker; it owns decoders and buffers. Results are valid until the next
// load(). Not thread-safe. Failure: a bad sample is a Problem; an Error (a failed read, too little
// memory) stops the run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/pixels.hpp"
#include "hotpack/result.hpp"
#include "label_setup/header_probe.hpp"
#include "label_setup/label_setup.hpp"
#include "label_setup/placement.hpp"
#include "pack/class_uses.hpp"
#include "pack/diagnostic_counts.hpp"
#include "pack/inspection.hpp"
#include "pack/plan.hpp"
#include "samples/sample_list.hpp"
#include "settings/memory_budget.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

// A sample's problem, or none.
using Outcome = Result<std::optional<Problem>>;

// Bad content of a file is a problem of its sample; lack of memory is an error that stops the run.
[[nodiscard]] Outcome damaged_or_fatal(const Error& error, const std::string& path,
                                       ProblemKind kind = ProblemKind::damaged_image);

// The color of padding, one value per channel.
[[nodiscard]] std::array<std::uint8_t, 3> pad_pixel(const Schema& schema);

// A decoded image and its label.
struct LoadedImage {
  SampleHeaders headers;
  std::array<std::uint64_t, 2> hash{};
  bool rotate = false;
  Extent size;  // as packed
  Canvas canvas;
  // With --tile, the canvas; else the source image, which may be decoded at a fraction of `size`.
  ConstPixels pixels;
  ConstIds ids;  // the class ids of the label on that canvas or image, if there is a label
  std::span<const std::byte>
      one_hot;                     // several masks, encoded as in records; of the canvas if tiled
  LabelClasses classes;            // of the label; reported with the first tile
  std::optional<Problem> problem;  // concerns the whole image, so all of its tiles
  DiagnosticCounts diagnostics;    // reported with the first tile
};

class ImageLoader {
 public:
  // Without `budget`, images are decoded whatever memory they take.
  ImageLoader(const RecordOptions& options, const LabelSetup& setup, const Plan& plan,
              const SampleList& list, MemoryBudget* budget);
  ~ImageLoader();
  ImageLoader(ImageLoader&&) noexcept;

  // Loads the sample's image and label. If the next samples are tiles of the same image, it is not
  // decoded again. For a bad sample, LoadedImage::problem is set. If `inspection` is not null, it
  // is filled, even for a bad sample.
  [[nodiscard]] Result<const LoadedImage*> load(const Sample& sample, SampleInspection* inspection);

  // True if the loaded image is large for the budget. Other threads then wait for its memory, which
  // only the destructor frees.
  [[nodiscard]] bool is_large() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hotpack::pipeline
