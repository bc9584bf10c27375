// The image of a sample and its label, from files to pixels: read whole, hashed, decoded, brought over each other.
//
// One ImageLoader a worker: it owns decoders and buffers. What it hands out is valid until its next load(). Not thread-safe.
// A bad sample is a Problem; an Error (a read that fails, too little memory) means that the run must stop.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/pixels.hpp"
#include "hotpack/result.hpp"
#include "inputs/sample_list.hpp"
#include "label_setup/header_probe.hpp"
#include "label_setup/label_setup.hpp"
#include "label_setup/placement.hpp"
#include "pack/inspection.hpp"
#include "pack/plan.hpp"
#include "pack/remarks.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

// What became of a sample: a problem, or none.
using Outcome = Result<std::optional<Problem>>;

// What the bytes of a file say is a problem of its sample; what the machine lacks ends the run.
[[nodiscard]] Outcome damaged_or_fatal(const Error& error, const std::string& path, ProblemKind kind = ProblemKind::damaged_image);

// The color of padding, a value per channel.
[[nodiscard]] std::array<std::uint8_t, 3> pad_pixel(const Schema& schema);

// The image in hand and its label, decoded.
struct LoadedImage {
  SampleHeaders headers;
  std::array<std::uint64_t, 2> hash{};
  bool rotate = false;
  Extent size;  // as packed
  Canvas canvas;
  ConstPixels pixels;                  // of the canvas for tiles, else of the source
  ConstIds ids;                        // the same of the label, where there is one
  std::span<const std::byte> one_hot;  // of several masks, as records store it; for tiles that of the canvas
  std::optional<Problem> problem;      // of the image as a whole: every tile has it
  Remarks remarks;                     // reported with the first tile
};

class ImageLoader {
 public:
  ImageLoader(const RecordOptions& options, const LabelSetup& setup, const Plan& plan, const SampleList& list);
  ~ImageLoader();
  ImageLoader(ImageLoader&&) noexcept;

  // Loads the sample's image; the tiles of one image that come one after the other are loaded once. A bad sample has
  // LoadedImage::problem. `inspection` is filled where it is not null, with a problem too.
  [[nodiscard]] Result<const LoadedImage*> load(const Sample& sample, SampleInspection* inspection);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hotpack::pipeline
