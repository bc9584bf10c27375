// The source of the samples that `preview` shows: a pack, or the inputs of one. Samples have
// numbers from 0.
//
// Not thread-safe. What a call returns refers to the source and lives until its next call. Failure:
// that of the reader (`io`, `damaged`) or of `pack/input_preview` (`io`); a sample of inputs that
// cannot be packed is no failure, it comes with its problem.
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
  // They cover all labels; absent where these were not counted.
  [[nodiscard]] virtual Result<std::optional<Statistics>> statistics() const = 0;
  // True if samples have remarks.
  [[nodiscard]] virtual bool has_remarks() const = 0;

  // All with this key: splits may share keys.
  [[nodiscard]] virtual Result<std::vector<std::uint64_t>> find(const std::string& key) = 0;
  [[nodiscard]] virtual Result<std::string> key(std::uint64_t number) = 0;
  [[nodiscard]] virtual Result<Extent> size(std::uint64_t number) = 0;
  [[nodiscard]] virtual Result<preview::SheetSample> load(std::uint64_t number) = 0;
  // The label alone, where there is one.
  [[nodiscard]] virtual Result<std::optional<LabelView>> load_label(std::uint64_t number) = 0;
};

}  // namespace hotpack::cli
