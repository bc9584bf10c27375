// The picture of a sample and its label, from files to pixels: read whole, hashed, decoded, brought over each other.
//
// One PictureLoader a worker: it owns decoders and buffers. What it hands out is valid until its next load(). Not thread-safe.
// A bad sample is a Problem; an Error (a read that fails, too little memory) means that the run must stop.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/picture.hpp"
#include "hotpack/result.hpp"
#include "inputs/sample_list.hpp"
#include "label_setup/header_survey.hpp"
#include "label_setup/label_setup.hpp"
#include "label_setup/placement.hpp"
#include "pack/inspection.hpp"
#include "pack/plan.hpp"
#include "pack/remarks.hpp"
#include "settings/problem.hpp"

namespace hotpack::pipeline {

// What became of a sample: a problem, or none.
using Verdict = Result<std::optional<Problem>>;

// What the bytes of a file say is a problem of its sample; what the machine lacks ends the run.
[[nodiscard]] Verdict damaged_or_fatal(const Error& error, const std::string& path, ProblemKind kind = ProblemKind::damaged_picture);

// The colour of padding, a value a channel.
[[nodiscard]] std::array<std::uint8_t, 3> pad_pixel(const Schema& schema);

// The picture in hand and its label, decoded.
struct LoadedPicture {
  SampleHeaders headers;
  std::array<std::uint64_t, 2> hash{};
  bool rotate = false;
  Extent size;  // as packed
  Canvas canvas;
  ConstPicture pixels;                 // of the canvas for tiles, else of the source
  ConstIds ids;                        // the same of the label, where there is one
  std::span<const std::byte> one_hot;  // of several masks, as records store it; for tiles that of the canvas
  std::optional<Problem> problem;      // of the picture as a whole: every tile has it
  Remarks remarks;                     // told with the first tile
};

class PictureLoader {
 public:
  PictureLoader(const RecordOptions& options, const LabelSetup& setup, const Plan& plan, const SampleList& list);
  ~PictureLoader();
  PictureLoader(PictureLoader&&) noexcept;

  // Loads the sample's picture; the tiles of one picture that come one after the other are loaded once. A bad sample has
  // LoadedPicture::problem. `inspection` is filled where it is not null, with a problem too.
  [[nodiscard]] Result<const LoadedPicture*> load(const Sample& sample, SampleInspection* inspection);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hotpack::pipeline
