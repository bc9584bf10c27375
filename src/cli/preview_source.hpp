// The interface to the samples that `preview` shows, either of packs or of inputs that are not
// packed yet. Samples are numbered from 0.
//
// Not thread-safe. A returned view refers to the source's memory and is valid until the next call.
// Failure: the errors of the reader (`io`, `damaged`) or of pack/input_preview (`io`). A sample of
// inputs that cannot be packed is not a failure: it is returned with its problem.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fit.hpp"
#include "hotpack/result.hpp"
#include "hotpack/schema.hpp"
#include "hotpack/shard.hpp"
#include "hotpack/statistics.hpp"
#include "preview/sheet.hpp"

namespace hotpack::cli {

class PreviewSource {
 public:
  virtual ~PreviewSource() = default;

  [[nodiscard]] virtual std::string name() const = 0;  // for titles and messages
  [[nodiscard]] virtual const Schema& schema() const = 0;
  [[nodiscard]] virtual std::uint64_t samples() const = 0;
  // Returns the statistics of all labels; absent if they were not counted.
  [[nodiscard]] virtual Result<std::optional<Statistics>> statistics() const = 0;
  // True if samples have remarks.
  [[nodiscard]] virtual bool has_remarks() const = 0;

  // Returns all samples with this key: several splits may have the same key.
  [[nodiscard]] virtual Result<std::vector<std::uint64_t>> find(const std::string& key) = 0;
  [[nodiscard]] virtual Result<std::string> key(std::uint64_t number) = 0;
  [[nodiscard]] virtual Result<Extent> size(std::uint64_t number) = 0;
  [[nodiscard]] virtual Result<preview::SheetSample> load(std::uint64_t number) = 0;
  // Loads only the label; absent if the sample has none.
  [[nodiscard]] virtual Result<std::optional<LabelView>> load_label(std::uint64_t number) = 0;
};

}  // namespace hotpack::cli
